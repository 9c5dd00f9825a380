// Threads that have returned still stand in the block: what follows a barrier is asked for one statement after the other, so that
// the barrier itself is met by all. if (stays) { A; barrier; B } becomes if (stays) { A } barrier; if (stays) { B }.
#include <algorithm>
#include <set>

#include "kernel/port/harmless.h"
#include "kernel/port/normalise.h"

namespace starbridge::kernel::port {

using front::make;
using front::Tree;

namespace {

void names_in(const Tree& tree, std::set<std::string>& names) {
  front::each(tree, [&](const Tree& part) {
    if (part->op == "var") names.insert(part->name);
  });
}

class Distributor {
 public:
  Tree rewrite(const Tree& tree) {
    Tree result = std::make_shared<front::Node>(*tree);
    result->args.clear();
    for (const Tree& child : tree->args) {
      const bool leads_out = tree->op == "seq" && child->op == "if" && child->extra == "exit" && child->args.size() == 2;
      if (leads_out && has_block_barrier(child->args[1]) && distribute(child, result->args)) continue;
      result->args.push_back(front::is_statement(child->op) ? rewrite(child) : child);
    }
    return result;
  }

 private:
  bool distribute(const Tree& choice, std::vector<Tree>& to) {
    control_.clear();
    const Tree body = choice->args[1];
    collect_control(body);
    for (std::size_t known = 0; known != control_.size();) {  // what they are made of
      known = control_.size();
      front::each(body, [&](const Tree& part) {
        if (part->op == "set" && control_.count(part->name) > 0) names_in(part->args[0], control_);
      });
    }
    bool can = true;
    front::each(body, [&](const Tree& part) {
      if (part->op == "set" && control_.count(part->name) > 0) can &= is_harmless(part->args[0]);
      if ((part->op == "if" || part->op == "loop") && has_block_barrier(part)) can &= is_harmless(part->args[0]);
      can &= part->op != "warp" || control_.count(part->name) == 0;
      can &= part->op != "atomic" || control_.count(part->extra.substr(part->extra.find(' ') + 1)) == 0;
    });
    if (!can) return false;
    std::set<std::string> asked;
    names_in(choice->args[0], asked);
    bool is_fixed = is_harmless(choice->args[0]);
    front::each(body, [&](const Tree& part) { is_fixed &= part->op != "set" || asked.count(part->name) == 0; });
    Tree test = choice->args[0];
    if (!is_fixed) {
      Tree set = make("set", "b", "stays_" + std::to_string(++number_), {test});
      set->line = choice->line;
      to.push_back(set);
      test = make("var", "b", set->name);
    }
    const std::set<std::string> control = control_;
    std::vector<Tree> parts = split(body, test, control);
    for (const Tree& part : parts) to.push_back(rewrite_one(part));
    return true;
  }
  Tree rewrite_one(const Tree& statement) {
    Tree seq = rewrite(make("seq", "", "", {statement}));
    return seq->args.size() == 1 ? seq->args[0] : seq;
  }
  void collect_control(const Tree& tree) {
    front::each(tree, [&](const Tree& part) {
      if ((part->op == "if" || part->op == "loop") && has_block_barrier(part)) names_in(part->args[0], control_);
    });
  }
  static std::vector<Tree> split(const Tree& seq, const Tree& test, const std::set<std::string>& control) {
    std::vector<Tree> result, run;
    auto flush = [&] {
      if (run.empty()) return;
      Tree guard = make("if", "", "", {front::copy(test), make("seq", "", "", run)});
      guard->line = run[0]->line;
      guard->extra = "exit";
      result.push_back(guard);
      run.clear();
    };
    for (const Tree& each : seq->args) {
      const bool meets = has_block_barrier(each), is_control = each->op == "set" && control.count(each->name) > 0;
      if (!meets && !is_control) {
        run.push_back(each);
        continue;
      }
      flush();
      if (!meets || each->op == "barrier") {
        result.push_back(each);
        continue;
      }
      Tree inner = std::make_shared<front::Node>(*each);
      for (std::size_t i = 1; i < inner->args.size(); ++i) {
        if (inner->args[i]->op == "seq") inner->args[i] = make("seq", "", "", split(inner->args[i], test, control));
      }
      result.push_back(inner);
    }
    flush();
    return result;
  }

  std::set<std::string> control_;
  int number_ = 0;
};

}  // namespace

Tree distribute_exits(const Tree& kernel) {
  Tree result = std::make_shared<front::Node>(*kernel);
  result->args.back() = Distributor().rewrite(kernel->args.back());
  return result;
}

}  // namespace starbridge::kernel::port

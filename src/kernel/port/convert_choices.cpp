// If-conversion. Both sides are computed: nothing in them may trap, read memory or be seen by others.
#include <functional>

#include "kernel/port/normalise.h"
#include "kernel/port/shapes.h"

namespace starbridge::kernel::port {

using front::make;
using front::Tree;

namespace {

constexpr int kAssignmentsMax = 12;  // beyond, computing both sides costs more than it saves

bool is_harmless(const Tree& expression) {
  bool result = true;
  front::each(expression, [&](const Tree& part) {
    const bool traps = (part->op == "div" || part->op == "rem") && !front::is_float(part->type);
    result &= !traps && part->op != "load" && part->type != "f64";
  });
  return result;
}

bool only_computes(const Tree& seq, int& assignments) {
  for (const Tree& each : seq->args) {
    if (each->op == "if" && is_harmless(each->args[0])) {
      for (std::size_t i = 1; i < each->args.size(); ++i) {
        if (!only_computes(each->args[i], assignments)) return false;
      }
      continue;
    }
    if (each->op != "set" || !is_harmless(each->args[0]) || ++assignments > kAssignmentsMax) return false;
  }
  return true;
}

class Converter {
 public:
  explicit Converter(const Tree& kernel) : shapes_(kernel) {}

  Tree convert(const Tree& tree) {
    Tree result = std::make_shared<front::Node>(*tree);
    result->args.clear();
    for (const Tree& child : tree->args) {
      int assignments = 0;
      const bool is_choice = child->op == "if" && shapes_.is_by_thread(child) && is_harmless(child->args[0]) &&
                             only_computes(child->args[1], assignments) &&
                             (child->args.size() < 3 || only_computes(child->args[2], assignments));
      if (is_choice && tree->op == "seq")
        flatten(child, nullptr, result->args);
      else
        result->args.push_back(front::is_statement(child->op) ? convert(child) : child);
    }
    return result;
  }

 private:
  // `under`: the conditions around, nullptr for none.
  void flatten(const Tree& choice, const Tree& under, std::vector<Tree>& to) {
    const std::string name = "choose_" + std::to_string(++number_);
    push(make("set", "b", name, {choice->args[0]}), choice->line, to);
    for (std::size_t i = 1; i < choice->args.size(); ++i) {
      Tree test = make("var", "b", name);
      if (i == 2) test = make("lnot", "b", "", {test});
      if (under != nullptr) test = make("land", "b", "", {under, test});
      for (const Tree& each : choice->args[i]->args) {
        if (each->op == "if")
          flatten(each, test, to);
        else
          push(make("set", each->type, each->name,
                    {make("select", each->type, "", {test, each->args[0], make("var", each->type, each->name)})}),
               each->line, to);
      }
    }
  }
  static void push(Tree statement, int line, std::vector<Tree>& to) {
    statement->line = line;
    to.push_back(std::move(statement));
  }

  Shapes shapes_;
  int number_ = 0;
};

}  // namespace

Tree convert_choices(const Tree& kernel) {
  Tree result = std::make_shared<front::Node>(*kernel);
  result->args.back() = Converter(kernel).convert(kernel->args.back());
  return result;
}

}  // namespace starbridge::kernel::port

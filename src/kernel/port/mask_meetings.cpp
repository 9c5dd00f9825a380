// Warp operations in control that lanes in step cannot follow: the control becomes masks. Every lane comes by, and what a lane
// does there counts only while its mask holds; a loop goes on as long as any lane does. Barriers of the whole block are left
// alone: CUDA does not allow them there.
#include <algorithm>
#include <set>

#include "kernel/port/harmless.h"
#include "kernel/port/normalise.h"
#include "kernel/port/shapes.h"

namespace starbridge::kernel::port {

using front::make;
using front::Tree;

namespace {

Tree both(const Tree& a, const Tree& b) { return make("land", "b", "", {a, b}); }
Tree no(const Tree& a) { return make("lnot", "b", "", {a}); }
Tree variable(const std::string& type, const std::string& name) { return make("var", type, name); }

// Of the loop around, not of loops inside.
bool jumps(const Tree& tree) {
  if (tree->op == "break" || tree->op == "continue") return true;
  return tree->op != "loop" && std::any_of(tree->args.begin(), tree->args.end(), [](const Tree& child) { return jumps(child); });
}

class Masker {
 public:
  Masker(const Tree& kernel, bool rows_meet) : shapes_(kernel), rows_meet_(rows_meet) {}

  Tree rewrite(const Tree& tree) {
    Tree result = std::make_shared<front::Node>(*tree);
    result->args.clear();
    for (const Tree& child : tree->args) {
      if (tree->op == "seq" && needs_mask(child)) {
        root_ = child;
        to_ = &result->args;
        one(child, nullptr);
      } else {
        result->args.push_back(front::is_statement(child->op) ? rewrite(child) : child);
      }
    }
    return result;
  }

 private:
  struct Loop {
    std::string live, active;  // lanes that go on with the loop, with this turn
  };

  bool is_followed(const Tree& test) const {
    const Shape shape = shapes_.of(test);
    return shape.is_uniform() && !(rows_meet_ && shape.depends_on_row);
  }
  bool needs_mask(const Tree& tree) const {
    if ((tree->op != "if" && tree->op != "loop") || !meets(tree) || has_block_barrier(tree)) return false;
    if (rows_meet_ && !is_followed(tree->args[0])) return true;
    if (shapes_.resists(tree)) return true;
    if (tree->op != "loop") return false;
    // A jump that some lanes take and others do not.
    bool divides = false;
    front::each(tree->args[1],
                [&](const Tree& part) { divides |= part->op == "if" && jumps(part) && !is_followed(part->args[0]); });
    return divides;
  }

  Tree fresh(const char* what, Tree value, int line) {
    const std::string name = std::string(what) + "_" + std::to_string(++number_);
    push(make("set", "b", name, {std::move(value)}), line);
    return variable("b", name);
  }
  void push(Tree statement, int line) {
    statement->line = line;
    to_->push_back(std::move(statement));
  }
  // `value`, asked by the lanes of `mask` alone where asking might go wrong.
  Tree under(const Tree& mask, const Tree& value, const std::string& type, int line) {
    if (mask == nullptr || is_harmless(value)) return value;
    const std::string name = "asked_" + std::to_string(++number_);
    push(make("set", type, name, {front::is_float(type) ? make("const", type, "0") : front::constant(type, 0)}), line);
    guard(mask, {make("set", type, name, {value})}, line);
    return variable(type, name);
  }
  void guard(const Tree& mask, std::vector<Tree> statements, int line) {
    for (Tree& each : statements) each->line = each->line > 0 ? each->line : line;
    push(make("if", "", "", {mask, make("seq", "", "", std::move(statements))}), line);
  }

  void sequence(const Tree& seq, Tree mask, Loop* loop) {
    for (const Tree& each : seq->args) {
      one(each, mask, loop);
      if (loop != nullptr && jumps(each))
        mask = fresh("mask", mask == nullptr ? variable("b", loop->active) : both(mask, variable("b", loop->active)), each->line);
    }
  }

  void one(const Tree& tree, const Tree& mask, Loop* loop = nullptr) {
    if (tree->op == "seq") return sequence(tree, mask, loop);
    if (tree->op == "barrier") return push(std::make_shared<front::Node>(*tree), tree->line);
    if (tree->op == "break" || tree->op == "continue") {
      const Tree stays = mask == nullptr ? front::constant("b", 0) : no(mask);
      if (tree->op == "break") push(make("set", "b", loop->live, {both(variable("b", loop->live), stays)}), tree->line);
      return push(make("set", "b", loop->active, {both(variable("b", loop->active), stays)}), tree->line);
    }
    if (tree->op == "set") return assign(tree, mask);
    if (tree->op == "warp") return meet(tree, mask);
    if (tree->op == "if" && (meets(tree) || (loop != nullptr && jumps(tree)))) return choice(tree, mask, loop);
    if (tree->op == "loop" && meets(tree)) return turns(tree, mask);
    if (mask == nullptr) return push(tree, tree->line);
    guard(mask, {std::make_shared<front::Node>(*tree)}, tree->line);
  }

  void assign(const Tree& tree, const Tree& mask) {
    Tree given = tree->args[0];
    if (mask != nullptr && !is_harmless(given)) return guard(mask, {std::make_shared<front::Node>(*tree)}, tree->line);
    if (mask != nullptr && !stays_inside(tree->name))
      given = make("select", tree->type, "", {mask, given, variable(tree->type, tree->name)});
    push(make("set", tree->type, tree->name, {given}), tree->line);
  }
  // Set and asked in what is masked only, and the same for all lanes there: counters of loops.
  bool stays_inside(const std::string& name) const {
    return shapes_.is_inside(name, root_) && is_followed(variable(shapes_.type_of(name), name));
  }

  void meet(const Tree& tree, const Tree& mask) {
    Tree node = std::make_shared<front::Node>(*tree);
    if (mask != nullptr) {
      Tree& given = node->args[0];
      const std::string type = given->type;
      given = under(mask, given, type, tree->line);
      if (tree->extra == "ballot" || tree->extra == "any") given = both(mask, given);
      if (tree->extra == "all") given = make("lor", "b", "", {no(mask), given});
      if (tree->extra == "sum")
        given =
            make("select", type, "", {mask, given, front::is_float(type) ? make("const", type, "0") : front::constant(type, 0)});
      if (tree->extra == "max" || tree->extra == "min")
        given = make("select", type, "", {mask, given, extreme(type, tree->extra == "min")});
      node->args[1] = under(mask, node->args[1], node->args[1]->type, tree->line);
    }
    push(node, tree->line);
    if (mask != nullptr && tree->extra == "match") {  // only with those that come by
      const std::string name = "present_" + std::to_string(++number_);
      Tree present = make("warp", "u32", name, {mask, front::constant("i32", 0), front::constant("i32", 32)});
      present->extra = "ballot";
      push(present, tree->line);
      push(make("set", "u32", tree->name, {make("and", "u32", "", {variable("u32", tree->name), variable("u32", name)})}),
           tree->line);
    }
  }
  static Tree extreme(const std::string& type, bool is_largest) {
    if (front::is_float(type)) return make("const", type, is_largest ? "+Inf" : "-Inf");
    if (type == "u32") return make("const", type, is_largest ? "4294967295" : "0");
    return make("const", type, is_largest ? "2147483647" : "-2147483648");
  }

  void choice(const Tree& tree, const Tree& mask, Loop* loop) {
    const bool is_followed_here = is_followed(tree->args[0]) && is_harmless(tree->args[0]) && (loop == nullptr || !jumps(tree));
    if (is_followed_here) {
      Tree node = std::make_shared<front::Node>(*tree);
      std::vector<Tree>* saved = to_;
      for (std::size_t i = 1; i < node->args.size(); ++i) {
        Tree seq = make("seq", "", "");
        to_ = &seq->args;
        sequence(tree->args[i], mask, loop);
        node->args[i] = seq;
      }
      to_ = saved;
      return push(node, tree->line);
    }
    const Tree test = fresh("holds", under(mask, tree->args[0], "b", tree->line), tree->line);
    for (std::size_t i = 1; i < tree->args.size(); ++i) {
      const Tree side = i == 1 ? test : no(test);
      sequence(tree->args[i], fresh("mask", mask == nullptr ? side : both(mask, side), tree->line), loop);
    }
  }

  void turns(const Tree& tree, const Tree& mask) {
    Tree body = make("seq", "", "");
    std::vector<Tree>* saved = to_;
    bool jumps_out = false;
    for (const Tree& each : tree->args[1]->args) jumps_out |= jumps(each);
    if (is_followed(tree->args[0]) && !jumps_out && is_harmless(tree->args[0])) {
      Tree step = make("seq", "", "");
      to_ = &body->args;
      sequence(tree->args[1], mask, nullptr);
      to_ = &step->args;
      sequence(tree->args[2], mask, nullptr);
      to_ = saved;
      return push(make("loop", "", "", {tree->args[0], body, step}), tree->line);
    }
    Loop loop{"live_" + std::to_string(++number_), "active_" + std::to_string(number_)};
    const Tree live = variable("b", loop.live), active = variable("b", loop.active);
    push(make("set", "b", loop.live, {mask == nullptr ? front::constant("b", 1) : mask}), tree->line);
    to_ = &body->args;
    const Tree test = under(live, tree->args[0], "b", tree->line);
    push(make("set", "b", loop.live, {both(live, test)}), tree->line);
    push(make("if", "", "", {no(make("any", "b", "", {live})), make("seq", "", "", {make("break", "", "")})}), tree->line);
    push(make("set", "b", loop.active, {live}), tree->line);
    sequence(tree->args[1], live, &loop);
    sequence(tree->args[2], live, nullptr);
    to_ = saved;
    push(make("loop", "", "", {front::constant("b", 1), body, make("seq", "", "")}), tree->line);
  }

  Shapes shapes_;
  bool rows_meet_;
  Tree root_;
  std::vector<Tree>* to_ = nullptr;
  int number_ = 0;
};

// Operands of warp operations as variables of their own.
Tree lifted(const Tree& tree, int& number) {
  Tree result = std::make_shared<front::Node>(*tree);
  result->args.clear();
  for (const Tree& child : tree->args) {
    if (child->op != "warp") {
      result->args.push_back(front::is_statement(child->op) ? lifted(child, number) : child);
      continue;
    }
    Tree node = std::make_shared<front::Node>(*child);
    for (std::size_t i = 0; i < 2; ++i) {
      if (node->args[i]->op == "const") continue;
      Tree set = make("set", node->args[i]->type, "given_" + std::to_string(++number), {node->args[i]});
      set->line = child->line;
      result->args.push_back(set);
      node->args[i] = variable(set->type, set->name);
    }
    result->args.push_back(node);
  }
  return result;
}

bool has_rows_that_meet(const Tree& kernel) {
  bool has_rows = false, has_warp = false;
  front::each(kernel->args.back(), [&](const Tree& tree) {
    has_rows |= tree->op == "special" && (tree->name == "tid.y" || tree->name == "tid.z");
    has_warp |= tree->op == "warp";
  });
  return has_rows && has_warp && kernel->extra.rfind("warps", 0) != 0;
}

}  // namespace

Tree mask_meetings(const Tree& kernel) {
  const bool rows_meet = has_rows_that_meet(kernel);
  Tree result = std::make_shared<front::Node>(*kernel);
  result->args.back() = Masker(kernel, rows_meet).rewrite(kernel->args.back());
  int number = 0;
  if (rows_meet) result->args.back() = lifted(result->args.back(), number);
  return result;
}

}  // namespace starbridge::kernel::port

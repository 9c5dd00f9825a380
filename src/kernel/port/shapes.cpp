#include "kernel/port/shapes.h"

#include <algorithm>

namespace starbridge::kernel::port {

namespace {

constexpr int kRoundsMax = 100;  // shapes only grow, each at most twice

std::string text_of(const Tree& tree) { return tree == nullptr ? "" : front::print(tree); }
bool is_row(const std::string& special) { return special == "tid.y" || special == "tid.z" || special == "warp"; }
bool is_integer(const std::string& type) { return !front::is_float(type) && type != "b"; }

bool is_comparison(const std::string& op) {
  return op == "lt" || op == "le" || op == "gt" || op == "ge" || op == "eq" || op == "ne";
}

}  // namespace

bool meets(const Tree& statement) {
  std::set<std::string> stored, read;
  bool has = false;
  front::each(statement, [&](const Tree& tree) {
    has |= tree->op == "barrier" || tree->op == "warp" || tree->op == "any";
    if (tree->extra == "volatile") (tree->op == "store" ? stored : read).insert(tree->name);
  });
  return has || std::any_of(stored.begin(), stored.end(), [&](const std::string& name) { return read.count(name) > 0; });
}

Shapes::Shapes(const Tree& kernel, const std::set<std::string>& forced) : forced_(forced) {
  has_rows_ = is_warps_ = kernel->extra.rfind("warps", 0) == 0;
  for (const Tree& child : kernel->args) {
    if (child->op == "array" && child->extra == "local") local_arrays_.insert(child->name);
  }
  Tree body = kernel->args.back();
  index(body, nullptr);
  front::each(body, [&](const Tree& tree) { has_rows_ |= tree->op == "special" && is_row(tree->name); });
  bool changes = true;
  for (int round = 0; changes && round < kRoundsMax; ++round) changes = walk(body, false) | mark(body);
}

void Shapes::index(const Tree& tree, const Tree& parent) {
  const bool is_statement = front::is_statement(tree->op);
  if (is_statement) parents_[tree.get()] = parent;
  auto define = [&](const std::string& name, const std::string& type) {
    all_.insert(name);
    types_[name] = type;
    uses_[name].push_back(tree);
  };
  if (tree->op == "set" || tree->op == "warp") define(tree->name, tree->type);
  if (tree->op == "atomic") define(tree->extra.substr(tree->extra.find(' ') + 1), tree->type);
  for (const Tree& child : tree->args) {
    if (front::is_statement(child->op)) {
      index(child, tree);
      continue;
    }
    front::each(child, [&](const Tree& part) {
      if (part->op != "var") return;
      uses_[part->name].push_back(tree);
      all_.insert(part->name);
      types_.try_emplace(part->name, part->type);
    });
  }
}

bool Shapes::is_inside(const std::string& variable, const Tree& statement) const {
  auto found = uses_.find(variable);
  if (found == uses_.end()) return true;
  return std::all_of(found->second.begin(), found->second.end(), [&](const Tree& use) {
    for (Tree at = use; at != nullptr; at = parents_.at(at.get())) {
      if (at == statement) return true;
    }
    return false;
  });
}

Shape Shapes::variable(const std::string& name) const {
  auto found = shapes_.find(name);
  return found == shapes_.end() ? Shape{} : found->second;
}

Shape Shapes::of(const Tree& tree) const {
  Shape shape;
  if (tree->op == "const") {
    shape.may_be_negative = !tree->name.empty() && tree->name[0] == '-';
    return shape;
  }
  if (tree->op == "param" || tree->op == "notnull") {
    shape.may_be_negative = tree->type == "i32" || tree->type == "i64";
    return shape;
  }
  if (tree->op == "special") {
    if (tree->name == "tid.x" || tree->name == "tid.linear") shape.step = front::constant("i64", 1);
    shape.depends_on_row = is_row(tree->name);
    return shape;
  }
  if (tree->op == "var") return variable(tree->name);
  if (tree->op == "any") {
    shape.depends_on_row = is_warps_;
    return shape;
  }
  std::vector<Shape> parts;
  for (const Tree& child : tree->args) {
    parts.push_back(of(child));
    shape.depends_on_row |= parts.back().depends_on_row;
    shape.may_be_negative |= parts.back().may_be_negative;
    shape.is_varying |= parts.back().is_varying;
  }
  const bool is_uniform = std::all_of(parts.begin(), parts.end(), [](const Shape& part) { return part.is_uniform(); });
  if (tree->op == "load") {
    shape.is_varying |= !is_uniform || local_arrays_.count(tree->name) > 0;
    shape.step = nullptr;
    return shape;
  }
  if (is_uniform) {
    shape.may_be_negative |= tree->op == "sub" || tree->op == "neg";
    return shape;
  }
  if (shape.is_varying || !is_integer(tree->type)) {
    shape.is_varying = true;
    return shape;
  }
  if (tree->op == "cast") {
    if (!is_integer(tree->args[0]->type)) shape.is_varying = true;
    if (tree->type[0] == 'u' && parts[0].may_be_negative) shape.is_varying = true;
    if (front::type_bytes(tree->type) < 4) shape.is_varying = true;
    shape.step = parts[0].step;
    return shape;
  }
  if (tree->op == "add" || tree->op == "sub") {
    const Tree &a = parts[0].step, &b = parts[1].step;
    if (tree->op == "sub") {
      shape.may_be_negative = true;
      if (tree->type[0] == 'u') shape.is_varying = true;
      shape.step = b == nullptr ? a : a == nullptr ? front::make("neg", "i64", "", {b}) : front::make("sub", "i64", "", {a, b});
      if (a != nullptr && b != nullptr && text_of(a) == text_of(b)) shape.step = nullptr;
    } else {
      shape.step = a == nullptr ? b : b == nullptr ? a : front::make("add", "i64", "", {a, b});
    }
    return shape;
  }
  if (tree->op == "mul" && (parts[0].step == nullptr || parts[1].step == nullptr)) {
    const Tree& stepped = parts[0].step != nullptr ? parts[0].step : parts[1].step;
    Tree other = parts[0].step != nullptr ? tree->args[1] : tree->args[0];
    if (other->type != "i64") other = front::make("cast", "i64", "", {other});
    if (other->op == "cast" && other->args[0]->op == "const") other = front::constant("i64", std::stoll(other->args[0]->name));
    const bool is_one = stepped->op == "const" && stepped->name == "1";
    shape.step = is_one ? other : front::make("mul", "i64", "", {stepped, other});
    return shape;
  }
  shape.is_varying = true;
  return shape;
}

bool Shapes::join(const std::string& name, const Shape& given) {
  Shape shape = given;
  shape.is_varying |= forced_.count(name) > 0;
  Shape& known = shapes_[name];
  Shape next = known;
  if (known_.insert(name).second) {
    next = shape;
  } else {
    next.is_varying |= shape.is_varying || text_of(known.step) != text_of(shape.step);
    next.may_be_negative |= shape.may_be_negative;
    next.depends_on_row |= shape.depends_on_row;
  }
  if (next.is_varying) next.step = nullptr;
  const bool changes = next.is_varying != known.is_varying || next.may_be_negative != known.may_be_negative ||
                       next.depends_on_row != known.depends_on_row || text_of(next.step) != text_of(known.step);
  known = next;
  return changes;
}

// Set by the step of `loop`, and after the loop nobody asks for it: threads that have left may count on.
bool Shapes::is_stepped_in(const Tree& loop, const std::string& name) const {
  bool is_stepped = false;
  front::each(loop->args[2], [&](const Tree& tree) { is_stepped |= tree->op == "set" && tree->name == name; });
  if (!is_stepped) return false;
  const std::vector<Tree>& uses = uses_.at(name);
  return std::all_of(uses.begin(), uses.end(), [&](const Tree& use) {
    for (Tree at = use; at != nullptr; at = parents_.at(at.get())) {
      if (at == loop) return true;
    }
    if (use->op != "set" || use->name != name) return false;
    bool reads_itself = false;
    front::each(use->args[0], [&](const Tree& part) { reads_itself |= part->op == "var" && part->name == name; });
    return !reads_itself;
  });
}

bool Shapes::walk(const Tree& tree, bool is_divided) {
  bool changes = false;
  auto assign = [&](const std::string& name, Shape shape) {
    for (const Tree& division : divisions_) {
      if (is_inside(name, division)) continue;
      if (division->op == "loop" && !is_by_thread(division) && is_stepped_in(division, name)) continue;
      shape.is_varying = true;
    }
    changes |= join(name, shape);
  };
  if (tree->op == "set") assign(tree->name, of(tree->args[0]));
  if (tree->op == "warp") {
    Shape varying;
    varying.is_varying = true;
    assign(tree->name, varying);
  }
  if (tree->op == "atomic") {
    Shape varying;
    varying.is_varying = true;
    assign(tree->extra.substr(tree->extra.find(' ') + 1), varying);
  }
  const bool divides = is_by_thread(tree) || ((tree->op == "if" || tree->op == "loop") && !of(tree->args[0]).is_uniform());
  if (divides) divisions_.push_back(tree);
  for (const Tree& child : tree->args) {
    if (front::is_statement(child->op)) changes |= walk(child, is_divided || divides);
  }
  if (divides) divisions_.pop_back();
  return changes;
}

// Control that lanes in step cannot follow: conditions without bounds, jumps out of loops that only some threads take.
bool Shapes::needs_thread_loop(const Tree& tree) const {
  if (tree->op != "if" && tree->op != "loop") return false;
  std::vector<Bound> bounds;
  if (!of(tree->args[0]).is_uniform()) {
    if (!bounds_of(tree->args[0], bounds)) return true;
    if (tree->op == "if" && tree->args.size() == 3 && (bounds.size() != 1 || bounds[0].kind == "only")) return true;
    if (tree->op == "loop" && (bounds.size() != 1 || bounds[0].kind != "last")) return true;
    bool jumps = false;
    int depth = 0;
    front::each(tree->op == "loop" ? tree->args[1] : tree,
                [&](const Tree& part) { jumps |= part->op == "break" || part->op == "continue"; });
    (void)depth;
    if (jumps) return true;
  }
  return false;
}

bool Shapes::mark(const Tree& tree) {
  bool changes = false;
  if (!is_by_thread(tree) && !meets(tree)) {
    bool needs = needs_thread_loop(tree);
    // A jump under a condition of the threads' own takes its loop with it.
    if (!needs && tree->op == "loop") {
      front::each(tree, [&](const Tree& part) {
        needs |= part != tree && is_by_thread(part) && [&] {
          bool jumps = false;
          front::each(part, [&](const Tree& inner) { jumps |= inner->op == "break" || inner->op == "continue"; });
          return jumps && part->op != "loop";
        }();
      });
    }
    if (needs) {
      by_thread_.insert(tree.get());
      return true;
    }
  }
  for (const Tree& child : tree->args) {
    if (front::is_statement(child->op) && !is_by_thread(tree)) changes |= mark(child);
  }
  return changes;
}

bool Shapes::bounds_of(const Tree& condition, std::vector<Bound>& bounds) const {
  if (condition->op == "land" && !of(condition).is_uniform()) {
    for (const Tree& side : condition->args) {
      if (!of(side).is_uniform()) {
        if (!bounds_of(side, bounds)) return false;
        continue;
      }
      // The same for all threads: it leaves the range or empties it. It is asked whatever the other side says.
      bool is_harmless = true;
      front::each(side, [&](const Tree& part) { is_harmless &= part->op != "load" && part->op != "div" && part->op != "rem"; });
      if (!is_harmless) return false;
      Bound guard;
      guard.kind = "guard";
      guard.left = side;
      bounds.push_back(guard);
    }
    return true;
  }
  if (of(condition).is_uniform()) return false;
  if (condition->op == "lnot" && is_comparison(condition->args[0]->op)) {
    static const std::map<std::string, std::string> opposite = {{"lt", "ge"}, {"ge", "lt"}, {"gt", "le"}, {"le", "gt"}};
    auto found = opposite.find(condition->args[0]->op);
    if (found == opposite.end()) return false;
    return bounds_of(front::make(found->second, "b", "", condition->args[0]->args), bounds);
  }
  if (!is_comparison(condition->op) || condition->op == "ne") return false;
  const Tree &a = condition->args[0], &b = condition->args[1];
  if (!is_integer(a->type) || !is_integer(b->type)) return false;
  Shape left = of(a), right = of(b);
  if (left.is_varying || right.is_varying) return false;
  // tid / 32 == 0 is left to the loop over threads; steps other than one leave gaps.
  auto is_one = [](const Tree& step) { return step != nullptr && step->op == "const" && step->name == "1"; };
  Bound bound;
  bound.left = a;
  bound.right = b;
  std::string op = condition->op;
  if (is_one(left.step) && right.step == nullptr) {
    bound.sign = 1;
  } else if (left.step == nullptr && is_one(right.step)) {
    static const std::map<std::string, std::string> turned = {
        {"lt", "gt"}, {"gt", "lt"}, {"le", "ge"}, {"ge", "le"}, {"eq", "eq"}};
    op = turned.at(op);
    std::swap(bound.left, bound.right);
  } else {
    return false;
  }
  // lane + base(left) OP base(right)
  if (op == "lt") bound.kind = "last";
  if (op == "le") bound.kind = "last", bound.shift = 1;
  if (op == "ge") bound.kind = "first";
  if (op == "gt") bound.kind = "first", bound.shift = 1;
  if (op == "eq") bound.kind = "only";
  bounds.push_back(bound);
  return true;
}

}  // namespace starbridge::kernel::port

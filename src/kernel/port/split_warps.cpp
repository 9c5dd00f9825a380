// Warps as rows: the threads along x become the lanes of one warp, and the warp's number in its block a row, so that what whole
// warps decide for themselves is the same for all lanes of a row.
#include "kernel/port/normalise.h"

namespace starbridge::kernel::port {

using front::constant;
using front::make;
using front::Tree;

namespace {

constexpr int kWarp = 32;

bool is_const(const Tree& tree, long long value) { return tree->op == "const" && tree->name == std::to_string(value); }

bool is_wide_integer(const std::string& type) { return !front::is_float(type) && type != "b" && front::type_bytes(type) >= 4; }

Tree without_casts(Tree tree) {
  while (tree->op == "cast" && is_wide_integer(tree->type) && is_wide_integer(tree->args[0]->type)) tree = tree->args[0];
  return tree;
}

class Splitter {
 public:
  explicit Splitter(bool has_rows) : has_rows_(has_rows) {}

  Tree rewrite(const Tree& tree) {
    if (Tree known = part_of_thread(tree); known != nullptr) return known;
    if (tree->op == "special" && (tree->name == "tid.x" || tree->name == "tid.linear")) return thread(tree->name);
    if (tree->op == "special" && tree->name == "tid.y")
      return binary("rem", binary("div", binary("mul", warp(), number(kWarp)), special("bdim.x")), special("bdim.y"));
    if (tree->op == "special" && tree->name == "tid.z")
      return binary("div", binary("mul", warp(), number(kWarp)), binary("mul", special("bdim.x"), special("bdim.y")));
    Tree result = std::make_shared<front::Node>(*tree);
    for (Tree& child : result->args) child = rewrite(child);
    return result;
  }
  bool needs_whole_warps() const { return has_rows_ || is_global_; }

 private:
  static Tree number(long long value) { return constant("u32", value); }
  static Tree special(const char* name) { return make("special", "u32", name); }
  static Tree warp() { return special("warp"); }
  static Tree binary(const char* op, Tree a, Tree b) { return make(op, "u32", "", {std::move(a), std::move(b)}); }

  // The number along x of the warp that `name` counts threads of.
  Tree warp_of(const std::string& name) const {
    if (name == "tid.linear" || !has_rows_) return warp();
    return binary("rem", warp(), binary("div", special("bdim.x"), number(kWarp)));
  }
  Tree thread(const std::string& name) const {
    return binary("add", binary("mul", warp_of(name), number(kWarp)), special("tid.x"));
  }

  // n / 32, n >> 5: which warp; n % 32, n & 31: which lane; n: threads of the block, or of the grid along x.
  Tree part_of_thread(const Tree& tree) {
    if (tree->args.size() != 2 || !is_wide_integer(tree->type)) return nullptr;
    const bool is_lane =
        (tree->op == "rem" && is_const(tree->args[1], kWarp)) || (tree->op == "and" && is_const(tree->args[1], kWarp - 1));
    const bool is_warp =
        (tree->op == "div" && is_const(tree->args[1], kWarp)) || (tree->op == "shr" && is_const(tree->args[1], 5));
    if (!is_lane && !is_warp) return nullptr;
    std::string name;
    Tree before;  // threads in the blocks before this one: a multiple of the block's width
    if (!find_thread(without_casts(tree->args[0]), name, before)) return nullptr;
    Tree result = is_lane ? special("tid.x") : warp_of(name);
    if (before != nullptr) {
      is_global_ = true;
      if (is_warp) result = binary("add", binary("div", rewrite(before), number(kWarp)), result);
    }
    return tree->type == "u32" ? result : make("cast", tree->type, "", {result});
  }
  static bool find_thread(const Tree& tree, std::string& name, Tree& before) {
    if (tree->op == "special" && (tree->name == "tid.x" || tree->name == "tid.linear")) {
      name = tree->name;
      return true;
    }
    if (tree->op != "add") return false;
    for (int side = 0; side < 2; ++side) {
      const Tree one = without_casts(tree->args[static_cast<std::size_t>(side)]),
                 other = without_casts(tree->args[static_cast<std::size_t>(1 - side)]);
      if (one->op != "special" || one->name != "tid.x" || other->op != "mul") continue;
      bool has_width = false, is_simple = true;
      for (const Tree& factor : other->args)
        has_width |= without_casts(factor)->op == "special" && without_casts(factor)->name == "bdim.x";
      front::each(other, [&](const Tree& part) { is_simple &= part->op != "load" && part->op != "var"; });
      if (!has_width || !is_simple) continue;
      name = "tid.x";
      before = other;
      return true;
    }
    return false;
  }

  bool has_rows_;
  bool is_global_ = false;
};

}  // namespace

Tree split_warps(const Tree& kernel) {
  bool has_rows = false;
  front::each(kernel->args.back(),
              [&](const Tree& tree) { has_rows |= tree->op == "special" && (tree->name == "tid.y" || tree->name == "tid.z"); });
  Splitter splitter(has_rows);
  Tree result = std::make_shared<front::Node>(*kernel);
  result->args.back() = splitter.rewrite(kernel->args.back());
  result->extra = splitter.needs_whole_warps() ? "warps whole" : "warps";
  return result;
}

}  // namespace starbridge::kernel::port

// Node: the tree a kernel is brought into before it is ported: statements and typed expressions, printed as text and read back.
// Plain values; any thread. Knows nothing of Clang or of any chip.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starbridge::front {

struct Node;
using Tree = std::shared_ptr<Node>;

// Expressions: const var param special add sub mul div rem and or xor shl shr lt le gt ge eq ne land lor neg not bnot cast select
//   call load notnull.
// Statements: seq set store if loop break continue leave block barrier warp atomic.
// Around them: module kernel parameter array symbol launch remove refuse.
struct Node {
  std::string op;
  std::string type;   // i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 b; empty: none
  std::string name;   // of a variable, array, function, label; a constant's digits
  std::string extra;  // kind of an atomic or a warp operation; where its old value goes; free words of other nodes
  int line = 0;       // of the source, for statements
  std::vector<Tree> args;
};

Tree make(std::string op, std::string type, std::string name, std::vector<Tree> args = {});
Tree constant(std::string type, long long value);
Tree copy(const Tree& tree);

// One node per line for statements, expressions on their statement's line.
std::string print(const Tree& tree);
// nullopt with `why` (line and reason) when the text is damaged.
std::optional<Tree> read(std::string_view text, std::string* why);

bool is_statement(std::string_view op);
int type_bytes(std::string_view type);
bool is_float(std::string_view type);
// Calls `visit` on every node, parents first.
template <class Visit>
void each(const Tree& tree, Visit&& visit) {
  visit(tree);
  for (const Tree& child : tree->args) each(child, visit);
}

// Any node with one of these operations.
inline bool has(const Tree& tree, std::initializer_list<std::string_view> ops) {
  bool found = false;
  each(tree, [&](const Tree& part) {
    for (std::string_view op : ops) found |= part->op == op;
  });
  return found;
}

}  // namespace starbridge::front

// Pickle: reads the pickle language (protocols 0 to 5) into a graph of plain nodes. Nothing is imported, looked up or called: a
// global stays a pair of words, a call stays a node that says what would have been called with what. Pure; any thread.
//
// Limits: kPickleBytesMax on the text, kNodesMax and kPushesMax on the graph, kStackMax and kMemoMax on the machine. Nodes are
// shared, never copied, so that a memo cannot make the graph larger than its text; who walks the graph bounds the walk itself
// (see torch_objects.h).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace starbridge::weights {

constexpr std::uint64_t kPickleBytesMax = 1U << 30;
constexpr std::size_t kNodesMax = 8'000'000;
constexpr std::size_t kPushesMax = 64'000'000;  // values put on the stack in all, and so the links between nodes
constexpr std::size_t kStackMax = 4'000'000;
constexpr std::size_t kMemoMax = 16'000'000;

using NodeId = std::uint32_t;
constexpr NodeId kNoNode = UINT32_MAX;

enum class NodeKind : std::uint8_t {
  kNone,
  kBool,        // integer: 0 or 1
  kInteger,     // integer
  kBigInteger,  // text: little-endian two's complement bytes, or decimal digits when is_decimal
  kFloat,       // real
  kText,        // text
  kBytes,       // text
  kTuple,       // items
  kList,        // items
  kDict,        // items: key, value, key, value ...
  kSet,         // items
  kGlobal,      // text: module, text2: name
  kCall,        // items: callable, arguments, and keyword arguments if any; then what was put into the result:
                // `state` (BUILD), `added` (APPEND, ADDITEMS: values; SETITEM: keys and values)
  kPersistent,  // items: the id
  kBuffer,      // out-of-band buffer: integer is its number
  kExtension,   // integer: the code in copyreg's registry
};

struct Node {
  NodeKind kind = NodeKind::kNone;
  bool is_decimal = false;
  bool is_frozen = false;  // frozenset; read-only buffer
  NodeId state = kNoNode;  // of a call; the last BUILD
  NodeId added = kNoNode;  // of a call: a list node with what was added
  std::int64_t integer = 0;
  double real = 0;
  std::string_view text;
  std::string_view text2;
  std::vector<NodeId> items;
};

// Where in the text a value was pushed on the stack; `end` does not cover a following PUT.
struct PushSite {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool is_get = false;     // by GET from the memo, not where it is made
  bool is_simple = false;  // one opcode that may be replaced by another push: a string, an integer, GLOBAL, GET
};

struct GetSite {
  NodeId node;
  PushSite site;
};

struct Pickle {
  NodeId root = kNoNode;
  std::uint64_t size = 0;  // of the text, including STOP
  int protocol = 0;
  std::vector<Node> nodes;
  std::deque<std::string> owned;  // texts that are not plain pieces of the pickle
  // For rewriting: where the elements of short tuples were pushed, and last where the tuple was closed.
  std::unordered_map<NodeId, std::vector<PushSite>> tuple_sites;
  std::unordered_map<NodeId, PushSite> made_at;  // texts, integers and globals
  std::vector<GetSite> gets;
  std::vector<std::uint64_t> frames;  // positions of FRAME opcodes

  const Node& node(NodeId id) const { return nodes[id]; }
};

// Reads one pickle from the start of `text`, which must outlive the result; bytes after STOP are left alone. With
// `keeps_sites` the places needed for rewriting are kept as well.
// Errors: weights.malformed and weights.limit with the byte at which reading stopped.
base::Result<Pickle> read_pickle(std::string_view text, bool keeps_sites = false);

}  // namespace starbridge::weights

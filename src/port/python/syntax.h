// Syntax: the tree of one Python file in a compact array. Well-formed Python 3.8 to 3.13 is read by the parser of this room
// (parser.h); everything else, Python 2 included, by the tree-sitter grammar (grammar.h), so that reading never fails and damage
// has a place. Immutable after parse; any thread. Nodes are numbers; 0 is the module. Comments are no nodes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "port/python/symbols.h"

namespace starbridge::port::python {

enum class Kind : std::uint8_t {
  kOther,  // anything the analysis has no use for; its children are still there
  kModule,
  kIdentifier,
  kString,         // prefix, quotes and content; children: the fields of a format string
  kInterpolation,  // a field of a format string, also inside a format specifier
  kConcatenatedString,
  kConstant,   // numbers, None, True, False, ...
  kAttribute,  // child: the object; `symbol` is the attribute's name, which ends where the node ends
  kCall,
  kArgumentList,
  kKeywordArgument,  // child: the value; `symbol` is the name, which begins where the node begins
  kSubscript,
  kSlice,
  kConditional,
  kBoolean,     // any number of operands
  kComparison,  // any number of operands
  kBinary,
  kUnary,  // also `not`
  kParenthesized,
  kTuple,
  kList,
  kSet,
  kDictionary,
  kPair,
  kStar,  // *x and **x, in expressions, targets and parameters
  kNamedExpression,
  kAwait,
  kYield,
  kComprehension,  // of a list, set or dictionary
  kGenerator,
  kAssignment,
  kAugmentedAssignment,
  kType,
  kLambda,
  kFunction,
  kClass,
  kParameters,
  kSeparator,  // * and / between parameters
  kDefaultParameter,
  kTypedDefaultParameter,
  kTypedParameter,
  kReturn,
  kBlock,
  kStatement,  // any other statement; its parts, blocks included, are its children
  kImport,
  kImportFrom,
  kFutureImport,
  kAliasedImport,
  kDottedName,  // no children; `symbol` is the first word
  kRelativeImport,
  kWildcardImport,
  kError,
};

// Names of children that the analysis asks for.
enum class Field : std::uint8_t {
  kNone,
  kName,
  kAlias,
  kModuleName,
  kLeft,
  kRight,
  kFunction,
  kArguments,
  kObject,
  kValue,
  kSubscript,
  kBody,
  kParameters,
  kKey,
  kPattern,  // of a case
};

using NodeId = std::uint32_t;
constexpr NodeId kNoNode = 0xFFFFFFFF;

struct Node {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  NodeId parent = kNoNode;
  NodeId first_child = kNoNode;
  NodeId next_sibling = kNoNode;
  Symbol symbol = kNoSymbol;  // of identifiers, attributes, keyword arguments and dotted names
  Kind kind = Kind::kOther;
  Field field = Field::kNone;
};

class Syntax {
 public:
  // `source` outlives the object. Files longer than 4 GiB are a bug of the caller. Bytes that are not UTF-8 count as letters.
  static Syntax parse(const std::string& source);

  // In no order a caller may rely on; next() walks them as they are written.
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  Kind kind(NodeId id) const { return id == kNoNode ? Kind::kOther : nodes_[id].kind; }
  std::string_view text(NodeId id) const { return source_.substr(nodes_[id].begin, nodes_[id].end - nodes_[id].begin); }
  // The node after `id`, parents before their children; kNoNode at the end.
  NodeId next(NodeId id) const {
    if (nodes_[id].first_child != kNoNode) return nodes_[id].first_child;
    while (id != kNoNode && nodes_[id].next_sibling == kNoNode) id = nodes_[id].parent;
    return id == kNoNode ? kNoNode : nodes_[id].next_sibling;
  }
  // First child with this field, or kNoNode.
  NodeId child(NodeId id, Field field) const;
  NodeId child(NodeId id, Kind kind) const;

  const Symbols& symbols() const { return symbols_; }
  // The name an identifier, attribute, keyword argument or dotted name (its first word) carries, and where it stands.
  std::string_view name(NodeId id) const { return symbols_.text(nodes_[id].symbol); }
  std::uint32_t name_begin(NodeId id) const;

  // First byte of the first damaged place, or npos when the text is well formed.
  std::size_t error_at() const { return error_at_; }

 private:
  friend class Parser;
  friend class GrammarReader;

  std::string_view source_;
  std::vector<Node> nodes_;
  Symbols symbols_;
  std::size_t error_at_ = std::string_view::npos;
};

}  // namespace starbridge::port::python

// Syntax: the tree of one Python file in a compact array, made by tree-sitter. Parsing never fails; damage is marked.
// Immutable after parse; any thread. Nodes are numbers; 0 is the module.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace starbridge::port::python {

enum class Kind : std::uint8_t {
  kOther,  // anything the analysis has no use for; its children are still there
  kModule,
  kIdentifier,
  kString,
  kStringStart,
  kStringContent,
  kStringEnd,
  kInterpolation,
  kConcatenatedString,
  kInteger,
  kNone,
  kTrue,
  kFalse,
  kAttribute,
  kCall,
  kArgumentList,
  kKeywordArgument,
  kSubscript,
  kConditional,
  kBoolean,
  kComparison,
  kBinary,
  kParenthesized,
  kTuple,
  kList,
  kSet,
  kDictionary,
  kPair,
  kNamedExpression,
  kAwait,
  kAssignment,
  kAugmentedAssignment,
  kType,
  kLambda,
  kFunction,
  kClass,
  kParameters,
  kDefaultParameter,
  kTypedDefaultParameter,
  kTypedParameter,
  kReturn,
  kBlock,
  kExpressionStatement,
  kImport,
  kImportFrom,
  kFutureImport,
  kAliasedImport,
  kDottedName,
  kRelativeImport,
  kWildcardImport,
  kComment,
  kOperator,
  kError,
};

// Names of children that the grammar gives and the analysis asks for.
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
  kAttribute,
  kValue,
  kSubscript,
  kBody,
  kParameters,
  kKey,
  kOperators,
  kExpression,
};

using NodeId = std::uint32_t;
constexpr NodeId kNoNode = 0xFFFFFFFF;

struct Node {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  NodeId parent = kNoNode;
  NodeId first_child = kNoNode;
  NodeId next_sibling = kNoNode;
  Kind kind = Kind::kOther;
  Field field = Field::kNone;
};

class Syntax {
 public:
  // Files longer than 4 GiB are a bug of the caller. Bytes that are not UTF-8 count as letters.
  static Syntax parse(std::string_view source);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  Kind kind(NodeId id) const { return id == kNoNode ? Kind::kOther : nodes_[id].kind; }
  std::string_view text(NodeId id) const { return source_.substr(nodes_[id].begin, nodes_[id].end - nodes_[id].begin); }
  // First child with this field, or kNoNode.
  NodeId child(NodeId id, Field field) const;
  NodeId child(NodeId id, Kind kind) const;
  // First byte of the first damaged place, or npos when the text is well formed.
  std::size_t error_at() const { return error_at_; }

 private:
  std::string_view source_;
  std::vector<Node> nodes_;
  std::size_t error_at_ = std::string_view::npos;
};

}  // namespace starbridge::port::python

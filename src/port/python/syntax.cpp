#include "port/python/syntax.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/check.h"
#include "base/text.h"

extern "C" const TSLanguage* tree_sitter_python();

namespace starbridge::port::python {
namespace {

const std::unordered_map<std::string_view, Kind>& kind_names() {
  static const std::unordered_map<std::string_view, Kind> names = {{"module", Kind::kModule},
                                                                   {"identifier", Kind::kIdentifier},
                                                                   {"string", Kind::kString},
                                                                   {"string_start", Kind::kStringStart},
                                                                   {"string_content", Kind::kStringContent},
                                                                   {"string_end", Kind::kStringEnd},
                                                                   {"interpolation", Kind::kInterpolation},
                                                                   {"concatenated_string", Kind::kConcatenatedString},
                                                                   {"integer", Kind::kInteger},
                                                                   {"none", Kind::kNone},
                                                                   {"true", Kind::kTrue},
                                                                   {"false", Kind::kFalse},
                                                                   {"attribute", Kind::kAttribute},
                                                                   {"call", Kind::kCall},
                                                                   {"argument_list", Kind::kArgumentList},
                                                                   {"keyword_argument", Kind::kKeywordArgument},
                                                                   {"subscript", Kind::kSubscript},
                                                                   {"conditional_expression", Kind::kConditional},
                                                                   {"boolean_operator", Kind::kBoolean},
                                                                   {"comparison_operator", Kind::kComparison},
                                                                   {"binary_operator", Kind::kBinary},
                                                                   {"parenthesized_expression", Kind::kParenthesized},
                                                                   {"tuple", Kind::kTuple},
                                                                   {"expression_list", Kind::kTuple},
                                                                   {"pattern_list", Kind::kTuple},
                                                                   {"tuple_pattern", Kind::kTuple},
                                                                   {"list", Kind::kList},
                                                                   {"set", Kind::kSet},
                                                                   {"dictionary", Kind::kDictionary},
                                                                   {"pair", Kind::kPair},
                                                                   {"named_expression", Kind::kNamedExpression},
                                                                   {"await", Kind::kAwait},
                                                                   {"assignment", Kind::kAssignment},
                                                                   {"augmented_assignment", Kind::kAugmentedAssignment},
                                                                   {"type", Kind::kType},
                                                                   {"lambda", Kind::kLambda},
                                                                   {"function_definition", Kind::kFunction},
                                                                   {"class_definition", Kind::kClass},
                                                                   {"parameters", Kind::kParameters},
                                                                   {"lambda_parameters", Kind::kParameters},
                                                                   {"default_parameter", Kind::kDefaultParameter},
                                                                   {"typed_default_parameter", Kind::kTypedDefaultParameter},
                                                                   {"typed_parameter", Kind::kTypedParameter},
                                                                   {"return_statement", Kind::kReturn},
                                                                   {"block", Kind::kBlock},
                                                                   {"expression_statement", Kind::kExpressionStatement},
                                                                   {"import_statement", Kind::kImport},
                                                                   {"import_from_statement", Kind::kImportFrom},
                                                                   {"future_import_statement", Kind::kFutureImport},
                                                                   {"aliased_import", Kind::kAliasedImport},
                                                                   {"dotted_name", Kind::kDottedName},
                                                                   {"relative_import", Kind::kRelativeImport},
                                                                   {"wildcard_import", Kind::kWildcardImport},
                                                                   {"comment", Kind::kComment},
                                                                   {"ERROR", Kind::kError}};
  return names;
}

const std::unordered_map<std::string_view, Field>& field_names() {
  static const std::unordered_map<std::string_view, Field> names = {{"name", Field::kName},
                                                                    {"alias", Field::kAlias},
                                                                    {"module_name", Field::kModuleName},
                                                                    {"left", Field::kLeft},
                                                                    {"right", Field::kRight},
                                                                    {"function", Field::kFunction},
                                                                    {"arguments", Field::kArguments},
                                                                    {"object", Field::kObject},
                                                                    {"attribute", Field::kAttribute},
                                                                    {"value", Field::kValue},
                                                                    {"subscript", Field::kSubscript},
                                                                    {"body", Field::kBody},
                                                                    {"parameters", Field::kParameters},
                                                                    {"key", Field::kKey},
                                                                    {"operators", Field::kOperators},
                                                                    {"expression", Field::kExpression}};
  return names;
}

// Symbols and fields of the grammar as small tables, made once.
struct GrammarTables {
  std::vector<Kind> kind_of_symbol;
  std::vector<Field> field_of_id;

  GrammarTables() {
    const TSLanguage* language = tree_sitter_python();
    for (std::uint32_t symbol = 0; symbol < ts_language_symbol_count(language); ++symbol) {
      auto found = kind_names().find(ts_language_symbol_name(language, static_cast<TSSymbol>(symbol)));
      bool is_named = ts_language_symbol_type(language, static_cast<TSSymbol>(symbol)) == TSSymbolTypeRegular;
      kind_of_symbol.push_back(found == kind_names().end() || !is_named ? Kind::kOther : found->second);
    }
    field_of_id.push_back(Field::kNone);
    for (std::uint32_t id = 1; id <= ts_language_field_count(language); ++id) {
      auto found = field_names().find(ts_language_field_name_for_id(language, static_cast<TSFieldId>(id)));
      field_of_id.push_back(found == field_names().end() ? Field::kNone : found->second);
    }
  }
};

bool is_operator_holder(Kind kind) { return kind == Kind::kComparison || kind == Kind::kBinary || kind == Kind::kBoolean; }

}  // namespace

Syntax Syntax::parse(std::string_view source) {
  static const GrammarTables tables;
  SB_CHECK(source.size() < std::numeric_limits<std::uint32_t>::max());
  Syntax syntax;
  syntax.source_ = source;
  std::string masked;
  std::string_view parsed = source;
  if (!base::is_valid_utf8(source)) {
    // The grammar decodes UTF-8; in other encodings the bytes above 127 stand only in texts, comments and names.
    masked = source;
    for (char& byte : masked) byte = static_cast<unsigned char>(byte) >= 0x80 ? 'x' : byte;
    parsed = masked;
  }
  std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(), ts_parser_delete);
  SB_CHECK(ts_parser_set_language(parser.get(), tree_sitter_python()));
  std::unique_ptr<TSTree, decltype(&ts_tree_delete)> tree(
      ts_parser_parse_string(parser.get(), nullptr, parsed.data(), static_cast<std::uint32_t>(parsed.size())), ts_tree_delete);
  SB_CHECK(tree != nullptr);

  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree.get()));
  std::vector<NodeId> open;        // ancestors that were kept
  std::vector<NodeId> last_child;  // of each kept node
  syntax.nodes_.reserve(source.size() / 6 + 16);
  std::vector<std::uint8_t> kept_path;  // whether each level of the walk was kept
  for (bool is_done = false; !is_done;) {
    TSNode raw = ts_tree_cursor_current_node(&cursor);
    TSSymbol symbol = ts_node_symbol(raw);
    bool is_error = symbol == static_cast<TSSymbol>(-1);
    Kind kind = is_error ? Kind::kError : tables.kind_of_symbol[symbol];
    Kind parent_kind = open.empty() ? Kind::kOther : syntax.nodes_[open.back()].kind;
    bool keep = ts_node_is_named(raw) || is_error;
    if (!keep && is_operator_holder(parent_kind)) {
      keep = true;
      kind = Kind::kOperator;
    }
    if ((is_error || ts_node_is_missing(raw)) && syntax.error_at_ == std::string_view::npos)
      syntax.error_at_ = ts_node_start_byte(raw);
    if (keep) {
      auto id = static_cast<NodeId>(syntax.nodes_.size());
      Node node;
      node.begin = ts_node_start_byte(raw);
      node.end = ts_node_end_byte(raw);
      node.kind = kind;
      TSFieldId field = ts_tree_cursor_current_field_id(&cursor);
      node.field = tables.field_of_id[field];
      if (!open.empty()) {
        node.parent = open.back();
        if (last_child[open.back()] == kNoNode) {
          syntax.nodes_[open.back()].first_child = id;
        } else {
          syntax.nodes_[last_child[open.back()]].next_sibling = id;
        }
        last_child[open.back()] = id;
      }
      syntax.nodes_.push_back(node);
      last_child.push_back(kNoNode);
    }
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      kept_path.push_back(keep);
      if (keep) open.push_back(static_cast<NodeId>(syntax.nodes_.size() - 1));
      continue;
    }
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) {
        is_done = true;
        break;
      }
      if (kept_path.back()) open.pop_back();
      kept_path.pop_back();
    }
  }
  ts_tree_cursor_delete(&cursor);
  return syntax;
}

NodeId Syntax::child(NodeId id, Field field) const {
  if (id == kNoNode) return kNoNode;
  for (NodeId child = nodes_[id].first_child; child != kNoNode; child = nodes_[child].next_sibling) {
    if (nodes_[child].field == field) return child;
  }
  return kNoNode;
}

NodeId Syntax::child(NodeId id, Kind kind) const {
  if (id == kNoNode) return kNoNode;
  for (NodeId child = nodes_[id].first_child; child != kNoNode; child = nodes_[child].next_sibling) {
    if (nodes_[child].kind == kind) return child;
  }
  return kNoNode;
}

}  // namespace starbridge::port::python

#include "port/python/grammar.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/text.h"

extern "C" const TSLanguage* tree_sitter_python();

namespace starbridge::port::python {
namespace {

constexpr std::pair<std::string_view, Kind> kKindNames[] = {{"module", Kind::kModule},
                                                            {"identifier", Kind::kIdentifier},
                                                            {"string", Kind::kString},
                                                            {"interpolation", Kind::kInterpolation},
                                                            {"format_expression", Kind::kInterpolation},
                                                            {"concatenated_string", Kind::kConcatenatedString},
                                                            {"integer", Kind::kConstant},
                                                            {"float", Kind::kConstant},
                                                            {"none", Kind::kConstant},
                                                            {"true", Kind::kConstant},
                                                            {"false", Kind::kConstant},
                                                            {"ellipsis", Kind::kConstant},
                                                            {"attribute", Kind::kAttribute},
                                                            {"call", Kind::kCall},
                                                            {"argument_list", Kind::kArgumentList},
                                                            {"keyword_argument", Kind::kKeywordArgument},
                                                            {"subscript", Kind::kSubscript},
                                                            {"slice", Kind::kSlice},
                                                            {"conditional_expression", Kind::kConditional},
                                                            {"boolean_operator", Kind::kBoolean},
                                                            {"comparison_operator", Kind::kComparison},
                                                            {"binary_operator", Kind::kBinary},
                                                            {"unary_operator", Kind::kUnary},
                                                            {"not_operator", Kind::kUnary},
                                                            {"parenthesized_expression", Kind::kParenthesized},
                                                            {"tuple", Kind::kTuple},
                                                            {"expression_list", Kind::kTuple},
                                                            {"pattern_list", Kind::kTuple},
                                                            {"tuple_pattern", Kind::kTuple},
                                                            {"list", Kind::kList},
                                                            {"list_pattern", Kind::kList},
                                                            {"set", Kind::kSet},
                                                            {"dictionary", Kind::kDictionary},
                                                            {"pair", Kind::kPair},
                                                            {"list_splat", Kind::kStar},
                                                            {"list_splat_pattern", Kind::kStar},
                                                            {"dictionary_splat", Kind::kStar},
                                                            {"dictionary_splat_pattern", Kind::kStar},
                                                            {"named_expression", Kind::kNamedExpression},
                                                            {"await", Kind::kAwait},
                                                            {"yield", Kind::kYield},
                                                            {"list_comprehension", Kind::kComprehension},
                                                            {"set_comprehension", Kind::kComprehension},
                                                            {"dictionary_comprehension", Kind::kComprehension},
                                                            {"generator_expression", Kind::kGenerator},
                                                            {"assignment", Kind::kAssignment},
                                                            {"augmented_assignment", Kind::kAugmentedAssignment},
                                                            {"type", Kind::kType},
                                                            {"lambda", Kind::kLambda},
                                                            {"function_definition", Kind::kFunction},
                                                            {"class_definition", Kind::kClass},
                                                            {"parameters", Kind::kParameters},
                                                            {"lambda_parameters", Kind::kParameters},
                                                            {"keyword_separator", Kind::kSeparator},
                                                            {"positional_separator", Kind::kSeparator},
                                                            {"default_parameter", Kind::kDefaultParameter},
                                                            {"typed_default_parameter", Kind::kTypedDefaultParameter},
                                                            {"typed_parameter", Kind::kTypedParameter},
                                                            {"return_statement", Kind::kReturn},
                                                            {"block", Kind::kBlock},
                                                            {"import_statement", Kind::kImport},
                                                            {"import_from_statement", Kind::kImportFrom},
                                                            {"future_import_statement", Kind::kFutureImport},
                                                            {"aliased_import", Kind::kAliasedImport},
                                                            {"dotted_name", Kind::kDottedName},
                                                            {"relative_import", Kind::kRelativeImport},
                                                            {"wildcard_import", Kind::kWildcardImport},
                                                            {"ERROR", Kind::kError}};

constexpr std::pair<std::string_view, Field> kFieldNames[] = {{"name", Field::kName},
                                                              {"alias", Field::kAlias},
                                                              {"module_name", Field::kModuleName},
                                                              {"left", Field::kLeft},
                                                              {"right", Field::kRight},
                                                              {"function", Field::kFunction},
                                                              {"arguments", Field::kArguments},
                                                              {"object", Field::kObject},
                                                              {"value", Field::kValue},
                                                              {"subscript", Field::kSubscript},
                                                              {"body", Field::kBody},
                                                              {"parameters", Field::kParameters},
                                                              {"key", Field::kKey}};

// Nodes that stay out of the tree, with all below them.
constexpr std::array<std::string_view, 4> kLeftOut = {"comment", "string_start", "string_content", "string_end"};

// Symbols and fields of the grammar as small tables, made once.
struct GrammarTables {
  std::vector<Kind> kind_of_symbol;
  std::vector<bool> is_left_out;
  std::vector<Field> field_of_id;
  TSFieldId attribute_field = 0;

  GrammarTables() {
    const TSLanguage* language = tree_sitter_python();
    const std::unordered_map<std::string_view, Kind> kinds(std::begin(kKindNames), std::end(kKindNames));
    const std::unordered_map<std::string_view, Field> fields(std::begin(kFieldNames), std::end(kFieldNames));
    for (std::uint32_t symbol = 0; symbol < ts_language_symbol_count(language); ++symbol) {
      std::string_view written = ts_language_symbol_name(language, static_cast<TSSymbol>(symbol));
      bool is_named = ts_language_symbol_type(language, static_cast<TSSymbol>(symbol)) == TSSymbolTypeRegular;
      auto found = kinds.find(written);
      kind_of_symbol.push_back(found == kinds.end() || !is_named ? Kind::kOther : found->second);
      is_left_out.push_back(!is_named || std::find(kLeftOut.begin(), kLeftOut.end(), written) != kLeftOut.end());
    }
    field_of_id.push_back(Field::kNone);
    for (std::uint32_t id = 1; id <= ts_language_field_count(language); ++id) {
      std::string_view written = ts_language_field_name_for_id(language, static_cast<TSFieldId>(id));
      if (written == "attribute") attribute_field = static_cast<TSFieldId>(id);
      auto found = fields.find(written);
      field_of_id.push_back(found == fields.end() ? Field::kNone : found->second);
    }
  }
};

// The children of one kept node while the walk is below it.
struct Level {
  NodeId node = kNoNode;
  NodeId last_child = kNoNode;
};

}  // namespace

void GrammarReader::run() {
  std::string masked;
  std::string_view parsed = source_;
  if (!base::is_valid_utf8(source_)) {
    // The grammar decodes UTF-8; in other encodings the bytes above 127 stand only in texts, comments and names.
    masked = source_;
    for (char& byte : masked) byte = static_cast<unsigned char>(byte) >= 0x80 ? 'x' : byte;
    parsed = masked;
  }
  std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(), ts_parser_delete);
  SB_CHECK(ts_parser_set_language(parser.get(), tree_sitter_python()));
  ts_parser_set_timeout_micros(parser.get(), kMicrosecondsMax);
  std::unique_ptr<TSTree, decltype(&ts_tree_delete)> tree(
      ts_parser_parse_string(parser.get(), nullptr, parsed.data(), static_cast<std::uint32_t>(parsed.size())), ts_tree_delete);
  if (tree == nullptr) {  // the time is up: damaged, from the place on that the parser refused
    syntax_.nodes_.assign(1, {});
    syntax_.nodes_[0].kind = Kind::kError;
    syntax_.error_at_ = std::min(refused_at_, source_.size());
    return;
  }
  read(tree.get());
}

// Walks without recursion: trees of damaged texts may be as deep as the text is long.
void GrammarReader::read(const TSTree* tree) {
  static const GrammarTables tables;
  syntax_.nodes_.reserve(source_.size() / 6 + 16);
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  std::vector<Level> levels;
  for (bool is_done = false; !is_done;) {
    TSNode raw = ts_tree_cursor_current_node(&cursor);
    TSSymbol symbol = ts_node_symbol(raw);
    bool is_error = symbol == static_cast<TSSymbol>(-1);
    if ((is_error || ts_node_is_missing(raw)) && syntax_.error_at_ == std::string_view::npos)
      syntax_.error_at_ = ts_node_start_byte(raw);
    TSFieldId field = ts_tree_cursor_current_field_id(&cursor);
    bool is_kept = is_error || !tables.is_left_out[symbol];
    if (is_kept && !levels.empty()) is_kept = !take_name(levels.back().node, raw, field == tables.attribute_field);
    if (is_kept) {
      auto id = static_cast<NodeId>(syntax_.nodes_.size());
      Node node;
      node.begin = ts_node_start_byte(raw);
      node.end = ts_node_end_byte(raw);
      node.kind = is_error ? Kind::kError : tables.kind_of_symbol[symbol];
      node.field = tables.field_of_id[field];
      if (node.kind == Kind::kIdentifier) node.symbol = intern(node.begin, node.end);
      if (!levels.empty()) {
        Level& above = levels.back();
        node.parent = above.node;
        (above.last_child == kNoNode ? syntax_.nodes_[above.node].first_child : syntax_.nodes_[above.last_child].next_sibling) =
            id;
        above.last_child = id;
      }
      syntax_.nodes_.push_back(node);
      if (ts_tree_cursor_goto_first_child(&cursor)) {
        levels.push_back({id, kNoNode});
        continue;
      }
    }
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) {
        is_done = true;
        break;
      }
      levels.pop_back();
    }
  }
  ts_tree_cursor_delete(&cursor);
}

// Names that the tree keeps in their parents.
bool GrammarReader::take_name(NodeId parent_id, TSNode raw, bool is_attribute_name) {
  Node& parent = syntax_.nodes_[parent_id];
  if (parent.kind == Kind::kDottedName) {
    if (parent.symbol == kNoSymbol) parent.symbol = intern(ts_node_start_byte(raw), ts_node_end_byte(raw));
    return true;
  }
  bool is_taken = (parent.kind == Kind::kAttribute && is_attribute_name) ||
                  (parent.kind == Kind::kKeywordArgument && parent.symbol == kNoSymbol);
  if (is_taken) parent.symbol = intern(ts_node_start_byte(raw), ts_node_end_byte(raw));
  return is_taken;
}

Symbol GrammarReader::intern(std::uint32_t begin, std::uint32_t end) {
  return syntax_.symbols_.intern(std::string_view(source_).substr(begin, end - begin));
}

}  // namespace starbridge::port::python

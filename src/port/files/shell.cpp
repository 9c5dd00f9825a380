#include "port/files/shell.h"

#include <tree_sitter/api.h>

#include <cstring>
#include <memory>

#include "port/files/shell_arguments.h"
#include "port/relevance.h"

extern "C" const TSLanguage* tree_sitter_bash();

namespace starbridge::port {
namespace {

// Bounded: the grammar's external scanner can be slow on hostile text.
constexpr std::uint64_t kShellMicrosecondsMax = 5'000'000;

bool is_type(TSNode node, const char* type) { return std::strcmp(ts_node_type(node), type) == 0; }

class ShellReader {
 public:
  ShellReader(std::string_view script, std::size_t base, const Context& context)
      : script_(script), base_(base), arguments_(script, base, context, reading_) {}

  ShellReading read() {
    std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(), ts_parser_delete);
    SB_CHECK(ts_parser_set_language(parser.get(), tree_sitter_bash()));
    ts_parser_set_timeout_micros(parser.get(), kShellMicrosecondsMax);
    std::unique_ptr<TSTree, decltype(&ts_tree_delete)> tree(
        ts_parser_parse_string(parser.get(), nullptr, script_.data(), static_cast<std::uint32_t>(script_.size())),
        ts_tree_delete);
    if (tree == nullptr) {
      reading_.is_complete = false;
      return std::move(reading_);
    }
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree.get()));
    for (bool is_done = false; !is_done;) {
      visit(ts_tree_cursor_current_node(&cursor));
      if (ts_tree_cursor_goto_first_child(&cursor)) continue;
      while (!is_done && !ts_tree_cursor_goto_next_sibling(&cursor)) is_done = !ts_tree_cursor_goto_parent(&cursor);
    }
    ts_tree_cursor_delete(&cursor);
    settle_variables();
    return std::move(reading_);
  }

 private:
  // A value that reaches a variable, or that a variable is compared with.
  struct Flow {
    std::string variable;
    ShellArgument value;
  };

  std::string_view text_of(TSNode node) const {
    return script_.substr(ts_node_start_byte(node), ts_node_end_byte(node) - ts_node_start_byte(node));
  }
  ByteSpan span_of(TSNode node) const { return {base_ + ts_node_start_byte(node), base_ + ts_node_end_byte(node)}; }

  void read_expansion(TSNode node, ShellArgument& argument) const {
    for (std::uint32_t index = 0; index < ts_node_named_child_count(node); ++index) {
      TSNode child = ts_node_named_child(node, index);
      if (is_type(child, "variable_name") && argument.variable.empty()) argument.variable = std::string(text_of(child));
      if (is_type(child, "word") && text_of(node).find("-") != std::string_view::npos) argument.fallback = span_of(child);
    }
    if (argument.variable.empty() && is_type(node, "simple_expansion")) argument.variable = std::string(text_of(node).substr(1));
  }

  ShellArgument argument_of(TSNode node) const {
    ShellArgument argument;
    argument.end = base_ + ts_node_end_byte(node);
    argument.head = {base_ + ts_node_start_byte(node), base_ + ts_node_start_byte(node)};
    if (is_type(node, "word") || is_type(node, "number") || is_type(node, "command_name") || is_type(node, "extglob_pattern")) {
      TSNode inner = is_type(node, "command_name") && ts_node_named_child_count(node) == 1 ? ts_node_named_child(node, 0) : node;
      if (is_type(node, "command_name") && !is_type(inner, "word") && ts_node_named_child_count(node) == 1)
        return argument_of(inner);
      argument.head = span_of(inner);
      argument.is_whole = true;
    } else if (is_type(node, "raw_string")) {
      argument.head = {base_ + ts_node_start_byte(node) + 1, base_ + ts_node_end_byte(node) - 1};
      argument.is_whole = argument.head.end >= argument.head.begin;
      if (!argument.is_whole) argument.head.end = argument.head.begin;
    } else if (is_type(node, "simple_expansion") || is_type(node, "expansion")) {
      read_expansion(node, argument);
    } else if (is_type(node, "string") || is_type(node, "concatenation")) {
      std::uint32_t count = ts_node_named_child_count(node);
      for (std::uint32_t index = 0; index < count; ++index) {
        TSNode child = ts_node_named_child(node, index);
        if (index == 0 && (is_type(child, "string_content") || is_type(child, "word") || is_type(child, "number"))) {
          argument.head = span_of(child);
          argument.is_whole = count == 1;
        } else if (index == 0 && is_type(node, "concatenation") && is_type(child, "string")) {
          ShellArgument first = argument_of(child);
          argument.head = first.head;
        } else if (argument.variable.empty() && (is_type(child, "simple_expansion") || is_type(child, "expansion"))) {
          // Only "$X" or head"$X" says what the variable is for; more than one part is a text.
          if (count <= 2) read_expansion(child, argument);
        } else if (argument.variable.empty() && is_type(child, "string") && count == 2) {
          ShellArgument inner = argument_of(child);
          if (inner.head.begin == inner.head.end) argument.variable = inner.variable;
        }
      }
    }
    return argument;
  }

  void visit(TSNode node) {
    std::string_view type = ts_node_type(node);
    if (type == "variable_name") {
      TSNode parent = ts_node_parent(node);
      bool is_assigned = is_type(parent, "variable_assignment");
      bool is_listed = is_type(parent, "declaration_command") || is_type(parent, "unset_command");
      std::size_t end = is_assigned ? ts_node_end_byte(parent) : is_listed ? ts_node_end_byte(node) : 0;
      reading_.words.push_back({ShellWord::Kind::kVariable, span_of(node), end == 0 ? 0 : base_ + end});
    } else if (type == "command") {
      visit_command(node);
    } else if (type == "comment") {
      visit_comment(node);
    } else if (type == "variable_assignment") {
      TSNode name = ts_node_child_by_field_name(node, "name", 4);
      TSNode value = ts_node_child_by_field_name(node, "value", 5);
      if (!ts_node_is_null(name) && !ts_node_is_null(value)) add_flow(std::string(text_of(name)), value);
    } else if (type == "binary_expression") {
      TSNode left = ts_node_child_by_field_name(node, "left", 4);
      TSNode right = ts_node_child_by_field_name(node, "right", 5);
      if (ts_node_is_null(left) || ts_node_is_null(right)) return;
      ShellArgument variable = argument_of(left);
      if (!variable.variable.empty() && variable.head.begin == variable.head.end) add_flow(variable.variable, right);
    } else if (type == "case_statement") {
      TSNode value = ts_node_child_by_field_name(node, "value", 5);
      std::string variable = ts_node_is_null(value) ? "" : argument_of(value).variable;
      for (std::uint32_t index = 0; !variable.empty() && index < ts_node_named_child_count(node); ++index) {
        TSNode item = ts_node_named_child(node, index);
        if (!is_type(item, "case_item")) continue;
        for (std::uint32_t each = 0; each < ts_node_child_count(item); ++each) {
          const char* field = ts_node_field_name_for_child(item, each);
          if (field != nullptr && std::strcmp(field, "value") == 0) add_flow(variable, ts_node_child(item, each));
        }
      }
    } else if (type == "for_statement") {
      TSNode variable = ts_node_child_by_field_name(node, "variable", 8);
      for (std::uint32_t each = 0; !ts_node_is_null(variable) && each < ts_node_child_count(node); ++each) {
        const char* field = ts_node_field_name_for_child(node, each);
        if (field != nullptr && std::strcmp(field, "value") == 0)
          add_flow(std::string(text_of(variable)), ts_node_child(node, each));
      }
    }
  }

  void add_flow(std::string variable, TSNode value) { flows_.push_back({std::move(variable), argument_of(value)}); }

  void visit_command(TSNode command) {
    std::vector<ShellArgument> words;
    for (std::uint32_t index = 0; index < ts_node_named_child_count(command); ++index) {
      TSNode child = ts_node_named_child(command, index);
      if (is_type(child, "variable_assignment") || is_type(child, "file_redirect")) continue;
      words.push_back(argument_of(child));
    }
    arguments_.read(words);
  }

  // "#SBATCH --gres=gpu:8 -G 4 # why"
  void visit_comment(TSNode node) {
    std::string_view line = text_of(node);
    TSPoint start = ts_node_start_point(node);
    if (line.substr(0, 7) != "#SBATCH" || start.column != 0) return;
    std::vector<ShellArgument> words;
    std::size_t at = 7;
    while (at < line.size()) {
      at = std::min(line.find_first_not_of(" \t\r", at), line.size());
      if (at == line.size() || line[at] == '#') break;
      std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
      ShellArgument word;
      word.head = {base_ + ts_node_start_byte(node) + at, base_ + ts_node_start_byte(node) + end};
      word.is_whole = true;
      words.push_back(std::move(word));
      at = end;
    }
    arguments_.read_slurm(words, 0);
  }

  // Variables that reach a device position, or are named for one, carry their role to what is assigned to or compared with them.
  void settle_variables() {
    auto& roles = arguments_.roles();
    for (const Flow& flow : flows_) {
      std::string lower = base::to_lower(flow.variable);
      if (const python::TextRole* role = python::role_of_name(lower)) roles.emplace(flow.variable, *role);
    }
    for (std::size_t known = 0; known != roles.size();) {
      known = roles.size();
      for (const Flow& flow : flows_) {
        auto found = roles.find(flow.variable);
        if (found != roles.end() && flow.value.head.begin == flow.value.head.end && !flow.value.variable.empty())
          roles.emplace(flow.value.variable, found->second);
      }
    }
    for (const Flow& flow : flows_) {
      auto found = roles.find(flow.variable);
      if (found != roles.end()) arguments_.add_value(found->second, flow.value);
    }
  }

  std::string_view script_;
  std::size_t base_;
  ShellReading reading_;
  ShellArguments arguments_;
  std::vector<Flow> flows_;
};

}  // namespace

ShellReading read_shell(std::string_view script, std::size_t base, const Context& context) {
  if (!may_shell_matter(script)) return {};
  ShellReading reading = ShellReader(script, base, context).read();
  reading.is_expanded = true;
  return reading;
}

ShellReading read_command(std::string_view bytes, const std::vector<ByteSpan>& spans, const Context& context) {
  std::vector<ShellArgument> words;
  for (const ByteSpan& span : spans) {
    ShellArgument word;
    word.head = span;
    word.is_whole = bytes.substr(span.begin, span.end - span.begin).find('$') == std::string_view::npos;
    word.end = span.end;
    words.push_back(std::move(word));
  }
  ShellReading reading;
  ShellArguments(bytes, 0, context, reading).read(words);
  return reading;
}

}  // namespace starbridge::port

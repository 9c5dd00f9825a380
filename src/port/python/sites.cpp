#include "port/python/sites.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "port/python/flow.h"
#include "port/python/scopes.h"
#include "port/python/sinks.h"
#include "port/target.h"

namespace starbridge::port::python {
namespace {

// The device family word that opens a text and is followed by nothing, ":" and an index, or a replacement field.
std::string_view device_word(std::string_view text) {
  for (const Family& family : families()) {
    if (text.substr(0, family.device.size()) != family.device) continue;
    std::string_view rest = text.substr(family.device.size());
    if (rest.empty()) return family.device;
    if (rest[0] == ':' && rest.find_first_of(" \t\n,/") == std::string_view::npos) return family.device;
    if (rest == "{}" || rest == "%d" || rest == "%s") return family.device;
  }
  return {};
}

// Longer paths are no names of an API; tables would look for each of their parents.
constexpr std::size_t kPathBytesMax = 4096;

std::string last_name(std::string_view path) {
  std::size_t dot = path.rfind('.');
  return std::string(dot == std::string_view::npos ? path : path.substr(dot + 1));
}

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

class Collector {
 public:
  Collector(const Syntax& syntax, std::string_view source)
      : syntax_(syntax),
        source_(source),
        scopes_(syntax),
        flow_(syntax, scopes_, [this](NodeId string, TextRole role) { on_text(string, role); }),
        role_of_symbol_(syntax.symbols().size()) {}

  Sites run() {
    for (NodeId id = 0; id != kNoNode; id = syntax_.next(id)) visit(id);
    // Comparisons are judged last, when the flow knows which names hold devices.
    for (NodeId id : comparisons_) visit_comparison(id);
    for (NodeId id : prefix_tests_) visit_prefix_test(id);
    std::sort(sites_.sites.begin(), sites_.sites.end(),
              [](const Site& left, const Site& right) { return left.span < right.span; });
    return std::move(sites_);
  }

 private:
  Span span_of(NodeId id) const { return {syntax_.node(id).begin, syntax_.node(id).end}; }
  Span name_span_of(NodeId attribute) const { return {syntax_.name_begin(attribute), syntax_.node(attribute).end}; }
  void add(SiteKind kind, Span span, std::string name) {
    Site site;
    site.kind = kind;
    site.span = span;
    site.name = std::move(name);
    sites_.sites.push_back(std::move(site));
  }

  void visit(NodeId id) {
    switch (syntax_.kind(id)) {
      case Kind::kCall:
        return visit_call(id);
      case Kind::kAttribute:
        return visit_attribute(id);
      case Kind::kIdentifier:
        return visit_identifier(id);
      case Kind::kComparison:
        comparisons_.push_back(id);
        return;
      case Kind::kSubscript:
        return visit_subscript(id);
      case Kind::kAssignment:
        return visit_named_value(syntax_.child(id, Field::kLeft), syntax_.child(id, Field::kRight));
      case Kind::kDefaultParameter:
      case Kind::kTypedDefaultParameter:
        return visit_named_value(syntax_.child(id, Field::kName), syntax_.child(id, Field::kValue));
      case Kind::kPair: {
        NodeId key = syntax_.child(id, Field::kKey);
        if (syntax_.kind(key) == Kind::kString) reach_if_named(read_literal(syntax_, key).text, syntax_.child(id, Field::kValue));
        return;
      }
      case Kind::kImport:
        return visit_import(id);
      case Kind::kImportFrom:
        return visit_import_from(id);
      default:
        return;
    }
  }

  void reach_if_named(std::string_view name, NodeId value) {
    if (const TextRole* role = role_of_name(name)) flow_.reach(value, *role);
  }

  // The same for a name of the tree, whose role is looked up once per file.
  void reach_if_named(Symbol name, NodeId value) {
    std::optional<const TextRole*>& role = role_of_symbol_[name];
    if (!role) role = role_of_name(syntax_.symbols().text(name));
    if (*role != nullptr) flow_.reach(value, **role);
  }

  void visit_named_value(NodeId target, NodeId value) {
    bool is_named = syntax_.kind(target) == Kind::kAttribute || syntax_.kind(target) == Kind::kIdentifier;
    if (is_named && value != kNoNode) reach_if_named(syntax_.node(target).symbol, value);
  }

  // --- calls ----------------------------------------------------------------------------------------------------
  void visit_call(NodeId call) {
    NodeId function = syntax_.child(call, Field::kFunction);
    NodeId arguments = syntax_.child(call, Field::kArguments);
    if (function == kNoNode || syntax_.kind(arguments) != Kind::kArgumentList) return;
    std::string path = scopes_.dotted_path(function);
    for (NodeId argument = syntax_.node(arguments).first_child; argument != kNoNode;
         argument = syntax_.node(argument).next_sibling) {
      if (syntax_.kind(argument) != Kind::kKeywordArgument) continue;
      reach_if_named(syntax_.node(argument).symbol, syntax_.child(argument, Field::kValue));
    }
    if (!path.empty()) visit_known_call(call, path);
    if (syntax_.kind(function) == Kind::kAttribute && path.empty()) visit_method(call, function);
    if (syntax_.kind(function) == Kind::kAttribute || path == "click.option") visit_option(call, function, path);
  }

  void visit_known_call(NodeId call, const std::string& path) {
    for (int position : {0, 1}) {
      if (const PositionalSink* sink = positional_sink(path, position)) {
        flow_.reach(argument_of(syntax_, call, sink->role == TextRole::kCollective ? "backend" : "device", position), sink->role);
      }
    }
    if (path == "torch.set_default_tensor_type") add_name_text(argument_of(syntax_, call, "t", 0));
    bool reads_environment =
        path == "os.getenv" || path == "os.putenv" || path == "os.unsetenv" || starts_with(path, "os.environ.");
    if (reads_environment) add_environment(argument_of(syntax_, call, "key", 0));
  }

  void visit_method(NodeId call, NodeId function) {
    std::string_view method = syntax_.name(function);
    if (method == "to") {
      flow_.reach(argument_of(syntax_, call, "device", 0), TextRole::kDevice);
    } else if (method == "type") {
      add_name_text(argument_of(syntax_, call, "dtype", 0));
    } else if (method == "startswith") {
      prefix_tests_.push_back(call);
    } else if (find_family_of_device(method) != nullptr && !scopes_.defines_method(syntax_.node(function).symbol)) {
      add(SiteKind::kMethod, name_span_of(function), "Tensor." + std::string(method));
      flow_.reach(argument_of(syntax_, call, "device", 0), TextRole::kDevice);
    } else if (method == "double" || method == "bfloat16") {
      add(SiteKind::kDtype, name_span_of(function), method == "double" ? "float64" : "bfloat16");
    }
  }

  // parser.add_argument("--device", default="cuda", choices=[...]) and click.option.
  void visit_option(NodeId call, NodeId function, const std::string& path) {
    std::string_view method = syntax_.kind(function) == Kind::kAttribute ? syntax_.name(function) : std::string_view();
    bool is_option = path == "click.option" || method == "add_argument" || method == "DEFINE_string";
    if (!is_option) return;
    const TextRole* role = nullptr;
    for (int position = 0; position < 3 && role == nullptr; ++position) {
      NodeId option = argument_of(syntax_, call, "", position);
      if (syntax_.kind(option) != Kind::kString) continue;
      std::string word(read_literal(syntax_, option).text);
      word.erase(0, word.find_first_not_of('-') == std::string::npos ? word.size() : word.find_first_not_of('-'));
      std::replace(word.begin(), word.end(), '-', '_');
      role = role_of_name(word);
    }
    if (role == nullptr) return;
    flow_.reach(argument_of(syntax_, call, "default", -1), *role);
    flow_.reach(argument_of(syntax_, call, "choices", -1), *role);
  }

  // --- comparisons ------------------------------------------------------------------------------------------------
  // Brackets, str(...) and .type say the same device; a loop, for they may stand as deep as the file is long.
  bool is_device_like(NodeId expression) const {
    for (;;) {
      Kind kind = syntax_.kind(expression);
      if (kind == Kind::kParenthesized) {
        expression = syntax_.node(expression).first_child;
      } else if (kind == Kind::kCall) {
        NodeId function = syntax_.child(expression, Field::kFunction);
        if (syntax_.kind(function) != Kind::kIdentifier || syntax_.name(function) != "str") return false;
        expression = argument_of(syntax_, expression, "", 0);
      } else if (kind == Kind::kAttribute && syntax_.name(expression) == "type") {
        expression = syntax_.child(expression, Field::kObject);
      } else {
        break;
      }
    }
    Kind kind = syntax_.kind(expression);
    if (kind != Kind::kIdentifier && kind != Kind::kAttribute) return false;
    std::string path = scopes_.written_path(expression);
    if (kind == Kind::kAttribute && path.empty()) path = std::string(syntax_.name(expression));  // get().device
    const TextRole* role = role_of_name(last_name(path));
    return (role != nullptr && *role == TextRole::kDevice) || flow_.is_device_name(path);
  }

  bool is_backend_like(NodeId expression) const {
    std::string path = scopes_.written_path(expression);
    const TextRole* role = role_of_name(last_name(path));
    if (role != nullptr) return *role == TextRole::kCollective;
    if (syntax_.kind(expression) != Kind::kCall) return false;
    return scopes_.dotted_path(syntax_.child(expression, Field::kFunction)) == "torch.distributed.get_backend";
  }

  void visit_comparison(NodeId comparison) {
    std::vector<NodeId> operands;
    for (NodeId part = syntax_.node(comparison).first_child; part != kNoNode; part = syntax_.node(part).next_sibling)
      operands.push_back(part);
    bool has_device = std::any_of(operands.begin(), operands.end(), [&](NodeId operand) { return is_device_like(operand); });
    bool has_backend = std::any_of(operands.begin(), operands.end(), [&](NodeId operand) { return is_backend_like(operand); });
    bool has_environment = std::any_of(operands.begin(), operands.end(),
                                       [&](NodeId operand) { return scopes_.dotted_path(operand) == "os.environ"; });
    for (NodeId operand : operands) {
      Kind kind = syntax_.kind(operand);
      bool is_literal = kind == Kind::kString || kind == Kind::kTuple || kind == Kind::kList || kind == Kind::kSet;
      if (!is_literal) continue;
      if (has_device) flow_.reach(operand, TextRole::kDevice);
      if (has_backend) flow_.reach(operand, TextRole::kCollective);
      if (has_environment && kind == Kind::kString) add_environment(operand);
    }
  }

  void visit_prefix_test(NodeId call) {
    NodeId object = syntax_.child(syntax_.child(call, Field::kFunction), Field::kObject);
    if (is_device_like(object)) flow_.reach(argument_of(syntax_, call, "", 0), TextRole::kDevice);
  }

  // --- texts --------------------------------------------------------------------------------------------------------
  void on_text(NodeId string, TextRole role) {
    auto [prefix, text, begin, has_fields] = read_literal(syntax_, string);
    if (prefix.find_first_of("bB") != std::string_view::npos) return;
    if (role == TextRole::kDevice) {
      std::string_view word = device_word(text);
      if (!word.empty()) add(SiteKind::kDeviceText, {begin, begin + static_cast<std::uint32_t>(word.size())}, std::string(word));
      return;
    }
    if (find_family_of_collective(text) != nullptr) {
      add(SiteKind::kCollectiveText, {begin, begin + static_cast<std::uint32_t>(text.size())}, std::string(text));
      return;
    }
    // "cpu:gloo,cuda:nccl": device and collective by pairs
    for (std::size_t position = 0; position < text.size();) {
      std::size_t end = text.find_first_of(":,", position);
      if (end == std::string_view::npos) end = text.size();
      std::string_view word = text.substr(position, end - position);
      Span span{begin + static_cast<std::uint32_t>(position), begin + static_cast<std::uint32_t>(end)};
      if (find_family_of_device(word) != nullptr) add(SiteKind::kDeviceText, span, std::string(word));
      if (find_family_of_collective(word) != nullptr) add(SiteKind::kCollectiveText, span, std::string(word));
      position = end + 1;
    }
  }

  void add_name_text(NodeId string) {
    if (syntax_.kind(string) != Kind::kString) return;
    auto [prefix, text, begin, has_fields] = read_literal(syntax_, string);
    if (starts_with(text, "torch."))
      add(SiteKind::kNameText, {begin, begin + static_cast<std::uint32_t>(text.size())}, std::string(text));
  }

  void add_environment(NodeId string) {
    if (syntax_.kind(string) != Kind::kString) return;
    auto [prefix, text, begin, has_fields] = read_literal(syntax_, string);
    if (has_fields) return;
    add(SiteKind::kEnvironment, {begin, begin + static_cast<std::uint32_t>(text.size())}, std::string(text));
  }

  void visit_subscript(NodeId id) {
    if (scopes_.dotted_path(syntax_.child(id, Field::kValue)) == "os.environ")
      add_environment(syntax_.child(id, Field::kSubscript));
  }

  // --- names --------------------------------------------------------------------------------------------------------
  void visit_identifier(NodeId id) {
    // Heads of attribute chains are handled with their chain; here only names that stand alone, e.g. `autocast` from an import.
    NodeId parent = syntax_.node(id).parent;
    if (syntax_.kind(parent) == Kind::kAttribute || !scopes_.is_import(syntax_.node(id).symbol)) return;
    std::string path = scopes_.dotted_path(id);
    if (starts_with(path, "torch.")) add_name(id, path);
  }

  void visit_attribute(NodeId id) {
    NodeId parent = syntax_.node(id).parent;
    bool is_inner = syntax_.kind(parent) == Kind::kAttribute && syntax_.node(id).field == Field::kObject;
    std::string_view word = syntax_.name(id);
    Symbol symbol = syntax_.node(id).symbol;
    bool is_flag = word.size() > 3 && starts_with(word, "is_") && find_family_of_device(word.substr(3)) != nullptr;
    if (is_flag && scopes_.dotted_path(id).empty() && scopes_.attribute_values(symbol).empty() &&
        !scopes_.defines_method(symbol)) {
      add(SiteKind::kMethod, name_span_of(id), "Tensor." + std::string(word));
    }
    if (is_inner || !scopes_.may_be_imported(id)) return;
    std::string path = scopes_.dotted_path(id);
    bool is_torch = path == "torch" || starts_with(path, "torch.") || starts_with(path, "torch_");
    if (is_torch) add_name(id, path);
  }

  void add_name(NodeId id, const std::string& path) {
    if (path.size() > kPathBytesMax) return;
    Site site;
    site.kind = SiteKind::kName;
    site.span = span_of(id);
    site.name = path;
    NodeId head = id;
    while (syntax_.kind(head) == Kind::kAttribute) {
      site.segments.push_back(name_span_of(head));
      head = syntax_.child(head, Field::kObject);
    }
    std::reverse(site.segments.begin(), site.segments.end());
    site.head = scopes_.dotted_path(head);
    for (std::string_view dtype : {"float64", "double", "bfloat16", "complex64", "complex128"}) {
      if (path == "torch." + std::string(dtype))
        add(SiteKind::kDtype, site.span, dtype == "double" ? "float64" : std::string(dtype));
    }
    sites_.sites.push_back(std::move(site));
  }

  // --- imports ------------------------------------------------------------------------------------------------------
  void note_torch_import(NodeId statement, std::string_view module) {
    if (module != "torch" && !starts_with(module, "torch.")) return;
    sites_.imports_torch = true;
    if (sites_.has_top_level_torch || syntax_.node(statement).parent != 0) return;
    std::size_t end = syntax_.node(statement).end;
    std::size_t line_end = source_.find_first_of("\r\n", end);
    // `import torch; import os` keeps its line whole.
    if (line_end == std::string_view::npos) line_end = source_.size();
    if (line_end < source_.size()) line_end += source_.compare(line_end, 2, "\r\n") == 0 ? 2 : 1;
    sites_.has_top_level_torch = true;
    sites_.plugin_insert_at = line_end;
  }

  void note_package(std::string_view module, NodeId at) {
    std::string top(module.substr(0, module.find('.')));
    if (top != "torch" && find_family_of_plugin(top) == nullptr) add(SiteKind::kPackage, span_of(at), std::string(module));
  }

  void note_plugin(NodeId statement) {
    Span lines = span_of(statement);
    while (lines.first > 0 && (source_[lines.first - 1] == ' ' || source_[lines.first - 1] == '\t')) --lines.first;
    std::size_t end = source_.find_first_not_of(" \t", lines.second);
    bool is_whole_line = (lines.first == 0 || source_[lines.first - 1] == '\n' || source_[lines.first - 1] == '\r') &&
                         (end == std::string_view::npos || source_[end] == '\r' || source_[end] == '\n');
    if (!is_whole_line || syntax_.node(statement).parent != 0) return;
    if (end == std::string_view::npos) end = source_.size();
    if (end < source_.size()) end += source_.compare(end, 2, "\r\n") == 0 ? 2 : 1;
    lines.second = static_cast<std::uint32_t>(end);
    sites_.plugin_imports.push_back(lines);
  }

  void visit_import(NodeId statement) {
    int count = 0;
    bool has_plugin = false;
    for (NodeId part = syntax_.node(statement).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
      NodeId name = syntax_.kind(part) == Kind::kAliasedImport ? syntax_.child(part, Field::kName) : part;
      if (syntax_.kind(name) != Kind::kDottedName) continue;
      ++count;
      std::string module(syntax_.text(name));
      note_torch_import(statement, module);
      note_package(module, name);
      has_plugin = has_plugin || (find_family_of_plugin(module) != nullptr && syntax_.kind(part) != Kind::kAliasedImport);
      if (starts_with(module, "torch.") || starts_with(module, "torch_")) add(SiteKind::kImportModule, span_of(name), module);
    }
    if (has_plugin && count == 1) note_plugin(statement);
  }

  void visit_import_from(NodeId statement) {
    NodeId module = syntax_.child(statement, Field::kModuleName);
    if (syntax_.kind(module) != Kind::kDottedName) return;
    std::string name(syntax_.text(module));
    note_torch_import(statement, name);
    note_package(name, module);
    if (name != "torch" && !starts_with(name, "torch.") && !starts_with(name, "torch_")) return;
    Site site;
    site.kind = SiteKind::kImportFrom;
    site.span = span_of(statement);
    site.name = name;
    site.module_span = span_of(module);
    for (NodeId part = syntax_.node(statement).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
      if (part == module) continue;
      bool has_alias = syntax_.kind(part) == Kind::kAliasedImport;
      NodeId imported = has_alias ? syntax_.child(part, Field::kName) : part;
      if (syntax_.kind(imported) == Kind::kDottedName)
        site.names.push_back({std::string(syntax_.text(imported)), span_of(imported), has_alias});
    }
    sites_.sites.push_back(std::move(site));
  }

  const Syntax& syntax_;
  std::string_view source_;
  Scopes scopes_;
  Flow flow_;
  Sites sites_;
  std::vector<NodeId> comparisons_;
  std::vector<NodeId> prefix_tests_;
  std::vector<std::optional<const TextRole*>> role_of_symbol_;
};

}  // namespace

Sites find_sites(const Syntax& syntax, std::string_view source) { return Collector(syntax, source).run(); }

}  // namespace starbridge::port::python

// TOML: dependencies in pyproject.toml and Pipfile, and device settings of configurations. By the grammar of tree-sitter.
#include <tree_sitter/api.h>

#include <cstring>
#include <map>
#include <memory>

#include "port/files/lines.h"
#include "port/files/requirement_list.h"

extern "C" const TSLanguage* tree_sitter_toml();

namespace starbridge::port {
namespace {

using base::text;

constexpr std::uint64_t kTomlMicrosecondsMax = 5'000'000;

struct TomlString {
  ByteSpan content;  // inside the quotes
  ByteSpan whole;
  std::string table;  // "project.optional-dependencies"
  std::string key;    // "gpu"
  ByteSpan pair;      // of a string that is the whole value: key and value
  bool is_in_array = false;
};

bool is_type(TSNode node, const char* type) { return std::strcmp(ts_node_type(node), type) == 0; }

class TomlReader {
 public:
  explicit TomlReader(std::string_view bytes) : bytes_(bytes) {}

  bool read() {
    std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(), ts_parser_delete);
    SB_CHECK(ts_parser_set_language(parser.get(), tree_sitter_toml()));
    ts_parser_set_timeout_micros(parser.get(), kTomlMicrosecondsMax);
    std::unique_ptr<TSTree, decltype(&ts_tree_delete)> tree(
        ts_parser_parse_string(parser.get(), nullptr, bytes_.data(), static_cast<std::uint32_t>(bytes_.size())), ts_tree_delete);
    if (tree == nullptr) return false;
    TSNode root = ts_tree_root_node(tree.get());
    for (std::uint32_t index = 0; index < ts_node_named_child_count(root); ++index) {
      TSNode child = ts_node_named_child(root, index);
      if (is_type(child, "pair")) read_pair(child, "");
      if (is_type(child, "table") || is_type(child, "table_array_element")) read_table(child);
    }
    return true;
  }

  std::vector<TomlString> strings;

 private:
  std::string text_of(TSNode node) const {
    std::string written(bytes_.substr(ts_node_start_byte(node), ts_node_end_byte(node) - ts_node_start_byte(node)));
    std::string plain;
    for (char c : written) {
      if (c != '"' && c != '\'' && c != ' ' && c != '\t') plain += c;
    }
    return plain;
  }

  void read_table(TSNode table) {
    std::string name;
    for (std::uint32_t index = 0; index < ts_node_named_child_count(table); ++index) {
      TSNode child = ts_node_named_child(table, index);
      if (index == 0 && !is_type(child, "pair")) name = text_of(child);
      if (is_type(child, "pair")) read_pair(child, name);
    }
  }

  void read_pair(TSNode pair, const std::string& table) {
    if (ts_node_named_child_count(pair) < 2) return;
    std::string key = text_of(ts_node_named_child(pair, 0));
    TSNode value = ts_node_named_child(pair, 1);
    if (is_type(value, "string")) add(value, table, key, pair, false);
    if (is_type(value, "array")) {
      for (std::uint32_t index = 0; index < ts_node_named_child_count(value); ++index) {
        TSNode item = ts_node_named_child(value, index);
        if (is_type(item, "string")) add(item, table, key, pair, true);
      }
    }
    if (is_type(value, "inline_table")) {
      for (std::uint32_t index = 0; index < ts_node_named_child_count(value); ++index) {
        TSNode item = ts_node_named_child(value, index);
        if (is_type(item, "pair") && ts_node_named_child_count(item) >= 2 && is_type(ts_node_named_child(item, 1), "string"))
          add(ts_node_named_child(item, 1), (table.empty() ? "" : table + ".") + key, text_of(ts_node_named_child(item, 0)), item,
              false);
      }
    }
  }

  void add(TSNode node, const std::string& table, const std::string& key, TSNode pair, bool is_in_array) {
    TomlString found;
    found.whole = {ts_node_start_byte(node), ts_node_end_byte(node)};
    found.content = {found.whole.begin + 1, found.whole.end - 1};
    std::string_view written = bytes_.substr(found.whole.begin, found.whole.end - found.whole.begin);
    // Strings of several lines and strings with escapes name no package.
    if (written.size() < 2 || written.substr(0, 3) == "\"\"\"" || written.substr(0, 3) == "'''" ||
        written.find('\\') != std::string_view::npos)
      return;
    found.table = table;
    found.key = key;
    found.pair = {ts_node_start_byte(pair), ts_node_end_byte(pair)};
    found.is_in_array = is_in_array;
    strings.push_back(std::move(found));
  }

  std::string_view bytes_;
};

bool is_requirement_list(const TomlString& string) {
  if (!string.is_in_array) return false;
  return (string.table == "project" && string.key == "dependencies") || string.table == "project.optional-dependencies" ||
         string.table == "dependency-groups" || (string.table == "build-system" && string.key == "requires") ||
         (string.table == "tool.uv" && string.key == "dev-dependencies");
}

// Tables whose keys are packages and whose values are versions: Poetry and Pipenv.
bool is_package_table(std::string_view table) {
  if (table == "packages" || table == "dev-packages") return true;
  return table.substr(0, 11) == "tool.poetry" && table.size() > 12 && table.substr(table.size() - 12) == "dependencies";
}

void take_list_item(const TomlString& string, const SourceFile& file, Sheet& sheet, RequirementList& list) {
  std::optional<Requirement> requirement = parse_requirement(file.bytes, string.content.begin, string.content.end);
  if (!requirement) return;
  std::string_view bytes = file.bytes;
  auto insert = [&sheet, &file, string](const std::string& plugin) {
    std::string quote = file.bytes.substr(string.whole.begin, 1);
    std::size_t line_begin = file.bytes.find_last_of("\r\n", string.whole.begin);
    line_begin = line_begin == std::string::npos ? 0 : line_begin + 1;
    std::string head = file.bytes.substr(line_begin, string.whole.begin - line_begin);
    bool is_own_line = head.find_first_not_of(" \t") == std::string::npos;
    std::string between = is_own_line ? "," + std::string(line_ending_of(file.bytes)) + head : ", ";
    std::string marker;
    std::size_t semicolon = file.bytes.find(';', string.content.begin);
    if (semicolon < string.content.end) marker = file.bytes.substr(semicolon, string.content.end - semicolon);
    sheet.edit(string.whole.end, string.whole.end, between + quote + plugin + marker + quote, "plugin-requirement");
  };
  auto remove = [&sheet, bytes, string] {
    // With the comma and blanks before it, as it was put there.
    std::size_t begin = string.whole.begin;
    while (begin > 0 &&
           (bytes[begin - 1] == ' ' || bytes[begin - 1] == '\t' || bytes[begin - 1] == '\n' || bytes[begin - 1] == '\r'))
      --begin;
    if (begin > 0 && bytes[begin - 1] == ',') sheet.edit(begin - 1, string.whole.end, "", "plugin-requirement");
  };
  list.add(std::move(*requirement), insert, remove);
}

void take_package_pair(const TomlString& string, const SourceFile& file, Sheet& sheet, RequirementList& list) {
  if (string.is_in_array) return;
  std::string_view bytes = file.bytes;
  Requirement requirement;
  requirement.name = {string.pair.begin, string.pair.begin + string.key.size()};
  requirement.folded_name = folded_package(string.key);
  std::string version(bytes.substr(string.content.begin, string.content.end - string.content.begin));
  version.erase(0, version.find_first_not_of("= "));
  if (version.find_first_not_of("0123456789.") == std::string::npos) requirement.exact_version = version;
  requirement.constraint = std::string(bytes.substr(string.content.begin, string.content.end - string.content.begin));
  std::size_t line_end = std::min(bytes.find_first_of("\r\n", string.pair.end), bytes.size());
  auto insert = [&sheet, &file, line_end, string](const std::string& plugin) {
    std::size_t at = after_line(file.bytes, line_end);
    std::string ending(line_ending_of(file.bytes));
    std::string sign = string.table.rfind("tool.", 0) == 0 ? "" : "==";
    std::string line = plugin.substr(0, plugin.find("==")) + " = \"" + sign + plugin.substr(plugin.find("==") + 2) + "\"";
    sheet.edit(at, at, at > line_end ? line + ending : ending + line, "plugin-requirement");
  };
  auto remove = [&sheet, bytes, line_end, string] {
    sheet.edit(string.pair.begin, after_line(bytes, line_end), "", "plugin-requirement");
  };
  list.add(std::move(requirement), insert, remove);
}

}  // namespace

std::vector<TargetResult> analyze_toml(const SourceFile& file, const Context& context) {
  TomlReader reader(file.bytes);
  bool is_read = reader.read();
  return per_target(file, context, [&](Sheet& sheet) {
    if (!is_read) {
      sheet.find(0, "toml-unreadable", Severity::kWarning,
                 text("the file could not be parsed in time and was left as it is", "文件未能在限时内解析，未作修改"));
      return;
    }
    std::map<std::string, RequirementList> lists;
    for (const TomlString& string : reader.strings) {
      if (is_requirement_list(string)) {
        take_list_item(string, file, sheet, lists[string.table + "." + string.key]);
      } else if (string.table == "project" && string.key == "requires-python") {
        sheet.pin(string.content.begin, "python", std::string(sheet.text(string.content.begin, string.content.end)));
      } else if (is_package_table(string.table)) {
        take_package_pair(string, file, sheet, lists[string.table]);
      } else if (const python::TextRole* role = role_of_setting(context, string.key)) {
        if (*role == python::TextRole::kDevice) sheet.device_word(string.content.begin, string.content.end);
        if (*role == python::TextRole::kCollective) sheet.collective_word(string.content.begin, string.content.end);
      } else if (string.key == "url" && !sheet.target().is_cuda_named() &&
                 sheet.text(string.content.begin, string.content.end).find("/whl/cu") != std::string_view::npos) {
        sheet
            .find(string.whole.begin, "cuda-wheel-index", Severity::kWork,
                  text("this index serves CUDA builds of PyTorch", "该软件源提供的是 CUDA 版 PyTorch"))
            .advice = text("use the CPU build of torch with the chip's plug-in", "使用 CPU 版 torch 加芯片插件");
      }
    }
    for (const auto& [name, list] : lists) list.judge(sheet);
  });
}

}  // namespace starbridge::port

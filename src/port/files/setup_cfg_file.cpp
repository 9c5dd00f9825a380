// setup.cfg: the requirements of setuptools' [options] and [options.extras_require].
#include <map>

#include "port/files/lines.h"
#include "port/files/requirement_list.h"

namespace starbridge::port {
namespace {

struct CfgRequirement {
  std::string list;  // "options.install_requires"
  ByteSpan line;     // without the line end
  ByteSpan value;
};

std::vector<CfgRequirement> read_setup_cfg(std::string_view bytes) {
  std::vector<CfgRequirement> found;
  std::string section;
  std::string key;
  each_line(bytes, [&](std::size_t begin, std::size_t end) {
    std::string_view line = bytes.substr(begin, end - begin);
    std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || line[first] == '#' || line[first] == ';') return;
    std::size_t value = begin + first;
    if (first == 0) {
      key.clear();
      if (line[0] == '[') {
        section = std::string(line.substr(1, line.find(']') == std::string_view::npos ? line.size() : line.find(']') - 1));
        return;
      }
      std::size_t sign = line.find_first_of("=:");
      if (sign == std::string_view::npos) return;
      key = std::string(base::trim(line.substr(0, sign)));
      value = begin + sign + 1;
    }
    bool is_list = (section == "options" && (key == "install_requires" || key == "setup_requires" || key == "tests_require")) ||
                   section == "options.extras_require" || (section == "options" && key == "python_requires");
    if (is_list && !base::trim(bytes.substr(value, end - value)).empty())
      found.push_back({section + "." + key, {begin, end}, {value, end}});
  });
  return found;
}

}  // namespace

std::vector<TargetResult> analyze_setup_cfg(const SourceFile& file, const Context& context) {
  std::vector<CfgRequirement> found = read_setup_cfg(file.bytes);
  return per_target(file, context, [&](Sheet& sheet) {
    std::map<std::string, RequirementList> lists;
    for (const CfgRequirement& each : found) {
      if (each.list == "options.python_requires") {
        std::string written(base::trim(sheet.text(each.value.begin, each.value.end)));
        sheet.pin(each.value.begin, "python", written);
        continue;
      }
      std::optional<Requirement> requirement = parse_requirement(file.bytes, each.value.begin, each.value.end);
      if (!requirement) continue;
      std::size_t after = after_line(file.bytes, each.line.end);
      std::size_t indent = requirement->name.begin - each.line.begin;
      bool is_own_line = file.bytes.find_first_not_of(" \t", each.line.begin) == requirement->name.begin;
      std::string head = is_own_line ? file.bytes.substr(each.line.begin, indent) : "    ";
      std::string marker = requirement->marker;
      auto insert = [&sheet, &file, each, after, head, marker](const std::string& plugin) {
        std::string ending(line_ending_of(file.bytes));
        std::string line = head + plugin + marker;
        sheet.edit(after, after, after > each.line.end ? line + ending : ending + line, "plugin-requirement");
      };
      auto remove = [&sheet, each, after, is_own_line] {
        if (is_own_line) sheet.edit(each.line.begin, after, "", "plugin-requirement");
      };
      lists[each.list].add(std::move(*requirement), insert, remove);
    }
    for (const auto& [name, list] : lists) list.judge(sheet);
  });
}

}  // namespace starbridge::port

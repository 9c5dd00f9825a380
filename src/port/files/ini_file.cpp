// INI: settings "key = value" that name a device, a collective or a variable; commands and environments of supervisors.
#include "port/files/lines.h"
#include "port/files/shell.h"
#include "port/relevance.h"

namespace starbridge::port {
namespace {

struct IniEntry {
  ByteSpan key;
  ByteSpan value;  // without quotes
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// "key = value" or "key: value" at the start of a line; remarks behind a blank go.
std::vector<IniEntry> read_ini(std::string_view bytes) {
  std::vector<IniEntry> entries;
  each_line(bytes, [&](std::size_t begin, std::size_t end) {
    if (begin == end || is_blank(bytes[begin]) || bytes[begin] == '#' || bytes[begin] == ';' || bytes[begin] == '[') return;
    std::size_t sign = bytes.find_first_of("=:", begin);
    if (sign >= end || sign == begin) return;
    std::size_t key_end = sign;
    while (key_end > begin && is_blank(bytes[key_end - 1])) --key_end;
    std::size_t value = sign + 1;
    for (std::size_t at = value; at < end; ++at) {
      if ((bytes[at] == '#' || bytes[at] == ';') && is_blank(bytes[at - 1])) end = at;
    }
    while (value < end && is_blank(bytes[value])) ++value;
    while (end > value && is_blank(bytes[end - 1])) --end;
    bool is_quoted = end - value >= 2 && (bytes[value] == '"' || bytes[value] == '\'') && bytes[end - 1] == bytes[value];
    if (is_quoted) {
      ++value;
      --end;
    }
    entries.push_back({{begin, key_end}, {value, end}});
  });
  return entries;
}

// supervisord: environment=A="0",B="1"
void judge_environment(Sheet& sheet, ByteSpan value) {
  std::string_view text = sheet.text(value.begin, value.end);
  bool is_quoted = false;
  std::size_t name = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"' || text[at] == '\'') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (text[at] == ',') name = at + 1;
    if (text[at] != '=') continue;
    while (name < at && is_blank(text[name])) ++name;
    sheet.variable(value.begin + name, value.begin + at);
  }
}

}  // namespace

std::vector<TargetResult> analyze_ini(const SourceFile& file, const Context& context) {
  if (!may_settings_matter(file.bytes)) return std::vector<TargetResult>(context.targets.size());
  std::vector<IniEntry> entries = read_ini(file.bytes);
  std::vector<ShellReading> commands;
  std::string_view bytes = file.bytes;
  for (const IniEntry& entry : entries) {
    std::string key = base::to_lower(bytes.substr(entry.key.begin, entry.key.end - entry.key.begin));
    if (key == "command" || key == "commands" || key == "cmd" || key == "execstart")
      commands.push_back(
          read_shell(bytes.substr(entry.value.begin, entry.value.end - entry.value.begin), entry.value.begin, context));
  }
  return per_target(file, context, [&](Sheet& sheet) {
    for (const IniEntry& entry : entries) {
      std::string_view key = sheet.text(entry.key.begin, entry.key.end);
      if (base::to_lower(key) == "environment") judge_environment(sheet, entry.value);
      sheet.variable(entry.key.begin, entry.key.end);
      const python::TextRole* role = role_of_setting(context, key);
      std::string_view value = sheet.text(entry.value.begin, entry.value.end);
      if (role != nullptr && *role == python::TextRole::kDevice && !device_word(value).empty())
        sheet.device_word(entry.value.begin, entry.value.end);
      if (role != nullptr && *role == python::TextRole::kCollective) sheet.collective_word(entry.value.begin, entry.value.end);
    }
    for (const ShellReading& command : commands) judge_shell(command, sheet);
  });
}

}  // namespace starbridge::port

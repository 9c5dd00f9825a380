#include "port/python/split_import.h"

#include <algorithm>

#include "base/text.h"

namespace starbridge::port::python {
namespace {

constexpr std::size_t kLineMax = 100;  // what was written over several lines stays so beyond it

// "NAME" or "NAME as ALIAS", as written.
std::string written(std::string_view statement, std::size_t begin) {
  std::size_t end = std::min(statement.find_first_of(",)", begin), statement.size());
  return std::string(base::trim(statement.substr(begin, end - begin)));
}

bool is_alone_in_its_lines(std::string_view source, Span span, std::string& indentation) {
  const std::size_t line = source.rfind('\n', span.first) + 1;  // npos + 1 is 0
  indentation = source.substr(line, span.first - line);
  if (indentation.find_first_not_of(" \t") != std::string::npos) return false;
  const std::size_t next = source.find_first_not_of(" \t", span.second);
  return next == std::string_view::npos || source[next] == '\n' || source[next] == '\r' || source[next] == '#';
}

}  // namespace

std::optional<std::string> split_import(std::string_view source, const Site& site,
                                        const std::vector<std::pair<const ImportedName*, std::string>>& targets) {
  std::string indentation;
  const std::string_view statement = source.substr(site.span.first, site.span.second - site.span.first);
  if (targets.empty() || !is_alone_in_its_lines(source, site.span, indentation)) return std::nullopt;
  if (statement.find('#') != std::string_view::npos || statement.find('\\') != std::string_view::npos) return std::nullopt;
  std::vector<std::pair<std::string, std::vector<std::string>>> modules = {{site.name, {}}};
  for (const auto& [name, target] : targets) {
    const std::size_t dot = target.rfind('.');
    if (dot == std::string::npos) return std::nullopt;
    const std::string module = target.substr(0, dot), word = target.substr(dot + 1);
    std::string part = written(statement, name->span.first - site.span.first);
    if (word != name->name) part = name->has_alias ? word + part.substr(name->name.size()) : word + " as " + name->name;
    auto found = std::find_if(modules.begin(), modules.end(), [&](const auto& each) { return each.first == module; });
    if (found == modules.end()) found = modules.insert(modules.end(), {module, {}});
    found->second.push_back(part);
  }
  const bool is_tall = statement.find('\n') != std::string_view::npos;
  const std::string line_end = statement.find("\r\n") != std::string_view::npos ? "\r\n" : "\n";
  std::string out;
  for (const auto& [module, parts] : modules) {
    if (parts.empty()) continue;
    std::string joined;
    for (const std::string& part : parts) joined += (joined.empty() ? "" : ", ") + part;
    std::string line = "from " + module + " import " + joined;
    if (is_tall && indentation.size() + line.size() > kLineMax) {
      line = "from " + module + " import (" + line_end;
      for (const std::string& part : parts) line.append(indentation).append("    ").append(part).append(",").append(line_end);
      line += indentation + ")";
    }
    out += (out.empty() ? "" : line_end + indentation) + line;
  }
  return out;
}

}  // namespace starbridge::port::python

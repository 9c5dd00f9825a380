// Requirements files of pip, and lists of requirements inside other files (setup.cfg).
#include "port/files/lines.h"
#include "port/files/requirement.h"

namespace starbridge::port {
namespace {

using base::text;

struct Line {
  ByteSpan span;  // joined, without the line end
  std::optional<Requirement> requirement;
};

// "torch==2.7.1 \" and its hashes are one line; a comment is none.
std::vector<Line> read_lines(std::string_view bytes) {
  std::vector<Line> lines;
  each_joined_line(bytes, [&](std::size_t begin, std::size_t end) {
    if (begin == 0 && bytes.substr(0, 3) == "\xEF\xBB\xBF") begin = 3;
    Line line;
    line.span = {begin, end};
    std::size_t comment = begin;
    while (comment < end && bytes[comment] != '#') ++comment;
    // A '#' belongs to a link unless a blank stands before it.
    if (comment < end && comment > begin && bytes[comment - 1] != ' ' && bytes[comment - 1] != '\t') comment = end;
    line.requirement = parse_requirement(bytes, begin, comment);
    lines.push_back(std::move(line));
  });
  return lines;
}

void judge_index(std::string_view bytes, ByteSpan line, Sheet& sheet) {
  std::string_view written = bytes.substr(line.begin, line.end - line.begin);
  std::size_t at = written.find_first_not_of(" \t");
  if (at == std::string_view::npos || written[at] == '#') return;
  std::size_t option_end = std::min(written.find_first_of(" \t=", at), written.size());
  judge_wheel_index({line.begin + at, line.begin + option_end}, {line.begin + option_end, line.end}, sheet);
}

// requirements.txt holds for every card; requirements-npu.txt adds what one of them needs.
void add_file_beside(Sheet& sheet, const std::string& plugin) {
  const std::string& path = sheet.path();
  std::size_t suffix = path.rfind('.');
  std::string name = path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
  std::string added = fmt::format("{}-{}{}", path.substr(0, suffix), sheet.target().family->backend, path.substr(suffix));
  sheet.add_file(added, fmt::format("-r {}\n{}\n", name, plugin));
  sheet.find(0, "requirements-per-card", Severity::kInfo,
             text("on {} install {}", "在 {} 上请安装 {}", sheet.target().chip->name, added));
}

}  // namespace

std::vector<TargetResult> analyze_requirements(const SourceFile& file, const Context& context) {
  std::vector<Line> lines = read_lines(file.bytes);
  bool pins_hashes =
      std::any_of(lines.begin(), lines.end(), [](const Line& line) { return line.requirement && line.requirement->has_hash; });
  return per_target(file, context, [&](Sheet& sheet) {
    bool has_plugin = std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
      return line.requirement && is_plugin_of(*line.requirement, sheet.target());
    });
    for (const Line& line : lines) {
      judge_index(file.bytes, line.span, sheet);
      if (!line.requirement) continue;
      Requirement requirement = *line.requirement;
      requirement.has_hash = requirement.has_hash || pins_hashes;
      if (is_foreign_plugin(requirement, sheet.target())) {
        sheet.edit(line.span.begin, after_line(file.bytes, line.span.end), "", "plugin-requirement");
        continue;
      }
      judge_requirement(requirement, sheet);
      bool wants_plugin = requirement.folded_name == "torch" && !has_plugin && !sheet.target().family->plugin.empty();
      if (!wants_plugin || requirement.is_url) continue;
      std::optional<std::string> plugin = plugin_beside(requirement, sheet);
      if (!plugin) continue;
      if (sheet.is_portable()) {
        add_file_beside(sheet, *plugin);
        continue;
      }
      if (!requirement.marker.empty()) *plugin += requirement.marker[1] == ' ' ? " " + requirement.marker : requirement.marker;
      std::size_t at = after_line(file.bytes, line.span.end);
      std::string ending(line_ending_of(file.bytes));
      bool ends_with_line_end = at > line.span.end;
      sheet.edit(at, at, ends_with_line_end ? *plugin + ending : ending + *plugin, "plugin-requirement");
    }
  });
}

}  // namespace starbridge::port

#include "report/report.h"

#include <algorithm>
#include <map>

#include "base/files.h"
#include "base/hash.h"

namespace starbridge::report {
namespace {

using port::Edit;
using port::LineIndex;

std::string full_path(const port::ProjectReport& project, const std::string& path) {
  bool is_file = project.root.size() >= path.size() && project.root.substr(project.root.size() - path.size()) == path &&
                 project.file_count == 1;
  return is_file ? project.root : project.root + "/" + path;
}

std::string line_at(std::string_view bytes, const LineIndex& lines, int line) {
  if (line < 1 || line > lines.line_count()) return "";
  std::size_t begin = lines.start_of(line);
  std::size_t end = std::min(bytes.find_first_of("\r\n", begin), bytes.size());
  return base::sanitize_utf8(bytes.substr(begin, end - begin));
}

int code_points(std::string_view bytes) {
  int count = 0;
  for (char c : bytes) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

Change change_of(const Edit& edit, std::string_view bytes, const LineIndex& lines) {
  Change change;
  change.rule = edit.rule;
  change.line = lines.at(edit.begin).line;
  change.end_line = lines.at(edit.end).line;
  change.column = code_points(bytes.substr(lines.start_of(change.line), edit.begin - lines.start_of(change.line))) + 1;
  change.end_column = code_points(bytes.substr(lines.start_of(change.end_line), edit.end - lines.start_of(change.end_line))) + 1;
  change.begin = edit.begin;
  change.end = edit.end;
  change.replacement = base::sanitize_utf8(edit.replacement);
  return change;
}

std::string without_line_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

// Edits whose lines meet are shown as one change.
std::vector<LineChange> line_changes(const std::vector<Edit>& edits, std::string_view bytes, const LineIndex& lines) {
  std::vector<LineChange> changes;
  for (std::size_t first = 0; first < edits.size();) {
    int begin_line = lines.at(edits[first].begin).line;
    int end_line = lines.at(edits[first].end).line;
    std::size_t last = first + 1;
    while (last < edits.size() && lines.at(edits[last].begin).line <= end_line) {
      end_line = std::max(end_line, lines.at(edits[last].end).line);
      ++last;
    }
    std::size_t begin = lines.start_of(begin_line);
    std::size_t end = end_line < lines.line_count() ? lines.start_of(end_line + 1) : bytes.size();
    std::vector<Edit> local(edits.begin() + static_cast<std::ptrdiff_t>(first),
                            edits.begin() + static_cast<std::ptrdiff_t>(last));
    for (Edit& edit : local) {
      edit.begin -= begin;
      edit.end -= begin;
    }
    std::string_view before = bytes.substr(begin, end - begin);
    changes.push_back({begin_line, base::sanitize_utf8(without_line_end(std::string(before))),
                       base::sanitize_utf8(without_line_end(port::apply_edits(before, local)))});
    first = last;
  }
  return changes;
}

// Kernels of the files whose findings for this chip say that they need a port.
std::size_t kernel_lines(const port::ProjectReport& project, const port::ChipReport& chip) {
  std::size_t total = 0;
  for (const port::Finding& finding : chip.findings) {
    if (finding.rule != "cuda-kernel") continue;
    for (const port::CudaKernel& kernel : project.cuda.kernels) {
      if (kernel.file == finding.place.file && kernel.line == finding.place.line)
        total += static_cast<std::size_t>(kernel.line_count);
    }
  }
  return total;
}

}  // namespace

base::Text describe_reach(const Item& item) {
  bool may_run = item.reach == port::Reach::kProgram || item.reach == port::Reach::kUnknown;
  if (may_run) return item.is_hot ? base::text("once per step", "每步执行") : base::Text();
  return port::describe(item.reach);
}

int reach_rank(const Item& item) {
  switch (item.reach) {
    case port::Reach::kProgram:
    case port::Reach::kUnknown:
      return item.is_hot ? 0 : 1;
    case port::Reach::kNone:
    case port::Reach::kBuild:
      return 2;
    case port::Reach::kTest:
      return 3;
  }
  return 3;
}

std::vector<const Item*> by_reach(const std::vector<Item>& items) {
  std::vector<const Item*> sorted;
  for (const Item& item : items) sorted.push_back(&item);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Item* left, const Item* right) { return reach_rank(*left) < reach_rank(*right); });
  return sorted;
}

Report build_report(const port::ProjectReport& project, const catalog::PrecisionRules* precision) {
  Report report;
  report.project = &project;
  for (const port::ChipReport& chip : project.chips) {
    ChipSection section;
    section.chip = &chip;
    section.score = score_of(chip, kernel_lines(project, chip));
    if (precision != nullptr) section.precision = plan_precision(project, chip, *precision);
    report.chips.push_back(std::move(section));
  }
  for (const port::FileReport& file : project.files) {
    base::Result<std::string> bytes = base::read_file(full_path(project, file.path), port::kAnalyzedBytesMax + 1);
    if (!bytes.ok()) continue;
    LineIndex lines(*bytes);
    for (std::size_t index = 0; index < file.results.size(); ++index) {
      const port::TargetResult& result = file.results[index];
      if (!result.edits.empty() && result.edits.back().end <= bytes->size()) {
        ChangedFile changed;
        changed.path = file.path;
        for (const Edit& edit : result.edits) changed.changes.push_back(change_of(edit, *bytes, lines));
        changed.lines = line_changes(result.edits, *bytes, lines);
        report.chips[index].files.push_back(std::move(changed));
      }
      std::map<std::string, int> seen;
      for (const port::Finding& finding : result.findings) {
        Item item;
        item.finding = finding;
        item.reach = file.reached.reach;
        item.reached_from = file.reached.from;
        item.is_hot = file.reached.is_hot(finding.place.line);
        item.line_text = line_at(*bytes, lines, finding.place.line);
        std::string key =
            finding.rule + "\n" + file.path + "\n" + std::string(base::trim(item.line_text)) + "\n" + finding.message.en;
        // The same remark on equal lines is told apart by how often it came before.
        item.fingerprint = base::sha256_hex(key + "\n" + std::to_string(seen[key]++)).substr(0, 16);
        report.chips[index].items.push_back(std::move(item));
      }
    }
  }
  for (ChipSection& section : report.chips) {
    // Findings on files that cannot be read have no lines.
    for (const port::Finding& finding : section.chip->findings) {
      bool is_file_known = std::any_of(project.files.begin(), project.files.end(),
                                       [&](const port::FileReport& file) { return file.path == finding.place.file; });
      bool is_there = is_file_known && std::any_of(section.items.begin(), section.items.end(), [&](const Item& item) {
                        return item.finding.place.file == finding.place.file;
                      });
      if (is_there) continue;
      Item item;
      item.finding = finding;
      item.fingerprint = base::sha256_hex(finding.rule + "\n" + finding.place.file + "\n" + finding.message.en).substr(0, 16);
      section.items.push_back(std::move(item));
    }
    for (Item& item : section.items) {
      if (const port::Rule* rule = section.chip->find_rule(item.finding.rule)) {
        item.effort = rule->effort;
        item.confidence = rule->confidence;
      }
    }
  }
  return report;
}

}  // namespace starbridge::report

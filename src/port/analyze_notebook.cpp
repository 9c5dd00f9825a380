#include "port/analyze.h"
#include "port/notebook_cells.h"

namespace starbridge::port {

std::vector<TargetResult> analyze_notebook(const SourceFile& file, const Context& context) {
  base::Result<NotebookCells> cells = find_notebook_cells(file.bytes, file.path);
  if (!cells.ok()) {
    std::vector<TargetResult> results(context.targets.size());
    for (TargetResult& result : results) {
      result.findings.push_back({"notebook-unreadable", Severity::kWork, cells.error().place(), cells.error().message(),
                                 cells.error().next_step(), ""});
    }
    return results;
  }
  std::vector<TargetResult> results = analyze_python({file.path, cells->code}, context);
  LineIndex code_lines(cells->code);
  LineIndex raw_lines(file.bytes);
  for (TargetResult& result : results) {
    for (Edit& edit : result.edits) {
      edit.begin = cells->raw_of[edit.begin];
      edit.end = cells->raw_of[edit.end];
      edit.replacement = json_escape(edit.replacement);
    }
    for (Finding& finding : result.findings) {
      if (finding.place.line <= 0) continue;
      std::size_t at = code_lines.start_of(finding.place.line) + static_cast<std::size_t>(std::max(finding.place.column, 1) - 1);
      LineColumn raw = raw_lines.at(cells->raw_of[std::min(at, cells->code.size())]);
      finding.place.line = raw.line;
      finding.place.column = raw.column;
    }
  }
  return results;
}

}  // namespace starbridge::port

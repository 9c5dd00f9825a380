#include "port/analyze.h"
#include "port/files/shell.h"
#include "port/notebook_cells.h"
#include "port/python/syntax.h"
#include "port/relevance.h"

namespace starbridge::port {
namespace {

using base::text;

// The results of the cells' code as places in the file. An edit that crosses the border of two strings is left to a hand.
void move_to_file(const NotebookCells& cells, const SourceFile& file, std::vector<TargetResult>& results) {
  LineIndex code_lines(cells.code);
  LineIndex raw_lines(file.bytes);
  for (TargetResult& result : results) {
    std::vector<Edit> edits;
    for (Edit& edit : result.edits) {
      bool starts_a_cell = edit.begin > 0 && cells.raw_length[edit.begin - 1] == 0;
      if (edit.begin == edit.end && starts_a_cell && !edit.replacement.empty() && edit.replacement.back() == '\n') {
        // A line put after the last line of a cell stays in that cell: the next one may begin with a magic.
        std::size_t end_of_cell = cells.raw_of[edit.begin - 1];
        std::string line = "\n" + edit.replacement.substr(0, edit.replacement.size() - 1);
        edits.push_back({end_of_cell, end_of_cell, json_escape(line), edit.rule});
        continue;
      }
      std::optional<NotebookCells::Raw> raw = cells.raw(edit.begin, edit.end);
      if (raw) {
        edits.push_back({raw->begin, raw->end, json_escape(edit.replacement), edit.rule});
        continue;
      }
      LineColumn at = code_lines.at(edit.begin);
      result.findings.push_back({"notebook-edit-split",
                                 Severity::kWork,
                                 {file.path, at.line, at.column, ""},
                                 text("this change spans lines of the cell and was not made", "该修改跨越单元格的多行，未执行"),
                                 text("write here: {}", "此处应写：{}", edit.replacement),
                                 ""});
    }
    result.edits = std::move(edits);
    auto move = [&](base::Place& place) {
      if (place.line <= 0) return;
      std::size_t at = code_lines.start_of(place.line) + static_cast<std::size_t>(std::max(place.column, 1) - 1);
      LineColumn raw = raw_lines.at(cells.raw_of[std::min(at, cells.code.size())]);
      place.line = raw.line;
      place.column = raw.column;
    };
    for (Finding& finding : result.findings) move(finding.place);
    for (Pin& pin : result.pins) move(pin.place);
  }
}

// A cell that is no Python, such as an exercise to be completed, becomes comments, so that it does not keep the others from being
// ported. Findings tell where.
std::vector<Finding> leave_out_damaged_cells(NotebookCells& cells, const std::string& path) {
  std::vector<Finding> findings;
  if (python::Syntax::parse(cells.code).error_at() == std::string_view::npos) return findings;
  LineIndex lines(cells.code);
  for (const NotebookCells::Piece& cell : cells.cells) {
    std::string code = cells.code.substr(cell.begin, cell.end - cell.begin);
    std::size_t error_at = python::Syntax::parse(code).error_at();
    if (error_at == std::string_view::npos) continue;
    LineColumn at = lines.at(cell.begin + error_at);
    findings.push_back({"python-unparsable",
                        Severity::kWork,
                        {path, at.line, at.column, ""},
                        text("this cell is not valid Python 3 and was left as it is", "此单元格不是合法的 Python 3，未作修改"),
                        text("correct the syntax and port again", "修正语法后重新移植"),
                        ""});
    for (std::size_t index = cell.begin; index < cell.end; ++index) {
      char& byte = cells.code[index];
      if (byte != '\n') byte = index == cell.begin || cells.code[index - 1] == '\n' ? '#' : ' ';
    }
  }
  return findings;
}

void move_uses(const NotebookCells& cells, const SourceFile& file, std::vector<NameUse>& uses) {
  LineIndex code_lines(cells.code);
  LineIndex raw_lines(file.bytes);
  for (NameUse& use : uses) {
    std::size_t at = code_lines.start_of(use.first.line) + static_cast<std::size_t>(use.first.column - 1);
    use.first = raw_lines.at(cells.raw_of[std::min(at, cells.code.size())]);
  }
}

}  // namespace

std::vector<TargetResult> analyze_notebook(const SourceFile& file, const Context& context, std::vector<NameUse>* uses) {
  if (!may_notebook_matter(file.bytes, context.tables, context.rules.get()))
    return std::vector<TargetResult>(context.targets.size());
  base::Result<NotebookCells> read = find_notebook_cells(file.bytes, file.path);
  if (!read.ok()) {
    std::vector<TargetResult> results(context.targets.size());
    for (TargetResult& result : results) {
      result.findings.push_back(
          {"notebook-unreadable", Severity::kWork, read.error().place(), read.error().message(), read.error().next_step(), ""});
    }
    return results;
  }
  NotebookCells cells = std::move(read).value();
  std::vector<Finding> left_out = leave_out_damaged_cells(cells, file.path);
  std::vector<TargetResult> results = analyze_python({file.path, cells.code}, context, uses);
  for (TargetResult& result : results) result.findings.insert(result.findings.begin(), left_out.begin(), left_out.end());
  std::vector<ShellReading> readings;
  for (const NotebookCells::Piece& piece : cells.shell_pieces) {
    readings.push_back(
        read_shell(std::string_view(cells.shell).substr(piece.begin, piece.end - piece.begin), piece.begin, context));
  }
  std::vector<TargetResult> shell = per_target({file.path, cells.shell}, context, [&](Sheet& sheet) {
    for (const ShellReading& reading : readings) judge_shell(reading, sheet);
  });
  for (std::size_t index = 0; index < results.size(); ++index) {
    TargetResult& result = results[index];
    result.edits.insert(result.edits.end(), shell[index].edits.begin(), shell[index].edits.end());
    result.findings.insert(result.findings.end(), shell[index].findings.begin(), shell[index].findings.end());
    result.pins.insert(result.pins.end(), shell[index].pins.begin(), shell[index].pins.end());
  }
  move_to_file(cells, file, results);
  if (uses != nullptr) move_uses(cells, file, *uses);
  return results;
}

}  // namespace starbridge::port

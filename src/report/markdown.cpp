#include "report/markdown.h"

#include <map>

namespace starbridge::report {
namespace {

using base::text;

// Text inside a table cell or a line: nothing in it may be read as Markdown or HTML.
std::string escaped(std::string_view words) {
  std::string out;
  for (char c : words) {
    if (c == '|' || c == '*' || c == '_' || c == '`' || c == '<' || c == '>' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

std::string code(std::string_view words) {
  // A code span ends at the first run of as many backticks as it began with.
  std::string fence = words.find('`') == std::string_view::npos ? "`" : "``";
  std::string line;
  for (char c : words) line += c == '\n' || c == '\r' ? ' ' : c;
  return fence.size() == 1 ? "`" + line + "`" : "`` " + line + " ``";
}

class Writer {
 public:
  Writer(const Report& report, base::Language language) : report_(report), language_(language) {}

  std::string write() {
    out_ += "# " + say(text("Migration report", "迁移报告")) + "\n\n";
    out_ += say(text("{} files, {} analysed, {} lines", "{} 个文件，分析 {} 个，共 {} 行", report_.project->file_count,
                     report_.project->analyzed_file_count, report_.project->line_count)) +
            "\n\n";
    matrix();
    for (const ChipSection& section : report_.chips) chip(section);
    out_ += "\n" +
            say(text(
                "Score = 100 x automatic / (automatic + assisted + manual), in assumed points of work: {} per edit, {} per "
                "assisted finding, {} per manual finding, {} per line of a kernel.",
                "得分 = 100 x 自动 /（自动 + 辅助 + 人工），按假定工作量计：每处修改 {}，每条辅助 {}，每条人工 {}，内核每行 {}。",
                kPointsPerEdit, kPointsPerAssisted, kPointsPerManual, kPointsPerKernelLine)) +
            "\n";
    return std::move(out_);
  }

 private:
  std::string say(const base::Text& words) const { return words.in(language_); }

  void matrix() {
    out_ += "| " + say(text("chip", "芯片")) + " | " + say(text("verdict", "结论")) + " | " + say(text("score", "得分")) + " | " +
            say(text("edits", "修改")) + " | " + say(text("assisted", "辅助")) + " | " + say(text("by hand", "人工")) + " | " +
            say(text("warnings", "警告")) + " |\n|---|---|--:|--:|--:|--:|--:|\n";
    for (const ChipSection& section : report_.chips) {
      const Score& score = section.score;
      out_ += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", escaped(section.chip->target.chip->id),
                          say(port::describe(section.chip->verdict)), score.score, score.automatic_count, score.assisted_count,
                          score.manual_count, section.chip->count(port::Severity::kWarning));
    }
  }

  void chip(const ChipSection& section) {
    out_ += "\n## " + escaped(section.chip->target.chip->name) + "\n";
    for (port::Severity severity : {port::Severity::kWork, port::Severity::kWarning, port::Severity::kInfo}) {
      findings(section, severity);
    }
    precision(section.precision);
    if (section.files.empty()) return;
    out_ += "\n### " + say(text("Edits", "修改")) + "\n\n";
    for (const ChangedFile& file : section.files) {
      out_ += "<details><summary>" + code(file.path) + " (" + std::to_string(file.changes.size()) + ")</summary>\n\n```diff\n";
      for (const LineChange& change : file.lines) {
        out_ += fmt::format("@@ {} @@\n", change.line);
        lines('-', change.before);
        lines('+', change.after);
      }
      out_ += "```\n\n</details>\n";
    }
  }

  void precision(const PrecisionPlan& plan) {
    if (plan.items.empty()) return;
    out_ += "\n### " + say(text("Precision plan", "精度计划")) + "\n\n";
    if (!plan.low_precision.empty()) {
      out_ +=
          say(text("16 bit is asked for at {}.", "使用 16 位精度：{}。", code(plan.low_precision.front().place.to_string()))) +
          "\n\n";
    }
    out_ += "| " + say(text("risk", "风险")) + " | " + say(text("what", "内容")) + " | " + say(text("first use", "首次使用")) +
            " | " + say(text("uses", "次数")) + " | " + say(text("why", "原因")) + " | " + say(text("compare", "比较方式")) +
            " | " + say(text("source", "来源")) + " |\n|---|---|---|--:|---|---|---|\n";
    for (const PrecisionItem& item : plan.items) {
      const PrecisionPlace& first = item.places.front();
      std::string place = code(first.name) + " " + escaped(first.place.to_string());
      out_ += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", say(describe(item.risk)), escaped(say(item.title)), place,
                          item.count, escaped(say(item.why)), escaped(say(describe_comparison(item))), escaped(item.source));
    }
    out_ += "\n```sh\n";
    for (const std::string& command : plan.commands) out_ += command + "\n";
    out_ += "```\n";
  }

  void lines(char sign, const std::string& words) {
    for (std::size_t begin = 0; begin <= words.size();) {
      std::size_t end = std::min(words.find('\n', begin), words.size());
      out_ += sign;
      out_.append(words, begin, end - begin);
      out_ += '\n';
      begin = end + 1;
    }
  }

  void findings(const ChipSection& section, port::Severity severity) {
    std::map<std::string, std::vector<const Item*>> by_rule;
    for (const Item* item : by_reach(section.items)) {
      if (item->finding.severity == severity && !item->is_known) by_rule[item->finding.rule].push_back(item);
    }
    if (by_rule.empty()) return;
    out_ += "\n### " +
            say(severity == port::Severity::kWork      ? text("To do by hand", "需人工处理")
                : severity == port::Severity::kWarning ? text("Runs, but take note", "可运行，请注意")
                                                       : text("Good to know", "供参考")) +
            "\n\n";
    for (const auto& [id, items] : by_rule) {
      const port::Rule* rule = section.chip->find_rule(id);
      std::string title(rule == nullptr ? "" : language_ == base::Language::kChinese ? rule->title_zh : rule->title_en);
      out_ += fmt::format("- **{}** ({}): {}\n", escaped(id), items.size(), escaped(title));
      for (const Item* item : items) {
        out_ += "  - " + code(item->finding.place.to_string()) + " " + escaped(item->finding.message.in(language_));
        if (base::Text reach = describe_reach(*item); !reach.empty()) out_ += " (" + escaped(reach.in(language_)) + ")";
        if (!item->finding.advice.empty()) out_ += ". " + escaped(item->finding.advice.in(language_));
        out_ += "\n";
        if (!item->finding.suggestion.empty()) suggestion(item->finding.suggestion);
      }
    }
  }

  // Fenced by more backticks than it holds, inside the list.
  void suggestion(const std::string& text) {
    std::string fence = "```";
    while (text.find(fence) != std::string::npos) fence += '`';
    out_ += "\n    " + fence + "\n";
    for (std::size_t begin = 0; begin <= text.size();) {
      std::size_t end = std::min(text.find('\n', begin), text.size());
      out_ += "    " + base::sanitize_utf8(text.substr(begin, end - begin)) + "\n";
      begin = end + 1;
    }
    out_ += "    " + fence + "\n";
  }

  const Report& report_;
  base::Language language_;
  std::string out_;
};

}  // namespace

std::string to_markdown(const Report& report, base::Language language) { return Writer(report, language).write(); }

}  // namespace starbridge::report

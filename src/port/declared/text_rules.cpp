#include "port/declared/text_rules.h"

#include <algorithm>

#include "port/declared/rule_set.h"
#include "port/declared/template.h"
#include "port/declared/text_pattern.h"

namespace starbridge::port {
namespace {

bool is_code(FileKind kind) {
  return kind == FileKind::kPython || kind == FileKind::kNotebook || kind == FileKind::kCuda || kind == FileKind::kOther;
}

// Where a remark begins on the line: '#' at its start or behind a blank; npos: nowhere.
std::size_t remark_in(std::string_view line, FileKind kind) {
  if (kind == FileKind::kJson || kind == FileKind::kMarkdown) return std::string_view::npos;
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    bool begins = at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t';
    // Directives of Slurm look like remarks.
    if (begins && line.substr(at, 7) != "#SBATCH") return at;
  }
  if (kind == FileKind::kIni && !line.empty() && line[0] == ';') return 0;
  return std::string_view::npos;
}

std::string filled(std::string_view text, const TextPattern::Hit& hit, const Target& target) {
  std::string words =
      fill(text, [&](const std::string& hole, std::string& value) { return word_of_target(target, hole, value); });
  std::string out;
  for (std::size_t at = 0; at < words.size(); ++at) {
    bool is_group = words[at] == '\\' && at + 1 < words.size() && words[at + 1] >= '0' && words[at + 1] <= '9';
    if (is_group) {
      out += hit.groups[static_cast<std::size_t>(words[++at] - '0')];
    } else if (words[at] == '\\' && at + 1 < words.size() && words[at + 1] == '\\') {
      out += words[++at];
    } else {
      out += words[at];
    }
  }
  return out;
}

bool meets(const Edit& left, const Edit& right) { return left.begin < right.end && right.begin < left.end; }

class TextRules {
 public:
  TextRules(const SourceFile& file, FileKind kind, const Context& context, std::vector<TargetResult>& results)
      : file_(file), kind_(kind), context_(context), results_(results), lines_(file.bytes) {}

  void apply(const DeclaredRule& rule) {
    std::vector<std::size_t> targets;
    for (std::size_t index = 0; index < context_.targets.size(); ++index) {
      if (rule.holds_for(context_.targets[index], file_.path, context_.torch_version)) targets.push_back(index);
    }
    if (targets.empty()) return;
    TextPattern pattern = TextPattern::compile(rule.match.names[0]).value();  // the reader has refused all others
    std::string_view bytes = file_.bytes;
    for (std::size_t begin = 0; begin < bytes.size();) {
      std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
      std::string_view line = bytes.substr(begin, end - begin);
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      std::size_t remark = remark_in(line, kind_);
      for (const TextPattern::Hit& hit : pattern.find_all(line)) {
        auto at = static_cast<std::size_t>(hit.groups[0].data() - line.data());
        if (at + hit.groups[0].size() > remark && remark != std::string_view::npos) continue;
        for (std::size_t index : targets) carry_out(rule, hit, begin + at, index);
        if (rule.match.is_once_per_file) return;
      }
      begin = end + 1;
    }
  }

 private:
  void carry_out(const DeclaredRule& rule, const TextPattern::Hit& hit, std::size_t at, std::size_t index) {
    const Target& target = context_.targets[index];
    TargetResult& result = results_[index];
    std::string replacement = filled(rule.action.replacement, hit, target);
    if (!rule.action.is_empty() && rule.edits_in(target.style)) {
      Edit edit{at, at + hit.groups[0].size(), replacement, rule.id};
      if (replacement == hit.groups[0]) return;
      bool is_free =
          std::none_of(result.edits.begin(), result.edits.end(), [&](const Edit& other) { return meets(edit, other); });
      if (is_free) {
        result.edits.push_back(std::move(edit));
        return;
      }
    }
    LineColumn place = lines_.at(at);
    Finding finding;
    finding.rule = rule.id;
    finding.severity = rule.severity;
    finding.place = {file_.path, place.line, place.column, ""};
    finding.message = {filled(rule.message.en, hit, target), filled(rule.message.zh, hit, target)};
    finding.advice = {filled(rule.advice.en, hit, target), filled(rule.advice.zh, hit, target)};
    finding.source = rule.source;
    finding.suggestion = rule.suggestion.empty() ? replacement : filled(rule.suggestion, hit, target);
    result.findings.push_back(std::move(finding));
  }

  const SourceFile& file_;
  FileKind kind_;
  const Context& context_;
  std::vector<TargetResult>& results_;
  LineIndex lines_;
};

}  // namespace

void apply_text_rules(const SourceFile& file, FileKind kind, const Context& context, std::vector<TargetResult>& results) {
  if (is_code(kind) || context.rules == nullptr || context.rules->texts().empty()) return;
  TextRules rules(file, kind, context, results);
  for (const DeclaredRule* rule : context.rules->texts()) {
    if (rule->holds_for_language(to_string(kind))) rules.apply(*rule);
  }
}

}  // namespace starbridge::port

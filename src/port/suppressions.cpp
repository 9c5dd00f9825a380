#include "port/suppressions.h"

#include <algorithm>

#include "port/rules.h"
#include "port/word_search.h"

namespace starbridge::port {
namespace {

using base::text;

constexpr std::string_view kMark = "starbridge: ignore";

bool is_date(std::string_view word) {
  if (word.size() != 10 || word[4] != '-' || word[7] != '-') return false;
  for (std::size_t at = 0; at < 10; ++at) {
    if (at != 4 && at != 7 && (word[at] < '0' || word[at] > '9')) return false;
  }
  std::string_view month = word.substr(5, 2);
  std::string_view day = word.substr(8, 2);
  return month >= "01" && month <= "12" && day >= "01" && day <= "31";
}

// The mark counts in a comment only: '#' or '//' stands before it on its line.
std::size_t comment_before(std::string_view line, std::size_t mark) {
  std::size_t hash = line.rfind('#', mark);
  std::size_t slashes = line.rfind("//", mark);
  if (hash == std::string_view::npos) return slashes;
  return slashes == std::string_view::npos ? hash : std::max(hash, slashes);
}

}  // namespace

Suppressions::Suppressions(const SourceFile& file, const std::string& today, const RuleSet* rules) : path_(file.path) {
  std::string_view bytes = file.bytes;
  // Long words are found by leaps: this costs a tenth of std::string_view::find, for every file of a tree.
  static constexpr WordSearch<1> kSearch(std::array<std::string_view, 1>{kMark});
  if (kSearch.find(bytes, 0).word != 0) return;
  LineIndex lines(bytes);
  for (std::size_t at = bytes.find(kMark); at != std::string_view::npos; at = bytes.find(kMark, at + 1)) {
    LineColumn place = lines.at(at);
    std::size_t line_begin = lines.start_of(place.line);
    std::size_t line_end = std::min(bytes.find_first_of("\r\n", at), bytes.size());
    std::string_view line = bytes.substr(line_begin, line_end - line_begin);
    std::size_t comment = comment_before(line, at - line_begin);
    if (comment == std::string_view::npos) continue;
    Remark remark;
    remark.line = place.line;
    bool is_alone = line.substr(0, comment).find_first_not_of(" \t") == std::string_view::npos;
    remark.for_line = is_alone ? place.line + 1 : place.line;
    std::string_view rest = line.substr(at - line_begin + kMark.size());
    if (rest.substr(0, 5) == "-file") {
      remark.for_line = 0;
      rest.remove_prefix(5);
    }
    if (!rest.empty() && rest[0] == '[') {
      std::size_t close = rest.find(']');
      if (close == std::string_view::npos) remark.mistake = "]";
      std::string list(rest.substr(1, std::min(close, rest.size()) - 1));
      for (std::size_t begin = 0; begin <= list.size();) {
        std::size_t comma = std::min(list.find(',', begin), list.size());
        std::string rule(base::trim(std::string_view(list).substr(begin, comma - begin)));
        if (!rule.empty() && (rules != nullptr ? rules->find(rule) : find_rule(rule)) == nullptr) remark.mistake = rule;
        if (!rule.empty()) remark.rules.push_back(std::move(rule));
        begin = comma + 1;
      }
      rest = close == std::string_view::npos ? "" : rest.substr(close + 1);
    }
    rest = base::trim(rest);
    if (rest.substr(0, 6) == "until ") {
      std::string_view date = base::trim(rest.substr(6)).substr(0, 10);
      remark.until = std::string(date);
      if (!is_date(date)) remark.mistake = base::sanitize_utf8(date);
      remark.is_expired = !today.empty() && is_date(date) && date < today;
    }
    remarks_.push_back(std::move(remark));
  }
}

bool Suppressions::silences(int line, std::string_view rule) const {
  return std::any_of(remarks_.begin(), remarks_.end(), [&](const Remark& remark) {
    if (remark.is_expired || !remark.mistake.empty()) return false;
    if (remark.for_line != 0 && remark.for_line != line) return false;
    return remark.rules.empty() || std::find(remark.rules.begin(), remark.rules.end(), rule) != remark.rules.end();
  });
}

std::vector<std::string_view> Suppressions::silenced(int line, std::span<const std::string_view> rules) const {
  std::vector<std::string_view> found;
  std::copy_if(rules.begin(), rules.end(), std::back_inserter(found),
               [&](std::string_view rule) { return silences(line, rule); });
  return found;
}

std::size_t Suppressions::apply(const LineIndex& lines, std::vector<Edit>& edits, std::vector<Finding>& findings) const {
  std::size_t before = edits.size() + findings.size();
  std::erase_if(edits, [&](const Edit& edit) { return silences(lines.at(edit.begin).line, edit.rule); });
  std::erase_if(findings, [&](const Finding& finding) { return silences(finding.place.line, finding.rule); });
  std::size_t removed = before - edits.size() - findings.size();
  for (const Remark& remark : remarks_) {
    if (remark.mistake.empty() && !remark.is_expired) continue;
    Finding finding;
    finding.place = {path_, remark.line, 1, ""};
    finding.severity = Severity::kWarning;
    if (!remark.mistake.empty()) {
      finding.rule = "suppression-malformed";
      finding.message =
          text("this suppression silences nothing: \"{}\" cannot be read", "该忽略标记无效：无法识别“{}”", remark.mistake);
      finding.advice =
          text("write: starbridge: ignore[RULE] until YYYY-MM-DD", "写法：starbridge: ignore[规则] until YYYY-MM-DD");
    } else {
      finding.rule = "suppression-expired";
      finding.message = text("this suppression ended on {}", "该忽略标记已于 {} 到期", remark.until);
      finding.advice = text("settle it, or give it a new date", "处理该问题，或设定新的日期");
    }
    findings.push_back(std::move(finding));
  }
  return removed;
}

}  // namespace starbridge::port

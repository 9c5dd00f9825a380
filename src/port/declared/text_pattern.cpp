#include "port/declared/text_pattern.h"

#include <regex.h>

#include <charconv>

namespace starbridge::port {

using base::text;

struct TextPattern::Compiled {
  regex_t regex{};
  bool is_valid = false;
  Compiled() = default;
  ~Compiled() {
    if (is_valid) regfree(&regex);
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
};

namespace {

base::Error wrong(base::Text message) { return base::Error("base.wrong_field", std::move(message)); }

// Back references make matching exponential, and repetitions of repetitions are written out one by one.
base::Status refuse_costly(const std::string& pattern) {
  if (pattern.size() > kPatternBytesMax)
    return wrong(text("the pattern has {} bytes, {} at most", "模式有 {} 字节，最多 {}", pattern.size(), kPatternBytesMax));
  long product = 1;
  bool is_in_set = false;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '\\') {
      if (at + 1 < pattern.size() && pattern[at + 1] >= '1' && pattern[at + 1] <= '9')
        return wrong(text("back references are not taken", "不支持反向引用"));
      ++at;
      continue;
    }
    if (pattern[at] == '\n' || pattern[at] == '\0')
      return wrong(text("a pattern is held against one line", "模式只在一行内匹配"));
    if (pattern[at] == '[') is_in_set = true;
    if (pattern[at] == ']') is_in_set = false;
    if (pattern[at] != '{' || is_in_set) continue;
    int most = 1;
    for (const char* digit = pattern.data() + at + 1; digit < pattern.data() + pattern.size() && *digit != '}';) {
      int number = 0;
      auto [end, failure] = std::from_chars(digit, pattern.data() + pattern.size(), number);
      if (failure == std::errc::result_out_of_range) number = kPatternRepeatMax + 1;
      most = std::max(most, number);
      digit = end == digit ? digit + 1 : end;
    }
    product *= most;
    if (product > kPatternRepeatMax)
      return wrong(text("repetitions multiply to more than {}", "重复次数之积超过 {}", kPatternRepeatMax));
  }
  return {};
}

}  // namespace

base::Result<TextPattern> TextPattern::compile(const std::string& pattern) {
  if (pattern.empty()) return wrong(text("the pattern is empty", "模式为空"));
  SB_TRY_VOID(refuse_costly(pattern));
  auto compiled = std::make_shared<Compiled>();
  int failure = regcomp(&compiled->regex, pattern.c_str(), REG_EXTENDED);
  if (failure != 0) {
    std::array<char, 200> reason{};
    regerror(failure, &compiled->regex, reason.data(), reason.size());
    return wrong(text("not a regular expression: {}", "不是正则表达式：{}", reason.data()));
  }
  compiled->is_valid = true;
  TextPattern result;
  result.compiled_ = std::move(compiled);
  return result;
}

std::vector<TextPattern::Hit> TextPattern::find_all(std::string_view line) const {
  std::vector<Hit> hits;
  if (line.size() > kPatternLineBytesMax || line.find('\0') != std::string_view::npos) return hits;
  std::string copy(line);
  std::array<regmatch_t, 10> groups{};
  for (std::size_t at = 0; at <= copy.size();) {
    int flags = at == 0 ? 0 : REG_NOTBOL;
    if (regexec(&compiled_->regex, copy.c_str() + at, groups.size(), groups.data(), flags) != 0) break;
    auto length = static_cast<std::size_t>(groups[0].rm_eo - groups[0].rm_so);
    if (length > 0) {
      Hit hit;
      for (std::size_t group = 0; group < groups.size(); ++group) {
        if (groups[group].rm_so < 0) continue;
        hit.groups[group] = line.substr(at + static_cast<std::size_t>(groups[group].rm_so),
                                        static_cast<std::size_t>(groups[group].rm_eo - groups[group].rm_so));
      }
      hits.push_back(hit);
    }
    at += static_cast<std::size_t>(groups[0].rm_eo) + (length == 0 ? 1 : 0);
  }
  return hits;
}

}  // namespace starbridge::port

#include "port/versions.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace starbridge::port {
namespace {

constexpr int kDevelopment = -4;
constexpr int kRelease = 0;
constexpr int kPost = 1;
constexpr int kPatchMax = 40;  // more patches than any minor version of Python had

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes a number of at most nine digits off the front.
std::optional<int> take_number(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == 0 || end > 9) return std::nullopt;
  int number = 0;
  std::from_chars(text.data(), text.data() + end, number);
  text.remove_prefix(end);
  return number;
}

struct Phase {
  std::string_view word;
  int phase;
};
constexpr std::array<Phase, 9> kPhases = {{{"dev", kDevelopment},
                                           {"alpha", -3},
                                           {"beta", -2},
                                           {"preview", -1},
                                           {"pre", -1},
                                           {"rc", -1},
                                           {"post", kPost},
                                           {"a", -3},
                                           {"b", -2}}};

}  // namespace

std::strong_ordering Version::operator<=>(const Version& other) const {
  if (auto order = release <=> other.release; order != 0) return order;
  if (auto order = phase <=> other.phase; order != 0) return order;
  if (auto order = phase_number <=> other.phase_number; order != 0) return order;
  // 2.5.1.post1.dev3 comes before 2.5.1.post1.
  auto rank = [](int development_number) { return development_number < 0 ? 1'000'000'000 : development_number; };
  return rank(development) <=> rank(other.development);
}

bool Version::begins_with(const Version& prefix) const {
  for (std::size_t index = 0; index < prefix.written_parts; ++index) {
    int own = index < release.size() ? release[index] : 0;
    int wanted = index < prefix.release.size() ? prefix.release[index] : 0;
    if (own != wanted) return false;
  }
  return true;
}

std::optional<Version> parse_version(std::string_view text) {
  std::string lower = base::to_lower(base::trim(text.substr(0, text.find('+'))));
  std::string_view rest = lower;
  if (!rest.empty() && rest[0] == 'v') rest.remove_prefix(1);
  Version version;
  while (true) {
    std::optional<int> part = take_number(rest);
    if (!part) return std::nullopt;
    version.release.push_back(*part);
    if (rest.size() < 2 || rest[0] != '.' || !is_digit(rest[1])) break;
    rest.remove_prefix(1);
  }
  version.written_parts = version.release.size();
  while (version.release.size() > 1 && version.release.back() == 0) version.release.pop_back();
  while (!rest.empty()) {
    if (rest[0] == '.' || rest[0] == '-' || rest[0] == '_') rest.remove_prefix(1);
    const auto* phase = std::find_if(kPhases.begin(), kPhases.end(),
                                     [&](const Phase& known) { return rest.substr(0, known.word.size()) == known.word; });
    if (phase == kPhases.end()) return std::nullopt;
    rest.remove_prefix(phase->word.size());
    if (rest.size() > 1 && rest[0] == '.' && is_digit(rest[1])) rest.remove_prefix(1);
    int number = 0;
    if (!rest.empty() && is_digit(rest[0])) {
      std::optional<int> written = take_number(rest);
      if (!written) return std::nullopt;
      number = *written;
    }
    bool is_development_of_phase = phase->phase == kDevelopment && version.phase != kRelease;
    if (is_development_of_phase) {
      version.development = number;
    } else {
      version.phase = phase->phase;
      version.phase_number = number;
    }
  }
  return version;
}

bool VersionRange::add(std::string_view clause) {
  clause = base::trim(clause);
  if (clause.empty() || clause == "*") return true;
  std::size_t sign_end = clause.find_first_not_of("=<>!~^");
  if (sign_end == std::string_view::npos) return false;
  std::string_view sign = clause.substr(0, sign_end);
  std::string_view written = base::trim(clause.substr(sign_end));
  bool is_prefix = written.size() > 2 && written.substr(written.size() - 2) == ".*";
  if (is_prefix) written.remove_suffix(2);
  // conda adds the build: "2.7.1=py310_0".
  if (std::size_t build = written.find('='); build != std::string_view::npos && sign.find('=') == 0)
    written = written.substr(0, build);
  std::optional<Version> version = parse_version(written);
  if (!version) return false;
  // ^2.1 and ~2.1 and ~=2.1: from there up to where a part may not change.
  auto until = [&](std::size_t kept_parts) {
    Version bound;
    bound.release.assign(version->release.begin(),
                         version->release.begin() + static_cast<std::ptrdiff_t>(std::min(kept_parts, version->release.size())));
    bound.release.resize(kept_parts, 0);
    ++bound.release.back();
    bound.written_parts = kept_parts;
    clauses_.push_back({Sign::kGreaterEqual, *version});
    clauses_.push_back({Sign::kLess, bound});
    return true;
  };
  if (sign == "^") {
    std::size_t first = 0;
    while (first + 1 < version->release.size() && version->release[first] == 0) ++first;
    return until(first + 1);
  }
  if (sign == "~") return until(std::min<std::size_t>(version->written_parts, 2));
  if (sign == "~=") return version->written_parts > 1 && until(version->written_parts - 1);
  static constexpr std::array<std::pair<std::string_view, Sign>, 9> kSigns = {{{"", Sign::kEqual},
                                                                               {"==", Sign::kEqual},
                                                                               {"===", Sign::kEqual},
                                                                               {"=", Sign::kPrefix},
                                                                               {"!=", Sign::kNotEqual},
                                                                               {"<", Sign::kLess},
                                                                               {"<=", Sign::kLessEqual},
                                                                               {">", Sign::kGreater},
                                                                               {">=", Sign::kGreaterEqual}}};
  for (const auto& [word, meaning] : kSigns) {
    if (word != sign) continue;
    bool is_equal = meaning == Sign::kEqual;
    clauses_.push_back({is_prefix && is_equal                     ? Sign::kPrefix
                        : is_prefix && meaning == Sign::kNotEqual ? Sign::kNotPrefix
                                                                  : meaning,
                        *version});
    return true;
  }
  return false;
}

std::optional<VersionRange> VersionRange::parse(std::string_view text) {
  VersionRange range;
  if (text.find('|') != std::string_view::npos) return std::nullopt;
  while (!text.empty()) {
    std::size_t comma = text.find(',');
    if (!range.add(text.substr(0, comma))) return std::nullopt;
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return range;
}

bool VersionRange::allows(const Version& version) const {
  return std::all_of(clauses_.begin(), clauses_.end(), [&](const Clause& clause) {
    switch (clause.sign) {
      case Sign::kEqual:
        return version == clause.version;
      case Sign::kPrefix:
        return version.begins_with(clause.version);
      case Sign::kNotEqual:
        return version != clause.version;
      case Sign::kNotPrefix:
        return !version.begins_with(clause.version);
      case Sign::kLess:
        return version < clause.version;
      case Sign::kLessEqual:
        return version <= clause.version;
      case Sign::kGreater:
        return version > clause.version;
      case Sign::kGreaterEqual:
        return version >= clause.version;
    }
    return false;
  });
}

std::optional<Version> VersionRange::exact() const {
  for (const Clause& clause : clauses_) {
    // conda's "=2.7.1" names one release in practice; "=2.7" does not.
    if (clause.sign == Sign::kEqual || (clause.sign == Sign::kPrefix && clause.version.written_parts >= 3)) return clause.version;
  }
  return std::nullopt;
}

bool allows_any_minor(const VersionRange& range, std::string_view served) {
  std::size_t dash = served.find('-');
  std::optional<Version> low = parse_version(served.substr(0, dash));
  std::optional<Version> high = parse_version(dash == std::string_view::npos ? served : served.substr(dash + 1));
  if (!low || !high || low->release.size() != 2 || high->release.size() != 2) return true;  // not said in a form we know
  for (int minor = low->release[1]; minor <= high->release[1]; ++minor) {
    for (int patch = 0; patch <= kPatchMax; ++patch) {
      Version version;
      version.release = {low->release[0], minor, patch};
      if (patch == 0) version.release.pop_back();
      version.written_parts = 3;
      if (range.allows(version)) return true;
    }
  }
  return false;
}

}  // namespace starbridge::port

// Versions: releases and ranges of them as pip, conda and Poetry write them (PEP 440 and the forms beside it). Pure; any thread.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starbridge::port {

// "2.7.1.post2", "8.3.RC1", "2.5.1.dev20250619+git12". The local part after '+' is not part of it.
struct Version {
  std::vector<int> release;  // trailing zeros dropped, so that 2.7 equals 2.7.0
  std::size_t written_parts = 0;
  // Order within one release: development, alpha, beta, candidate, the release, post.
  int phase = 0;
  int phase_number = 0;
  int development = -1;  // of a phase; -1: none. Before the phase itself.

  std::strong_ordering operator<=>(const Version& other) const;
  bool operator==(const Version& other) const { return (*this <=> other) == std::strong_ordering::equal; }
  // 2.7.1 begins with 2.7.
  bool begins_with(const Version& prefix) const;
};
// nullopt: not a version ("latest", "2.x", more than nine digits in a part).
std::optional<Version> parse_version(std::string_view text);

// ">=2.1,<2.4", "==2.7.*", "~=2.1", conda's "=2.7", Poetry's "^2.1", "~2.1" and "2.7.1".
class VersionRange {
 public:
  // nullopt: a form that is none of these; nothing is to be said about it. Blank text and "*" allow everything.
  static std::optional<VersionRange> parse(std::string_view text);
  bool allows(const Version& version) const;
  bool is_everything() const { return clauses_.empty(); }
  // The one version it allows, if it is written as one.
  std::optional<Version> exact() const;

 private:
  enum class Sign { kEqual, kPrefix, kNotEqual, kNotPrefix, kLess, kLessEqual, kGreater, kGreaterEqual };
  struct Clause {
    Sign sign;
    Version version;
  };
  bool add(std::string_view clause);
  std::vector<Clause> clauses_;  // all of them hold
};

// "3.9-3.13" or "3.10", as the tables of versions write what they serve: whether `range` allows any of these minor versions.
bool allows_any_minor(const VersionRange& range, std::string_view served);

}  // namespace starbridge::port

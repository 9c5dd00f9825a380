// Fact: one thing that is known about a chip or a stack, kept as all the observations of it with their sources. When sources
// disagree exactly one observation is chosen and the others stay visible. Plain values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json_fwd.h"

namespace starbridge::catalog {

// What kind of statement a number is. Shown with every figure.
enum class Confidence {
  kPublished,  // the vendor's own figure, read directly or as quoted by the source
  kMeasured,   // somebody ran it on the hardware
  kReported,   // a third party says so
  kAssumed,    // derived or taken as a default; no document behind it
};
std::string_view to_string(Confidence confidence);
std::optional<Confidence> confidence_from_name(std::string_view name);

// A row of data/sources.tsv or data/compat/sources.tsv.
struct Source {
  std::string id;
  std::string date;  // YYYY-MM-DD: of the source, or when it was read if it bears none
  std::string title;
  std::string ref;  // address, or repository@commit:path
  std::string licence;
};

// A row of data/facts.tsv: which facts exist. The schema of the YAML files.
struct FactKind {
  std::string name;
  std::string of;    // chip | stack
  std::string kind;  // integer | number | text | flag | cuda_extension
  std::string unit;
  bool is_required = false;
  base::Text title;
};

struct Observation {
  std::string value;  // as written in the file
  std::string source;
  Confidence confidence = Confidence::kAssumed;
  bool is_chosen = false;
  std::string via;  // which plug-in or product the value belongs to, e.g. "hami"
  std::string note;
  base::Place place;
};

struct Fact {
  std::string name;
  std::vector<Observation> observations;  // never empty

  const Observation& chosen() const;
  // True when two observations differ in value.
  bool is_contested() const;
};

// Facts by name, sorted.
class Facts {
 public:
  void add(Fact fact);  // the name must be new
  void sort();
  bool empty() const { return facts_.empty(); }
  const std::vector<Fact>& all() const { return facts_; }
  const Fact* find(std::string_view name) const;

  // The chosen value, if the fact is known.
  std::optional<std::string> text(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name) const;
  std::optional<bool> flag(std::string_view name) const;

 private:
  std::vector<Fact> facts_;
};

}  // namespace starbridge::catalog

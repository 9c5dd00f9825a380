// Reads facts from the YAML of data/chips and data/stacks, strictly: unknown names, missing sources, wrong kinds and more or
// fewer than one choice are refused with file, line and field. Pure; any thread. Inside the room only.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/yaml.h"
#include "catalog/fact.h"
#include "catalog/price_book.h"

namespace starbridge::catalog {

using FactKinds = std::map<std::string, FactKind, std::less<>>;
using Sources = std::map<std::string, Source, std::less<>>;

base::Result<FactKinds> read_fact_kinds(const std::string& path);
base::Result<Sources> read_sources(const std::string& path);

struct FactRules {
  const FactKinds& kinds;
  const Sources& sources;
  std::string_view of;  // chip | stack
};

// The mapping `facts:`; every required fact of `rules.of` must be there.
base::Result<Facts> read_facts(const base::YamlNode& node, const FactRules& rules);
// The mapping `dtypes:`: torch dtype name -> observations whose value is supported, limited or unsupported.
base::Result<Facts> read_dtypes(const base::YamlNode& node, const FactRules& rules);

// Fields shared with the price book.
base::Result<Confidence> read_confidence(const base::YamlNode& mapping);
base::Result<std::string> read_source_id(const base::YamlNode& mapping, const Sources& sources);
// The field `key` must be there and hold exactly `value`.
base::Status require_scalar(const base::YamlNode& mapping, std::string_view key, std::string_view value);
// Errors: base.wrong_field with file, line and field.
base::Result<PriceBook> read_price_book(const std::string& path, const Sources& sources);
// YYYY-MM-DD.
bool is_date(std::string_view text);

}  // namespace starbridge::catalog

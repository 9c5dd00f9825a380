// How answers of `starbridge compat` are shown: for people and as JSON (starbridge.compat/1, docs/schemas/compat.json). One
// thread.
#pragma once

#include "cli/compat_answers.h"
#include "cli/frame.h"

namespace starbridge::cli {

// Where the ids of both tables of sources are looked up.
struct CompatSources {
  const catalog::ApiTable& table;
  const catalog::Catalog& catalog;
  const catalog::Source* find(std::string_view id) const;
};

struct CompatQuestion {
  std::string torch_version;  // empty: the newest of each source
  bool is_brief = false;      // one line a name
};

void print_chip_answers(const Context& context, const CompatSources& sources, const catalog::Chip& chip,
                        const CompatQuestion& question, const std::vector<CompatAnswer>& answers);
base::Json chip_answers_json(const CompatSources& sources, const catalog::Chip& chip, const CompatQuestion& question,
                             const std::vector<CompatAnswer>& answers);

void print_framework_answers(const Context& context, const CompatSources& sources, const std::string& framework,
                             const CompatQuestion& question, const std::vector<FrameworkAnswer>& answers);
base::Json framework_answers_json(const Context& context, const CompatSources& sources, const std::string& framework,
                                  const std::vector<FrameworkAnswer>& answers);

}  // namespace starbridge::cli

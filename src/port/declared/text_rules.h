// Text rules: declared rules on the lines of files that are no code: scripts, settings, documents. Remarks are left alone. Pure;
// any thread.
#pragma once

#include "port/analyze.h"

namespace starbridge::port {

// Adds edits and findings to `results` (one per target). An edit that meets one that is there becomes a finding.
void apply_text_rules(const SourceFile& file, FileKind kind, const Context& context, std::vector<TargetResult>& results);

}  // namespace starbridge::port

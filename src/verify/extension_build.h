// ExtensionBuild: the extension of a project, built for the emulated card before the project runs, as its user would: setup.py
// build_ext --inplace. Blocking.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace starbridge::verify {

enum class ExtensionState { kNone, kBuilt, kFailed };
std::string_view to_string(ExtensionState state);

struct ExtensionBuild {
  ExtensionState state = ExtensionState::kNone;
  std::string tail;  // of its messages, when it failed
  base::DurationMs wall_ms = 0;
};

// Whether the project's setup.py builds an extension of PyTorch.
bool has_extension(const std::string& project);
// Whether a port has sources in the kernel language of its chip: without them its setup.py names what nothing can compile.
bool has_ported_kernels(const std::string& port);
// Errors: base.cannot_start_program.
base::Result<ExtensionBuild> build_extension(const std::string& project, const std::string& python,
                                             const std::map<std::string, std::string>& environment,
                                             const std::function<void(std::string_view)>& on_output);

}  // namespace starbridge::verify

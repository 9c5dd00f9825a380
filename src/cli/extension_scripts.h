// Build scripts of PyTorch extensions whose kernels were ported. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "port/edit.h"

namespace starbridge::cli {

inline constexpr const char* kKernelPortedRule = "cuda-kernel-ported";
// Of host sources that a pattern of the script finds: no pattern for C++ sources finds them as well.
inline constexpr const char* kFoundHostEnding = "_host.cc";

// The strings of a Python script that name .cu sources, as edits: NAME.cu becomes NAME.mlu and the host source of `hosts` (by the
// name of the .cu source) beside it; a call that searches for *.cu searches for *.mlu and for what ends in kFoundHostEnding.
std::vector<port::Edit> source_edits(const std::string& script, const std::map<std::string, std::string>& hosts);

}  // namespace starbridge::cli

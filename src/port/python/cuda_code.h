// CUDA's own code: places that name CUDA because they mean CUDA and not whatever card there is. Renaming them would send another
// card where only CUDA's kernels are, or compare its versions with CUDA's. Their sites are settled, and a site of kind kConstruct
// says why: "cuda-version", "cuda-kernel-guard", "cuda-only-block", "cuda-maker-test". Pure; any thread.
#pragma once

#include "port/python/sites.h"

namespace starbridge::port::python {

// `sites` by position.
void settle_cuda_code(const Syntax& syntax, std::string_view source, Sites& sites);

// What a build script asks in order to build sources for CUDA; those of setup.py that makes CUDA extensions.
void settle_cuda_build(Sites& sites);

}  // namespace starbridge::port::python

#include "weights/kernels.h"

namespace starbridge::weights {
namespace avx2 {
#include "weights/kernels_impl.h"
}  // namespace avx2

KernelSet make_avx2_kernels();
bool machine_has_avx2();

KernelSet make_avx2_kernels() { return avx2::make_kernels(); }

bool machine_has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
  return false;  // the file is then compiled for the same machine as the baseline
#endif
}

}  // namespace starbridge::weights

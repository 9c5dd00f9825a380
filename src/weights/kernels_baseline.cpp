#include "weights/kernels.h"

namespace starbridge::weights {
namespace baseline {
#include "weights/kernels_impl.h"
}  // namespace baseline

KernelSet make_avx2_kernels();
bool machine_has_avx2();

const KernelSet& baseline_kernels() {
  static const KernelSet set = baseline::make_kernels();
  return set;
}

const KernelSet& kernels() {
  static const KernelSet set = machine_has_avx2() ? make_avx2_kernels() : baseline::make_kernels();
  return set;
}

}  // namespace starbridge::weights

// Loops of the instructions over contiguous elements. Compiled for several levels of the machine (SB_LOOPS); know nothing of checks.
#pragma once

#include <cstdint>

#include "starbridge/asc_codes.h"

namespace starbridge::emulate::ascend {

struct LoopCall {
  int op = 0, type = 0, to_type = 0, rounding = 0;
  void* dst = nullptr;
  const void* src[3] = {};
  int src_type[3] = {};
  int src_count = 0;
  bool has_value = false, reads_dst = false;
  std::uint64_t value = 0;
  std::int64_t n = 0;
};

struct Loops {
  // False: the instruction is not there for these types.
  bool (*apply)(const LoopCall& call);
  void (*to_float)(int type, float* to, const void* from, std::int64_t n);
  void (*from_float)(int type, void* to, const float* from, std::int64_t n);
  // c[m][n] += a[m][k] * b[k][n]
  void (*multiply)(float* c, const float* a, const float* b, std::int64_t m, std::int64_t k, std::int64_t n);
  // to[i] = from[2 i] + from[2 i + 1]; the last of an odd number stays as it is.
  void (*add_pairs)(float* to, const float* from, std::int64_t n);
};
namespace base {
extern const Loops kLoops;
}
namespace v3 {
extern const Loops kLoops;
}
const Loops& loops();

constexpr int kTypeBytes[] = {4, 2, 2, 4, 4, 2, 2, 1, 1, 8, 8, 1};  // by sb_type; of SB_S4 two elements
constexpr bool is_floating(int type) { return type <= SB_BF16; }

}  // namespace starbridge::emulate::ascend

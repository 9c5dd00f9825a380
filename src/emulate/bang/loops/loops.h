// Loops: the arithmetic of the built-ins, without any check. Compiled once per level of the machine (SB_LOOPS is the namespace);
// the runtime takes the best table. Pure functions on memory; any thread. `n` counts elements.
#pragma once

#include <cstdint>

#include "starbridge/bang_codes.h"

namespace starbridge::emulate::bang {

struct Loops {
  // False: the operation is not there for this type.
  bool (*binary)(int operation, int type, void* to, const void* a, const void* b, std::int64_t n);
  bool (*unary)(int operation, int type, void* to, const void* from, std::int64_t n);
  // a * b + c and its like; `negate` and `order` as the fusion's name says.
  bool (*fuse)(int operation, int type, void* to, const void* a, const void* b, const void* c, std::int64_t n);
  // real = integer * 2^position on the side that is an integer.
  bool (*convert)(int from_type, int to_type, int rounding, void* to, const void* from, std::int64_t n, int from_position,
                  int to_position);
  // to[m][n] = sum over k of left[m][k] * right[k][n], in float.
  void (*multiply)(float* to, const float* left, const float* right, std::int64_t m, std::int64_t k, std::int64_t n);
  void (*to_float)(int type, float* to, const void* from, std::int64_t n);
  void (*from_float)(int type, void* to, const float* from, std::int64_t n);
};

namespace base {
extern const Loops kLoops;
}
namespace v3 {
extern const Loops kLoops;
}
const Loops& loops();

constexpr int kTypeBytes[] = {4, 2, 2, 4, 4, 2, 2, 1, 1, 8, 8};  // by sb_type
constexpr bool is_floating(int type) { return type <= SB_BF16; }

}  // namespace starbridge::emulate::bang

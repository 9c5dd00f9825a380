// What the files of the loops offer each other, and the table they make. Part of the loops (namespace SB_LOOPS).
#pragma once

#include <cstdint>

namespace starbridge::emulate::bang::SB_LOOPS {

bool binary(int operation, int type, void* to, const void* a, const void* b, std::int64_t n);
bool unary(int operation, int type, void* to, const void* from, std::int64_t n);
bool fuse(int operation, int type, void* to, const void* a, const void* b, const void* c, std::int64_t n);
bool convert(int from_type, int to_type, int rounding, void* to, const void* from, std::int64_t n, int from_position,
             int to_position);
void multiply(float* to, const float* left, const float* right, std::int64_t m, std::int64_t k, std::int64_t n);
// Floating types only.
void floats_of(int type, float* to, const void* from, std::int64_t n);
void floats_to(int type, void* to, const float* from, std::int64_t n);

}  // namespace starbridge::emulate::bang::SB_LOOPS

// Scalar maths as device code may call it: half, and the names that C++ libraries put into std.
#pragma once

SB_DEVICE bool isnan(half x) { return __builtin_isnan((float)x); }
SB_DEVICE bool isinf(half x) { return __builtin_isinf((float)x); }
SB_DEVICE bool isfinite(half x) { return __builtin_isfinite((float)x); }
SB_DEVICE half fabs(half x) { return (half)__builtin_fabsf((float)x); }
namespace std {
SB_DEVICE bool isnan(half x) { return __builtin_isnan((float)x); }
SB_DEVICE bool isinf(half x) { return __builtin_isinf((float)x); }
#define SB_USING(name) using ::name##f;
SB_USING(ceil) SB_USING(floor) SB_USING(fabs) SB_USING(sqrt) SB_USING(exp) SB_USING(log) SB_USING(round) SB_USING(trunc) SB_USING(pow)
SB_USING(sin) SB_USING(cos) SB_USING(fmin) SB_USING(fmax)
#undef SB_USING
}  // namespace std
SB_DEVICE int gettimeofday(struct timeval*, void*) { return 0; }

// Element by element: two operands, one operand, fused. Halves are computed in float and rounded once: exact for + - * / and sqrt,
// since a float has more than twice the digits of a half.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "emulate/common/half.h"
#include "emulate/bang/loops/loops.h"
#include "emulate/bang/loops/tables.h"

namespace starbridge::emulate::bang::SB_LOOPS {

using namespace emulate::SB_LOOPS;

namespace {

constexpr std::int64_t kChunk = 512;

// NaN: the result of max and min is the other operand, of the nan_ forms the NaN itself.
struct Add { template <class T> static T of(T a, T b) { return static_cast<T>(a + b); } };
struct Sub { template <class T> static T of(T a, T b) { return static_cast<T>(a - b); } };
struct Mul { template <class T> static T of(T a, T b) { return static_cast<T>(a * b); } };
struct Max { template <class T> static T of(T a, T b) { return a > b || b != b ? a : b; } };
struct Min { template <class T> static T of(T a, T b) { return a < b || b != b ? a : b; } };
struct NanMax { template <class T> static T of(T a, T b) { return a != a || a > b ? a : b; } };
struct NanMin { template <class T> static T of(T a, T b) { return a != a || a < b ? a : b; } };
struct Eq { template <class T> static T of(T a, T b) { return a == b ? T(1) : T(0); } };
struct Ne { template <class T> static T of(T a, T b) { return a != b ? T(1) : T(0); } };
struct Lt { template <class T> static T of(T a, T b) { return a < b ? T(1) : T(0); } };
struct Le { template <class T> static T of(T a, T b) { return a <= b ? T(1) : T(0); } };
struct Gt { template <class T> static T of(T a, T b) { return a > b ? T(1) : T(0); } };
struct Ge { template <class T> static T of(T a, T b) { return a >= b ? T(1) : T(0); } };
struct And { template <class T> static T of(T a, T b) { return (a != T(0)) & (b != T(0)) ? T(1) : T(0); } };
struct Or { template <class T> static T of(T a, T b) { return (a != T(0)) | (b != T(0)) ? T(1) : T(0); } };
struct Xor { template <class T> static T of(T a, T b) { return (a != T(0)) != (b != T(0)) ? T(1) : T(0); } };
struct Div {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return b == 0 ? T(-1) : b == T(-1) && std::is_signed_v<T> ? static_cast<T>(T(0) - a) : static_cast<T>(a / b);
    else
      return a / b;
  }
};
struct Rem {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return b == 0 ? a : b == T(-1) && std::is_signed_v<T> ? T(0) : static_cast<T>(a % b);
    else
      return a - b * std::trunc(a / b);
  }
};
struct Hypot { template <class T> static T of(T a, T b) { return std::hypot(a, b); } };
template <class T>
using Bits = std::make_unsigned_t<T>;
struct BAnd { template <class T> static T of(T a, T b) { return static_cast<T>(a & b); } };
struct BOr { template <class T> static T of(T a, T b) { return static_cast<T>(a | b); } };
struct BXor { template <class T> static T of(T a, T b) { return static_cast<T>(a ^ b); } };
template <class T>
constexpr unsigned kWidth = sizeof(T) * 8;
struct Sll { template <class T> static T of(T a, T b) { return Bits<T>(b) >= kWidth<T> ? T(0) : static_cast<T>(Bits<T>(a) << Bits<T>(b)); } };
struct Srl { template <class T> static T of(T a, T b) { return Bits<T>(b) >= kWidth<T> ? T(0) : static_cast<T>(Bits<T>(a) >> Bits<T>(b)); } };
struct Sra { template <class T> static T of(T a, T b) { return static_cast<T>(a >> std::min<Bits<T>>(Bits<T>(b), kWidth<T> - 1)); } };

template <class Op, class T>
void run_plain(void* to, const void* a, const void* b, std::int64_t n) {
  auto* d = static_cast<T*>(to);
  const auto *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) d[i] = Op::template of<T>(x[i], y[i]);
}

using BinaryLoop = void (*)(void*, const void*, const void*, std::int64_t);

template <class T>
void in_floats(BinaryLoop loop, void* to, const void* a, const void* b, std::int64_t n) {
  float x[kChunk], y[kChunk];
  for (std::int64_t i = 0; i < n; i += kChunk) {
    const std::int64_t count = std::min(kChunk, n - i);
    to_floats(x, static_cast<const T*>(a) + i, count);
    to_floats(y, static_cast<const T*>(b) + i, count);
    loop(x, x, y, count);
    from_floats(static_cast<T*>(to) + i, x, count);
  }
}

template <class Op>
bool run_floating(int type, void* to, const void* a, const void* b, std::int64_t n) {
  if (type == SB_F32)
    run_plain<Op, float>(to, a, b, n);
  else if (type == SB_F16)
    in_floats<Half>(&run_plain<Op, float>, to, a, b, n);
  else if (type == SB_BF16)
    in_floats<Brain>(&run_plain<Op, float>, to, a, b, n);
  else
    return false;
  return true;
}

template <class Op>
bool run_integer(int type, void* to, const void* a, const void* b, std::int64_t n) {
  switch (type) {
    case SB_S32: run_plain<Op, std::int32_t>(to, a, b, n); return true;
    case SB_U32: run_plain<Op, std::uint32_t>(to, a, b, n); return true;
    case SB_S16: run_plain<Op, std::int16_t>(to, a, b, n); return true;
    case SB_U16: run_plain<Op, std::uint16_t>(to, a, b, n); return true;
    case SB_S8: run_plain<Op, std::int8_t>(to, a, b, n); return true;
    case SB_U8: run_plain<Op, std::uint8_t>(to, a, b, n); return true;
    case SB_S64: run_plain<Op, std::int64_t>(to, a, b, n); return true;
    case SB_U64: run_plain<Op, std::uint64_t>(to, a, b, n); return true;
    default: return false;
  }
}

template <class Op>
bool run_any(int type, void* to, const void* a, const void* b, std::int64_t n) {
  return run_floating<Op>(type, to, a, b, n) || run_integer<Op>(type, to, a, b, n);
}

// Bits do not care what a word means.
template <class Op>
bool run_bits(int type, void* to, const void* a, const void* b, std::int64_t n) {
  static const int as_integer[] = {SB_S32, SB_S16, SB_S16};
  return run_integer<Op>(is_floating(type) ? as_integer[type] : type, to, a, b, n);
}

}  // namespace

bool binary(int operation, int type, void* to, const void* a, const void* b, std::int64_t n) {
  switch (operation) {
    case SB_ADD: return run_any<Add>(type, to, a, b, n);
    case SB_SUB: return run_any<Sub>(type, to, a, b, n);
    case SB_MUL: return run_any<Mul>(type, to, a, b, n);
    case SB_DIV: return run_any<Div>(type, to, a, b, n);
    case SB_MAX: return run_any<Max>(type, to, a, b, n);
    case SB_MIN: return run_any<Min>(type, to, a, b, n);
    case SB_NAN_MAX: return run_floating<NanMax>(type, to, a, b, n);
    case SB_NAN_MIN: return run_floating<NanMin>(type, to, a, b, n);
    case SB_EQ: return run_any<Eq>(type, to, a, b, n);
    case SB_NE: return run_any<Ne>(type, to, a, b, n);
    case SB_LT: return run_any<Lt>(type, to, a, b, n);
    case SB_LE: return run_any<Le>(type, to, a, b, n);
    case SB_GT: return run_any<Gt>(type, to, a, b, n);
    case SB_GE: return run_any<Ge>(type, to, a, b, n);
    case SB_AND: return run_any<And>(type, to, a, b, n);
    case SB_OR: return run_any<Or>(type, to, a, b, n);
    case SB_XOR: return run_any<Xor>(type, to, a, b, n);
    case SB_REM: return run_any<Rem>(type, to, a, b, n);
    case SB_HYPOT: return run_floating<Hypot>(type, to, a, b, n);
    case SB_BAND: return run_bits<BAnd>(type, to, a, b, n);
    case SB_BOR: return run_bits<BOr>(type, to, a, b, n);
    case SB_BXOR: return run_bits<BXor>(type, to, a, b, n);
    case SB_SLL: return run_bits<Sll>(type, to, a, b, n);
    case SB_SRL: return run_bits<Srl>(type, to, a, b, n);
    case SB_SRA: return run_bits<Sra>(type, to, a, b, n);
    default: return false;
  }
}

bool fuse(int operation, int type, void* to, const void* a, const void* b, const void* c, std::int64_t n) {
  // The name reads from the left: FMA a * b + c, FMS a * b - c, FAM (a + b) * c, FSM (a - b) * c, FAA a + b + c, and so on.
  static const int first[] = {SB_MUL, SB_MUL, SB_ADD, SB_SUB, SB_ADD, SB_ADD, SB_SUB, SB_SUB};
  static const int second[] = {SB_ADD, SB_SUB, SB_MUL, SB_MUL, SB_ADD, SB_SUB, SB_SUB, SB_ADD};
  if (operation < 0 || operation >= 8) return false;
  if (!is_floating(type)) {
    return binary(first[operation], type, to, a, b, n) && binary(second[operation], type, to, to, c, n);
  }
  // Rounded once at the end for FMA and FMS, and after each step for the others.
  float x[kChunk], y[kChunk], z[kChunk];
  const int bytes = kTypeBytes[type];
  for (std::int64_t i = 0; i < n; i += kChunk) {
    const std::int64_t count = std::min(kChunk, n - i);
    floats_of(type, x, static_cast<const char*>(a) + i * bytes, count);
    floats_of(type, y, static_cast<const char*>(b) + i * bytes, count);
    floats_of(type, z, static_cast<const char*>(c) + i * bytes, count);
    if (operation <= 1) {
      const float sign = operation == 0 ? 1.0f : -1.0f;
      for (std::int64_t k = 0; k < count; ++k) x[k] = std::fma(x[k], y[k], sign * z[k]);
    } else {
      binary(first[operation], SB_F32, x, x, y, count);
      if (type != SB_F32) {
        std::uint16_t rounded[kChunk];
        floats_to(type, rounded, x, count);
        floats_of(type, x, rounded, count);
      }
      binary(second[operation], SB_F32, x, x, z, count);
    }
    floats_to(type, static_cast<char*>(to) + i * bytes, x, count);
  }
  return true;
}

void floats_of(int type, float* to, const void* from, std::int64_t n) {
  if (type == SB_F16)
    to_floats(to, static_cast<const Half*>(from), n);
  else if (type == SB_BF16)
    to_floats(to, static_cast<const Brain*>(from), n);
  else if (to != from)
    std::memmove(to, from, static_cast<std::size_t>(n) * sizeof(float));
}

void floats_to(int type, void* to, const float* from, std::int64_t n) {
  if (type == SB_F16)
    from_floats(static_cast<Half*>(to), from, n);
  else if (type == SB_BF16)
    from_floats(static_cast<Brain*>(to), from, n);
  else if (to != from)
    std::memmove(to, from, static_cast<std::size_t>(n) * sizeof(float));
}

}  // namespace starbridge::emulate::bang::SB_LOOPS

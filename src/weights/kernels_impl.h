// The loops of kernels.h, written so that the compiler turns them into vector code: eight lanes side by side, no branches, and
// whole blocks with NaN or infinity left to a scalar loop. Included by one .cpp per instruction set, inside a namespace of its
// own; it must not call inline functions of other headers, lest the linker keep a copy that the machine cannot run.

#pragma once

constexpr std::size_t kLanes = 8;
constexpr std::size_t kBlock = 1024;  // elements; both sides of a block, widened, stay in the first cache

template <class To, class From>
static inline To cast_bits(From from) {
  return __builtin_bit_cast(To, from);
}

// A float type: `Bits` holds it, `key` orders it as whole numbers (equal for both zeros), `widen` is exact for finite values.
template <class BitsType, class SignedType, BitsType kMagnitude>
struct FloatBase {
  using Bits = BitsType;
  using Signed = SignedType;
  static constexpr bool kIsFloat = true;
  static constexpr int kSignShift = static_cast<int>(sizeof(Bits) * 8 - 1);
  static inline Bits distance(Bits left, Bits right) {
    auto signed_key = [](Bits bits) {
      auto sign = static_cast<Signed>(static_cast<Signed>(bits) >> kSignShift);
      return static_cast<Signed>(static_cast<Signed>(static_cast<Signed>(bits & kMagnitude) ^ sign) - sign);
    };
    Signed a = signed_key(left), b = signed_key(right);
    return a > b ? static_cast<Bits>(static_cast<Bits>(a) - static_cast<Bits>(b))
                 : static_cast<Bits>(static_cast<Bits>(b) - static_cast<Bits>(a));
  }
};

struct F64 : FloatBase<std::uint64_t, std::int64_t, 0x7fffffffffffffff> {
  static inline bool is_special(Bits bits) { return (bits & 0x7ff0000000000000) == 0x7ff0000000000000; }
  static inline bool is_nan(Bits bits) { return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000; }
  static inline double widen(Bits bits) { return cast_bits<double>(bits); }
};
struct F32 : FloatBase<std::uint32_t, std::int32_t, 0x7fffffff> {
  static inline bool is_special(Bits bits) { return (bits & 0x7f800000) == 0x7f800000; }
  static inline bool is_nan(Bits bits) { return (bits & 0x7fffffff) > 0x7f800000; }
  static inline double widen(Bits bits) { return static_cast<double>(cast_bits<float>(bits)); }
};
struct Bf16 : FloatBase<std::uint16_t, std::int16_t, 0x7fff> {
  static inline bool is_special(Bits bits) { return (bits & 0x7f80) == 0x7f80; }
  static inline bool is_nan(Bits bits) { return (bits & 0x7fff) > 0x7f80; }
  static inline double widen(Bits bits) { return static_cast<double>(cast_bits<float>(static_cast<std::uint32_t>(bits) << 16)); }
};
struct F16 : FloatBase<std::uint16_t, std::int16_t, 0x7fff> {
  static inline bool is_special(Bits bits) { return (bits & 0x7c00) == 0x7c00; }
  static inline bool is_nan(Bits bits) { return (bits & 0x7fff) > 0x7c00; }
  // The exponent moves to its place in a float and is corrected by a multiplication, which is exact for subnormals as well.
  static inline double widen(Bits bits) {
    float magnitude = cast_bits<float>(static_cast<std::uint32_t>(bits & 0x7fff) << 13) * 0x1p112f;
    return static_cast<double>(
        cast_bits<float>(cast_bits<std::uint32_t>(magnitude) | (static_cast<std::uint32_t>(bits & 0x8000) << 16)));
  }
};
// Eight bits: kExponentShift places the exponent in a float, kScaleBits is the float that corrects the bias.
template <int kShift, std::uint32_t kScaleBits>
struct F8 : FloatBase<std::uint8_t, std::int8_t, 0x7f> {
  static inline double widen(Bits bits) {
    float magnitude = cast_bits<float>(static_cast<std::uint32_t>(bits & 0x7f) << kShift) * cast_bits<float>(kScaleBits);
    return static_cast<double>(
        cast_bits<float>(cast_bits<std::uint32_t>(magnitude) | (static_cast<std::uint32_t>(bits & 0x80) << 24)));
  }
};
struct F8E4M3Fn : F8<20, (127U + 120U) << 23> {
  static inline bool is_special(Bits bits) { return (bits & 0x7f) == 0x7f; }
  static inline bool is_nan(Bits bits) { return (bits & 0x7f) == 0x7f; }
};
struct F8E5M2 : F8<21, (127U + 112U) << 23> {
  static inline bool is_special(Bits bits) { return (bits & 0x7c) == 0x7c; }
  static inline bool is_nan(Bits bits) { return (bits & 0x7f) > 0x7c; }
};
struct F8E4M3Fnuz : F8<20, (127U + 119U) << 23> {
  static inline bool is_special(Bits bits) { return bits == 0x80; }
  static inline bool is_nan(Bits bits) { return bits == 0x80; }
};
struct F8E5M2Fnuz : F8<21, (127U + 111U) << 23> {
  static inline bool is_special(Bits bits) { return bits == 0x80; }
  static inline bool is_nan(Bits bits) { return bits == 0x80; }
};
// Powers of two without a sign; 0xff is NaN.
struct F8E8M0 {
  using Bits = std::uint8_t;
  static constexpr bool kIsFloat = true;
  static inline Bits distance(Bits left, Bits right) { return static_cast<Bits>(left > right ? left - right : right - left); }
  static inline bool is_special(Bits bits) { return bits == 0xff; }
  static inline bool is_nan(Bits bits) { return bits == 0xff; }
  static inline double widen(Bits bits) {
    std::uint32_t wide = bits == 0 ? 0x00400000U : static_cast<std::uint32_t>(bits) << 23;
    return static_cast<double>(cast_bits<float>(wide));
  }
};

template <class Number, class BitsType>
struct Whole {
  using Bits = BitsType;
  static constexpr bool kIsFloat = false;
  static inline bool is_special(Bits) { return false; }
  static inline bool is_nan(Bits) { return false; }
  static inline double widen(Bits bits) { return static_cast<double>(static_cast<Number>(bits)); }
  static inline Bits distance(Bits left, Bits right) {
    auto a = static_cast<Number>(left), b = static_cast<Number>(right);
    return a > b ? static_cast<Bits>(left - right) : static_cast<Bits>(right - left);
  }
};

// |left - right|: of whole numbers exact, also where both are beyond 2^53.
template <class Type>
static inline double gap(typename Type::Bits left, typename Type::Bits right, double a, double b) {
  if constexpr (Type::kIsFloat) {
    return __builtin_fabs(a - b);
  } else {
    return static_cast<double>(Type::distance(left, right));
  }
}

template <class Type>
static void compare_scalar(const typename Type::Bits* left, const typename Type::Bits* right, std::size_t count,
                           const Limits& limits, Tally& tally) {
  for (std::size_t index = 0; index < count; ++index) {
    bool left_is_special = Type::is_special(left[index]), right_is_special = Type::is_special(right[index]);
    if (left_is_special || right_is_special) {
      bool left_is_nan = Type::is_nan(left[index]), right_is_nan = Type::is_nan(right[index]);
      tally.nan_left += left_is_nan ? 1 : 0;
      tally.nan_right += right_is_nan ? 1 : 0;
      tally.infinite_left += left_is_special && !left_is_nan ? 1 : 0;
      tally.infinite_right += right_is_special && !right_is_nan ? 1 : 0;
      if ((left_is_nan && right_is_nan) || left[index] == right[index]) continue;
      ++tally.unequal;
      ++tally.beyond;
      ++tally.beyond_1_permille;
      ++tally.beyond_5_permille;
      if (left_is_nan || right_is_nan) {
        ++tally.nan_mismatch;
      } else {
        if (tally.absolute_max < __builtin_inf()) tally.worst_index = tally.count + index;
        tally.absolute_max = __builtin_inf();
        tally.relative_max = __builtin_inf();
      }
      continue;
    }
    double a = Type::widen(left[index]), b = Type::widen(right[index]);
    double difference = gap<Type>(left[index], right[index], a, b), size = __builtin_fabs(a);
    auto distance = static_cast<std::uint64_t>(Type::distance(left[index], right[index]));
    double relative = size > 0 ? difference / size : 0;
    if (difference > tally.absolute_max) {
      tally.absolute_max = difference;
      tally.worst_index = tally.count + index;
    }
    if (relative > tally.relative_max) tally.relative_max = relative;
    if (distance > tally.ulp_max) tally.ulp_max = distance;
    if (size > tally.left_peak) tally.left_peak = size;
    tally.dot += a * b;
    tally.left_square += a * a;
    tally.right_square += b * b;
    tally.unequal += distance != 0 ? 1 : 0;
    tally.beyond += difference > limits.absolute + limits.relative * size ? 1 : 0;
    tally.beyond_1_permille += difference > 0.001 * size ? 1 : 0;
    tally.beyond_5_permille += difference > 0.005 * size ? 1 : 0;
  }
  tally.count += count;
}

// The figures of one block whose elements are finite, as doubles: the reference, the other, and how many (a multiple of kLanes).
struct Block {
  const double* left;
  const double* right;
  std::size_t count;
};

struct BlockFigures {
  double absolute_max = 0;
  double relative_max = 0;
  double zero_max = 0;  // the largest |right| where left is zero
  double unequal = 0;   // elements
};

// Doubles side by side, as many as the machine has room for: what is wider, g++ 12 takes apart into single numbers. The
// compiler's vector type and not its loop vectoriser, which keeps the sums of such loops in memory.
#ifdef __AVX__
constexpr std::size_t kWideBytes = 32;
#else
constexpr std::size_t kWideBytes = 16;
#endif
using Wide = double __attribute__((vector_size(kWideBytes)));
constexpr std::size_t kWide = kWideBytes / sizeof(double);
static_assert(kLanes % (2 * kWide) == 0);  // two chains of sums hide the time of an addition

static inline Wide load_wide(const double* from) {
  Wide wide;
  __builtin_memcpy(&wide, from, sizeof wide);
  return wide;
}
static inline Wide size_of_wide(Wide wide) { return wide < 0.0 ? -wide : wide; }
static inline Wide larger(Wide left, Wide right) { return left > right ? left : right; }
static inline double sum(Wide wide) {
  double total = 0;
  for (std::size_t lane = 0; lane < kWide; ++lane) total += wide[lane];
  return total;
}
static inline double largest(Wide wide) {
  double found = wide[0];
  for (std::size_t lane = 1; lane < kWide; ++lane) found = wide[lane] > found ? wide[lane] : found;
  return found;
}

static void add_sums(const Block& block, Tally& tally) {
  Wide dot[2] = {}, left_square[2] = {}, right_square[2] = {}, peak[2] = {};
  for (std::size_t begin = 0; begin < block.count; begin += 2 * kWide) {
    for (std::size_t half = 0; half < 2; ++half) {
      Wide a = load_wide(block.left + begin + half * kWide), b = load_wide(block.right + begin + half * kWide);
      dot[half] += a * b;
      left_square[half] += a * a;
      right_square[half] += b * b;
      peak[half] = larger(size_of_wide(a), peak[half]);
    }
  }
  tally.dot += sum(dot[0] + dot[1]);
  tally.left_square += sum(left_square[0] + left_square[1]);
  tally.right_square += sum(right_square[0] + right_square[1]);
  double block_peak = largest(larger(peak[0], peak[1]));
  tally.left_peak = block_peak > tally.left_peak ? block_peak : tally.left_peak;
}

static BlockFigures measure(const Block& block) {
  Wide absolute_max[2] = {}, relative_max[2] = {}, zero_max[2] = {}, unequal[2] = {};
  const Wide zero = {}, one = zero + 1.0, infinite = zero + __builtin_inf();
  for (std::size_t begin = 0; begin < block.count; begin += 2 * kWide) {
    for (std::size_t half = 0; half < 2; ++half) {
      Wide a = load_wide(block.left + begin + half * kWide), b = load_wide(block.right + begin + half * kWide);
      Wide difference = size_of_wide(a - b), size = size_of_wide(a);
      absolute_max[half] = larger(difference, absolute_max[half]);
      unequal[half] += difference > zero ? one : zero;
      relative_max[half] = larger(difference / (size > zero ? size : infinite), relative_max[half]);
      zero_max[half] = larger(size > zero ? zero : difference, zero_max[half]);
    }
  }
  return {largest(larger(absolute_max[0], absolute_max[1])), largest(larger(relative_max[0], relative_max[1])),
          largest(larger(zero_max[0], zero_max[1])), sum(unequal[0] + unequal[1])};
}

// Elements beyond the limits, and beyond one and five per mille of the reference.
static void count_beyond(const Block& block, const Limits& limits, bool counts_limits, Tally& tally) {
  const Wide zero = {}, one = zero + 1.0;
  Wide beyond = {}, beyond_1 = {}, beyond_5 = {};
  for (std::size_t begin = 0; begin < block.count; begin += kWide) {
    Wide a = load_wide(block.left + begin), b = load_wide(block.right + begin);
    Wide difference = size_of_wide(a - b), size = size_of_wide(a);
    beyond += difference > limits.absolute + limits.relative * size ? one : zero;
    beyond_1 += difference > 0.001 * size ? one : zero;
    beyond_5 += difference > 0.005 * size ? one : zero;
  }
  if (counts_limits) tally.beyond += static_cast<std::uint64_t>(sum(beyond));
  tally.beyond_1_permille += static_cast<std::uint64_t>(sum(beyond_1));
  tally.beyond_5_permille += static_cast<std::uint64_t>(sum(beyond_5));
}

template <class Type>
static void compare_finite(const typename Type::Bits* left, const typename Type::Bits* right, std::size_t count,
                           const Limits& limits, Tally& tally) {
  alignas(64) double wide_left[kBlock], wide_right[kBlock];
  for (std::size_t index = 0; index < count; ++index) wide_left[index] = Type::widen(left[index]);
  for (std::size_t index = 0; index < count; ++index) wide_right[index] = Type::widen(right[index]);
  Block block{wide_left, wide_right, count};
  add_sums(block, tally);
  typename Type::Bits ulp_max = 0;
  std::uint32_t unequal = 0;
  for (std::size_t index = 0; index < count; ++index) {
    typename Type::Bits distance = Type::distance(left[index], right[index]);
    ulp_max = distance > ulp_max ? distance : ulp_max;
  }
  if (ulp_max > 0) {
    BlockFigures figures = measure(block);
    unequal = static_cast<std::uint32_t>(figures.unequal);
    if constexpr (!Type::kIsFloat) {
      // Doubles end at 2^53, whole numbers do not.
      figures.absolute_max = static_cast<double>(ulp_max);
      unequal = 0;
      for (std::size_t index = 0; index < count; ++index) unequal += left[index] != right[index] ? 1U : 0U;
    }
    if (figures.absolute_max > tally.absolute_max) {
      tally.absolute_max = figures.absolute_max;
      std::size_t index = 0;
      while (gap<Type>(left[index], right[index], wide_left[index], wide_right[index]) != figures.absolute_max) ++index;
      tally.worst_index = tally.count + index;
    }
    if (figures.relative_max > tally.relative_max) tally.relative_max = figures.relative_max;
    // Most blocks of a sound port stay below every limit, and then nothing needs to be counted.
    bool is_exact = !Type::kIsFloat && limits.absolute == 0 && limits.relative == 0;
    if (is_exact) tally.beyond += unequal;
    bool is_near = figures.absolute_max <= limits.absolute && figures.relative_max <= 0.001 && figures.zero_max == 0;
    if (!is_near) count_beyond(block, limits, !is_exact, tally);
  }
  if (ulp_max > tally.ulp_max) tally.ulp_max = ulp_max;
  tally.unequal += unequal;
  tally.count += count;
}

template <class Type>
static void compare_elements(const std::byte* left_bytes, const std::byte* right_bytes, std::size_t count, const Limits& limits,
                             Tally& tally) {
  const auto* left = reinterpret_cast<const typename Type::Bits*>(left_bytes);
  const auto* right = reinterpret_cast<const typename Type::Bits*>(right_bytes);
  while (count > 0) {
    std::size_t block = count < kBlock ? count : kBlock;
    bool has_special = false;
    if constexpr (Type::kIsFloat) {
      std::uint32_t specials = 0;
      for (std::size_t index = 0; index < block; ++index) {
        specials |= static_cast<std::uint32_t>(Type::is_special(left[index])) |
                    static_cast<std::uint32_t>(Type::is_special(right[index]));
      }
      has_special = specials != 0;
    }
    std::size_t whole = has_special ? 0 : block / kLanes * kLanes;
    if (whole > 0) compare_finite<Type>(left, right, whole, limits, tally);
    if (whole < block) compare_scalar<Type>(left + whole, right + whole, block - whole, limits, tally);
    left += block;
    right += block;
    count -= block;
  }
}

template <class Type>
static void widen_elements(const std::byte* bytes, std::size_t count, double* out) {
  const auto* elements = reinterpret_cast<const typename Type::Bits*>(bytes);
  for (std::size_t index = 0; index < count; ++index) {
    typename Type::Bits bits = elements[index];
    double value = Type::widen(bits);
    if (Type::is_special(bits)) {
      // The top bit is the sign, but in the fnuz and e8m0 forms, whose only special value is NaN.
      bool is_negative = (bits >> (sizeof(bits) * 8 - 1)) != 0;
      value = Type::is_nan(bits) ? __builtin_nan("") : is_negative ? -__builtin_inf() : __builtin_inf();
    }
    out[index] = value;
  }
}

template <class Type>
static void enlist(KernelSet& set, DType dtype) {
  set.compare[static_cast<std::size_t>(dtype)] = compare_elements<Type>;
  set.widen[static_cast<std::size_t>(dtype)] = widen_elements<Type>;
}

static KernelSet make_kernels() {
  KernelSet set;
  enlist<Whole<std::uint8_t, std::uint8_t>>(set, DType::kBool);
  enlist<Whole<std::uint8_t, std::uint8_t>>(set, DType::kU8);
  enlist<Whole<std::int8_t, std::uint8_t>>(set, DType::kI8);
  enlist<Whole<std::uint16_t, std::uint16_t>>(set, DType::kU16);
  enlist<Whole<std::int16_t, std::uint16_t>>(set, DType::kI16);
  enlist<Whole<std::uint32_t, std::uint32_t>>(set, DType::kU32);
  enlist<Whole<std::int32_t, std::uint32_t>>(set, DType::kI32);
  enlist<Whole<std::uint64_t, std::uint64_t>>(set, DType::kU64);
  enlist<Whole<std::int64_t, std::uint64_t>>(set, DType::kI64);
  enlist<F8E4M3Fn>(set, DType::kF8E4M3Fn);
  enlist<F8E5M2>(set, DType::kF8E5M2);
  enlist<F8E4M3Fnuz>(set, DType::kF8E4M3Fnuz);
  enlist<F8E5M2Fnuz>(set, DType::kF8E5M2Fnuz);
  enlist<F8E8M0>(set, DType::kF8E8M0Fnu);
  enlist<F16>(set, DType::kF16);
  enlist<Bf16>(set, DType::kBf16);
  enlist<F32>(set, DType::kF32);
  enlist<F64>(set, DType::kF64);
  enlist<Whole<std::int8_t, std::uint8_t>>(set, DType::kQI8);
  enlist<Whole<std::uint8_t, std::uint8_t>>(set, DType::kQU8);
  enlist<Whole<std::int32_t, std::uint32_t>>(set, DType::kQI32);
  return set;
}

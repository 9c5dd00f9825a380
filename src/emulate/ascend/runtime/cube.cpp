// The matrix unit by hand: fractals of 512 bytes into L0A and L0B, products into L0C, results out of it. A lies in rows of
// fractals whose rows follow each other, B in rows of fractals whose columns follow each other, C in columns of fractals of 16
// x 16.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "emulate/ascend/runtime/instruction.h"
#include "emulate/common/settings.h"

using namespace starbridge::emulate;
using namespace starbridge::emulate::ascend;

namespace {

constexpr sb_long kSide = 16, kFractal = 512, kFractalC = kSide * kSide;

constexpr unsigned kLoadTo = memory_bit(Memory::kL0a) | memory_bit(Memory::kL0b) | memory_bit(Memory::kL1);
constexpr unsigned kLoadFrom = memory_bit(Memory::kL1) | memory_bit(Memory::kGm);

sb_long up(sb_long n, sb_long to) { return (n + to - 1) / to; }

void give(Task& task, Operation operation, bool is_filled = true) {
  if (!settings().is_check) {
    operation.work();
    return;
  }
  if (is_filled) mark_written(operation);
  issue(task, std::move(operation));
}

bool is_good(Task& task, const char* name, const Operation& operation, unsigned sources, unsigned destinations, int align) {
  if (!settings().is_check) return true;
  for (const Segment& segment : operation.segments) {
    if (!check_operand(task, name, segment.is_write ? "dst" : "src", segment, segment.is_write ? destinations : sources,
                       segment.is_write ? align : 1, operation.place))
      return false;
  }
  return true;
}

// One fractal of 16 x 16 halfwords, or two of 16 x 32 bytes as a square of 32 x 32, rows and columns exchanged.
void transpose(char* to, const char* from, int size, sb_long second) {
  const sb_long side = size == 1 ? 32 : 16;
  std::vector<char> square(from, from + side * side * size);
  for (sb_long r = 0; r < side; ++r) {
    for (sb_long c = 0; c < side; ++c) {
      const sb_long at = r < kSide ? (r * side + c) * size : second + ((r - kSide) * side + c) * size;
      std::memcpy(to + at, square.data() + (c * side + r) * size, static_cast<std::size_t>(size));
    }
  }
}

// The matrix unit's operands as rows of floats.
void fetch_left(std::vector<float>& to, const sb_mmad& call) {
  const int size = kTypeBytes[call.a_type];
  const sb_long k0 = 32 / size, blocks = up(call.k, k0);
  to.resize(static_cast<std::size_t>(call.m) * static_cast<std::size_t>(call.k));
  for (sb_long i = 0; i < call.m; ++i) {
    for (sb_long kb = 0; kb < blocks; ++kb) {
      // One row is a vector, not padded to a fractal.
      const sb_long at = call.m == 1 ? kb * 32 : (i / kSide * blocks + kb) * kFractal + i % kSide * 32;
      loops().to_float(call.a_type, to.data() + i * call.k + kb * k0, static_cast<const char*>(call.a) + at,
                       std::min<sb_long>(k0, call.k - kb * k0));
    }
  }
}

sb_long place_of_right(const sb_mmad& call, sb_long k, sb_long n, sb_long k0) {
  return (k / k0 * up(call.n, kSide) + n / kSide) * kFractal + n % kSide * 32 + k % k0 * (32 / k0);
}

void fetch_right(std::vector<float>& to, const sb_mmad& call) {
  const sb_long k0 = 32 / kTypeBytes[call.b_type];
  to.resize(static_cast<std::size_t>(call.k) * static_cast<std::size_t>(call.n));
  for (sb_long p = 0; p < call.k; ++p) {
    for (sb_long j = 0; j < call.n; ++j)
      loops().to_float(call.b_type, to.data() + p * call.n + j, static_cast<const char*>(call.b) + place_of_right(call, p, j, k0),
                       1);
  }
}

sb_long place_of_result(sb_long m, sb_long i, sb_long j) {
  return (j / kSide * up(m, kSide) + i / kSide) * kFractalC + i % kSide * kSide + j % kSide;
}

void multiply_whole(const sb_mmad& call) {
  const auto *a = static_cast<const signed char*>(call.a), *b = static_cast<const signed char*>(call.b);
  auto* c = static_cast<std::int32_t*>(call.c);
  const sb_long k0 = 32, blocks = up(call.k, k0);
  for (sb_long i = 0; i < call.m; ++i) {
    for (sb_long j = 0; j < call.n; ++j) {
      std::int32_t& to = c[place_of_result(call.m, i, j)];
      std::int32_t sum = call.has_bias != 0 ? static_cast<const std::int32_t*>(call.bias)[j] : call.starts_at_zero != 0 ? 0 : to;
      for (sb_long p = 0; p < call.k; ++p) {
        const sb_long at = call.m == 1 ? p : (i / kSide * blocks + p / k0) * kFractal + i % kSide * 32 + p % k0;
        sum += a[at] * b[place_of_right(call, p, j, k0)];
      }
      to = sum;
    }
  }
}

void multiply(const sb_mmad& call) {
  if (call.a_type == SB_S8) {
    multiply_whole(call);
    return;
  }
  std::vector<float> a, b, sums(static_cast<std::size_t>(call.m) * static_cast<std::size_t>(call.n), 0.0f), bias;
  fetch_left(a, call);
  fetch_right(b, call);
  if (call.has_bias != 0) {
    bias.resize(static_cast<std::size_t>(call.n));
    loops().to_float(call.bias_type, bias.data(), call.bias, call.n);
  }
  const int size = kTypeBytes[call.c_type];
  auto at = [&](sb_long i, sb_long j) { return static_cast<char*>(call.c) + place_of_result(call.m, i, j) * size; };
  for (sb_long i = 0; i < call.m; ++i) {
    for (sb_long j = 0; j < call.n; ++j) {
      float& sum = sums[static_cast<std::size_t>(i * call.n + j)];
      if (call.has_bias != 0)
        sum = bias[static_cast<std::size_t>(j)];
      else if (call.starts_at_zero == 0)
        loops().to_float(call.c_type, &sum, at(i, j), 1);
    }
  }
  loops().multiply(sums.data(), a.data(), b.data(), call.m, call.k, call.n);
  for (sb_long i = 0; i < call.m; ++i) {
    for (sb_long j = 0; j < call.n; ++j)
      loops().from_float(call.c_type, at(i, j), &sums[static_cast<std::size_t>(i * call.n + j)], 1);
  }
}

// Scales of the way out keep 10 bits behind the point.
float scale_of(sb_word bits) {
  const auto word = static_cast<std::uint32_t>(bits) & 0xFFFFE000U;
  float scale;
  std::memcpy(&scale, &word, 4);
  return scale;
}

// QuantMode_t, by number.
enum {
  kPlain,
  kToHalf,
  kToBfloat,
  kFloatToByte,
  kFloatToByteEach,
  kWholeToHalf,
  kWholeToHalfEach,
  kWholeToByte,
  kWholeToByteEach
};

void bring_out(const sb_fixpipe& call, char* to, const char* from) {
  if (call.quantises == kPlain && call.from_type == SB_S32) {
    std::int32_t whole;
    std::memcpy(&whole, from, 4);
    if (call.relu != 0) whole = std::max(whole, 0);
    std::memcpy(to, &whole, 4);
    return;
  }
  float value = 0;
  if (call.from_type == SB_S32) {
    std::int32_t whole;
    std::memcpy(&whole, from, 4);
    value = static_cast<float>(whole);
  } else {
    loops().to_float(call.from_type, &value, from, 1);
  }
  if (call.quantises == kFloatToByte || call.quantises == kWholeToHalf || call.quantises == kWholeToByte)
    value *= scale_of(call.scale);
  if (call.relu != 0) value = std::max(value, 0.0f);
  if (is_floating(call.to_type)) {
    loops().from_float(call.to_type, to, &value, 1);
    return;
  }
  const bool is_signed = call.to_type == SB_S8;
  const float rounded = std::nearbyint(value);
  *reinterpret_cast<signed char*>(to) =
      static_cast<signed char>(static_cast<int>(std::clamp(rounded, is_signed ? -128.0f : 0.0f, is_signed ? 127.0f : 255.0f)));
}

sb_long place_out(const sb_fixpipe& call, sb_long nd, sb_long i, sb_long j) {
  const int size = kTypeBytes[call.to_type];
  if (call.nz2nd != 0) return (nd * call.nd_dst_stride + i * call.dst_stride + j) * size;
  // Columns of fractals; of bytes and words they have another width than 16.
  const sb_long c0 = call.to_type == SB_F32 || call.to_type == SB_S32 ? kSide : 32 / size;
  return j / c0 * call.dst_stride * 32 + i * c0 * size + j % c0 * size;
}

}  // namespace

extern "C" {

void __sb_asc_load_data(const sb_load_call* given) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_cube()) return;
  const sb_load_call call = *given;
  const int size = kTypeBytes[call.type];
  const bool is_square = call.kind == 1;
  const bool transposes = is_square || call.transposes != 0;
  if (transposes && size != 2 && !(is_square && size == 1))
    refuse(call.name, "of this type with transposition", "不支持该类型的转置", place);
  const sb_long unit = is_square && size == 1 ? 2 * kFractal : kFractal;
  const sb_long second = unit > kFractal ? kFractal * (1 + call.extra[0]) : 0;
  const bool from_gm = memory_of(call.src) == Memory::kGm;
  Operation operation{from_gm ? SB_PIPE_MTE2 : SB_PIPE_MTE1, call.name, place, false, {}, nullptr};
  std::vector<std::pair<char*, const char*>> moves;
  for (sb_long r = 0; r < call.repeat; ++r) {
    moves.emplace_back(static_cast<char*>(call.dst) + r * (1 + call.dst_gap) * kFractal,
                       static_cast<const char*>(call.src) + (call.start + r * call.src_stride) * unit);
    operation.segments.push_back({moves.back().second, unit, false});
    operation.segments.push_back({moves.back().first, kFractal, true});
    if (second > 0) operation.segments.push_back({moves.back().first + second, kFractal, true});
  }
  if (settings().is_check) {
    check_range(call.name, "repeatTimes", call.repeat, 1, 255, place);
    if (call.repeat == 0) return;
  }
  if (!is_good(task, call.name, operation, kLoadFrom, kLoadTo, memory_of(call.dst) == Memory::kL1 ? 32 : 512)) return;
  if (settings().is_check) {
    for (const auto& [to, from] : moves) {
      copy_poison(to, from, kFractal);
      if (second > 0) copy_poison(to + second, from + kFractal, kFractal);
    }
  }
  operation.work = [moves, transposes, size, second] {
    for (const auto& [to, from] : moves) {
      if (transposes)
        transpose(to, from, size, second);
      else
        std::memmove(to, from, kFractal);
    }
  };
  give(task, std::move(operation), false);
}

void __sb_asc_fill_local(const char* name, void* dst, int repeat, int blocks, int gap, sb_word value, int size) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_cube()) return;
  const bool is_l1 = memory_of(dst) == Memory::kL1;
  const sb_long unit = is_l1 ? 32 : kFractal;
  Operation operation{is_l1 ? SB_PIPE_MTE2 : SB_PIPE_MTE1, name, place, false, {}, nullptr};
  for (sb_long r = 0; r < repeat; ++r)
    operation.segments.push_back({static_cast<char*>(dst) + r * (blocks + gap) * unit, blocks * unit, true});
  if (!is_good(task, name, operation, 0, kLoadTo, is_l1 ? 32 : 512)) return;
  const std::vector<Segment> parts = operation.segments;
  operation.work = [parts, value, size] {
    for (const Segment& part : parts) {
      for (sb_long at = 0; at < part.bytes; at += size)
        std::memcpy(const_cast<char*>(part.start) + at, &value, static_cast<std::size_t>(size));
    }
  };
  give(task, std::move(operation));
}

void __sb_asc_mmad(const sb_mmad* given) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_cube()) return;
  const sb_mmad call = *given;
  if (call.a_type == SB_S4) refuse(call.name, "of int4", "不支持 int4", place);
  if (settings().is_check) {
    for (const auto& [what, extent] : {std::pair("m", call.m), std::pair("n", call.n), std::pair("k", call.k)})
      check_range(call.name, what, extent, 0, 4095, place);
    if (call.m == 0 || call.n == 0 || call.k == 0)
      report_at("empty-instruction", place, std::string(call.name) + " with a dimension of 0 does nothing",
                std::string(call.name) + " 的某一维为 0，不做任何事");
  }
  if (call.m <= 0 || call.n <= 0 || call.k <= 0) return;
  const sb_long k0 = 32 / kTypeBytes[call.a_type], kb = up(call.k, k0), nb = up(call.n, kSide), mb = up(call.m, kSide);
  const Segment a{static_cast<const char*>(call.a), call.m == 1 ? kb * 32 : mb * kb * kFractal, false},
      b{static_cast<const char*>(call.b), kb * nb * kFractal, false};
  const Segment c{static_cast<const char*>(call.c), mb * nb * kFractalC * kTypeBytes[call.c_type], true},
      bias{static_cast<const char*>(call.bias), call.n * kTypeBytes[call.bias_type], false};
  Operation operation{SB_PIPE_M, call.name, place, false, {a, b, c}, [call] { multiply(call); }};
  if (settings().is_check) {
    if (!check_operand(task, call.name, "A", a, memory_bit(Memory::kL0a), 512, place) ||
        !check_operand(task, call.name, "B", b, memory_bit(Memory::kL0b), 512, place) ||
        !check_operand(task, call.name, "C", c, memory_bit(Memory::kL0c), 64, place))
      return;
    // What lies beside the matrix in its last fractals takes no part.
    if (call.k % k0 == 0 && (call.m == 1 || call.m % kSide == 0)) check_written(call.name, a.start, a.bytes, place);
    if (call.k % k0 == 0 && call.n % kSide == 0) check_written(call.name, b.start, b.bytes, place);
    if (call.has_bias != 0) {
      if (!check_operand(task, call.name, "bias", bias, memory_bit(Memory::kBias), 64, place)) return;
      check_written(call.name, bias.start, bias.bytes, place);
      operation.segments.push_back(bias);
    } else if (call.starts_at_zero == 0) {
      check_written(call.name, c.start, c.bytes, place);
    }
  }
  give(task, std::move(operation));
}

void __sb_asc_fixpipe(const sb_fixpipe* given) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_cube()) return;
  const sb_fixpipe call = *given;
  if (call.quantises > kWholeToByteEach || call.quantises == kFloatToByteEach || call.quantises == kWholeToHalfEach ||
      call.quantises == kWholeToByteEach)
    refuse(call.name, "with one scale per column", "不支持逐列缩放", place);
  const sb_long matrices = call.nz2nd != 0 ? std::max(call.nd_count, 1) : 1;
  const int to_size = kTypeBytes[call.to_type], from_size = kTypeBytes[call.from_type];
  auto at = [call, from_size](sb_long nd, sb_long i, sb_long j) {
    return static_cast<const char*>(call.src) +
           ((nd * call.nd_src_stride) * kFractalC + j / kSide * call.src_stride * kSide + i * kSide + j % kSide) * from_size;
  };
  Operation operation{SB_PIPE_FIX, call.name, place, false, {}, nullptr};
  if (settings().is_check) {
    for (sb_long nd = 0; nd < matrices; ++nd) {
      for (sb_long j = 0; j < call.n; j += kSide) operation.segments.push_back({at(nd, 0, j), call.m * kSide * from_size, false});
      if (call.nz2nd != 0) {
        for (sb_long i = 0; i < call.m; ++i)
          operation.segments.push_back({static_cast<char*>(call.dst) + place_out(call, nd, i, 0), call.n * to_size, true});
      } else {
        const sb_long c0 = call.to_type == SB_F32 || call.to_type == SB_S32 ? kSide : 32 / to_size;
        for (sb_long j = 0; j < call.n; j += c0)
          operation.segments.push_back({static_cast<char*>(call.dst) + place_out(call, nd, 0, j), call.m * c0 * to_size, true});
      }
    }
    if (!is_good(task, call.name, operation, memory_bit(Memory::kL0c), memory_bit(Memory::kGm) | memory_bit(Memory::kL1),
                 to_size))
      return;
    for (const Segment& segment : operation.segments) {
      if (!segment.is_write) check_written(call.name, segment.start, segment.bytes, place);
    }
  }
  operation.work = [call, matrices, at] {
    for (sb_long nd = 0; nd < matrices; ++nd) {
      for (sb_long i = 0; i < call.m; ++i) {
        for (sb_long j = 0; j < call.n; ++j)
          bring_out(call, static_cast<char*>(call.dst) + place_out(call, nd, i, j), at(nd, i, j));
      }
    }
  };
  give(task, std::move(operation));
}
}

// Built-ins that make few values of many: sums, extremes, counts, first and last, and those that pick elements out.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "emulate/bang/runtime/builtin.h"
#include "emulate/bang/runtime/chip.h"
#include "emulate/bang/runtime/shadow.h"

namespace starbridge::emulate::bang {

namespace {

constexpr std::int64_t kSegment = 128;  // bytes

std::vector<float> floats_of(int type, const void* from, std::int64_t n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  if (!loops().convert(type, SB_F32, SB_RN, values.data(), from, n, 0, 0)) loops().to_float(type, values.data(), from, n);
  return values;
}

// Pairs, pairs of pairs, ...: as a tree of adders.
float tree_sum(const float* values, std::int64_t n) {
  if (n <= 8) {
    float sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += values[i];
    return sum;
  }
  return tree_sum(values, n / 2) + tree_sum(values + n / 2, n - n / 2);
}

void store(int type, void* to, float value) { loops().from_float(type, to, &value, 1); }

bool is_zero(const char* at, int size) {
  // A floating zero of either sign counts as zero; so does an integer's.
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<std::size_t>(size));
  return (bits & ~(1ULL << (size * 8 - 1))) == 0;
}

struct Extreme {
  float value;
  std::uint32_t index;
};
Extreme extreme(const std::vector<float>& values, bool wants_max) {
  Extreme best{values[0], 0};
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (wants_max ? values[i] > best.value : values[i] < best.value) best = {values[i], static_cast<std::uint32_t>(i)};
  }
  return best;
}

// Bit i of a mask in memory, lowest bit first.
bool bit_at(const void* mask, std::int64_t i) { return (static_cast<const unsigned char*>(mask)[i / 8] >> (i % 8) & 1) != 0; }

std::uint32_t pick(int what, int type, const void* from, std::int64_t n, bool is_bits) {
  const int size = kTypeBytes[type];
  const auto* bytes = static_cast<const char*>(from);
  auto is_set = [&](std::int64_t i) { return is_bits ? bit_at(from, i) : !is_zero(bytes + i * size, size); };
  std::uint32_t count = 0;
  switch (what) {
    case SB_COUNT:
      for (std::int64_t i = 0; i < n; ++i) count += is_set(i) ? 1 : 0;
      return count;
    case SB_FINDFIRST:
      for (std::int64_t i = 0; i < n; ++i) {
        if (is_set(i)) return static_cast<std::uint32_t>(i);
      }
      return ~0U;
    default:
      for (std::int64_t i = n - 1; i >= 0; --i) {
        if (is_set(i)) return static_cast<std::uint32_t>(i);
      }
      return ~0U;
  }
}

void drain_for_value() {
  // The result goes to a register: the hardware keeps that order.
  if (settings().is_check && current_task() != nullptr) sync_pipes(*current_task(), bit(Pipe::kCompute));
}

}  // namespace

extern "C" {

void __sb_bang_reduce(const char* name, int what, int type, void* to, const void* from, std::int64_t n) {
  Builtin builtin{name, SB_HERE};
  const int size = kTypeBytes[type];
  if (!check_count(builtin, n, size)) return;
  const bool is_segments = what == SB_SUM_SEGMENTS;
  if (what == SB_MAX_OF || what == SB_MIN_OF) builtin.overlap = Overlap::kNone;
  const bool is_arg = what == SB_ARGMAX || what == SB_ARGMIN;
  const std::int64_t to_bytes = is_segments ? (n * size + kSegment - 1) / kSegment * kSegment : is_arg ? 8 : size;
  perform(
      builtin, {writes("dst", to, std::min(to_bytes, is_segments ? n * size : to_bytes)), reads("src", from, n * size)},
      [=] {
        const std::vector<float> values = floats_of(type, from, n);
        if (is_segments) {
          const std::int64_t step = kSegment / size;
          for (std::int64_t i = 0; i < n; i += step) {
            char* at = static_cast<char*>(to) + i * size;
            const std::int64_t count = std::min(step, n - i);
            const float sum = tree_sum(values.data() + i, count);
            // MLU2xx clears the other elements; later chips leave them alone.
            if (chip().arch < 300) std::memset(at, 0, static_cast<std::size_t>(count * size));
            store(type, at, sum);
          }
        } else if (what == SB_SUM_OF) {
          store(type, to, tree_sum(values.data(), n));
        } else {
          const Extreme best = extreme(values, what == SB_MAX_OF || what == SB_ARGMAX);
          store(type, to, best.value);
          if (is_arg) std::memcpy(static_cast<char*>(to) + 4, &best.index, sizeof best.index);
        }
      },
      [=] {
        if (is_segments) {
          for (std::int64_t i = 0; i < n * size; i += kSegment)
            flow_whole(static_cast<char*>(to) + i, size,
                       {{static_cast<const char*>(from) + i, std::min(kSegment, n * size - i)}});
        } else {
          flow_whole(to, to_bytes, {{from, n * size}});
        }
      });
}

// The sum as a value.
float __sb_bang_sum(const char* name, int type, const void* from, std::int64_t n) {
  const Builtin builtin{name, SB_HERE};
  const int size = kTypeBytes[type];
  if (!check_count(builtin, n, size)) return 0;
  float sum = 0;
  perform(
      builtin, {reads("src", from, n * size)}, [type, from, n, &sum] { sum = tree_sum(floats_of(type, from, n).data(), n); },
      [] {});
  if (settings().is_check) {
    drain_for_value();
    check_written(name, {static_cast<const char*>(from), n * size, 0, 1, 0, 1, false}, builtin.place);
  }
  return sum;
}

// How many are not zero, or where the first or last is. `to` may be nullptr: the result is a value alone.
std::uint32_t __sb_bang_pick(const char* name, int what, int type, void* to, const void* from, std::int64_t n, int is_bits) {
  const Builtin builtin{name, SB_HERE};
  const int size = kTypeBytes[type];
  if (!check_count(builtin, n, is_bits != 0 ? 1 : size)) return 0;
  const std::int64_t bytes = is_bits != 0 ? (n + 7) / 8 : n * size;
  std::uint32_t result = 0;
  std::uint32_t* result_at = &result;
  if (to != nullptr) {
    perform(
        builtin, {writes("dst", to, 4), reads("src", from, bytes)},
        [=] {
          const std::uint32_t value = pick(what, type, from, n, is_bits != 0);
          std::memcpy(to, &value, sizeof value);
        },
        [=] {
          flow_whole(to, 4, {{from, bytes}});
        });
    return 0;
  }
  perform(
      builtin, {reads("src", from, bytes)}, [=] { *result_at = pick(what, type, from, n, is_bits != 0); }, [] {});
  if (settings().is_check) {
    drain_for_value();
    check_written(name, {static_cast<const char*>(from), bytes, 0, 1, 0, 1, false}, builtin.place);
  }
  return result;
}

// Elements whose mask is not zero, packed; returns how many.
//   select    the count in front (128 bytes), the elements behind, the last 128 bytes filled with zeros
//   collect   the elements alone
//   filter    the elements alone, and the count as a value
//   maskmove  each to its own place
std::uint32_t __sb_bang_filter(const char* name, int what, int size, void* to, const void* from, const void* mask, int mask_size,
                               std::int64_t n) {
  const Builtin builtin{name, SB_HERE};
  if (!check_count(builtin, n, size)) return 0;
  const bool is_bits = mask_size == 0;
  const std::int64_t mask_bytes = is_bits ? (n + 7) / 8 : n * mask_size;
  std::int64_t kept = 0;
  const auto* masks = static_cast<const char*>(mask);
  auto is_set = [=](std::int64_t i) { return is_bits ? bit_at(mask, i) : !is_zero(masks + i * mask_size, mask_size); };
  if (what == SB_FILTER || settings().is_check) drain_for_value();
  for (std::int64_t i = 0; i < n && !is_on_memory_core(); ++i) kept += is_set(i) ? 1 : 0;
  std::int64_t to_bytes = what == SB_MASKMOVE ? n * size : kept * size;
  if (what == SB_SELECT) to_bytes = kSegment + (kept * size + kSegment - 1) / kSegment * kSegment;
  // One byte of "data" moves with its mark of never-written bytes in the same way.
  auto move_packed = [=](char* target, const char* source, bool is_poison) {
    char* at = target + (what == SB_SELECT ? kSegment : 0);
    std::vector<char> packed;
    for (std::int64_t i = 0; i < n; ++i) {
      if (!is_set(i)) continue;
      if (what == SB_MASKMOVE)
        std::memmove(at + i * size, source + i * size, static_cast<std::size_t>(size));
      else
        packed.insert(packed.end(), source + i * size, source + (i + 1) * size);
    }
    if (what == SB_MASKMOVE) return;
    std::memcpy(at, packed.data(), packed.size());
    if (what != SB_SELECT) return;
    std::memset(at + packed.size(), 0, static_cast<std::size_t>(to_bytes - kSegment) - packed.size());
    const auto count = is_poison ? 0U : static_cast<std::uint32_t>(kept);
    if (is_poison || chip().arch < 300) std::memset(target, 0, chip().arch < 300 ? kSegment : 4);
    std::memcpy(target, &count, sizeof count);
  };
  perform(
      builtin, {writes("dst", to, to_bytes), reads("src", from, n * size), reads("mask", mask, mask_bytes)},
      [=] { move_packed(static_cast<char*>(to), static_cast<const char*>(from), false); },
      [=] {
        if (has_shadow(to) && has_shadow(from))
          move_packed(reinterpret_cast<char*>(poison_of(to)), reinterpret_cast<const char*>(poison_of(from)), true);
      });
  if (what == SB_FILTER) drain_for_value();
  return static_cast<std::uint32_t>(kept);
}

// Comparisons whose result is one bit per element. `b` may be nullptr: compared with the value.
void __sb_bang_compare_bits(const char* name, int operation, int type, void* to, const void* a, const void* b,
                            std::uint64_t value, std::int64_t n) {
  const Builtin builtin{name, SB_HERE, Pipe::kCompute, false, Overlap::kAny};
  const int size = kTypeBytes[type];
  if (!check_count(builtin, n, size)) return;
  perform(
      builtin, {writes("dst", to, (n + 7) / 8), reads("src0", a, n * size), reads("src1", b, b == nullptr ? 0 : n * size)},
      [=] {
        std::vector<char> right(static_cast<std::size_t>(n * size)), result(right.size());
        for (std::int64_t i = 0; i < n && b == nullptr; ++i)
          std::memcpy(right.data() + i * size, &value, static_cast<std::size_t>(size));
        if (!loops().binary(operation, type, result.data(), a, b == nullptr ? right.data() : b, n))
          refuse(builtin, "not for this element type", "不支持该元素类型");
        auto* bits = static_cast<unsigned char*>(to);
        std::memset(bits, 0, static_cast<std::size_t>((n + 7) / 8));
        for (std::int64_t i = 0; i < n; ++i) {
          if (!is_zero(result.data() + i * size, size)) bits[i / 8] = static_cast<unsigned char>(bits[i / 8] | 1U << (i % 8));
        }
      },
      [=] { set_poison(to, static_cast<std::size_t>((n + 7) / 8), false); });
}

// Per element the table's entry of that number.
void __sb_bang_lut(const char* name, int size, void* to, const void* from, const void* table, std::int64_t n,
                   std::int64_t table_n) {
  // The reference forbids any overlap for the older names; the vendor's own kernels look up in place with the newer one.
  const bool is_newer = std::strcmp(name, "__bang_lut") == 0;
  const Builtin builtin{name, SB_HERE, Pipe::kCompute, false, is_newer ? Overlap::kExact : Overlap::kNone};
  if (!check_count(builtin, n, size)) return;
  if (table_n <= 0 || table_n % 64 != 0) {
    report_argument(builtin, "the table has " + std::to_string(table_n) + " entries; a multiple of 64 is wanted",
                    "查找表长度为 " + std::to_string(table_n) + "，应为 64 的整数倍");
    if (table_n <= 0) return;
  }
  const void* place = builtin.place;
  perform(
      builtin, {writes("dst", to, n * size), reads("src", from, n * size), reads("table", table, table_n * size)},
      [=] {
        for (std::int64_t i = 0; i < n; ++i) {
          std::uint32_t index = 0;
          std::memcpy(&index, static_cast<const char*>(from) + i * size, static_cast<std::size_t>(size));
          if (static_cast<std::int64_t>(index) >= table_n) {
            report_at(
                "argument-range", place,
                std::string(name) + ": entry " + std::to_string(index) + " of a table of " + std::to_string(table_n),
                std::string(name) + "：访问长度为 " + std::to_string(table_n) + " 的查找表的第 " + std::to_string(index) + " 项");
            index = 0;
          }
          std::memcpy(static_cast<char*>(to) + i * size,
                      static_cast<const char*>(table) + index * static_cast<std::uint32_t>(size), static_cast<std::size_t>(size));
        }
      },
      [=] {
        flow_elements(to, size, n, {{from, size}});
      });
}
}

}  // namespace starbridge::emulate::bang

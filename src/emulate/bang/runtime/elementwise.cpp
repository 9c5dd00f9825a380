// Built-ins that work element by element: two vectors, a vector and a value, a short vector again and again, one vector, fused
// steps, conversions.
#include <algorithm>
#include <cstring>
#include <vector>

#include "emulate/bang/runtime/builtin.h"

namespace starbridge::emulate::bang {

namespace {

constexpr std::int64_t kRepeat = 2048;  // bytes of a value's copies that a loop takes at once

[[noreturn]] void refuse_type(const Builtin& builtin) { refuse(builtin, "not for this element type", "不支持该元素类型"); }

// `value` again and again.
struct Repeated {
  alignas(32) char bytes[kRepeat];
  Repeated(int size, std::uint64_t value) {
    for (std::int64_t i = 0; i < kRepeat; i += size) std::memcpy(bytes + i, &value, static_cast<std::size_t>(size));
  }
};

void binary_value(const Builtin& builtin, int operation, int type, void* to, const void* a, std::uint64_t value, std::int64_t n) {
  const int size = kTypeBytes[type];
  const Repeated repeated(size, value);
  const std::int64_t step = kRepeat / size;
  for (std::int64_t i = 0; i < n; i += step) {
    if (!loops().binary(operation, type, static_cast<char*>(to) + i * size, static_cast<const char*>(a) + i * size,
                        repeated.bytes, std::min(step, n - i)))
      refuse_type(builtin);
  }
}

}  // namespace

extern "C" {

void __sb_bang_binary(const char* name, int operation, int type, void* to, const void* a, const void* b, std::int64_t n) {
  const Builtin builtin{name, SB_HERE};
  const int size = kTypeBytes[type];
  if (!check_count(builtin, n, size)) return;
  perform(
      builtin, {writes("dst", to, n * size), reads("src0", a, n * size), reads("src1", b, n * size)},
      [=] {
        if (!loops().binary(operation, type, to, a, b, n)) refuse_type(builtin);
      },
      [=] {
        flow_elements(to, size, n, {{a, size}, {b, size}});
      });
}

void __sb_bang_binary_value(const char* name, int operation, int type, void* to, const void* a, std::uint64_t value,
                            std::int64_t n) {
  const Builtin builtin{name, SB_HERE};
  const int size = kTypeBytes[type];
  if (!check_count(builtin, n, size)) return;
  perform(
      builtin, {writes("dst", to, n * size), reads("src", a, n * size)},
      [=] { binary_value(builtin, operation, type, to, a, value, n); },
      [=] {
        flow_elements(to, size, n, {{a, size}});
      });
}

void __sb_bang_cycle(const char* name, int operation, int type, void* to, const void* a, const void* segment, std::int64_t n,
                     std::int64_t segment_n) {
  const Builtin builtin{name, SB_HERE};
  const int size = kTypeBytes[type];
  if (!check_count(builtin, n, size)) return;
  if (segment_n <= 0 || n % segment_n != 0) {
    report_argument(builtin, "the count " + std::to_string(n) + " is no multiple of the segment's " + std::to_string(segment_n),
                    "元素个数 " + std::to_string(n) + " 不是分段长度 " + std::to_string(segment_n) + " 的整数倍");
    if (segment_n <= 0) return;
  }
  perform(
      builtin, {writes("dst", to, n * size), reads("src", a, n * size), reads("seg", segment, segment_n * size)},
      [=] {
        for (std::int64_t i = 0; i < n; i += segment_n) {
          if (!loops().binary(operation, type, static_cast<char*>(to) + i * size, static_cast<const char*>(a) + i * size, segment,
                              std::min(segment_n, n - i)))
            refuse_type(builtin);
        }
      },
      [=] {
        for (std::int64_t i = 0; i < n; i += segment_n)
          flow_elements(static_cast<char*>(to) + i * size, size, std::min(segment_n, n - i),
                        {{static_cast<const char*>(a) + i * size, size}, {segment, size}});
      });
}

void __sb_bang_unary(const char* name, int operation, int type, void* to, const void* from, std::int64_t n) {
  const Builtin builtin{name, SB_HERE};
  const int size = kTypeBytes[type];
  if (!check_count(builtin, n, size)) return;
  perform(
      builtin, {writes("dst", to, n * size), reads("src", from, n * size)},
      [=] {
        if (!loops().unary(operation, type, to, from, n)) refuse_type(builtin);
      },
      [=] {
        flow_elements(to, size, n, {{from, size}});
      });
}

// `b` and `c` are vectors of b_n and c_n elements taken again and again, or, when the count is 0, values.
void __sb_bang_fusion(const char* name, int operation, int type, void* to, const void* a, const void* b, std::uint64_t b_value,
                      std::int64_t b_n, const void* c, std::uint64_t c_value, std::int64_t c_n, std::int64_t n) {
  const Builtin builtin{name, SB_HERE};
  const int size = kTypeBytes[type];
  if (!check_count(builtin, n, size)) return;
  auto work = [=] {
    const Repeated b_repeated(size, b_value), c_repeated(size, c_value);
    for (std::int64_t i = 0; i < n;) {
      std::int64_t step = std::min<std::int64_t>(kRepeat / size, n - i);
      if (b_n > 0) step = std::min(step, b_n - i % b_n);
      if (c_n > 0) step = std::min(step, c_n - i % c_n);
      const char* b_at = b_n > 0 ? static_cast<const char*>(b) + i % b_n * size : b_repeated.bytes;
      const char* c_at = c_n > 0 ? static_cast<const char*>(c) + i % c_n * size : c_repeated.bytes;
      if (!loops().fuse(operation, type, static_cast<char*>(to) + i * size, static_cast<const char*>(a) + i * size, b_at, c_at,
                        step))
        refuse_type(builtin);
      i += step;
    }
  };
  perform(builtin,
          {writes("dst", to, n * size), reads("src0", a, n * size), reads("src1", b, b_n * size), reads("src2", c, c_n * size)},
          work, [=] {
            flow_elements(to, size, n, {{a, size}});
            if (b_n == n) flow_elements(to, size, n, {{to, size}, {b, size}});
            if (c_n == n) flow_elements(to, size, n, {{to, size}, {c, size}});
          });
}

// The strided form repeats the conversion of `n` elements `segments` more times.
void __sb_bang_convert(const char* name, int from_type, int to_type, int rounding, void* to, const void* from, std::int64_t n,
                       int from_position, int to_position, std::int64_t to_stride, std::int64_t from_stride,
                       std::int64_t segments) {
  Builtin builtin{name, SB_HERE};
  const int from_size = kTypeBytes[from_type], to_size = kTypeBytes[to_type];
  if (!check_count(builtin, n, std::min(from_size, to_size))) return;
  // Front to back a narrower result keeps behind its source; a wider one would run over it.
  builtin.overlap = to_size <= from_size ? Overlap::kExact : Overlap::kNone;
  if (segments < 0) {
    report_argument(builtin, "the number of segments is negative", "段数为负");
    return;
  }
  Operand to_operand = writes("dst", to, n * to_size), from_operand = reads("src", from, n * from_size);
  to_operand.region.stride0 = to_stride;
  from_operand.region.stride0 = from_stride;
  to_operand.region.count0 = from_operand.region.count0 = segments + 1;
  perform(
      builtin, {to_operand, from_operand},
      [=] {
        for (std::int64_t i = 0; i <= segments; ++i) {
          if (!loops().convert(from_type, to_type, rounding, static_cast<char*>(to) + i * to_stride,
                               static_cast<const char*>(from) + i * from_stride, n, from_position, to_position))
            refuse_type(builtin);
        }
      },
      [=] {
        for (std::int64_t i = 0; i <= segments; ++i)
          flow_elements(static_cast<char*>(to) + i * to_stride, to_size, n,
                        {{static_cast<const char*>(from) + i * from_stride, from_size}});
      });
}
}

}  // namespace starbridge::emulate::bang

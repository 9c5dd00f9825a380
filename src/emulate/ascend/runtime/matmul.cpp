// Products of whole matrices, as the Matmul object asks for them: operands to float, sums in float, result rounded once.
#include <algorithm>
#include <cstring>
#include <memory>

#include "emulate/ascend/runtime/cache.h"
#include "emulate/ascend/runtime/instruction.h"
#include "emulate/common/settings.h"

using namespace starbridge::emulate;
using namespace starbridge::emulate::ascend;

namespace {

// CubeFormat, by number.
constexpr int kNz = 1;

// Element (row, column) of a matrix stored in `rows` rows: rows one after the other, or columns of 16 bytes-blocks (NZ).
sb_long offset_of(int format, sb_long row, sb_long column, sb_long leading, sb_long rows, int size) {
  if (format != kNz) return row * leading + column;
  const sb_long c0 = size == 4 ? 16 : 32 / size, padded = (rows + 15) / 16 * 16;
  return column / c0 * padded * c0 + row * c0 + column % c0;
}

void fetch(std::vector<float>& to, int type, const void* from, sb_long rows, sb_long columns, sb_long leading, bool is_transposed, int format) {
  const int size = kTypeBytes[type];
  const auto* bytes = static_cast<const char*>(from);
  to.resize(static_cast<std::size_t>(rows * columns));
  if (is_floating(type) && !is_transposed && format != kNz) {
    for (sb_long r = 0; r < rows; ++r) loops().to_float(type, to.data() + r * columns, bytes + r * leading * size, columns);
    return;
  }
  for (sb_long r = 0; r < rows; ++r) {
    for (sb_long c = 0; c < columns; ++c) {
      const sb_long at = is_transposed ? offset_of(format, c, r, leading, columns, size) : offset_of(format, r, c, leading, rows, size);
      float& value = to[static_cast<std::size_t>(r * columns + c)];
      if (is_floating(type))
        loops().to_float(type, &value, bytes + at * size, 1);
      else
        value = static_cast<float>(reinterpret_cast<const signed char*>(bytes)[at]);
    }
  }
}

void carry_out(const sb_matmul& call) {
  const int size = kTypeBytes[call.c_type];
  auto* out = static_cast<char*>(call.c);
  if (call.a_type == SB_S8) {
    // Whole numbers, exactly.
    const auto* a = static_cast<const signed char*>(call.a);
    const auto* b = static_cast<const signed char*>(call.b);
    for (sb_long i = 0; i < call.m; ++i) {
      for (sb_long j = 0; j < call.n; ++j) {
        std::int32_t sum = call.bias == nullptr ? 0 : static_cast<const std::int32_t*>(call.bias)[j];
        for (sb_long p = 0; p < call.k; ++p) sum += a[call.a_transposed != 0 ? p * call.lda + i : i * call.lda + p] * b[call.b_transposed != 0 ? j * call.ldb + p : p * call.ldb + j];
        std::memcpy(out + offset_of(call.c_format, i, j, call.ldc, call.m, size) * size, &sum, 4);
      }
    }
    return;
  }
  std::vector<float> a, b, c(static_cast<std::size_t>(call.m * call.n), 0.0f), bias;
  fetch(a, call.a_type, call.a, call.m, call.k, call.lda, call.a_transposed != 0, call.a_format);
  fetch(b, call.b_type, call.b, call.k, call.n, call.ldb, call.b_transposed != 0, call.b_format);
  if (call.bias != nullptr) {
    bias.resize(static_cast<std::size_t>(call.n));
    loops().to_float(call.bias_type, bias.data(), call.bias, call.n);
    for (sb_long i = 0; i < call.m; ++i) std::copy(bias.begin(), bias.end(), c.begin() + i * call.n);
  }
  loops().multiply(c.data(), a.data(), b.data(), call.m, call.k, call.n);
  for (sb_long i = 0; i < call.m; ++i) {
    float* row = c.data() + i * call.n;
    for (sb_long j = 0; j < call.n; ++j) {
      char* at = out + offset_of(call.c_format, i, j, call.ldc, call.m, size) * size;
      if (call.accumulates != 0) {
        float old = 0;
        loops().to_float(call.c_type, &old, at, 1);
        row[j] += old;
      }
      if (call.c_format == kNz) loops().from_float(call.c_type, at, row + j, 1);
    }
    if (call.c_format != kNz) loops().from_float(call.c_type, out + i * call.ldc * size, row, call.n);
  }
}

void add_rows(std::vector<Segment>& to, const void* start, int type, sb_long rows, sb_long columns, sb_long leading, bool is_write) {
  const int size = kTypeBytes[type];
  for (sb_long r = 0; r < rows; ++r) to.push_back({static_cast<const char*>(start) + r * leading * size, columns * size, is_write});
}

}  // namespace

extern "C" void __sb_asc_matmul(const sb_matmul* given) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  const sb_matmul call = *given;
  if (call.m <= 0 || call.n <= 0 || call.k <= 0) return;
  if (!settings().is_check) {
    carry_out(call);
    return;
  }
  // The call returns when the product is there; it waits for what the core itself still does.
  drain(task, SB_PIPE_ALL);
  Operation operation{SB_PIPE_FIX, call.name, place, false, {}, nullptr};
  if (call.a_format != kNz) add_rows(operation.segments, call.a, call.a_type, call.a_transposed != 0 ? call.k : call.m, call.a_transposed != 0 ? call.m : call.k, call.lda, false);
  if (call.b_format != kNz) add_rows(operation.segments, call.b, call.b_type, call.b_transposed != 0 ? call.n : call.k, call.b_transposed != 0 ? call.k : call.n, call.ldb, false);
  if (call.c_format != kNz) add_rows(operation.segments, call.c, call.c_type, call.m, call.n, call.ldc, true);
  for (const Segment& segment : operation.segments) {
    if (!check_operand(task, call.name, segment.is_write ? "C" : "A or B", segment, ~memory_bit(Memory::kHost), 1, place)) return;
    if (!segment.is_write) {
      check_written(call.name, segment.start, segment.bytes, place);
      check_flushed(task, segment, call.name, place);
    }
  }
  mark_written(operation);
  operation.work = [call] { carry_out(call); };
  issue(task, std::move(operation));
  drain(task, SB_PIPE_ALL);
  barrier(task, SB_PIPE_ALL);
}

// Functions of rows: softmax, normalisations, means, sums, running sums.
#include <algorithm>
#include <cmath>

#include "emulate/ascend/runtime/instruction.h"

using namespace starbridge::emulate;
using namespace starbridge::emulate::ascend;

namespace {

enum { kSoftmax, kLayerNorm, kRmsNorm, kMean, kSum, kLogSoftmax };

struct Rows {
  int what, type;
  char* dst;
  const char *src, *a, *b;
  char *out_a, *out_b;
  sb_long rows, columns, valid;
  float epsilon;
};

void put(int type, char* to, sb_long at, double value) {
  const auto narrow = static_cast<float>(value);
  loops().from_float(type, to + at * kTypeBytes[type], &narrow, 1);
}

// Statistics of softmax fill 32 bytes per row.
void put_block(int type, char* to, sb_long row, double value) {
  const sb_long per_block = 32 / kTypeBytes[type];
  for (sb_long i = 0; to != nullptr && i < per_block; ++i) put(type, to, row * per_block + i, value);
}

void carry_out(const Rows& r) {
  const int size = kTypeBytes[r.type];
  std::vector<float> x(static_cast<std::size_t>(r.columns)), gamma(x.size(), 1), beta(x.size(), 0);
  if (r.a != nullptr) loops().to_float(r.type, gamma.data(), r.a, r.columns);
  if (r.b != nullptr) loops().to_float(r.type, beta.data(), r.b, r.columns);
  for (sb_long row = 0; row < r.rows; ++row) {
    loops().to_float(r.type, x.data(), r.src + row * r.columns * size, r.columns);
    double sum = 0, squares = 0, largest = x[0];
    for (sb_long i = 0; i < r.valid; ++i) {
      const double value = x[static_cast<std::size_t>(i)];
      sum += value;
      squares += value * value;
      largest = std::max(largest, value);
    }
    const auto n = static_cast<double>(r.valid);
    const double mean = sum / n;
    double variance = 0, exponentials = 0;
    for (sb_long i = 0; i < r.valid; ++i) {
      variance += (x[static_cast<std::size_t>(i)] - mean) * (x[static_cast<std::size_t>(i)] - mean) / n;
      exponentials += std::exp(x[static_cast<std::size_t>(i)] - largest);
    }
    if (r.what == kMean || r.what == kSum) {
      put(r.type, r.dst, row, r.what == kMean ? mean : sum);
      continue;
    }
    for (sb_long i = 0; i < r.columns; ++i) {
      const auto k = static_cast<std::size_t>(i);
      double y = 0;
      if (r.what == kSoftmax) y = std::exp(x[k] - largest) / exponentials;
      if (r.what == kLogSoftmax) y = x[k] - largest - std::log(exponentials);
      if (r.what == kLayerNorm) y = (x[k] - mean) / std::sqrt(variance + r.epsilon) * gamma[k] + beta[k];
      if (r.what == kRmsNorm) y = x[k] / std::sqrt(squares / n + r.epsilon) * gamma[k];
      put(r.type, r.dst, row * r.columns + i, y);
    }
    if (r.what == kSoftmax || r.what == kLogSoftmax) {
      put_block(r.type, r.out_a, row, exponentials);
      put_block(r.type, r.out_b, row, largest);
    } else if (r.what == kLayerNorm) {
      if (r.out_a != nullptr) put(r.type, r.out_a, row, mean);
      if (r.out_b != nullptr) put(r.type, r.out_b, row, variance);
    }
  }
}

void give(Task& task, Operation operation) {
  std::erase_if(operation.segments, [](const Segment& segment) { return segment.start == nullptr; });
  issue_vector(task, std::move(operation));
}

}  // namespace

extern "C" {

void __sb_asc_row_function(const char* name, int what, int type, void* dst, const void* src, const void* a, const void* b, void* out_a, void* out_b, sb_long rows, sb_long columns, sb_long valid, float epsilon) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  const Rows r{what, type, static_cast<char*>(dst), static_cast<const char*>(src), static_cast<const char*>(a), static_cast<const char*>(b), static_cast<char*>(out_a), static_cast<char*>(out_b), rows, columns, valid, epsilon};
  const int size = kTypeBytes[type];
  const sb_long statistics = what == kSoftmax || what == kLogSoftmax ? rows * 32 : rows * size;
  Operation operation{SB_PIPE_V, name, place, false,
                      {{r.src, rows * columns * size, false}, {r.a, columns * size, false}, {r.b, columns * size, false}, {r.dst, (what == kMean || what == kSum ? rows : rows * columns) * size, true}, {r.out_a, statistics, true}, {r.out_b, statistics, true}},
                      [r] { carry_out(r); }};
  give(task, std::move(operation));
}

void __sb_asc_cumsum(const char* name, int type, void* dst, void* last_row, const void* src, sb_long rows, sb_long columns, int is_last_axis) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  const int size = kTypeBytes[type];
  Operation operation{SB_PIPE_V, name, place, false, {{static_cast<const char*>(src), rows * columns * size, false}, {static_cast<const char*>(dst), rows * columns * size, true}, {static_cast<const char*>(last_row), columns * size, true}}, nullptr};
  operation.work = [=] {
    std::vector<float> x(static_cast<std::size_t>(rows * columns));
    loops().to_float(type, x.data(), src, rows * columns);
    const sb_long step = is_last_axis != 0 ? 1 : columns;
    for (sb_long i = 0; i < rows * columns; ++i) {
      const bool is_first = is_last_axis != 0 ? i % columns == 0 : i < columns;
      if (!is_first) x[static_cast<std::size_t>(i)] += x[static_cast<std::size_t>(i - step)];
    }
    loops().from_float(type, dst, x.data(), rows * columns);
    if (last_row != nullptr) loops().from_float(type, last_row, x.data() + (rows - 1) * columns, columns);
  };
  give(task, std::move(operation));
}
}

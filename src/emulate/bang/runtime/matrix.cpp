// Matrix built-ins: convolution, products with a matrix in WRAM, and the order their weights are put in. How WRAM spreads data
// over its 64 lanes is not documented. Public code fills it in two ways: filters [n][k] through __bang_reshape_filter, or a
// matrix [k][n] as it is. Both are right when __bang_reshape_filter turns [n][k] into [k][n] and the matrix unit reads that: so
// it is here.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "emulate/bang/runtime/builtin.h"
#include "emulate/bang/runtime/shadow.h"

namespace starbridge::emulate::bang {

namespace {

std::vector<float> as_floats(int type, const void* from, std::int64_t n, int position = 0) {
  std::vector<float> values(static_cast<std::size_t>(n));
  if (is_floating(type))
    loops().to_float(type, values.data(), from, n);
  else
    loops().convert(type, SB_F32, SB_RN, values.data(), from, n, position, 0);
  return values;
}

struct Conv {
  std::int64_t ci, h, w, kh, kw, stride_w, stride_h, co;
  int position;
  std::int64_t dilation_w, dilation_h;
  std::int64_t out_h() const { return (h - (kh - 1) * dilation_h - 1) / stride_h + 1; }
  std::int64_t out_w() const { return (w - (kw - 1) * dilation_w - 1) / stride_w + 1; }
};

// Each row of the unrolled input is one window; the product with the weights' rows is all the rest.
std::vector<float> unroll(const std::vector<float>& input, const Conv& conv) {
  std::vector<float> rows(static_cast<std::size_t>(conv.out_h() * conv.out_w() * conv.kh * conv.kw * conv.ci));
  float* at = rows.data();
  for (std::int64_t y = 0; y < conv.out_h(); ++y) {
    for (std::int64_t x = 0; x < conv.out_w(); ++x) {
      for (std::int64_t k = 0; k < conv.kh * conv.kw; ++k) {
        const std::int64_t row = y * conv.stride_h + k / conv.kw * conv.dilation_h,
                           column = x * conv.stride_w + k % conv.kw * conv.dilation_w;
        at = std::copy_n(input.data() + (row * conv.w + column) * conv.ci, conv.ci, at);
      }
    }
  }
  return rows;
}

void check_weights(const Builtin& builtin, const void* weights, std::int64_t bytes, std::int64_t rows) {
  if (!settings().is_check || space_of(weights) != Space::kWram || is_on_memory_core()) return;
  if (rows % 64 != 0)
    report_argument(builtin, std::to_string(rows) + " rows of weights; WRAM holds them in 64 lanes, a multiple of 64 is wanted",
                    "权重有 " + std::to_string(rows) + " 行；WRAM 按 64 路存放，应为 64 的整数倍");
  // Copies that are still under way carry the mark with them.
  if (current_task() != nullptr) sync_pipes(*current_task(), bit(Pipe::kCompute));
  check_written(builtin.name, {static_cast<const char*>(weights), bytes, 0, 1, 0, 1, false}, builtin.place);
  if (!has_filter_layout(weights, static_cast<std::size_t>(bytes)))
    report_at("weights-layout", builtin.place,
              std::string(builtin.name) + ": its weights in WRAM did not come through __bang_reshape_filter",
              std::string(builtin.name) + "：WRAM 中的权重未经 __bang_reshape_filter 重排");
}

void store_scaled(int type, void* to, std::vector<float>& values, int position, bool scales) {
  const auto n = static_cast<std::int64_t>(values.size());
  if (scales && position != 0) {
    const float scale = std::ldexp(1.0f, position);
    for (float& value : values) value *= scale;
  }
  if (is_floating(type))
    loops().from_float(type, to, values.data(), n);
  else
    loops().convert(SB_F32, type, SB_RD, to, values.data(), n, 0, 0);
}

}  // namespace

extern "C" {

void __sb_bang_reshape_filter(const char* name, int size, void* to, const void* from, std::int64_t n, std::int64_t h,
                              std::int64_t w, std::int64_t c) {
  const Builtin builtin{name, SB_HERE, Pipe::kCompute, false, Overlap::kNone};
  const std::int64_t bytes = n * h * w * c * size;
  if (!check_count(builtin, n * h * w * c, size)) return;
  if (n % 64 != 0)
    report_argument(builtin, std::to_string(n) + " filters; a multiple of 64 is wanted",
                    "有 " + std::to_string(n) + " 个滤波器，应为 64 的整数倍");
  perform(
      builtin, {writes("dst", to, bytes), reads("src", from, bytes)},
      [=] {
        const std::int64_t k = h * w * c;
        for (std::int64_t row = 0; row < n; ++row) {
          for (std::int64_t i = 0; i < k; ++i)
            std::memcpy(static_cast<char*>(to) + (i * n + row) * size, static_cast<const char*>(from) + (row * k + i) * size,
                        static_cast<std::size_t>(size));
        }
      },
      [=] {
        if (first_poisoned(from, static_cast<std::size_t>(bytes)) == nullptr)
          set_filter_layout(to, static_cast<std::size_t>(bytes));
        else
          copy_poison(to, from, static_cast<std::size_t>(bytes));
      });
}

// dst[out_h][out_w][co] = sum over the window and ci, plus bias[co] or the partial sums (as large as dst), either may be nullptr.
void __sb_bang_conv(const char* name, int to_type, int from_type, int weight_type, void* to, const void* from,
                    const void* weights, const void* bias, const void* partial, std::int64_t ci, std::int64_t h, std::int64_t w,
                    std::int64_t kh, std::int64_t kw, std::int64_t stride_w, std::int64_t stride_h, std::int64_t co, int position,
                    std::int64_t dilation_w, std::int64_t dilation_h) {
  const Builtin builtin{name, SB_HERE, Pipe::kCompute, false, Overlap::kNone};
  const Conv conv{ci, h, w, kh, kw, stride_w, stride_h, co, position, dilation_w, dilation_h};
  if (ci <= 0 || h <= 0 || w <= 0 || kh <= 0 || kw <= 0 || co <= 0 || stride_w < 1 || stride_h < 1 || stride_w > 1023 ||
      stride_h > 1023 || dilation_w < 1 || dilation_h < 1 || h < (kh - 1) * dilation_h + 1 || w < (kw - 1) * dilation_w + 1) {
    report_argument(builtin, "a size is not positive, a stride lies outside 1..1023, or the window is larger than the input",
                    "尺寸不是正数、步长不在 1..1023 内，或窗口大于输入");
    return;
  }
  const std::int64_t outputs = conv.out_h() * conv.out_w() * co, weight_count = co * kh * kw * ci;
  const int to_size = kTypeBytes[to_type];
  check_weights(builtin, weights, weight_count * kTypeBytes[weight_type], co);
  perform(
      builtin,
      {writes("dst", to, outputs * to_size), reads("src", from, h * w * ci * kTypeBytes[from_type]),
       reads("kernel", weights, weight_count * kTypeBytes[weight_type], kWram),
       reads("bias", bias, bias == nullptr ? 0 : co * to_size),
       reads("partial", partial, partial == nullptr ? 0 : outputs * to_size)},
      [=] {
        const std::vector<float> rows = unroll(as_floats(from_type, from, conv.h * conv.w * conv.ci), conv);
        const std::vector<float> filter = as_floats(weight_type, weights, weight_count);
        std::vector<float> result(static_cast<std::size_t>(outputs));
        loops().multiply(result.data(), rows.data(), filter.data(), conv.out_h() * conv.out_w(), kh * kw * ci, co);
        if (position != 0 && !is_floating(from_type)) {
          for (float& value : result) value = std::ldexp(value, position);
        }
        const std::vector<float> added = bias != nullptr      ? as_floats(to_type, bias, co)
                                         : partial != nullptr ? as_floats(to_type, partial, outputs)
                                                              : std::vector<float>();
        for (std::size_t i = 0; i < result.size() && !added.empty(); ++i) result[i] += added[i % added.size()];
        store_scaled(to_type, to, result, 0, false);
      },
      [=] { set_poison(to, static_cast<std::size_t>(outputs * to_size), false); });
}

// dst[m][n] = left[m][k] times right[k][n], times 2^position for integers, plus bias[n].
void __sb_bang_matmul(const char* name, int to_type, int from_type, int weight_type, void* to, const void* left,
                      const void* right, const void* bias, std::int64_t m, std::int64_t k, std::int64_t n, int position) {
  const Builtin builtin{name, SB_HERE, Pipe::kCompute, false, Overlap::kNone};
  if (m <= 0 || k <= 0 || n <= 0) {
    report_argument(builtin, "a size is not positive", "尺寸不是正数");
    return;
  }
  const int to_size = kTypeBytes[to_type];
  check_weights(builtin, right, n * k * kTypeBytes[weight_type], n);
  perform(
      builtin,
      {writes("dst", to, m * n * to_size), reads("left", left, m * k * kTypeBytes[from_type]),
       reads("right", right, n * k * kTypeBytes[weight_type], kWram), reads("bias", bias, bias == nullptr ? 0 : n * to_size)},
      [=] {
        std::vector<float> result(static_cast<std::size_t>(m * n));
        loops().multiply(result.data(), as_floats(from_type, left, m * k).data(), as_floats(weight_type, right, n * k).data(), m,
                         k, n);
        if (bias != nullptr) {
          const std::vector<float> added = as_floats(to_type, bias, n);
          for (std::size_t i = 0; i < result.size(); ++i) result[i] += added[i % added.size()];
        }
        store_scaled(to_type, to, result, position, !is_floating(from_type));
      },
      [=] { set_poison(to, static_cast<std::size_t>(m * n * to_size), false); });
}

// dst[n][channels] = factors[n] * values[n][channels] (+ added[n][channels]).
void __sb_bang_expand_channel_mul(const char* name, int type, void* to, const void* factors, const void* scratch,
                                  const void* values, const void* added, std::int64_t n, std::int64_t channels) {
  const Builtin builtin{name, SB_HERE};
  const int size = kTypeBytes[type];
  if (!check_count(builtin, n * channels, size)) return;
  const std::int64_t bytes = n * channels * size;
  (void)scratch;
  perform(
      builtin,
      {writes("dst", to, bytes), reads("factors", factors, n * size), reads("src", values, bytes),
       reads("added", added, added == nullptr ? 0 : bytes)},
      [=] {
        for (std::int64_t i = 0; i < n; ++i) {
          std::vector<char> factor(static_cast<std::size_t>(channels * size));
          for (std::int64_t c = 0; c < channels; ++c)
            std::memcpy(factor.data() + c * size, static_cast<const char*>(factors) + i * size, static_cast<std::size_t>(size));
          char* row = static_cast<char*>(to) + i * channels * size;
          loops().binary(SB_MUL, type, row, static_cast<const char*>(values) + i * channels * size, factor.data(), channels);
          if (added != nullptr)
            loops().binary(SB_ADD, type, row, row, static_cast<const char*>(added) + i * channels * size, channels);
        }
      },
      [=] {
        flow_elements(to, size, n * channels, {{values, size}});
      });
}
}

}  // namespace starbridge::emulate::bang

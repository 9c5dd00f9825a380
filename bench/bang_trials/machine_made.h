// References in plain C++ for the machine-made kernels of machine_made.py. A program of it holds the kernels of one operator;
// each is given inputs of exactly its size, launched, and compared.
//   PROGRAM LAUNCH INDEX...   prints for each index: INDEX right|wrong LARGEST_ERROR
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace trial {

using Doubles = std::vector<double>;
using Shape = std::vector<int>;

struct Launch {
  cnrtDim3_t dim;
  cnrtFunctionType_t type;
};
inline Launch launch_named(const std::string& name) {
  if (name == "union8") return {{32, 1, 1}, cnrtFuncTypeUnion8};
  if (name == "union4") return {{16, 1, 1}, cnrtFuncTypeUnion4};
  if (name == "union1") return {{4, 1, 1}, cnrtFuncTypeUnion1};
  return {{1, 1, 1}, cnrtFuncTypeBlock};
}

// One buffer of the card, with what was put there.
struct Buffer {
  void* memory = nullptr;
  Doubles values;
};
template <class T>
Buffer make(std::size_t n, unsigned seed) {
  Buffer result;
  std::vector<T> drawn(n);
  for (T& each : drawn) {
    seed = seed * 1664525u + 1013904223u;
    const double value = static_cast<int>((seed >> 16) % 401) / 100.0 - 2;
    each = std::is_integral<T>::value ? static_cast<T>(static_cast<int>(value * 3)) : static_cast<T>(static_cast<float>(value));
    result.values.push_back(static_cast<double>(static_cast<float>(each)));
  }
  if (cnrtMalloc(&result.memory, n * sizeof(T)) != 0) std::exit(9);
  if (cnrtMemcpy(result.memory, drawn.data(), n * sizeof(T), cnrtMemcpyHostToDev) != 0) std::exit(9);
  return result;
}
template <class T>
Doubles read(const Buffer& buffer) {
  std::vector<T> values(buffer.values.size());
  if (cnrtMemcpy(values.data(), buffer.memory, values.size() * sizeof(T), cnrtMemcpyDevToHost) != 0) std::exit(9);
  Doubles result;
  for (T each : values) result.push_back(static_cast<double>(static_cast<float>(each)));
  return result;
}

inline double one(const std::string& name, double x) {
  if (name == "relu") return std::max(x, 0.0);
  if (name == "sigmoid") return 1 / (1 + std::exp(-x));
  if (name == "sign") return x > 0 ? 1 : x < 0 ? -1 : 0;
  if (name == "sin") return std::sin(x);
  return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
}

inline Doubles pooled(const std::string& name, const Doubles& x, const Shape& s) {
  const int h = s[1], w = s[2], c = s[3], kh = s[4], kw = s[5], sh = s[6], sw = s[7];
  Doubles result;
  for (int n = 0; n < s[0]; ++n)
    for (int i = 0; i + kh <= h; i += sh)
      for (int j = 0; j + kw <= w; j += sw)
        for (int k = 0; k < c; ++k) {
          double sum = 0, low = HUGE_VAL, high = -HUGE_VAL;
          for (int p = 0; p < kh; ++p)
            for (int q = 0; q < kw; ++q) {
              const double each = x[((static_cast<std::size_t>(n) * h + i + p) * w + j + q) * c + k];
              sum += each, low = std::min(low, each), high = std::max(high, each);
            }
          result.push_back(name == "maxpool" ? high : name == "minpool" ? low : name == "avgpool" ? sum / (kh * kw) : sum);
        }
  return result;
}

// Rows of the last dimension.
inline Doubles by_rows(const std::string& name, const std::vector<Buffer>& in, int width) {
  Doubles result = in[0].values;
  for (std::size_t at = 0; at < result.size(); at += width) {
    double sum = 0, squares = 0, exponents = 0;
    for (int i = 0; i < width; ++i) sum += result[at + i], exponents += std::exp(result[at + i]);
    const double mean = name == "layernorm" ? sum / width : 0;
    for (int i = 0; i < width; ++i) squares += (result[at + i] - mean) * (result[at + i] - mean);
    for (int i = 0; i < width; ++i) {
      double& each = result[at + i];
      if (name == "softmax") {
        each = std::exp(each) / exponents;
      } else {
        each = (each - mean) / std::sqrt(squares / width + 1e-5);
        if (name == "layernorm") each = each * in[1].values[i] + in[2].values[i];
      }
    }
  }
  return result;
}

// [batch][m][k] by one [k][n], or by one [n][k]: public text has both.
inline Doubles product(const std::vector<Buffer>& in, int batch, int m, int k, int n, bool is_turned) {
  Doubles result;
  for (int b = 0; b < batch; ++b)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        const std::size_t right = static_cast<std::size_t>(b) * k * n;
        for (int p = 0; p < k; ++p)
          sum += in[0].values[(static_cast<std::size_t>(b) * m + i) * k + p] *
                 in[1].values[right + (is_turned ? j * k + p : p * n + j)];
        result.push_back(sum);
      }
  return result;
}

// The kernel is [outputs][h][w][c], or, `is_turned`, [h][w][c][outputs]; [outputs][c][h][w] in NCHW.
inline Doubles convolved(const std::vector<Buffer>& in, int n, int h, int w, int c, int outputs, int kh, int kw, int stride,
                         bool is_nchw, bool is_turned = false) {
  Doubles result;
  const int oh = (h - kh) / stride + 1, ow = (w - kw) / stride + 1;
  const int first = is_nchw ? outputs : oh, second = is_nchw ? oh : ow, third = is_nchw ? ow : outputs;
  for (int b = 0; b < n; ++b)
    for (int x = 0; x < first; ++x)
      for (int y = 0; y < second; ++y)
        for (int z = 0; z < third; ++z) {
          const int o = is_nchw ? x : z, i = is_nchw ? y : x, j = is_nchw ? z : y;
          double sum = 0;
          for (int p = 0; p < kh; ++p)
            for (int q = 0; q < kw; ++q)
              for (int k = 0; k < c; ++k) {
                const int r = i * stride + p, s = j * stride + q;
                sum += is_nchw
                           ? in[0].values[((b * c + k) * h + r) * w + s] * in[1].values[((o * c + k) * kh + p) * kw + q]
                           : in[0].values[((b * h + r) * w + s) * c + k] *
                                 in[1].values[is_turned ? ((p * kw + q) * c + k) * outputs + o : ((o * kh + p) * kw + q) * c + k];
              }
          result.push_back(sum);
        }
  return result;
}

inline Doubles depthwise(const std::vector<Buffer>& in, int side, int k, int c) {
  Doubles result;
  for (int i = 0; i + k <= side; ++i)
    for (int j = 0; j + k <= side; ++j)
      for (int o = 0; o < c; ++o) {
        double sum = 0;
        for (int p = 0; p < k; ++p)
          for (int q = 0; q < k; ++q) sum += in[0].values[((i + p) * side + j + q) * c + o] * in[1].values[(p * k + q) * c + o];
        result.push_back(sum);
      }
  return result;
}

// What the operator should give; more than one where its text does not say which. Empty: no reference.
inline std::vector<Doubles> references(const std::string& name, const Shape& s, const std::vector<Buffer>& in) {
  if (name == "add" || name == "sub") {
    Doubles result = in[0].values;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += (name == "add" ? 1 : -1) * in[1].values[i];
    return {result};
  }
  if (name == "relu" || name == "sigmoid" || name == "sign" || name == "sin" || name == "gelu") {
    Doubles result = in[0].values;
    for (double& each : result) each = one(name, each);
    return {result};
  }
  if (name.size() > 4 && name.substr(name.size() - 4) == "pool") return {pooled(name, in[0].values, s)};
  if (name == "softmax" || name == "rmsnorm" || name == "layernorm") return {by_rows(name, in, s.back())};
  if (name == "gemv") return {product(in, 1, s[0], s[1], 1, false)};
  if (name == "gemm") return {product(in, 1, s[0], s[1], s[2], false), product(in, 1, s[0], s[1], s[2], true)};
  if (name == "bmm") return {product(in, s[0], s[1], s[2], s[3], false), product(in, s[0], s[1], s[2], s[3], true)};
  if (name == "conv2d")
    return {convolved(in, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[8], false),
            convolved(in, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[8], false, true)};
  if (name == "conv2dnchw") return {convolved(in, s[0], s[2], s[3], s[1], s[4], s[6], s[7], s[8], true)};
  if (name == "conv1d") return {convolved(in, 1, 1, s[1], 1, 1, 1, s[1] - s[0] + 1, 1, false)};
  if (name == "depthwiseconv") return {depthwise(in, s[0], s[1], s[2])};
  return {};
}

// The limit of XpilerBench's own tests: 1e-3, absolute and relative.
template <class T>
void judge(int index, const std::string& name, const Shape& shape, const std::vector<Buffer>& buffers) {
  const Doubles got = read<T>(buffers.back());
  double nearest = HUGE_VAL;
  const std::vector<Doubles> expected = references(name, shape, buffers);
  for (const Doubles& each : expected) {
    double largest = each.size() == got.size() ? 0 : HUGE_VAL;
    for (std::size_t i = 0; i < got.size() && i < each.size(); ++i) {
      const double error = std::fabs(got[i] - each[i]) / (1 + std::fabs(each[i]));
      largest = error >= 0 ? std::max(largest, error) : HUGE_VAL;
    }
    nearest = std::min(nearest, largest);
  }
  std::printf("%d %s %.3g\n", index, expected.empty() ? "unknown" : nearest <= 1e-3 ? "right" : "wrong", nearest);
  std::fflush(stdout);
  for (const Buffer& each : buffers) cnrtFree(each.memory);
}

}  // namespace trial

// Fragments of matrix products by warps (nvcuda::wmma). Which lane holds which element is not stated by CUDA; here element e of lane l
// is number 32 e + l of the tile, row by row. Products are summed in float (integers: exactly), in order of k.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
struct u4;
struct s4;
struct b1;
}  // namespace precision

namespace details {
template <class T> struct stored { typedef T type; };
template <> struct stored<precision::tf32> { typedef float type; };
template <class Use, int M, int N, int K> struct tile;
template <int M, int N, int K> struct tile<matrix_a, M, N, K> { static constexpr int rows = M, columns = K; };
template <int M, int N, int K> struct tile<matrix_b, M, N, K> { static constexpr int rows = K, columns = N; };
template <int M, int N, int K> struct tile<accumulator, M, N, K> { static constexpr int rows = M, columns = N; };
}  // namespace details

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment {
  typedef details::tile<Use, M, N, K> tile;

 public:
  typedef typename details::stored<T>::type element_type;
  typedef element_type storage_element_type;
  static constexpr int num_elements = tile::rows * tile::columns / 32;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];

  SB_MEMBER static int row_of(int element, int lane) { return (element * 32 + lane) / tile::columns; }
  SB_MEMBER static int column_of(int element, int lane) { return (element * 32 + lane) % tile::columns; }
  SB_MEMBER static int lane_of(int row, int column) { return (row * tile::columns + column) % 32; }
  SB_MEMBER static int element_of(int row, int column) { return (row * tile::columns + column) / 32; }
};

SB_DEVICE float __float_to_tf32(float value) {
  unsigned bits;
  __builtin_memcpy(&bits, &value, 4);
  bits = (bits + 0x1000u) & 0xffffe000u;
  __builtin_memcpy(&value, &bits, 4);
  return value;
}

template <class Use, int M, int N, int K, class T, class Layout, class V>
SB_DEVICE void fill_fragment(fragment<Use, M, N, K, T, Layout>& to, V value) {
  for (int i = 0; i < to.num_elements; ++i) to.x[i] = value;
}
namespace details {
template <class F, class E> SB_DEVICE void load(F& to, const E* from, unsigned stride, bool by_rows) {
  const int lane = (int)__sb_lane();
  for (int i = 0; i < F::num_elements; ++i) {
    const int row = F::row_of(i, lane), column = F::column_of(i, lane);
    to.x[i] = by_rows ? from[(size_t)row * stride + column] : from[(size_t)column * stride + row];
  }
  __sb_sync_warp(~0u);
}
template <class A> SB_DEVICE float wide(A value) { return (float)value; }
}  // namespace details
template <class Use, int M, int N, int K, class T, class E>
SB_DEVICE void load_matrix_sync(fragment<Use, M, N, K, T, row_major>& to, const E* from, unsigned stride) { details::load(to, from, stride, true); }
template <class Use, int M, int N, int K, class T, class E>
SB_DEVICE void load_matrix_sync(fragment<Use, M, N, K, T, col_major>& to, const E* from, unsigned stride) { details::load(to, from, stride, false); }
template <int M, int N, int K, class T, class E>
SB_DEVICE void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const E* from, unsigned stride, layout_t layout) {
  details::load(to, from, stride, layout == mem_row_major);
}
template <int M, int N, int K, class T, class E>
SB_DEVICE void store_matrix_sync(E* to, const fragment<accumulator, M, N, K, T>& from, unsigned stride, layout_t layout) {
  typedef fragment<accumulator, M, N, K, T> F;
  const int lane = (int)__sb_lane();
  __sb_sync_warp(~0u);
  for (int i = 0; i < F::num_elements; ++i) {
    const int row = F::row_of(i, lane), column = F::column_of(i, lane);
    to[layout == mem_row_major ? (size_t)row * stride + column : (size_t)column * stride + row] = from.x[i];
  }
  __sb_sync_warp(~0u);
}

// Every lane reads the fragments of the others where they lie; nobody goes on before all have read.
template <int M, int N, int K, class T, class LA, class LB, class C, class D>
SB_DEVICE void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, T, LA>& a, const fragment<matrix_b, M, N, K, T, LB>& b,
                        const fragment<accumulator, M, N, K, C>& c, bool = false) {
  typedef fragment<matrix_a, M, N, K, T, LA> FA;
  typedef fragment<matrix_b, M, N, K, T, LB> FB;
  typedef fragment<accumulator, M, N, K, D> FD;
  struct Both {
    FA a;
    FB b;
  } mine{a, b};
  unsigned long long lanes[32];
  __sb_gather(~0u, (unsigned long long)&mine, lanes);
  const int lane = (int)__sb_lane();
  FD result;
  for (int i = 0; i < FD::num_elements; ++i) {
    const int row = FD::row_of(i, lane), column = FD::column_of(i, lane);
    auto sum = c.x[i] * C(1);
    if constexpr (sizeof(typename FA::element_type) == 1) {
      for (int k = 0; k < K; ++k)
        sum += (int)((const Both*)lanes[FA::lane_of(row, k)])->a.x[FA::element_of(row, k)] * (int)((const Both*)lanes[FB::lane_of(k, column)])->b.x[FB::element_of(k, column)];
      result.x[i] = sum;
    } else if constexpr (sizeof(typename FA::element_type) == 8) {
      for (int k = 0; k < K; ++k)
        sum += ((const Both*)lanes[FA::lane_of(row, k)])->a.x[FA::element_of(row, k)] * ((const Both*)lanes[FB::lane_of(k, column)])->b.x[FB::element_of(k, column)];
      result.x[i] = sum;
    } else {
      float wide = (float)c.x[i];
      for (int k = 0; k < K; ++k)
        wide += (float)((const Both*)lanes[FA::lane_of(row, k)])->a.x[FA::element_of(row, k)] * (float)((const Both*)lanes[FB::lane_of(k, column)])->b.x[FB::element_of(k, column)];
      result.x[i] = (D)wide;
    }
  }
  __sb_sync_warp(~0u);
  d = result;
}

}  // namespace wmma
}  // namespace nvcuda

// Matrix products by warps: mma.sync in half, bfloat16, tf32, int8 and double with ldmatrix and cp.async, and wmma fragments.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "check.h"

using namespace nvcuda;

// One warp, one 16x8 tile of C = A (16 x 16) * B (16 x 8): A by ldmatrix, B by ldmatrix with transposition.
__global__ void half_tile(const __half* a, const __half* b, float* c) {
  __shared__ __align__(16) __half sa[16 * 16], sb[16 * 8];
  const int lane = threadIdx.x;
  const unsigned to_a = (unsigned)__cvta_generic_to_shared(sa + lane * 8);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to_a), "l"(a + lane * 8));
  if (lane < 16) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(sb + lane * 8)), "l"(b + lane * 8));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;");
  __syncthreads();
  unsigned ra[4], rb[2];
  const unsigned at_a = (unsigned)__cvta_generic_to_shared(sa + lane % 16 * 16 + lane / 16 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(at_a));
  const unsigned at_b = (unsigned)__cvta_generic_to_shared(sb + lane % 16 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(at_b));
  float d[4] = {0, 0, 0, 0};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; ++i) c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}

__global__ void tf32_tile(const float* a, const float* b, float* c) {  // 16 x 8 times 8 x 8
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  unsigned ra[4], rb[2];
  const float from_a[4] = {a[g * 8 + t], a[(g + 8) * 8 + t], a[g * 8 + t + 4], a[(g + 8) * 8 + t + 4]};
  for (int i = 0; i < 4; ++i) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(ra[i]) : "f"(from_a[i]));
  for (int i = 0; i < 2; ++i) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rb[i]) : "f"(b[(t + 4 * i) * 8 + g]));
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), "f"(1.0f));
  for (int i = 0; i < 4; ++i) c[(g + i / 2 * 8) * 8 + t * 2 + i % 2] = d[i];
}

__global__ void byte_tile(const signed char* a, const signed char* b, int* c) {  // 16 x 32 times 32 x 8, B by columns
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  const int* wa = reinterpret_cast<const int*>(a);
  const int* wb = reinterpret_cast<const int*>(b);
  int d[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(wa[g * 8 + t]), "r"(wa[(g + 8) * 8 + t]), "r"(wa[g * 8 + t + 4]), "r"(wa[(g + 8) * 8 + t + 4]), "r"(wb[g * 8 + t]), "r"(wb[g * 8 + t + 4]));
  for (int i = 0; i < 4; ++i) c[(g + i / 2 * 8) * 8 + t * 2 + i % 2] = d[i];
}

__global__ void double_tile(const double* a, const double* b, double* c) {  // 8 x 4 times 4 x 8
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  double d0 = 0, d1 = 0;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(d0), "+d"(d1) : "d"(a[g * 4 + t]), "d"(b[t * 8 + g]));
  c[g * 8 + t * 2] = d0, c[g * 8 + t * 2 + 1] = d1;
}

template <class T, class Layout>
__global__ void fragments(const T* a, const T* b, const float* c, float* d, int k, int n) {  // one 16 x 16 tile per warp
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, T, Layout> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, other;
  wmma::fill_fragment(sum, 0.0f);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(fa, a + row * k + i, k);
    wmma::load_matrix_sync(fb, std::is_same<Layout, wmma::row_major>::value ? b + i * n + column : b + column * k + i,
                           std::is_same<Layout, wmma::row_major>::value ? n : k);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  wmma::load_matrix_sync(other, c + row * n + column, n, wmma::mem_row_major);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = 2 * sum.x[i] + other.x[i];
  wmma::store_matrix_sync(d + row * n + column, sum, n, wmma::mem_row_major);
}

template <class T>
void test_fragments() {
  const int m = 32, n = 48, k = 64;
  Inputs inputs;
  std::vector<float> a = inputs.floats(m * k), b = inputs.floats(k * n), c = inputs.floats(m * n), wanted(m * n), wanted_columns(m * n);
  std::vector<T> sa(a.begin(), a.end()), sb(b.begin(), b.end());
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double rows = 0, columns = 0;
      for (int l = 0; l < k; ++l) rows += float(sa[i * k + l]) * float(sb[l * n + j]), columns += float(sa[i * k + l]) * float(sb[j * k + l]);
      wanted[i * n + j] = float(2 * rows) + c[i * n + j], wanted_columns[i * n + j] = float(2 * columns) + c[i * n + j];
    }
  OnCard<T> da(sa), db(sb);
  OnCard<float> dc(c), dd(m * n);
  fragments<T, wmma::row_major><<<dim3(n / 16, m / 16), 32>>>(da, db, dc, dd, k, n);
  same(dd.fetch(), wanted, 1e-5);
  fragments<T, wmma::col_major><<<dim3(n / 16, m / 16), 32>>>(da, db, dc, dd, k, n);
  same(dd.fetch(), wanted_columns, 1e-5);
}

int main() {
  Inputs inputs;
  std::vector<float> a = inputs.floats(16 * 16), b = inputs.floats(16 * 8), wanted(16 * 8);
  std::vector<__half> ha(a.begin(), a.end()), hb(b.begin(), b.end());
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      double sum = 0;
      for (int k = 0; k < 16; ++k) sum += double(float(ha[i * 16 + k])) * double(float(hb[k * 8 + j]));
      wanted[i * 8 + j] = float(sum);
    }
  OnCard<__half> dha(ha), dhb(hb);
  OnCard<float> c(16 * 8);
  half_tile<<<1, 32>>>(dha, dhb, c);
  same(c.fetch(), wanted, 1e-6);

  std::vector<float> exact_a(16 * 8), exact_b(8 * 8);  // few bits, so that tf32 holds them
  for (float& value : exact_a) value = float(int(inputs.next() % 64) - 32) / 8;
  for (float& value : exact_b) value = float(int(inputs.next() % 64) - 32) / 4;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      wanted[i * 8 + j] = 1;
      for (int k = 0; k < 8; ++k) wanted[i * 8 + j] += exact_a[i * 8 + k] * exact_b[k * 8 + j];
    }
  OnCard<float> ta(exact_a), tb(exact_b);
  tf32_tile<<<1, 32>>>(ta, tb, c);
  same(c.fetch(), wanted, 0);

  std::vector<signed char> ba(16 * 32), bb(32 * 8);
  for (signed char& value : ba) value = (signed char)(inputs.next() % 256 - 128);
  for (signed char& value : bb) value = (signed char)(inputs.next() % 256 - 128);
  OnCard<signed char> dba(ba), dbb(bb);
  OnCard<int> ci(16 * 8);
  byte_tile<<<1, 32>>>(dba, dbb, ci);
  std::vector<int> ints = ci.fetch();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      int sum = 0;
      for (int k = 0; k < 32; ++k) sum += ba[i * 32 + k] * bb[j * 32 + k];
      EXPECT(ints[i * 8 + j] == sum);
    }

  std::vector<double> xa(32), xb(32);
  for (double& value : xa) value = inputs.unit();
  for (double& value : xb) value = inputs.unit();
  OnCard<double> dxa(xa), dxb(xb), cx(64);
  double_tile<<<1, 32>>>(dxa, dxb, cx);
  std::vector<double> doubles = cx.fetch();
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      double sum = 0;
      for (int k = 0; k < 4; ++k) sum += xa[i * 4 + k] * xb[k * 8 + j];
      EXPECT(std::fabs(doubles[i * 8 + j] - sum) < 1e-14);
    }
  test_fragments<__half>();
  test_fragments<__nv_bfloat16>();
}

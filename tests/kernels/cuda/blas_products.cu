// cuBLAS: vectors, matrix times vector, products in every transposition, strided batches, half with float sums; against plain loops.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include "check.h"

#define BLAS(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)

// Element (i, j) of op(a), column by column.
template <class T> double at(const std::vector<T>& a, int ld, bool transposed, int i, int j) { return double(a[transposed ? i * ld + j : j * ld + i]); }

int main() {
  cublasHandle_t handle;
  BLAS(cublasCreate(&handle));
  Inputs inputs;
  const int n = 37;
  const std::vector<float> x = inputs.floats(n), y = inputs.floats(n);
  OnCard<float> cx(x), cy(y);
  float dot = 0, norm = 0;
  BLAS(cublasSdot(handle, n, cx, 1, cy, 1, &dot));
  BLAS(cublasSnrm2(handle, n, cx, 1, &norm));
  double wanted_dot = 0, wanted_norm = 0;
  for (int i = 0; i < n; ++i) wanted_dot += double(x[i]) * y[i], wanted_norm += double(x[i]) * x[i];
  EXPECT(std::fabs(dot - wanted_dot) < 1e-5 && std::fabs(norm - std::sqrt(wanted_norm)) < 1e-5);
  const float factor = -1.5f;
  BLAS(cublasSaxpy(handle, n, &factor, cx, 1, cy, 1));
  std::vector<float> sum = y;
  for (int i = 0; i < n; ++i) sum[i] += factor * x[i];
  same(cy.fetch(), sum, 1e-6);
  int place = 0;
  BLAS(cublasIsamax(handle, n, cx, 1, &place));
  for (float v : x) EXPECT(std::fabs(v) <= std::fabs(x[place - 1]));

  const int m = 6, k = 9, columns = 5;
  const float alpha = 0.5f, beta = 2.0f;
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      const std::vector<float> a = inputs.floats(m * k), b = inputs.floats(k * columns);
      std::vector<float> c = inputs.floats(m * columns);
      OnCard<float> ca(a), cb(b), cc(c);
      BLAS(cublasSgemm(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, columns, k, &alpha, ca, ta ? k : m, cb, tb ? columns : k, &beta, cc, m));
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < columns; ++j) {
          double product = 0;
          for (int l = 0; l < k; ++l) product += at(a, ta ? k : m, ta, i, l) * at(b, tb ? columns : k, tb, l, j);
          c[j * m + i] = float(alpha * product + beta * c[j * m + i]);
        }
      same(cc.fetch(), c, 1e-5);
    }
  }
  const std::vector<float> matrix = inputs.floats(m * k), vector = inputs.floats(k);
  OnCard<float> cm(matrix), cv(vector), out(m);
  const float one = 1, zero = 0;
  BLAS(cublasSgemv(handle, CUBLAS_OP_N, m, k, &one, cm, m, cv, 1, &zero, out, 1));
  std::vector<float> wanted(m);
  for (int i = 0; i < m; ++i) {
    double product = 0;
    for (int l = 0; l < k; ++l) product += at(matrix, m, false, i, l) * vector[l];
    wanted[i] = float(product);
  }
  same(out.fetch(), wanted, 1e-5);

  // Three products at once, in half with sums in float.
  const int batches = 3;
  std::vector<__half> ha(batches * m * k), hb(batches * k * columns);
  for (auto& v : ha) v = __float2half(inputs.unit());
  for (auto& v : hb) v = __float2half(inputs.unit());
  OnCard<__half> ca(ha), cb(hb);
  OnCard<float> cc(batches * m * columns);
  BLAS(cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, columns, k, &one, ca, CUDA_R_16F, m, m * k, cb, CUDA_R_16F, k, k * columns, &zero, cc,
                                  CUDA_R_32F, m, m * columns, batches, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  const std::vector<float> got = cc.fetch();
  for (int b = 0; b < batches; ++b)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < columns; ++j) {
        double product = 0;
        for (int l = 0; l < k; ++l) product += double(__half2float(ha[b * m * k + l * m + i])) * __half2float(hb[b * k * columns + j * k + l]);
        EXPECT(std::fabs(got[b * m * columns + j * m + i] - product) < 1e-4);
      }
  BLAS(cublasDestroy(handle));
  return 0;
}

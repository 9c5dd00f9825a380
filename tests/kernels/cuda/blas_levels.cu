// cuBLAS in float and double, levels 1 to 3, with strides, leading dimensions, transposition and batches, against plain loops in double.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <string>
#include <type_traits>

#include "check.h"

#define BLAS(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)
#define PICK(name, single, twice) \
  template <class T, class... A> cublasStatus_t name(A... a) { if constexpr (std::is_same_v<T, float>) return single(a...); else return twice(a...); }
PICK(axpy, cublasSaxpy, cublasDaxpy) PICK(scal, cublasSscal, cublasDscal) PICK(copy_vector, cublasScopy, cublasDcopy) PICK(swap_vectors, cublasSswap, cublasDswap)
PICK(dot, cublasSdot, cublasDdot) PICK(nrm2, cublasSnrm2, cublasDnrm2) PICK(asum, cublasSasum, cublasDasum) PICK(amax, cublasIsamax, cublasIdamax)
PICK(amin, cublasIsamin, cublasIdamin) PICK(gemv, cublasSgemv, cublasDgemv) PICK(ger, cublasSger, cublasDger) PICK(geam, cublasSgeam, cublasDgeam)
PICK(gemm, cublasSgemm, cublasDgemm) PICK(gemm_batched, cublasSgemmBatched, cublasDgemmBatched)
PICK(gemm_strided, cublasSgemmStridedBatched, cublasDgemmStridedBatched)

constexpr int kM = 7, kN = 5, kK = 6, kLd = 9;

template <class T>
void near_to(const std::vector<T>& got, const std::vector<double>& wanted, double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-13) {
  EXPECT(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT(std::fabs(double(got[i]) - wanted[i]) <= tolerance * (1 + std::fabs(wanted[i])));
}
template <class T> std::vector<T> numbers(Inputs& inputs, int count) {
  std::vector<T> values(count);
  for (T& v : values) v = T(inputs.unit());
  return values;
}
template <class T> std::vector<double> wide(const std::vector<T>& from) { return {from.begin(), from.end()}; }

// Columns lie one after the other, kLd apart.
template <class T> double at(const std::vector<T>& a, bool is_transposed, int row, int column) { return is_transposed ? a[row * kLd + column] : a[column * kLd + row]; }

template <class T>
void vectors(cublasHandle_t h) {
  Inputs inputs;
  const int n = 20;
  const std::vector<T> x = numbers<T>(inputs, 2 * n), y = numbers<T>(inputs, 3 * n);
  OnCard<T> dx(x), dy(y);
  const T alpha = T(1.5);
  std::vector<double> wx = wide(x), wy = wide(y);
  BLAS(axpy<T>(h, n, &alpha, dx.data, 2, dy.data, 3));
  for (int i = 0; i < n; ++i) wy[3 * i] += 1.5 * wx[2 * i];
  near_to(dy.fetch(), wy);
  BLAS(scal<T>(h, n, &alpha, dx.data, 2));
  for (int i = 0; i < n; ++i) wx[2 * i] *= 1.5;
  near_to(dx.fetch(), wx);
  BLAS(swap_vectors<T>(h, n, dx.data, 1, dy.data, 3));
  for (int i = 0; i < n; ++i) std::swap(wx[i], wy[3 * i]);
  near_to(dx.fetch(), wx), near_to(dy.fetch(), wy);
  BLAS(copy_vector<T>(h, n, dx.data, 2, dy.data, 1));
  for (int i = 0; i < n; ++i) wy[i] = wx[2 * i];
  near_to(dy.fetch(), wy);
  T d = 0, length = 0, size = 0;
  int most = 0, least = 0;
  BLAS(dot<T>(h, n, dx.data, 2, dy.data, 3, &d)); BLAS(nrm2<T>(h, n, dx.data, 2, &length)); BLAS(asum<T>(h, n, dy.data, 3, &size));
  BLAS(amax<T>(h, n, dx.data, 2, &most)); BLAS(amin<T>(h, n, dx.data, 2, &least));
  double wd = 0, wl = 0, ws = 0;
  int first_most = 0, first_least = 0;
  for (int i = 0; i < n; ++i) {
    wd += wx[2 * i] * wy[3 * i], wl += wx[2 * i] * wx[2 * i], ws += std::fabs(wy[3 * i]);
    if (std::fabs(wx[2 * i]) > std::fabs(wx[2 * first_most])) first_most = i;
    if (std::fabs(wx[2 * i]) < std::fabs(wx[2 * first_least])) first_least = i;
  }
  near_to(std::vector<T>{d, length, size}, {wd, std::sqrt(wl), ws});
  EXPECT(most == first_most + 1 && least == first_least + 1);
  // A scalar on the card.
  OnCard<T> scalars(std::vector<T>{T(-2)});
  BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
  BLAS(scal<T>(h, n, scalars.data, dx.data, 1));
  BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
  for (int i = 0; i < n; ++i) wx[i] *= -2;
  near_to(dx.fetch(), wx);
}

template <class T>
void matrices(cublasHandle_t h) {
  Inputs inputs;
  const std::vector<T> a = numbers<T>(inputs, kLd * kLd), b = numbers<T>(inputs, kLd * kLd), c = numbers<T>(inputs, kLd * kLd);
  const T alpha = T(0.75), beta = T(-0.5);
  const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T};
  for (int ta = 0; ta < 2; ++ta) {
    OnCard<T> da(a), dx(b), dy(c);
    BLAS(gemv<T>(h, operations[ta], kM, kN, &alpha, da.data, kLd, dx.data, 2, &beta, dy.data, 3));
    std::vector<double> wanted = wide(c);
    const int rows = ta ? kN : kM, columns = ta ? kM : kN;
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int j = 0; j < columns; ++j) sum += at(a, ta, i, j) * b[2 * j];
      wanted[3 * i] = 0.75 * sum - 0.5 * c[3 * i];
    }
    near_to(dy.fetch(), wanted);
    for (int tb = 0; tb < 2; ++tb) {
      OnCard<T> db(b), dc(c), sum(c);
      BLAS(gemm<T>(h, operations[ta], operations[tb], kM, kN, kK, &alpha, da.data, kLd, db.data, kLd, &beta, dc.data, kLd));
      BLAS(geam<T>(h, operations[ta], operations[tb], kM, kN, &alpha, da.data, kLd, &beta, db.data, kLd, sum.data, kLd));
      std::vector<double> product = wide(c), sums = wide(c);
      for (int i = 0; i < kM; ++i) {
        for (int j = 0; j < kN; ++j) {
          double dotted = 0;
          for (int k = 0; k < kK; ++k) dotted += at(a, ta, i, k) * at(b, tb, k, j);
          product[j * kLd + i] = 0.75 * dotted - 0.5 * c[j * kLd + i];
          sums[j * kLd + i] = 0.75 * at(a, ta, i, j) - 0.5 * at(b, tb, i, j);
        }
      }
      near_to(dc.fetch(), product), near_to(sum.fetch(), sums);
    }
  }
  OnCard<T> da(c), dx(a), dy(b);
  BLAS(ger<T>(h, kM, kN, &alpha, dx.data, 2, dy.data, 1, da.data, kLd));
  std::vector<double> wanted = wide(c);
  for (int i = 0; i < kM; ++i)
    for (int j = 0; j < kN; ++j) wanted[j * kLd + i] += 0.75 * a[2 * i] * b[j];
  near_to(da.fetch(), wanted);
  // Two products at once: by stride, by tables of pointers.
  const int half = kLd * 4;  // the second of each lies there
  OnCard<T> ma(a), mb(b), by_stride(c), by_table(c);
  BLAS(gemm_strided<T>(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 3, 2, &alpha, ma.data, kLd, (long long)half, mb.data, kLd, (long long)half, &beta, by_stride.data, kLd, (long long)half, 2));
  OnCard<T*> ta(std::vector<T*>{ma.data, ma.data + half}), tb(std::vector<T*>{mb.data, mb.data + half}), tc(std::vector<T*>{by_table.data, by_table.data + half});
  BLAS(gemm_batched<T>(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 3, 2, &alpha, (const T* const*)ta.data, kLd, (const T* const*)tb.data, kLd, &beta, (T* const*)tc.data, kLd, 2));
  wanted = wide(c);
  for (int which = 0; which < 2; ++which)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 3; ++j) {
        const int o = which * half;
        wanted[o + j * kLd + i] = 0.75 * (double(a[o + i]) * b[o + j * kLd] + double(a[o + kLd + i]) * b[o + j * kLd + 1]) - 0.5 * c[o + j * kLd + i];
      }
  near_to(by_stride.fetch(), wanted), near_to(by_table.fetch(), wanted);
}

void halves(cublasHandle_t h) {
  // Small integers: every sum is exact in half.
  std::vector<__half> a(16), b(16), zero(16);
  std::vector<double> wanted(16);
  for (int i = 0; i < 16; ++i) a[i] = __float2half(float(i % 5 - 2)), b[i] = __float2half(float(i % 3)), zero[i] = __float2half(0);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k) wanted[j * 4 + i] += double(__half2float(a[k * 4 + i])) * __half2float(b[j * 4 + k]);
  const __half one = __float2half(1), none = __float2half(0);
  const float one_f = 1, none_f = 0;
  auto check = [&](OnCard<__half>& got) {
    std::vector<float> f;
    for (__half v : got.fetch()) f.push_back(__half2float(v));
    near_to(f, wanted, 0);
  };
  OnCard<__half> da(a), db(b), c1(zero), c2(zero), c3(zero), c4(zero);
  BLAS(cublasHgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, da, 4, db, 4, &none, c1, 4)); check(c1);
  BLAS(cublasHgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, da, 4, 16, db, 4, 16, &none, c2, 4, 16, 1)); check(c2);
  OnCard<__half*> ta(std::vector<__half*>{da.data}), tb(std::vector<__half*>{db.data}), tc(std::vector<__half*>{c3.data});
  BLAS(cublasHgemmBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, (const __half* const*)ta.data, 4, (const __half* const*)tb.data, 4, &none, (__half* const*)tc.data, 4, 1)); check(c3);
  BLAS(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one_f, da, CUDA_R_16F, 4, db, CUDA_R_16F, 4, &none_f, c4, CUDA_R_16F, 4, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT)); check(c4);
}

int main() {
  cublasHandle_t h;
  BLAS(cublasCreate(&h));
  cudaStream_t stream, asked = nullptr;
  CHECK(cudaStreamCreate(&stream));
  BLAS(cublasSetStream(h, stream)); BLAS(cublasGetStream(h, &asked));
  EXPECT(asked == stream);
  BLAS(cublasSetStream(h, nullptr)); BLAS(cublasSetMathMode(h, CUBLAS_DEFAULT_MATH)); BLAS(cublasSetWorkspace(h, nullptr, 0));
  int version = 0;
  BLAS(cublasGetVersion(h, &version));
  EXPECT(version > 0);
  vectors<float>(h), vectors<double>(h);
  matrices<float>(h), matrices<double>(h);
  halves(h);
  // Every third number of the host to every second on the card, and back.
  const std::vector<float> from = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  OnCard<float> strided(6);
  strided.zero();
  BLAS(cublasSetVector(3, sizeof(float), from.data(), 3, strided.data, 2));
  EXPECT(strided.fetch() == (std::vector<float>{0, 0, 3, 0, 6, 0}));
  std::vector<float> to(9, -1);
  BLAS(cublasGetVector(3, sizeof(float), strided.data, 2, to.data(), 4));
  EXPECT(to == (std::vector<float>{0, -1, -1, -1, 3, -1, -1, -1, 6}));
  BLAS(cublasSetMatrix(2, 2, sizeof(float), from.data(), 3, strided.data, 2));
  std::vector<float> square(4);
  BLAS(cublasGetMatrix(2, 2, sizeof(float), strided.data, 2, square.data(), 2));
  EXPECT(square == (std::vector<float>{0, 1, 3, 4}));
  EXPECT(std::string(cublasGetStatusString(CUBLAS_STATUS_SUCCESS)).size() > 0 && std::string(cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE)) == "CUBLAS_STATUS_INVALID_VALUE");
  CHECK(cudaStreamDestroy(stream));
  BLAS(cublasDestroy(h));
}

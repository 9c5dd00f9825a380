// The part of cuBLAS that programs use beside their own kernels. Column-major, as the original; sums are kept in double (single and
// half precision) so that they serve as a reference.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "library_types.h"

typedef struct cublasContext* cublasHandle_t;
typedef enum { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1, CUBLAS_STATUS_ALLOC_FAILED = 3, CUBLAS_STATUS_INVALID_VALUE = 7,
               CUBLAS_STATUS_ARCH_MISMATCH = 8, CUBLAS_STATUS_MAPPING_ERROR = 11, CUBLAS_STATUS_EXECUTION_FAILED = 13,
               CUBLAS_STATUS_INTERNAL_ERROR = 14, CUBLAS_STATUS_NOT_SUPPORTED = 15, CUBLAS_STATUS_LICENSE_ERROR = 16 } cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_DEFAULT_MATH = 0, CUBLAS_TENSOR_OP_MATH = 1, CUBLAS_PEDANTIC_MATH = 2, CUBLAS_TF32_TENSOR_OP_MATH = 3 } cublasMath_t;
typedef enum { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 } cublasGemmAlgo_t;
typedef enum { CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_16F_PEDANTIC = 65, CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_PEDANTIC = 69,
               CUBLAS_COMPUTE_32F_FAST_16F = 74, CUBLAS_COMPUTE_32F_FAST_16BF = 75, CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
               CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_32I = 72 } cublasComputeType_t;
typedef cudaDataType cublasDataType_t;

extern "C" {
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes);
const char* cublasGetStatusString(cublasStatus_t status);
const char* cublasGetStatusName(cublasStatus_t status);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType type_a, int lda, long long stride_a, const void* b,
                                          cudaDataType type_b, int ldb, long long stride_b, const void* beta, void* c, cudaDataType type_c,
                                          int ldc, long long stride_c, int count, cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t sb_blas_gemv(cublasHandle_t handle, int is_double, cublasOperation_t op, int m, int n, const void* alpha, const void* a, int lda,
                            const void* x, int incx, const void* beta, void* y, int incy);
// y = alpha x + beta y and its relatives; `what`: 'a' axpy, 's' scal, 'c' copy, 'w' swap, 'd' dot, 'n' nrm2, 'u' asum, 'x' amax, 'm' amin.
cublasStatus_t sb_blas_vector(cublasHandle_t handle, char what, int is_double, int n, const void* alpha, const void* x, int incx, void* y, int incy,
                              void* result);
cublasStatus_t sb_blas_ger(cublasHandle_t handle, int is_double, int m, int n, const void* alpha, const void* x, int incx, const void* y, int incy,
                           void* a, int lda);
cublasStatus_t sb_blas_geam(cublasHandle_t handle, int is_double, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, const void* alpha,
                            const void* a, int lda, const void* beta, const void* b, int ldb, void* c, int ldc);
}
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetWorkspace cublasSetWorkspace_v2

#define SB_GEMM(letter, type, data, compute)                                                                                                    \
  static inline cublasStatus_t cublas##letter##gemmStridedBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,     \
                                                                  int k, const type* alpha, const type* a, int lda, long long sa, const type* b, \
                                                                  int ldb, long long sb, const type* beta, type* c, int ldc, long long sc,       \
                                                                  int count) {                                                                   \
    return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, data, lda, sa, b, data, ldb, sb, beta, c, data, ldc, sc, count, compute,      \
                                      CUBLAS_GEMM_DEFAULT);                                                                                      \
  }                                                                                                                                              \
  static inline cublasStatus_t cublas##letter##gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,            \
                                                    const type* alpha, const type* a, int lda, const type* b, int ldb, const type* beta,         \
                                                    type* c, int ldc) {                                                                          \
    return cublas##letter##gemmStridedBatched(h, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);                              \
  }                                                                                                                                              \
  static inline cublasStatus_t cublas##letter##gemmBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,     \
                                                           const type* alpha, const type* const a[], int lda, const type* const b[], int ldb,    \
                                                           const type* beta, type* const c[], int ldc, int count) {                              \
    for (int i = 0; i < count; ++i) {                                                                                                            \
      const type *pa, *pb;                                                                                                                       \
      type* pc;                                                                                                                                  \
      cudaMemcpy(&pa, a + i, sizeof pa, cudaMemcpyDefault);                                                                                      \
      cudaMemcpy(&pb, b + i, sizeof pb, cudaMemcpyDefault);                                                                                      \
      cudaMemcpy(&pc, c + i, sizeof pc, cudaMemcpyDefault);                                                                                      \
      cublasStatus_t status = cublas##letter##gemm(h, ta, tb, m, n, k, alpha, pa, lda, pb, ldb, beta, pc, ldc);                                  \
      if (status != CUBLAS_STATUS_SUCCESS) return status;                                                                                        \
    }                                                                                                                                            \
    return CUBLAS_STATUS_SUCCESS;                                                                                                                \
  }
SB_GEMM(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
SB_GEMM(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
SB_GEMM(H, __half, CUDA_R_16F, CUBLAS_COMPUTE_16F)
#undef SB_GEMM
static inline cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void* alpha,
                                          const void* a, cudaDataType type_a, int lda, const void* b, cudaDataType type_b, int ldb,
                                          const void* beta, void* c, cudaDataType type_c, int ldc, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta, c, type_c, ldc, 0, 1, compute, algorithm);
}
static inline cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void* alpha,
                                          const void* a, cudaDataType type_a, int lda, const void* b, cudaDataType type_b, int ldb,
                                          const void* beta, void* c, cudaDataType type_c, int ldc, cudaDataType compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc,
                      compute == CUDA_R_64F ? CUBLAS_COMPUTE_64F : compute == CUDA_R_16F ? CUBLAS_COMPUTE_16F : CUBLAS_COMPUTE_32F, algorithm);
}
#define SB_BLAS1(letter, type, d)                                                                                                                \
  static inline cublasStatus_t cublas##letter##axpy(cublasHandle_t h, int n, const type* alpha, const type* x, int incx, type* y, int incy) {       \
    return sb_blas_vector(h, 'a', d, n, alpha, x, incx, y, incy, nullptr);                                                                       \
  }                                                                                                                                              \
  static inline cublasStatus_t cublas##letter##scal(cublasHandle_t h, int n, const type* alpha, type* x, int incx) {                               \
    return sb_blas_vector(h, 's', d, n, alpha, x, incx, x, incx, nullptr);                                                                       \
  }                                                                                                                                              \
  static inline cublasStatus_t cublas##letter##copy(cublasHandle_t h, int n, const type* x, int incx, type* y, int incy) {                         \
    return sb_blas_vector(h, 'c', d, n, nullptr, x, incx, y, incy, nullptr);                                                                     \
  }                                                                                                                                              \
  static inline cublasStatus_t cublas##letter##swap(cublasHandle_t h, int n, type* x, int incx, type* y, int incy) {                               \
    return sb_blas_vector(h, 'w', d, n, nullptr, x, incx, y, incy, nullptr);                                                                     \
  }                                                                                                                                              \
  static inline cublasStatus_t cublas##letter##dot(cublasHandle_t h, int n, const type* x, int incx, const type* y, int incy, type* r) {           \
    return sb_blas_vector(h, 'd', d, n, nullptr, x, incx, (void*)y, incy, r);                                                                    \
  }                                                                                                                                              \
  static inline cublasStatus_t cublas##letter##nrm2(cublasHandle_t h, int n, const type* x, int incx, type* r) {                                   \
    return sb_blas_vector(h, 'n', d, n, nullptr, x, incx, nullptr, 1, r);                                                                        \
  }                                                                                                                                              \
  static inline cublasStatus_t cublas##letter##asum(cublasHandle_t h, int n, const type* x, int incx, type* r) {                                   \
    return sb_blas_vector(h, 'u', d, n, nullptr, x, incx, nullptr, 1, r);                                                                        \
  }                                                                                                                                              \
  static inline cublasStatus_t cublas##letter##gemv(cublasHandle_t h, cublasOperation_t op, int m, int n, const type* alpha, const type* a,        \
                                                    int lda, const type* x, int incx, const type* beta, type* y, int incy) {                     \
    return sb_blas_gemv(h, d, op, m, n, alpha, a, lda, x, incx, beta, y, incy);                                                                  \
  }                                                                                                                                              \
  static inline cublasStatus_t cublas##letter##ger(cublasHandle_t h, int m, int n, const type* alpha, const type* x, int incx, const type* y,      \
                                                   int incy, type* a, int lda) {                                                                 \
    return sb_blas_ger(h, d, m, n, alpha, x, incx, y, incy, a, lda);                                                                             \
  }                                                                                                                                              \
  static inline cublasStatus_t cublas##letter##geam(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, const type* alpha, \
                                                    const type* a, int lda, const type* beta, const type* b, int ldb, type* c, int ldc) {        \
    return sb_blas_geam(h, d, ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                                                                \
  }
SB_BLAS1(S, float, 0)
SB_BLAS1(D, double, 1)
#undef SB_BLAS1
static inline cublasStatus_t cublasIsamax(cublasHandle_t h, int n, const float* x, int incx, int* r) { return sb_blas_vector(h, 'x', 0, n, nullptr, x, incx, nullptr, 1, r); }
static inline cublasStatus_t cublasIdamax(cublasHandle_t h, int n, const double* x, int incx, int* r) { return sb_blas_vector(h, 'x', 1, n, nullptr, x, incx, nullptr, 1, r); }
static inline cublasStatus_t cublasIsamin(cublasHandle_t h, int n, const float* x, int incx, int* r) { return sb_blas_vector(h, 'm', 0, n, nullptr, x, incx, nullptr, 1, r); }
static inline cublasStatus_t cublasIdamin(cublasHandle_t h, int n, const double* x, int incx, int* r) { return sb_blas_vector(h, 'm', 1, n, nullptr, x, incx, nullptr, 1, r); }
static inline cublasStatus_t cublasSetVector(int n, int bytes, const void* x, int incx, void* y, int incy) {
  return cudaMemcpy2D(y, (size_t)incy * bytes, x, (size_t)incx * bytes, bytes, n, cudaMemcpyHostToDevice) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
static inline cublasStatus_t cublasGetVector(int n, int bytes, const void* x, int incx, void* y, int incy) {
  return cudaMemcpy2D(y, (size_t)incy * bytes, x, (size_t)incx * bytes, bytes, n, cudaMemcpyDeviceToHost) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
static inline cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b, int ldb) {
  return cudaMemcpy2D(b, (size_t)ldb * bytes, a, (size_t)lda * bytes, (size_t)rows * bytes, columns, cudaMemcpyHostToDevice) == cudaSuccess
             ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
static inline cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b, int ldb) {
  return cudaMemcpy2D(b, (size_t)ldb * bytes, a, (size_t)lda * bytes, (size_t)rows * bytes, columns, cudaMemcpyDeviceToHost) == cudaSuccess
             ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

// cuBLAS calls, carried out on the host.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cuda_runtime_api.h"
#include "emulate/cuda/runtime/api.h"
#include "emulate/cuda/runtime/checker.h"
#include "emulate/common/settings.h"
#include "library_types.h"

namespace starbridge::emulate::cuda {

namespace {

constexpr int kSuccess = 0, kNotInitialised = 1, kInvalidValue = 7, kNotSupported = 15;
enum Operation { kPlain = 0, kTransposed = 1 };

struct Handle {
  cudaStream_t stream = nullptr;
  int pointer_mode = 0;
};

float half_value(std::uint16_t raw) {
  const int exponent = raw >> 10 & 31, mantissa = raw & 1023;
  const float magnitude = exponent == 0    ? std::ldexp(static_cast<float>(mantissa), -24)
                          : exponent == 31 ? (mantissa != 0 ? NAN : INFINITY)
                                           : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
  return (raw & 0x8000) != 0 ? -magnitude : magnitude;
}

std::uint16_t half_bits(double x) {
  const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isnan(x)) return 0x7fff;
  const double size = std::fabs(x);
  if (size >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  const int exponent = size < 6.103515625e-05 ? -14 : std::ilogb(size);
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  return static_cast<std::uint16_t>(sign + ((exponent + 14) << 10) + steps);
}

double load(const void* data, cudaDataType type, std::int64_t index) {
  switch (type) {
    case CUDA_R_32F:
      return static_cast<const float*>(data)[index];
    case CUDA_R_64F:
      return static_cast<const double*>(data)[index];
    case CUDA_R_16F:
      return half_value(static_cast<const std::uint16_t*>(data)[index]);
    case CUDA_R_16BF: {
      const std::uint32_t bits = static_cast<std::uint32_t>(static_cast<const std::uint16_t*>(data)[index]) << 16;
      float value;
      std::memcpy(&value, &bits, 4);
      return value;
    }
    case CUDA_R_8I:
      return static_cast<const signed char*>(data)[index];
    case CUDA_R_32I:
      return static_cast<const std::int32_t*>(data)[index];
    default:
      return 0;
  }
}

void store(void* data, cudaDataType type, std::int64_t index, double value) {
  switch (type) {
    case CUDA_R_32F:
      static_cast<float*>(data)[index] = static_cast<float>(value);
      break;
    case CUDA_R_64F:
      static_cast<double*>(data)[index] = value;
      break;
    case CUDA_R_16F:
      static_cast<std::uint16_t*>(data)[index] = half_bits(value);
      break;
    case CUDA_R_16BF: {
      const auto single = static_cast<float>(value);
      std::uint32_t bits;
      std::memcpy(&bits, &single, 4);
      static_cast<std::uint16_t*>(data)[index] =
          std::isnan(single) ? std::uint16_t{0x7fff} : static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
      break;
    }
    case CUDA_R_32I:
      static_cast<std::int32_t*>(data)[index] = static_cast<std::int32_t>(value);
      break;
    default:
      break;
  }
}

std::size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_64F:
      return 8;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_8I:
      return 1;
    default:
      return 4;
  }
}

bool is_known(cudaDataType type) {
  return type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_8I ||
         type == CUDA_R_32I;
}

void note_written(const void* start, std::size_t bytes) {
  if (settings().is_check) shadow_initialise(start, bytes);
}

cudaDataType real(int is_double) { return is_double != 0 ? CUDA_R_64F : CUDA_R_32F; }

// c = alpha op(a) op(b) + beta c, column-major. Operands are unpacked once, so that the inner loop runs over contiguous doubles.
void multiply(int op_a, int op_b, int m, int n, int k, double alpha, const void* a, cudaDataType type_a, int lda, const void* b,
              cudaDataType type_b, int ldb, double beta, void* c, cudaDataType type_c, int ldc) {
  std::vector<double> rows(static_cast<std::size_t>(m) * static_cast<std::size_t>(k));
  for (int i = 0; i < m; ++i)
    for (int p = 0; p < k; ++p)
      rows[static_cast<std::size_t>(i) * static_cast<std::size_t>(k) + static_cast<std::size_t>(p)] =
          load(a, type_a, op_a == kPlain ? i + std::int64_t{p} * lda : p + std::int64_t{i} * lda);
  std::vector<double> column(static_cast<std::size_t>(k));
  for (int j = 0; j < n; ++j) {
    for (int p = 0; p < k; ++p)
      column[static_cast<std::size_t>(p)] =
          load(b, type_b, op_b == kPlain ? p + std::int64_t{j} * ldb : j + std::int64_t{p} * ldb);
    for (int i = 0; i < m; ++i) {
      const double* row = &rows[static_cast<std::size_t>(i) * static_cast<std::size_t>(k)];
      double sum = 0;
      for (int p = 0; p < k; ++p) sum += row[p] * column[static_cast<std::size_t>(p)];
      const std::int64_t at = i + std::int64_t{j} * ldc;
      store(c, type_c, at, alpha * sum + (beta == 0 ? 0 : beta * load(c, type_c, at)));
    }
  }
}

}  // namespace
}  // namespace starbridge::emulate::cuda

using namespace starbridge::emulate;
using namespace starbridge::emulate::cuda;

extern "C" {

int cublasCreate_v2(Handle** handle) {
  if (handle == nullptr) return kInvalidValue;
  *handle = new Handle;
  return kSuccess;
}
int cublasDestroy_v2(Handle* handle) {
  delete handle;
  return kSuccess;
}
int cublasSetStream_v2(Handle* handle, cudaStream_t stream) {
  if (handle == nullptr) return kNotInitialised;
  handle->stream = stream;
  return kSuccess;
}
int cublasGetStream_v2(Handle* handle, cudaStream_t* stream) {
  if (handle == nullptr) return kNotInitialised;
  *stream = handle->stream;
  return kSuccess;
}
int cublasSetMathMode(Handle* handle, int) { return handle == nullptr ? kNotInitialised : kSuccess; }
int cublasSetPointerMode_v2(Handle* handle, int mode) {
  if (handle == nullptr) return kNotInitialised;
  handle->pointer_mode = mode;
  return kSuccess;
}
int cublasGetVersion_v2(Handle*, int* version) {
  *version = 120400;
  return kSuccess;
}
int cublasSetWorkspace_v2(Handle*, void*, std::size_t) { return kSuccess; }
const char* cublasGetStatusString(int status) {
  return status == kSuccess        ? "success"
         : status == kInvalidValue ? "an invalid value was given"
         : status == kNotSupported ? "not supported"
                                   : "failed";
}
const char* cublasGetStatusName(int status) {
  return status == kSuccess        ? "CUBLAS_STATUS_SUCCESS"
         : status == kInvalidValue ? "CUBLAS_STATUS_INVALID_VALUE"
         : status == kNotSupported ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                   : "CUBLAS_STATUS_EXECUTION_FAILED";
}

int cublasGemmStridedBatchedEx(Handle* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a,
                               cudaDataType type_a, int lda, long long stride_a, const void* b, cudaDataType type_b, int ldb,
                               long long stride_b, const void* beta, void* c, cudaDataType type_c, int ldc, long long stride_c,
                               int count, int compute, int) {
  if (handle == nullptr) return kNotInitialised;
  if (m < 0 || n < 0 || k < 0 || lda < (op_a == kPlain ? m : k) || ldb < (op_b == kPlain ? k : n) || ldc < m)
    return kInvalidValue;
  if (!is_known(type_a) || !is_known(type_b) || !is_known(type_c)) return kNotSupported;
  const cudaDataType scale = compute == 64 || compute == 65 ? CUDA_R_16F
                             : compute == 70                ? CUDA_R_64F
                             : compute == 72                ? CUDA_R_32I
                                                            : CUDA_R_32F;
  CardOpen open;
  const double alpha_value = load(alpha, scale, 0), beta_value = load(beta, scale, 0);
  for (int i = 0; i < count; ++i) {
    char* to = static_cast<char*>(c) + static_cast<std::size_t>(i * stride_c) * bytes_of(type_c);
    multiply(op_a, op_b, m, n, k, alpha_value,
             static_cast<const char*>(a) + static_cast<std::size_t>(i * stride_a) * bytes_of(type_a), type_a, lda,
             static_cast<const char*>(b) + static_cast<std::size_t>(i * stride_b) * bytes_of(type_b), type_b, ldb, beta_value, to,
             type_c, ldc);
    for (int j = 0; j < n; ++j)
      note_written(to + static_cast<std::size_t>(j) * static_cast<std::size_t>(ldc) * bytes_of(type_c),
                   static_cast<std::size_t>(m) * bytes_of(type_c));
  }
  return kSuccess;
}

int sb_blas_gemv(Handle* handle, int is_double, int op, int m, int n, const void* alpha, const void* a, int lda, const void* x,
                 int incx, const void* beta, void* y, int incy) {
  if (handle == nullptr) return kNotInitialised;
  if (m < 0 || n < 0 || lda < m || incx == 0 || incy == 0) return kInvalidValue;
  CardOpen open;
  const cudaDataType type = real(is_double);
  const double scale = load(alpha, type, 0), keep = load(beta, type, 0);
  const int rows = op == kPlain ? m : n, columns = op == kPlain ? n : m;
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int j = 0; j < columns; ++j)
      sum += load(a, type, op == kPlain ? i + std::int64_t{j} * lda : j + std::int64_t{i} * lda) *
             load(x, type, std::int64_t{j} * incx);
    const std::int64_t at = std::int64_t{i} * incy;
    store(y, type, at, scale * sum + (keep == 0 ? 0 : keep * load(y, type, at)));
    note_written(static_cast<char*>(y) + static_cast<std::size_t>(at) * bytes_of(type), bytes_of(type));
  }
  return kSuccess;
}

int sb_blas_vector(Handle* handle, char what, int is_double, int n, const void* alpha, const void* x, int incx, void* y, int incy,
                   void* result) {
  if (handle == nullptr) return kNotInitialised;
  CardOpen open;
  const cudaDataType type = real(is_double);
  const double scale = alpha == nullptr ? 0 : load(alpha, type, 0);
  double sum = 0, best = 0;
  int best_index = 0;
  for (int i = 0; i < n; ++i) {
    const std::int64_t at = std::int64_t{i} * incx, to = std::int64_t{i} * incy;
    const double value = load(x, type, at);
    switch (what) {
      case 'a':
        store(y, type, to, load(y, type, to) + scale * value);
        break;
      case 's':
        store(y, type, to, scale * value);
        break;
      case 'c':
        store(y, type, to, value);
        break;
      case 'w':
        store(const_cast<void*>(x), type, at, load(y, type, to));
        store(y, type, to, value);
        break;
      case 'd':
        sum += value * load(y, type, to);
        break;
      case 'n':
        sum += value * value;
        break;
      case 'u':
        sum += std::fabs(value);
        break;
      default:
        if (i == 0 || (what == 'x' ? std::fabs(value) > best : std::fabs(value) < best)) {
          best = std::fabs(value);
          best_index = i + 1;
        }
    }
    if (what == 'a' || what == 's' || what == 'c' || what == 'w')
      note_written(static_cast<char*>(y) + static_cast<std::size_t>(to) * bytes_of(type), bytes_of(type));
  }
  if (what == 'd' || what == 'n' || what == 'u') {
    store(result, type, 0, what == 'n' ? std::sqrt(sum) : sum);
    note_written(result, bytes_of(type));
  }
  if (what == 'x' || what == 'm') {
    std::memcpy(result, &best_index, sizeof best_index);
    note_written(result, sizeof best_index);
  }
  return kSuccess;
}

int sb_blas_ger(Handle* handle, int is_double, int m, int n, const void* alpha, const void* x, int incx, const void* y, int incy,
                void* a, int lda) {
  if (handle == nullptr) return kNotInitialised;
  if (lda < m) return kInvalidValue;
  CardOpen open;
  const cudaDataType type = real(is_double);
  const double scale = load(alpha, type, 0);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      const std::int64_t at = i + std::int64_t{j} * lda;
      store(a, type, at,
            load(a, type, at) + scale * load(x, type, std::int64_t{i} * incx) * load(y, type, std::int64_t{j} * incy));
    }
  return kSuccess;
}

int sb_blas_geam(Handle* handle, int is_double, int op_a, int op_b, int m, int n, const void* alpha, const void* a, int lda,
                 const void* beta, const void* b, int ldb, void* c, int ldc) {
  if (handle == nullptr) return kNotInitialised;
  CardOpen open;
  const cudaDataType type = real(is_double);
  const double left = load(alpha, type, 0), right = load(beta, type, 0);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      double value = 0;
      if (left != 0) value += left * load(a, type, op_a == kPlain ? i + std::int64_t{j} * lda : j + std::int64_t{i} * lda);
      if (right != 0) value += right * load(b, type, op_b == kPlain ? i + std::int64_t{j} * ldb : j + std::int64_t{i} * ldb);
      store(c, type, i + std::int64_t{j} * ldc, value);
      note_written(static_cast<char*>(c) + static_cast<std::size_t>(i + std::int64_t{j} * ldc) * bytes_of(type), bytes_of(type));
    }
  return kSuccess;
}
}

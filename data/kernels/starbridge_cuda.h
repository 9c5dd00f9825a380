// CUDA's words in the host code of ported programs, whatever the chip. Read by starbridge_port.h, after the chip's header.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>

// CUDA's own for host code, which needs no header there.
#define PORT_EXTREMES(type)                                  \
  inline type min(type a, type b) { return b < a ? b : a; }  \
  inline type max(type a, type b) { return a < b ? b : a; }
PORT_EXTREMES(int)
PORT_EXTREMES(unsigned int)
PORT_EXTREMES(long)
PORT_EXTREMES(unsigned long)
PORT_EXTREMES(long long)
PORT_EXTREMES(unsigned long long)
PORT_EXTREMES(float)
PORT_EXTREMES(double)
#undef PORT_EXTREMES

typedef half __half;  // CUDA's names, in launchers and their template arguments
typedef bfloat16_t __nv_bfloat16;

#define PORT_VECTOR(type, name, bytes2, bytes4)                         \
  struct name##1 { type x; };                                           \
  struct alignas(bytes2) name##2 { type x, y; };                        \
  struct name##3 { type x, y, z; };                                     \
  struct alignas(bytes4) name##4 { type x, y, z, w; };                  \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }      \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
PORT_VECTOR(float, float, 8, 16)
PORT_VECTOR(int, int, 8, 16)
PORT_VECTOR(unsigned int, uint, 8, 16)
PORT_VECTOR(double, double, 16, 16)
PORT_VECTOR(unsigned char, uchar, 2, 4)
#undef PORT_VECTOR

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x_count = 1, unsigned int y_count = 1, unsigned int z_count = 1) : x(x_count), y(y_count), z(z_count) {}
};

namespace cooperative_groups {}  // named by aliases that stay in host code
namespace cub {                  // named in template arguments that stay there
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
}  // namespace cub

namespace port {

// kernel<<<grid, block, shared_bytes, queue>>>.
template <class Queue>
struct LaunchOf {
  dim3 grid, block;
  size_t shared_bytes = 0;
  Queue queue = nullptr;
};

// A launch the kernel was not built for ends the program: a wrong result would be worse.
enum Shape { kRows, kLine, kRowsOfWarps };  // any block; one row; rows that are whole warps
template <class Queue>
void check(const LaunchOf<Queue>& at, const char* kernel, int threads_max, Shape shape, size_t shared_max) {
  const unsigned long long threads = 1ULL * at.block.x * at.block.y * at.block.z;
  const char* wrong = threads > (unsigned long long)threads_max          ? "more threads per block than kThreads"
                      : shape == kLine && at.block.y * at.block.z != 1   ? "blocks of more than one row"
                      : shape == kRowsOfWarps && at.block.x % 32 != 0    ? "rows that are no whole warps"
                      : at.shared_bytes > shared_max                     ? "more dynamic shared memory than kDynamicShared"
                                                                         : nullptr;
  if (wrong == nullptr) return;
  std::fprintf(stderr, "%s: launched with %s\n", kernel, wrong);
  std::exit(3);
}

struct DeviceProperties {
  char name[64];
  int major, minor, multiProcessorCount, maxThreadsPerBlock, maxThreadsPerMultiProcessor, warpSize, clockRate;
  int maxThreadsDim[3], maxGridSize[3];
  size_t totalGlobalMem, sharedMemPerBlock, totalConstMem;
  int l2CacheSize, regsPerBlock, memoryClockRate, memoryBusWidth, concurrentKernels;
};

enum Attribute { kSharedPerBlock, kProcessors, kThreadsPerBlock, kWarp };
inline int value_of(const DeviceProperties& all, Attribute which) {
  return which == kSharedPerBlock    ? (int)all.sharedMemPerBlock
         : which == kProcessors      ? all.multiProcessorCount
         : which == kThreadsPerBlock ? all.maxThreadsPerBlock
                                     : all.warpSize;
}

// A handle of cuBLAS that nothing computes with.
enum BlasStatus { kBlasSuccess };
enum BlasMode { kBlasDefault, kBlasTf32 };
struct BlasHandle {};
inline BlasStatus blas_create(BlasHandle*) { return kBlasSuccess; }
inline BlasStatus blas_nothing(BlasHandle, BlasMode = kBlasDefault) { return kBlasSuccess; }

// A __constant__ or __device__ variable: it lives in the chip's memory, kernels get its address.
template <class T>
struct Symbol {
  T initial{};
  void* device = nullptr;
};

}  // namespace port

// The card itself: properties, limits, synchronisation.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "cuda_runtime_api.h"
#include "emulate/cuda/runtime/api.h"
#include "emulate/cuda/runtime/card_table.h"
#include "emulate/cuda/runtime/memory.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::cuda {

namespace {

cudaDeviceProp make_properties() {
  const Card& card = chosen_card();
  cudaDeviceProp p = {};
  // The name says at once that no real card computed the numbers.
  std::snprintf(p.name, sizeof p.name, "%s (emulated by StarBridge)", card.name);
  p.totalGlobalMem = card_bytes();
  p.sharedMemPerBlock = 48 << 10;
  p.sharedMemPerBlockOptin = static_cast<size_t>(card.shared_per_block_kib) << 10;
  p.sharedMemPerMultiprocessor = static_cast<size_t>(card.shared_per_multiprocessor_kib) << 10;
  p.reservedSharedMemPerBlock = card.major >= 8 ? 1024 : 0;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = 32;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 2147483647;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.clockRate = card.clock_mhz * 1000;
  p.totalConstMem = 64 << 10;
  p.major = card.major;
  p.minor = card.minor;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.deviceOverlap = 1;
  p.multiProcessorCount = card.multiprocessors;
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.maxTexture1D = 131072;
  p.maxTexture1DLinear = 268435456;
  p.maxTexture2D[0] = p.maxTexture2DLinear[0] = 131072;
  p.maxTexture2D[1] = p.maxTexture2DLinear[1] = 65536;
  p.maxTexture2DLinear[2] = 2097120;
  p.maxTexture3D[0] = p.maxTexture3D[1] = p.maxTexture3D[2] = 16384;
  p.surfaceAlignment = 512;
  p.asyncEngineCount = 3;
  p.unifiedAddressing = 1;
  p.memoryClockRate = card.memory_clock_mhz * 1000;
  p.memoryBusWidth = card.bus_bits;
  p.l2CacheSize = card.l2_kib << 10;
  p.maxThreadsPerMultiProcessor = card.threads_per_multiprocessor;
  p.maxBlocksPerMultiProcessor = card.blocks_per_multiprocessor;
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.managedMemory = 1;
  p.singleToDoublePrecisionPerfRatio = card.fp32_to_fp64;
  p.concurrentManagedAccess = 1;
  p.computePreemptionSupported = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = 1;
  return p;
}

size_t g_limits[7] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
cudaFuncCache g_cache_config = cudaFuncCachePreferNone;
cudaSharedMemConfig g_shared_config = cudaSharedMemBankSizeFourByte;

}  // namespace

const cudaDeviceProp& card_properties() {
  static const cudaDeviceProp properties = make_properties();
  return properties;
}

int blocks_per_multiprocessor(std::size_t static_bytes, std::size_t dynamic_bytes, int threads) {
  const cudaDeviceProp& p = card_properties();
  if (threads > p.maxThreadsPerBlock) return 0;
  const int by_threads = p.maxThreadsPerMultiProcessor / ((threads + 31) / 32 * 32);
  const std::size_t shared = static_bytes + dynamic_bytes + p.reservedSharedMemPerBlock;
  const int by_shared = shared == 0 ? p.maxBlocksPerMultiProcessor : static_cast<int>(p.sharedMemPerMultiprocessor / shared);
  return std::min({by_threads, by_shared, p.maxBlocksPerMultiProcessor});
}

}  // namespace starbridge::emulate::cuda

using namespace starbridge::emulate;
using namespace starbridge::emulate::cuda;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return give(cudaSuccess);
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return give(cudaSuccess);
}
cudaError_t cudaSetDevice(int device) { return give(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }
cudaError_t cudaSetDeviceFlags(unsigned int) { return give(cudaSuccess); }
cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  *flags = cudaDeviceMapHost;
  return give(cudaSuccess);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return give(cudaErrorInvalidDevice);
  *properties = card_properties();
  return give(cudaSuccess);
}
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* properties, int device) {
  return cudaGetDeviceProperties(properties, device);
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  *device = 0;
  return give(cudaSuccess);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return give(cudaErrorInvalidDevice);
  const cudaDeviceProp& p = card_properties();
  switch (attribute) {
#define SB_DEVICE_ATTRIBUTE(name, number, expression) \
  case cudaDevAttr##name:                             \
    *value = static_cast<int>(expression);            \
    return give(cudaSuccess);
#include "starbridge/device_attributes.def"
#undef SB_DEVICE_ATTRIBUTE
  }
  return give(cudaErrorInvalidValue);
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int) {
  std::snprintf(text, static_cast<size_t>(length), "0000:00:00.0");
  return give(cudaSuccess);
}
cudaError_t cudaDeviceSynchronize(void) { return give(cudaSuccess); }
cudaError_t cudaThreadSynchronize(void) { return give(cudaSuccess); }
cudaError_t cudaDeviceReset(void) {
  CardOpen open;
  reset_memory();
  set_sticky_error(cudaSuccess);
  return cudaSuccess;
}
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (limit < 0 || limit > 6) return give(cudaErrorUnsupportedLimit);
  g_limits[limit] = value;
  return give(cudaSuccess);
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  if (limit < 0 || limit > 6) return give(cudaErrorUnsupportedLimit);
  *value = g_limits[limit];
  return give(cudaSuccess);
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  g_cache_config = config;
  return give(cudaSuccess);
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  *config = g_cache_config;
  return give(cudaSuccess);
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  g_shared_config = config;
  return give(cudaSuccess);
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  *config = g_shared_config;
  return give(cudaSuccess);
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return give(cudaSuccess);
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int) { return give(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return give(cudaErrorPeerAccessNotEnabled); }
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return give(cudaSuccess);
}
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  *value = 0;
  return give(cudaSuccess);
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return give(cudaSuccess);
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return give(cudaSuccess);
}
cudaError_t cudaProfilerStart(void) { return give(cudaSuccess); }
cudaError_t cudaProfilerStop(void) { return give(cudaSuccess); }
}

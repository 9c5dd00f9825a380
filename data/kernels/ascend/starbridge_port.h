// What ported programs share: launches in CUDA's terms and host calls whose meaning differs. The core's side is starbridge_lanes.h.
#pragma once

#include <acl/acl.h>
#include <math.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "starbridge_lanes.h"

#include "starbridge_cuda.h"

#if !defined(PORT_VECTOR_CORES)
#define PORT_VECTOR_CORES 1  // of the chip, set by the port
#endif

namespace port {

// ACL wants to be opened before the first call, CUDA does not.
struct Runtime {
  Runtime() {
    if (aclInit(nullptr) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS) return;
    std::fprintf(stderr, "no Ascend device could be opened\n");
    std::exit(3);
  }
};
inline void ready() { static Runtime runtime; }

using Launch = LaunchOf<aclrtStream>;
// One block of the launch per vector core, fewer when the grid has fewer.
inline unsigned int tasks(const Launch& at, unsigned int cores) {
  ready();
  const unsigned long long blocks = 1ULL * at.grid.x * at.grid.y * at.grid.z;
  return blocks == 0 ? 1 : (unsigned int)std::min<unsigned long long>(blocks, cores);
}
template <class T>
aclError malloc(T** pointer, size_t bytes) {
  ready();
  return aclrtMalloc((void**)pointer, bytes == 0 ? 32 : bytes, ACL_MEM_MALLOC_HUGE_FIRST);
}
template <class T>
aclError host_malloc(T** pointer, size_t bytes, unsigned int = 0) {
  ready();
  return aclrtMallocHost((void**)pointer, bytes);
}
// CUDA's plain copies wait for everything before them; ACL's do not.
inline aclError memcpy(void* to, const void* from, size_t bytes, aclrtMemcpyKind kind) {
  ready();
  aclError error = aclrtSynchronizeDevice();
  return error != ACL_SUCCESS || bytes == 0 ? error : aclrtMemcpy(to, bytes, from, bytes, kind);
}
// Row by row: ACL's own form wants pitches of its own kind.
inline aclError memcpy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, aclrtMemcpyKind kind) {
  for (size_t row = 0; row < height; ++row) {
    aclError error = port::memcpy((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width, kind);
    if (error != ACL_SUCCESS) return error;
  }
  return ACL_SUCCESS;
}
inline aclError memset(void* to, int value, size_t bytes) {
  ready();
  aclError error = aclrtSynchronizeDevice();
  return error != ACL_SUCCESS || bytes == 0 ? error : aclrtMemset(to, bytes, value, bytes);
}
inline aclError free_device(void* pointer) {
  if (pointer == nullptr) return ACL_SUCCESS;
  aclError error = aclrtSynchronizeDevice();
  return error != ACL_SUCCESS ? error : aclrtFree(pointer);
}
inline aclError memcpy_async(void* to, const void* from, size_t bytes, aclrtMemcpyKind kind, aclrtStream stream = nullptr) {
  return stream == nullptr ? port::memcpy(to, from, bytes, kind) : aclrtMemcpyAsync(to, bytes, from, bytes, kind, stream);
}
inline aclError memset_async(void* to, int value, size_t bytes, aclrtStream stream = nullptr) {
  return stream == nullptr ? port::memset(to, value, bytes) : aclrtMemsetAsync(to, bytes, value, bytes, stream);
}
inline aclError synchronize() {
  ready();
  return aclrtSynchronizeDevice();
}
inline aclError create_stream(aclrtStream* stream) {
  ready();
  return aclrtCreateStream(stream);
}
inline aclError create_event(aclrtEvent* event) {
  ready();
  return aclrtCreateEvent(event);
}
inline aclError record_event(aclrtEvent event, aclrtStream stream = nullptr) { return aclrtRecordEvent(event, stream); }
inline aclError set_device(int ordinal) {
  ready();
  return aclrtSetDevice(ordinal);
}
inline aclError get_device(int* ordinal) {
  ready();
  return aclrtGetDevice(ordinal);
}
inline aclError device_count(int* count) {
  ready();
  uint32_t found = 0;
  aclError error = aclrtGetDeviceCount(&found);
  *count = (int)found;
  return error;
}
inline aclError memory_info(size_t* free, size_t* total) {
  ready();
  return aclrtGetMemInfo(ACL_HBM_MEM, free, total);
}
// CUDA's error of the last call; ACL keeps none, each call gives its own back.
inline aclError last_error() { return ACL_SUCCESS; }
inline const char* error_text(aclError error) { return error == ACL_SUCCESS ? "no error" : "an ACL call failed"; }
inline aclError device_properties(DeviceProperties* to, int) {
  *to = {};
  const char* name = aclrtGetSocName();
  std::snprintf(to->name, sizeof to->name, "%s", name == nullptr ? "Ascend" : name);
  to->multiProcessorCount = PORT_VECTOR_CORES, to->maxThreadsPerBlock = 1024, to->maxThreadsPerMultiProcessor = 1024, to->warpSize = 32;
  for (int i = 0; i < 3; ++i) to->maxThreadsDim[i] = i == 2 ? 64 : 1024, to->maxGridSize[i] = 65535;
  size_t free = 0;
  to->sharedMemPerBlock = 48 * 1024;
  to->totalConstMem = 64 * 1024, to->l2CacheSize = 192 << 20, to->regsPerBlock = 65536;
  return memory_info(&free, &to->totalGlobalMem);
}
inline aclError device_attribute(int* to, Attribute which, int ordinal) {
  DeviceProperties all;
  aclError error = device_properties(&all, ordinal);
  if (error != ACL_SUCCESS) return error;
  *to = value_of(all, which);
  return ACL_SUCCESS;
}

template <class T>
void* address_of(Symbol<T>& symbol) {
  if (symbol.device == nullptr) {
    if (port::malloc(&symbol.device, sizeof(T)) != ACL_SUCCESS) std::abort();
    aclrtMemcpy(symbol.device, sizeof(T), &symbol.initial, sizeof(T), ACL_MEMCPY_HOST_TO_DEVICE);
  }
  return symbol.device;
}
template <class T>
aclError memcpy_to_symbol(Symbol<T>& symbol, const void* from, size_t bytes, size_t offset = 0, aclrtMemcpyKind kind = ACL_MEMCPY_HOST_TO_DEVICE) {
  return port::memcpy((char*)address_of(symbol) + offset, from, bytes, kind);
}
template <class T>
aclError memcpy_from_symbol(void* to, Symbol<T>& symbol, size_t bytes, size_t offset = 0, aclrtMemcpyKind kind = ACL_MEMCPY_DEVICE_TO_HOST) {
  return port::memcpy(to, (char*)address_of(symbol) + offset, bytes, kind);
}
#define PORT_NOTHING(...) ACL_SUCCESS

}  // namespace port

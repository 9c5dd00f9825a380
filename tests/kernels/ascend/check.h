// What the programs of this folder share: a check of every call, memory of the chip, a stream that is waited for.
#pragma once

#include <acl/acl.h>

#include "../inputs.h"

#define CHECK(call)                                                                                              \
  do {                                                                                                           \
    aclError error_ = (call);                                                                                    \
    if (error_ != ACL_SUCCESS) {                                                                                 \
      std::printf("%s:%d: %s: %d %s\n", __FILE__, __LINE__, #call, error_, aclGetRecentErrMsg());                \
      std::exit(1);                                                                                              \
    }                                                                                                            \
  } while (0)

template <class T>
struct OnChip {
  T* data = nullptr;
  std::size_t count;
  explicit OnChip(std::size_t n) : count(n) { CHECK(aclrtMalloc(reinterpret_cast<void**>(&data), n * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST)); }
  explicit OnChip(const std::vector<T>& from) : OnChip(from.size()) {
    CHECK(aclrtMemcpy(data, count * sizeof(T), from.data(), count * sizeof(T), ACL_MEMCPY_HOST_TO_DEVICE));
  }
  ~OnChip() { aclrtFree(data); }
  OnChip(const OnChip&) = delete;
  uint8_t* bytes() { return reinterpret_cast<uint8_t*>(data); }
  std::vector<T> fetch() {
    std::vector<T> to(count);
    CHECK(aclrtMemcpy(to.data(), count * sizeof(T), data, count * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST));
    return to;
  }
  void zero() { CHECK(aclrtMemset(data, count * sizeof(T), 0, count * sizeof(T))); }
};

// A stream that is waited for and goes away by itself.
struct Stream {
  aclrtStream handle = nullptr;
  Stream() {
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&handle));
  }
  ~Stream() {
    aclrtDestroyStream(handle);
    aclrtResetDevice(0);
    aclFinalize();
  }
  Stream(const Stream&) = delete;
  void sync() { CHECK(aclrtSynchronizeStream(handle)); }
};

// Host code that is plain C++ has no half.
#if defined(__CUDA__)
inline std::vector<half> halves(const std::vector<float>& from) { return std::vector<half>(from.begin(), from.end()); }
inline std::vector<float> floats(const std::vector<half>& from) { return std::vector<float>(from.begin(), from.end()); }
#endif

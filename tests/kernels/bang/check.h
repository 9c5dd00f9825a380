// What the programs of this folder share: a check of every call, memory of the chip, a launch that is waited for.
#pragma once

#include "../inputs.h"

#define CHECK(call)                                                                              \
  do {                                                                                           \
    cnrtRet_t error_ = (call);                                                                   \
    if (error_ != cnrtSuccess) {                                                                 \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cnrtGetErrorStr(error_));        \
      std::exit(1);                                                                              \
    }                                                                                            \
  } while (0)

template <class T>
struct OnChip {
  T* data = nullptr;
  std::size_t count;
  explicit OnChip(std::size_t n) : count(n) { CHECK(cnrtMalloc(reinterpret_cast<void**>(&data), n * sizeof(T))); }
  explicit OnChip(const std::vector<T>& from) : OnChip(from.size()) {
    CHECK(cnrtMemcpy(data, const_cast<T*>(from.data()), count * sizeof(T), cnrtMemcpyHostToDev));
  }
  ~OnChip() { cnrtFree(data); }
  OnChip(const OnChip&) = delete;
  operator T*() { return data; }
  std::vector<T> fetch() {
    std::vector<T> to(count);
    CHECK(cnrtMemcpy(to.data(), data, count * sizeof(T), cnrtMemcpyDevToHost));
    return to;
  }
  void zero() { CHECK(cnrtMemset(data, 0, count * sizeof(T))); }
};

// A queue that is waited for and goes away by itself.
struct Queue {
  cnrtQueue_t handle = nullptr;
  Queue() { CHECK(cnrtQueueCreate(&handle)); }
  ~Queue() { cnrtQueueDestroy(handle); }
  Queue(const Queue&) = delete;
  operator cnrtQueue_t() { return handle; }
  void sync() { CHECK(cnrtQueueSync(handle)); }
};

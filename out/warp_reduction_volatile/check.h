// What the programs of this folder share: a check of every call, and memory of the card.
#pragma once

#include "inputs.h"

#define CHECK(call)                                                                                     \
  do {                                                                                                  \
    cnrtRet_t error_ = (call);                                                                        \
    if (error_ != cnrtSuccess) {                                                                        \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cnrtGetErrorStr(error_));            \
      std::exit(1);                                                                                     \
    }                                                                                                   \
  } while (0)

template <class T>
struct OnCard {
  T* data = nullptr;
  std::size_t count;
  explicit OnCard(std::size_t n) : count(n) { CHECK(cnrtMalloc(&data, n * sizeof(T))); }
  explicit OnCard(const std::vector<T>& from) : OnCard(from.size()) {
    CHECK(port::memcpy(data, from.data(), count * sizeof(T), cnrtMemcpyHostToDev));
  }
  ~OnCard() { port::free_device(data); }
  OnCard(const OnCard&) = delete;
  operator T*() { return data; }
  std::vector<T> fetch() {
    std::vector<T> to(count);
    CHECK(port::memcpy(to.data(), data, count * sizeof(T), cnrtMemcpyDevToHost));
    return to;
  }
  void zero() { CHECK(port::memset(data, 0, count * sizeof(T))); }
};

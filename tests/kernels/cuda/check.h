// What the programs of this folder share: a check of every call, and memory of the card.
#pragma once

#include "../inputs.h"

#define CHECK(call)                                                                                     \
  do {                                                                                                  \
    cudaError_t error_ = (call);                                                                        \
    if (error_ != cudaSuccess) {                                                                        \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));            \
      std::exit(1);                                                                                     \
    }                                                                                                   \
  } while (0)

template <class T>
struct OnCard {
  T* data = nullptr;
  std::size_t count;
  explicit OnCard(std::size_t n) : count(n) { CHECK(cudaMalloc(&data, n * sizeof(T))); }
  explicit OnCard(const std::vector<T>& from) : OnCard(from.size()) {
    CHECK(cudaMemcpy(data, from.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~OnCard() { cudaFree(data); }
  OnCard(const OnCard&) = delete;
  operator T*() { return data; }
  std::vector<T> fetch() {
    std::vector<T> to(count);
    CHECK(cudaMemcpy(to.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }
  void zero() { CHECK(cudaMemset(data, 0, count * sizeof(T))); }
};

// What the programs of this folder share: inputs drawn from a small generator, comparison with a tolerance, checked calls.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                              \
  do {                                                                           \
    if ((call) != cudaSuccess) {                                                 \
      std::printf("%s:%d: a call failed\n", __FILE__, __LINE__);                 \
      std::exit(1);                                                              \
    }                                                                            \
  } while (0)

inline unsigned draw() {
  static unsigned state = 12345;
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}
inline std::vector<float> floats(int n) {
  std::vector<float> values(n);
  for (float& value : values) value = (static_cast<int>(draw() % 2001) - 1000) / 250.0f;
  return values;
}
inline std::vector<int> integers(int n, int below) {
  std::vector<int> values(n);
  for (int& value : values) value = static_cast<int>(draw() % static_cast<unsigned>(below));
  return values;
}
template <class T>
T* to_card(const std::vector<T>& values) {
  T* pointer = nullptr;
  CHECK(cudaMalloc((void**)&pointer, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return pointer;
}
template <class T>
std::vector<T> from_card(T* pointer, int n) {
  std::vector<T> values(n);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(values.data(), pointer, n * sizeof(T), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(pointer));
  return values;
}
inline void expect(double got, double wanted, double tolerance, const char* what, int at) {
  if (std::fabs(got - wanted) <= tolerance * (1 + std::fabs(wanted))) return;
  std::printf("%s %d: got %g, wanted %g\n", what, at, got, wanted);
  std::exit(1);
}

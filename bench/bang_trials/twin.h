// What the drivers share. A driver is one program for three sides: the CUDA kernel in float (the default), the same in double
// (TWIN_DOUBLE, the reference) and the BANG C kernel (TWIN_MLU). Every side draws the same inputs, launches its kernel as the
// vendor's host code does, and saves its outputs, in the layout of the CUDA side, as SIDE.NAME.npy.
//   PROGRAM OUTPUT_DIR SEED INPUTS SIZE...   INPUTS: uniform, zeros, tiny or large features
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#if defined(TWIN_MLU)
constexpr const char* kSide = "mlu";
using Real = float;
constexpr cnrtQueue_t kQueue = nullptr;
#elif defined(TWIN_DOUBLE)
constexpr const char* kSide = "double";
using Real = double;
#else
constexpr const char* kSide = "cuda";
using Real = float;
#endif

namespace twin {

void run();  // the driver: one case

using Floats = std::vector<float>;
using Ints = std::vector<int>;

struct State {
  std::string output;
  int number = 0;  // of the case
  unsigned random = 0;
  float scale = 1;
  std::vector<int> sizes;
  std::vector<void*> allocations;
};
inline State& state() {
  static State only;
  return only;
}

inline int size(int i) { return state().sizes.at(static_cast<std::size_t>(i)); }

inline unsigned draw() {
  state().random = state().random * 1664525u + 1013904223u;
  return state().random >> 8;
}
inline float draw(float low, float high) { return low + (high - low) * (static_cast<float>(draw()) / 16777216.0f); }
inline int draw_below(int limit) { return static_cast<int>(draw() % static_cast<unsigned>(limit)); }
// Places and weights: whatever INPUTS says.
inline Floats uniform(std::size_t n, float low, float high) {
  Floats values(n);
  for (float& each : values) each = draw(low, high);
  return values;
}
inline Floats features(std::size_t n) {
  Floats values = uniform(n, -1, 1);
  for (float& each : values) each *= state().scale;
  return values;
}
inline Ints below(std::size_t n, int limit) {
  Ints values(n);
  for (int& each : values) each = draw_below(limit);
  return values;
}
inline std::vector<std::int64_t> widened(const Ints& values) { return {values.begin(), values.end()}; }

// The same numbers with the dimensions in another order: dimension i of the result is dimension order[i] of the source.
template <class T>
std::vector<T> permuted(const std::vector<T>& from, const Ints& dims, const Ints& order) {
  const int n = static_cast<int>(dims.size());
  std::vector<std::size_t> stride(dims.size(), 1);
  for (int i = n - 2; i >= 0; --i) stride[i] = stride[i + 1] * static_cast<std::size_t>(dims[i + 1]);
  std::vector<T> result(from.size());
  Ints at(dims.size(), 0);
  for (T& each : result) {
    std::size_t place = 0;
    for (int i = 0; i < n; ++i) place += static_cast<std::size_t>(at[i]) * stride[order[i]];
    each = from[place];
    for (int i = n - 1; i >= 0 && ++at[i] == dims[order[i]]; --i) at[i] = 0;
  }
  return result;
}
template <class T>
std::vector<T> channels_last(const std::vector<T>& from, int n, int c, int h, int w) {
  return permuted(from, {n, c, h, w}, {0, 2, 3, 1});
}
template <class T>
std::vector<T> channels_first(const std::vector<T>& from, int n, int h, int w, int c) {
  return permuted(from, {n, h, w, c}, {0, 3, 1, 2});
}

template <class Code>
void need(Code code, const char* what) {
  if (code == 0) return;
  std::printf("%s failed: %d\n", what, static_cast<int>(code));
  std::exit(9);
}
#if defined(TWIN_MLU)
inline void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  need(cnrtMalloc(&memory, bytes), "cnrtMalloc");
  state().allocations.push_back(memory);
  return memory;
}
inline void put(void* to, const void* from, std::size_t bytes) {
  need(cnrtMemcpy(to, const_cast<void*>(from), bytes, cnrtMemcpyHostToDev), "copy in");
}
inline void get(void* to, void* from, std::size_t bytes) {
  need(cnrtQueueSync(kQueue), "sync");
  need(cnrtMemcpy(to, from, bytes, cnrtMemcpyDevToHost), "copy out");
}
inline void release(void* memory) { need(cnrtFree(memory), "cnrtFree"); }
#else
inline void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  need(cudaMalloc(&memory, bytes), "cudaMalloc");
  state().allocations.push_back(memory);
  return memory;
}
inline void put(void* to, const void* from, std::size_t bytes) {
  need(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copy in");
}
inline void get(void* to, void* from, std::size_t bytes) {
  need(cudaDeviceSynchronize(), "launch");
  need(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copy out");
}
inline void release(void* memory) { need(cudaFree(memory), "cudaFree"); }
#endif

template <class T>
T* unfilled(std::size_t n) {
  return static_cast<T*>(allocate(n * sizeof(T)));
}
template <class T>
T* on_device(const std::vector<T>& values) {
  T* memory = unfilled<T>(values.size());
  put(memory, values.data(), values.size() * sizeof(T));
  return memory;
}
inline Real* numbers(const Floats& values) { return on_device(std::vector<Real>(values.begin(), values.end())); }
template <class T>
T* filled(std::size_t n, T value) {
  return on_device(std::vector<T>(n, value));
}
template <class T>
std::vector<T> from_device(T* memory, std::size_t n) {
  std::vector<T> values(n);
  get(values.data(), memory, n * sizeof(T));
  return values;
}

template <class T>
void save(const char* name, const std::vector<T>& values) {
  const char* type = std::is_same<T, float>::value ? "<f4" : std::is_same<T, double>::value ? "<f8" : "<i4";
  std::string head =
      std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }";
  while ((10 + head.size() + 1) % 64 != 0) head += ' ';
  head += '\n';
  const unsigned short length = static_cast<unsigned short>(head.size());
  std::FILE* file =
      std::fopen((state().output + "/" + kSide + "." + std::to_string(state().number) + "." + name + ".npy").c_str(), "wb");
  if (file == nullptr) need(1, "opening the output");
  std::fwrite("\x93NUMPY\x01\x00", 1, 8, file);
  std::fwrite(&length, 2, 1, file);
  std::fwrite(head.data(), 1, head.size(), file);
  std::fwrite(values.data(), sizeof(T), values.size(), file);
  std::fclose(file);
}
template <class T>
void save(const char* name, T* memory, std::size_t n) {
  save(name, from_device(memory, n));
}

}  // namespace twin

int main(int count, char** words) {
  twin::State& state = twin::state();
  state.output = words[1];
  for (int i = 2; i < count; ++i) {
    state.random = static_cast<unsigned>(std::atoi(words[i++]));
    const std::string inputs = words[i++];
    state.scale = inputs == "zeros" ? 0.0f : inputs == "tiny" ? 1e-38f : inputs == "large" ? 1e4f : 1.0f;
    state.sizes.clear();
    for (; i < count && words[i][0] != ','; ++i) state.sizes.push_back(std::atoi(words[i]));
    twin::run();
    for (void* each : state.allocations) twin::release(each);
    state.allocations.clear();
    ++state.number;
  }
}

// Exclusive scan over any number of blocks: up- and down-sweep in dynamic shared memory, sums scanned in turn, then added.
#include "check.h"

template <class T> __device__ T* dynamic_shared() {
  extern __shared__ unsigned char raw[];
  return reinterpret_cast<T*>(raw);
}
template <class T> __global__ void scan(T* values, T* sums, int n) {
  T* tree = dynamic_shared<T>();
  const int t = threadIdx.x, width = 2 * blockDim.x, base = blockIdx.x * width;
  tree[2 * t] = base + 2 * t < n ? values[base + 2 * t] : T(0);
  tree[2 * t + 1] = base + 2 * t + 1 < n ? values[base + 2 * t + 1] : T(0);
  int offset = 1;
  for (int d = width / 2; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
  }
  if (t == 0) {
    if (sums != nullptr) sums[blockIdx.x] = tree[width - 1];
    tree[width - 1] = T(0);
  }
  for (int d = 1; d < width; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      const int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      const T left = tree[a];
      tree[a] = tree[b];
      tree[b] += left;
    }
  }
  __syncthreads();
  if (base + 2 * t < n) values[base + 2 * t] = tree[2 * t];
  if (base + 2 * t + 1 < n) values[base + 2 * t + 1] = tree[2 * t + 1];
}
template <class T> __global__ void add(T* values, const T* sums, int n) {
  const int base = blockIdx.x * 2 * blockDim.x;
  for (int i = threadIdx.x; i < 2 * blockDim.x; i += blockDim.x)
    if (base + i < n) values[base + i] += sums[blockIdx.x];
}

template <class T> void check(int n) {
  const int threads = 64, blocks = (n + 2 * threads - 1) / (2 * threads);
  std::vector<T> in(n), wanted(n);
  Inputs inputs;
  T sum = 0;
  for (int i = 0; i < n; ++i) in[i] = T(inputs.next() % 100), wanted[i] = sum, sum += in[i];
  OnCard<T> values(in), sums(blocks);
  scan<T><<<blocks, threads, 2 * threads * sizeof(T)>>>(values, sums, n);
  scan<T><<<1, 64, 128 * sizeof(T)>>>(sums, nullptr, blocks);
  add<T><<<blocks, threads>>>(values, sums, n);
  EXPECT(values.fetch() == wanted);
}

int main() {
  check<int>(1000);
  check<long long>(128);
  check<double>(777);
  return 0;
}

// Kernels of four kinds beside the same work as a plain loop in C++ on one core. Prints "name ratio emulated_ms plain_ms".
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kBlock = 256;

__global__ void triad(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] * 3.0f + b[i];
}
void plain_triad(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n; ++i) c[i] = a[i] * 3.0f + b[i];
}

__global__ void powers(const float* a, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = a[i], sum = 0;
  for (int k = 0; k < 64; ++k) sum = sum * x + 1.0f / (1.0f + k);
  c[i] = sum;
}
void plain_powers(const float* a, float* c, int n) {
  for (int i = 0; i < n; ++i) {
    float x = a[i], sum = 0;
    for (int k = 0; k < 64; ++k) sum = sum * x + 1.0f / (1.0f + k);
    c[i] = sum;
  }
}

__global__ void tree_sum(const float* a, float* out) {
  __shared__ float s[kBlock];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * kBlock + t];
  __syncthreads();
  for (int step = kBlock / 2; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
void plain_tree_sum(const float* a, float* out, int blocks) {
  float s[kBlock];
  for (int b = 0; b < blocks; ++b) {
    for (int t = 0; t < kBlock; ++t) s[t] = a[b * kBlock + t];
    for (int step = kBlock / 2; step > 0; step /= 2)
      for (int t = 0; t < step; ++t) s[t] += s[t + step];
    out[b] = s[0];
  }
}

__global__ void warp_sum(const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[i];
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(0xffffffff, v, offset);
  out[i] = v;
}
void plain_warp_sum(const float* a, float* out, int n) {
  for (int w = 0; w < n; w += 32) {
    float v[32], next[32];
    for (int l = 0; l < 32; ++l) v[l] = a[w + l];
    for (int offset = 16; offset > 0; offset /= 2) {
      for (int l = 0; l < 32; ++l) next[l] = v[l] + v[l ^ offset];
      for (int l = 0; l < 32; ++l) v[l] = next[l];
    }
    for (int l = 0; l < 32; ++l) out[w + l] = v[l];
  }
}

template <class F> double best_ms(F function, int rounds) {
  double best = 1e30;
  for (int i = 0; i < rounds; ++i) {
    auto start = std::chrono::steady_clock::now();
    function();
    best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

int main(int argc, char**) {
  const int n = argc > 1 ? 1 << 16 : 1 << 20, blocks = n / kBlock, rounds = 5;
  std::vector<float> a(n), b(n, 0.5f), c(n);
  for (int i = 0; i < n; ++i) a[i] = float(i % 1000) / 1000;
  float *da, *db, *dc;
  cudaMalloc(&da, n * 4), cudaMalloc(&db, n * 4), cudaMalloc(&dc, n * 4);
  cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice), cudaMemcpy(db, b.data(), n * 4, cudaMemcpyHostToDevice);
  auto tell = [&](const char* name, auto emulated, auto plain) {
    const double e = best_ms(emulated, rounds), p = best_ms(plain, rounds);
    std::vector<float> got(n);
    cudaMemcpy(got.data(), dc, n * 4, cudaMemcpyDeviceToHost);
    if (std::fabs(got[0] - c[0]) > 1e-3f * std::fabs(c[0]) + 1e-6f) std::printf("%s differs: %g %g\n", name, double(got[0]), double(c[0]));
    std::printf("%s %.2f %.3f %.3f\n", name, e / p, e, p);
  };
  tell("memory-bound", [&] { triad<<<blocks, kBlock>>>(da, db, dc, n); }, [&] { plain_triad(a.data(), b.data(), c.data(), n); });
  tell("compute-bound", [&] { powers<<<blocks, kBlock>>>(da, dc, n); }, [&] { plain_powers(a.data(), c.data(), n); });
  tell("barrier-heavy", [&] { tree_sum<<<blocks, kBlock>>>(da, dc); }, [&] { plain_tree_sum(a.data(), c.data(), blocks); });
  tell("shuffle-heavy", [&] { warp_sum<<<blocks, kBlock>>>(da, dc); }, [&] { plain_warp_sum(a.data(), c.data(), n); });
  cudaFree(da), cudaFree(db), cudaFree(dc);
  return 0;
}

// Threads of a warp that go in step through volatile shared memory: every one reads before any stores, statement by statement.
#include "check.h"

__device__ int scan_warp(int value, volatile int* place, int levels) {
  int at = 2 * threadIdx.x - (threadIdx.x & 31);
  place[at] = 0;
  at += 32;
  place[at] = value;
  if (levels > 0) place[at] += place[at - 1];
  if (levels > 1) place[at] += place[at - 2];
  if (levels > 2) place[at] += place[at - 4];
  if (levels > 3) place[at] += place[at - 8];
  if (levels > 4) place[at] += place[at - 16];
  return place[at];
}

__global__ void scan_warps(const int* in, int* out) {
  __shared__ int place[2 * 128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = scan_warp(in[i], place, 5);
}

__global__ void reverse_pairs(long long* out) {
  __shared__ volatile long long wide[64];
  wide[threadIdx.x] = threadIdx.x * 1000000007LL;
  wide[threadIdx.x] = wide[threadIdx.x ^ 1];
  out[threadIdx.x] = wide[threadIdx.x];
}

int main() {
  const int count = 512;
  int host[count], out[count];
  for (int i = 0; i < count; ++i) host[i] = i * 7919 % 101 - 50;
  int *in_card = nullptr, *out_card = nullptr;
  long long *wide = nullptr, wide_host[32];
  CHECK(cudaMalloc(&in_card, sizeof host));
  CHECK(cudaMalloc(&out_card, sizeof out));
  CHECK(cudaMalloc(&wide, sizeof wide_host));
  CHECK(cudaMemcpy(in_card, host, sizeof host, cudaMemcpyHostToDevice));
  scan_warps<<<count / 128, 128>>>(in_card, out_card);
  reverse_pairs<<<1, 32>>>(wide);
  CHECK(cudaMemcpy(out, out_card, sizeof out, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(wide_host, wide, sizeof wide_host, cudaMemcpyDeviceToHost));
  for (int i = 0, sum = 0; i < count; ++i) {
    sum = i % 32 == 0 ? host[i] : sum + host[i];
    if (out[i] != sum) return 1;
  }
  for (int i = 0; i < 32; ++i) {
    if (wide_host[i] != (i ^ 1) * 1000000007LL) return 1;
  }
  CHECK(cudaFree(in_card));
  CHECK(cudaFree(out_card));
  CHECK(cudaFree(wide));
  return 0;
}

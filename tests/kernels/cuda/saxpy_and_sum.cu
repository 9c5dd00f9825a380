#include <cstdio>
#include <vector>
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void reduce(const float* x, float* out, int n) {
  __shared__ float s[256];
  extern __shared__ float dyn[];
  int t = threadIdx.x;
  s[t] = 0;
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) s[t] += x[i];
  dyn[t] = s[t];
  __syncthreads();
  for (int k = 128; k > 0; k /= 2) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
  float v = dyn[t];
  for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
  if (t % 32 == 0) atomicAdd(out + 1, v);
  if (t == 0) atomicAdd(out, s[0]);
}
int main() {
  int n = 1000000;
  std::vector<float> x(n, 1.0f), y(n, 2.0f);
  float *dx, *dy, *o;
  cudaMalloc(&dx, n * 4); cudaMalloc(&dy, n * 4); cudaMalloc(&o, 8);
  cudaMemset(o, 0, 8);
  cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n * 4, cudaMemcpyHostToDevice);
  saxpy<<<(n + 255) / 256, 256>>>(n, 3.0f, dx, dy);
  reduce<<<64, 256, 1024>>>(dy, o, n);
  float r[2];
  cudaMemcpy(r, o, 8, cudaMemcpyDeviceToHost);
  printf("%s %f %f\n", cudaGetErrorString(cudaGetLastError()), r[0], r[1]);
  cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); printf("%s\n", p.name);
  cudaFree(dx); cudaFree(dy); cudaFree(o);
  return r[0] != 5e6f || r[1] != 5e6f;
}

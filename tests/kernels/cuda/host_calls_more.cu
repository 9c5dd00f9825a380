// Calls for one card among several, hints, the older names of today's calls, a launch by its description, and a barrier that
// threads leave.
#include <cuda_awbarrier_primitives.h>

#include "check.h"

__global__ void scale(float* data, int n, float by) {
  extern __shared__ float kept[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  kept[threadIdx.x] = i < n ? data[i] : 0;
  __syncthreads();
  if (i < n) data[i] = kept[threadIdx.x] * by;
}

// Half of the block leaves the barrier after the first phase: the second waits for the others only.
__global__ void leave(int* out, unsigned* most, unsigned* distance) {
  __shared__ __mbarrier_t barrier;
  __shared__ int values[64];
  const int t = threadIdx.x;
  if (t == 0) __mbarrier_init(&barrier, 64);
  __syncthreads();
  values[t] = t + 1;
  if (t >= 32) {
    __mbarrier_arrive_and_drop(&barrier);
    return;
  }
  __mbarrier_token_t token = __mbarrier_arrive(&barrier);
  while (!__mbarrier_test_wait(&barrier, token)) {
  }
  const int other = values[t + 32];
  token = __mbarrier_arrive(&barrier);
  while (!__mbarrier_test_wait(&barrier, token)) {
  }
  out[t] = values[t] * other;
  if (t == 0) {
    *most = __mbarrier_maximum_count();
    *distance = __nvvm_get_smem_pointer(&values[5]) - __nvvm_get_smem_pointer(&values[0]);
    __mbarrier_inval(&barrier);
  }
}

__global__ void stop_at(int* data, int where) {
  data[threadIdx.x] = 1;
  if (where >= 0) __brkpt();
}

int main() {
  const int n = 1000;
  float* managed;
  CHECK(cudaMallocManaged(&managed, n * sizeof(float)));
  for (int i = 0; i < n; ++i) managed[i] = float(i);
  CHECK(cudaMemAdvise(managed, n * sizeof(float), cudaMemAdviseSetReadMostly, 0));
  EXPECT(cudaMemAdvise(&n, sizeof n, cudaMemAdviseSetReadMostly, 0) == cudaErrorInvalidValue);
  cudaGetLastError();
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamAttachMemAsync(stream, managed));

  int grid = 0, block = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, scale, [](int threads) { return threads * sizeof(float); }, 256));
  EXPECT(grid > 0 && block > 0 && block <= 256 && block % 32 == 0);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3((n + block - 1) / block);
  config.blockDim = dim3(block);
  config.dynamicSmemBytes = block * sizeof(float);
  config.stream = stream;
  CHECK(cudaLaunchKernelEx(&config, scale, managed, n, 3.0f));
  CHECK(cudaThreadSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(managed[i] == 3.0f * i);
  CHECK(cudaFree(managed));
  CHECK(cudaStreamDestroy(stream));

  {
    OnCard<int> out(32);
    OnCard<unsigned> most(1), distance(1);
    leave<<<1, 64>>>(out, most, distance);
    const std::vector<int> got = out.fetch();
    for (int t = 0; t < 32; ++t) EXPECT(got[t] == (t + 1) * (t + 33));
    EXPECT(most.fetch()[0] == (1U << 20) - 1 && distance.fetch()[0] == 20);
    OnCard<int> untouched(8);
    stop_at<<<1, 8>>>(untouched, -1);
    EXPECT(untouched.fetch() == std::vector<int>(8, 1));
  }

  // One card: it has no peer.
  int count = 0, can = 7, attribute = 7;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count == 1);
  CHECK(cudaDeviceCanAccessPeer(&can, 0, 0));
  CHECK(cudaDeviceGetP2PAttribute(&attribute, cudaDevP2PAttrAccessSupported, 0, 0));
  EXPECT(can == 0 && attribute == 0);
  EXPECT(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice);
  EXPECT(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
  EXPECT(cudaGetLastError() != cudaSuccess && cudaGetLastError() == cudaSuccess);
  CHECK(cudaThreadExit());
}

// Streams, events, pinned and managed memory, a captured graph launched several times, errors that must come.
#include "check.h"

__global__ void add(int* data, int value, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += value;
}

int main() {
  const int count = 1000;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  int* pinned;
  CHECK(cudaMallocHost(&pinned, count * sizeof(int)));
  for (int i = 0; i < count; ++i) pinned[i] = i;
  OnCard<int> data(count);
  CHECK(cudaEventRecord(start, stream));
  CHECK(cudaMemcpyAsync(data, pinned, count * sizeof(int), cudaMemcpyHostToDevice, stream));
  add<<<(count + 127) / 128, 128, 0, stream>>>(data, 5, count);
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaStreamSynchronize(stream));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  EXPECT(milliseconds >= 0);

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int k = 1; k <= 3; ++k) add<<<(count + 127) / 128, 128, 0, stream>>>(data, k, count);
  CHECK(cudaMemcpyAsync(pinned, data, count * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  EXPECT(pinned[10] == 10);  // nothing has run yet
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < count; ++i) EXPECT(pinned[i] == i + 5 + 12);

  int* managed;
  CHECK(cudaMallocManaged(&managed, count * sizeof(int)));
  for (int i = 0; i < count; ++i) managed[i] = 1;
  add<<<8, 128>>>(managed, 2, count);
  CHECK(cudaDeviceSynchronize());
  EXPECT(managed[999] == 3);

  // What a card refuses.
  add<<<1, 2000>>>(data, 1, count);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaSuccess);
  add<<<1, 32, 200 << 10>>>(data, 1, count);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  void* huge = nullptr;
  EXPECT(cudaMalloc(&huge, size_t(1) << 45) == cudaErrorMemoryAllocation && huge == nullptr);
  (void)cudaGetLastError();
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  EXPECT(properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024 && properties.major >= 7);
  int processors = 0, blocks = 0;
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  EXPECT(processors == properties.multiProcessorCount);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
  EXPECT(blocks == properties.maxThreadsPerMultiProcessor / 256);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, managed));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  CHECK(cudaFree(managed));
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

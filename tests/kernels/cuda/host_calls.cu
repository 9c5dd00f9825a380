// Calls of the host: allocations of every kind, copies and fills in one to three dimensions, symbols, streams, events, graphs built node by
// node, launches by pointer, questions and errors. What they move is compared byte by byte with the same work on the host.
#include <cstring>
#include <string>

#include "check.h"

__device__ int table[8];
__global__ void add(int* x, int by) { x[threadIdx.x] += by; }
__global__ void add_table(int* x) { x[threadIdx.x] += table[threadIdx.x]; }
__global__ void fill_dynamic(int* x) {
  extern __shared__ int words[];
  words[threadIdx.x] = int(threadIdx.x) * 3;
  __syncthreads();
  x[threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
}

void memory() {
  const int n = 8;
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  int *card = nullptr, *host = nullptr, *seen = nullptr;
  CHECK(cudaMallocAsync((void**)&card, n * sizeof(int), stream));
  CHECK(cudaMemsetAsync(card, 0, n * sizeof(int), stream));
  CHECK(cudaHostAlloc((void**)&host, n * sizeof(int), cudaHostAllocMapped));
  unsigned flags = 0;
  CHECK(cudaHostGetFlags(&flags, host));
  EXPECT((flags & cudaHostAllocMapped) != 0);
  CHECK(cudaHostGetDevicePointer((void**)&seen, host, 0));
  for (int i = 0; i < n; ++i) host[i] = i;
  add<<<1, n, 0, stream>>>(seen, 10);
  CHECK(cudaMemcpyPeerAsync(card, 0, seen, 0, n * sizeof(int), stream));
  CHECK(cudaStreamSynchronize(stream));
  std::vector<int> got(n);
  CHECK(cudaMemcpy(got.data(), card, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(host[i] == i + 10 && got[i] == i + 10);
  int* other = nullptr;
  CHECK(cudaMalloc(&other, n * sizeof(int)));
  CHECK(cudaMemcpyPeer(other, 0, card, 0, n * sizeof(int)));
  CHECK(cudaMemcpy(got.data(), other, n * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(got[n - 1] == n + 9);
  std::vector<int> registered(n, 5);
  CHECK(cudaHostRegister(registered.data(), n * sizeof(int), cudaHostRegisterMapped));
  CHECK(cudaHostUnregister(registered.data()));
  size_t free_bytes = 0, total = 0;
  CHECK(cudaMemGetInfo(&free_bytes, &total));
  EXPECT(free_bytes > 0 && free_bytes < total);
  cudaMemPool_t pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long threshold = 1 << 20;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(cudaMemPoolTrimTo(pool, 0));
  CHECK(cudaFreeAsync(card, stream));
  CHECK(cudaFree(other));
  CHECK(cudaFreeHost(host));
  CHECK(cudaStreamDestroy(stream));
}

void boxes() {
  const size_t w = 5, h = 4, d = 3;
  cudaPitchedPtr box;
  const cudaExtent extent = make_cudaExtent(w, h, d);
  CHECK(cudaMalloc3D(&box, extent));
  EXPECT(box.pitch >= w);
  CHECK(cudaMemset3D(box, 7, extent));
  std::vector<unsigned char> host(w * h * d), back(w * h * d, 0);
  cudaMemcpy3DParms out = {};
  out.srcPtr = box, out.dstPtr = make_cudaPitchedPtr(back.data(), w, w, h), out.extent = extent, out.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&out));
  for (unsigned char byte : back) EXPECT(byte == 7);
  for (size_t i = 0; i < host.size(); ++i) host[i] = (unsigned char)(i * 5 + 1);
  cudaMemcpy3DParms in = {};
  in.srcPtr = make_cudaPitchedPtr(host.data(), w, w, h), in.dstPtr = box, in.extent = extent, in.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3DAsync(&in, 0));
  CHECK(cudaMemset2D(box.ptr, box.pitch, 9, 2, h));  // two columns of the first slice
  CHECK(cudaMemset2DAsync((char*)box.ptr + box.pitch * h, box.pitch, 8, w, 1, 0));  // the first row of the second
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy3D(&out));
  for (size_t z = 0; z < d; ++z)
    for (size_t y = 0; y < h; ++y)
      for (size_t x = 0; x < w; ++x) {
        const size_t i = (z * h + y) * w + x;
        EXPECT(back[i] == (z == 0 && x < 2 ? 9 : z == 1 && y == 0 ? 8 : host[i]));
      }
  std::vector<unsigned char> rows(w * h);
  CHECK(cudaMemcpy2DAsync(rows.data(), w, (char*)box.ptr + 2 * box.pitch * h, box.pitch, w, h, cudaMemcpyDeviceToHost, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(std::memcmp(rows.data(), host.data() + 2 * w * h, w * h) == 0);
  CHECK(cudaFree(box.ptr));
}

void symbols() {
  std::vector<int> values = {1, 2, 3, 4, 5, 6, 7, 8}, back(8);
  CHECK(cudaMemcpyToSymbolAsync(table, values.data(), sizeof(int) * 8, 0, cudaMemcpyHostToDevice, 0));
  OnCard<int> x(8);
  x.zero();
  void* arguments[] = {&x.data};
  CHECK(cudaLaunchKernel((const void*)add_table, dim3(1), dim3(8), arguments, 0, 0));
  EXPECT(x.fetch() == values);
  CHECK(cudaMemcpyFromSymbolAsync(back.data(), table, sizeof(int) * 7, sizeof(int), cudaMemcpyDeviceToHost, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(back[0] == 2 && back[6] == 8 && back[7] == 0);
}

void calls_back(cudaStream_t, cudaError_t status, void* data) { *(int*)data += status == cudaSuccess ? 1 : 100; }
void called(void* data) { *(int*)data *= 10; }

void streams() {
  int least = 0, greatest = 0, priority = 0, count = 1;
  unsigned flags = 99;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(greatest <= least);
  cudaStream_t a, b;
  CHECK(cudaStreamCreateWithPriority(&a, cudaStreamNonBlocking, greatest));
  CHECK(cudaStreamCreateWithFlags(&b, cudaStreamDefault));
  CHECK(cudaStreamGetPriority(a, &priority));
  CHECK(cudaStreamGetFlags(a, &flags));
  EXPECT(priority == greatest && flags == cudaStreamNonBlocking);
  OnCard<int> x(8);
  x.zero();
  cudaEvent_t event, untimed;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  add<<<1, 8, 0, a>>>(x, 1);
  CHECK(cudaEventRecordWithFlags(untimed, a, 0));
  CHECK(cudaStreamWaitEvent(b, untimed, 0));
  add<<<1, 8, 0, b>>>(x, 2);
  CHECK(cudaStreamAddCallback(b, calls_back, &count, 0));
  CHECK(cudaLaunchHostFunc(b, called, &count));
  CHECK(cudaEventRecord(event, b));
  CHECK(cudaEventSynchronize(event));
  CHECK(cudaEventQuery(event));
  CHECK(cudaStreamSynchronize(b));
  CHECK(cudaStreamQuery(b));
  EXPECT(count == 20);
  EXPECT(x.fetch() == std::vector<int>(8, 3));
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  CHECK(cudaStreamIsCapturing(a, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);
  CHECK(cudaEventDestroy(event)); CHECK(cudaEventDestroy(untimed)); CHECK(cudaStreamDestroy(a)); CHECK(cudaStreamDestroy(b));
}

void graphs() {
  OnCard<int> x(8), y(8);
  std::vector<int> host(8);
  int by = 5, rang = 0;
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t clear, first, second, bell, copy, back;
  cudaMemsetParams zero = {};
  zero.dst = x.data, zero.value = 0, zero.elementSize = 4, zero.width = 8, zero.height = 1;
  CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zero));
  void* arguments[] = {&x.data, &by};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)add, kernel.gridDim = dim3(1), kernel.blockDim = dim3(8), kernel.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&first, graph, &clear, 1, &kernel));
  CHECK(cudaGraphAddEmptyNode(&second, graph, &first, 1));
  cudaHostNodeParams ring = {called, &rang};
  CHECK(cudaGraphAddHostNode(&bell, graph, &second, 1, &ring));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &second, 1, y.data, x.data, 32, cudaMemcpyDeviceToDevice));
  cudaMemcpy3DParms fetch = {};
  fetch.srcPtr = make_cudaPitchedPtr(y.data, 32, 32, 1), fetch.dstPtr = make_cudaPitchedPtr(host.data(), 32, 32, 1);
  fetch.extent = make_cudaExtent(32, 1, 1), fetch.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaGraphAddMemcpyNode(&back, graph, &copy, 1, &fetch));
  size_t count = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT(count == 6);
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  rang = 1;
  CHECK(cudaGraphUpload(executable, 0));
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(executable, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(rang == 100 && host == std::vector<int>(8, 5));
  CHECK(cudaGraphExecDestroy(executable)); CHECK(cudaGraphDestroy(graph));
}

void questions() {
  int count = 0, device = 9, value = 0;
  CHECK(cudaGetDeviceCount(&count)); CHECK(cudaSetDevice(0)); CHECK(cudaGetDevice(&device));
  EXPECT(count >= 1 && device == 0 && cudaSetDevice(count) == cudaErrorInvalidDevice);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess);
  EXPECT(std::string(cudaGetErrorName(cudaErrorInvalidValue)) == "cudaErrorInvalidValue");
  cudaDeviceProp wanted = {};
  CHECK(cudaGetDeviceProperties(&wanted, 0)); CHECK(cudaChooseDevice(&device, &wanted));
  EXPECT(device == 0);
  int driver = 0, runtime = 0;
  CHECK(cudaDriverGetVersion(&driver)); CHECK(cudaRuntimeGetVersion(&runtime));
  EXPECT(driver >= runtime && runtime >= 11000);
  char bus[32] = {};
  CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
  EXPECT(std::strlen(bus) >= 7);
  EXPECT(cudaDeviceCanAccessPeer(&value, 0, 0) == cudaSuccess && value == 0);
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24));
  size_t limit = 0;
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  EXPECT(limit == 1 << 24);
  CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1)); CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
  cudaFuncCache cache;
  cudaSharedMemConfig banks;
  CHECK(cudaDeviceGetCacheConfig(&cache)); CHECK(cudaDeviceGetSharedMemConfig(&banks));
  CHECK(cudaFuncSetCacheConfig(fill_dynamic, cudaFuncCachePreferShared)); CHECK(cudaFuncSetSharedMemConfig(fill_dynamic, cudaSharedMemBankSizeFourByte));
  cudaFuncAttributes attributes = {};
  CHECK(cudaFuncGetAttributes(&attributes, fill_dynamic));
  EXPECT(attributes.maxThreadsPerBlock == 1024);
  // More than 48 KiB of dynamic shared memory must be asked for.
  OnCard<int> x(64);
  fill_dynamic<<<1, 64, 60 << 10>>>(x);
  EXPECT(cudaGetLastError() != cudaSuccess);
  CHECK(cudaFuncSetAttribute(fill_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
  fill_dynamic<<<1, 64, 60 << 10>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  const std::vector<int> got = x.fetch();
  for (int i = 0; i < 64; ++i) EXPECT(got[i] == (63 - i) * 3);
  int blocks = 0, grid = 0, threads = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, fill_dynamic, 256, 0, 0));
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, fill_dynamic, 0, 0));
  EXPECT(blocks == wanted.maxThreadsPerMultiProcessor / 256 && threads > 0 && threads <= 1024 && grid > 0);
  CHECK(cudaProfilerStart()); CHECK(cudaProfilerStop());
}

int main() {
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleAuto));
  unsigned flags = 0;
  CHECK(cudaGetDeviceFlags(&flags));
  memory(), boxes(), symbols(), streams(), graphs(), questions();
  CHECK(cudaDeviceReset());
}

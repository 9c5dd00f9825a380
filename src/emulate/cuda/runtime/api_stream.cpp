// Streams, events and graphs. Work is carried out when it is asked for, in the order it is asked for, so that a stream has
// nothing pending when a call returns; a capturing stream records instead.
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "cuda_runtime_api.h"
#include "emulate/cuda/runtime/api.h"
#include "emulate/cuda/runtime/graph.h"

struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  CUgraph_st* capture = nullptr;
};

struct CUevent_st {
  unsigned flags = 0;
  bool is_recorded = false;
  double time_ms = 0;
};

struct CUgraphExec_st {
  CUgraph_st graph;
};

namespace starbridge::emulate::cuda {

namespace {

double now_ms() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

bool is_real(cudaStream_t stream) { return reinterpret_cast<std::uintptr_t>(stream) > 2; }
std::atomic<CUstream_st*> g_capturing{nullptr};

}  // namespace

bool is_capturing(cudaStream_t stream) { return is_real(stream) && stream->capture != nullptr; }

bool record(cudaStream_t stream, std::function<cudaError_t()> work) {
  if (!is_capturing(stream)) return false;
  stream->capture->work.push_back(std::move(work));
  return true;
}

}  // namespace starbridge::emulate::cuda

using namespace starbridge::emulate;
using namespace starbridge::emulate::cuda;

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  if (stream == nullptr) return give(cudaErrorInvalidValue);
  *stream = new CUstream_st{flags, priority, nullptr};
  return give(cudaSuccess);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!is_real(stream)) return give(cudaErrorInvalidResourceHandle);
  delete stream;
  return give(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return give(is_capturing(stream) ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
}
cudaError_t cudaStreamQuery(cudaStream_t) { return give(cudaSuccess); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  if (event == nullptr) return give(cudaErrorInvalidResourceHandle);
  // A stream that waits for an event of a capturing stream records into the same graph.
  CUstream_st* capturing = g_capturing.load();
  if (capturing != nullptr && is_real(stream) && stream->capture == nullptr) stream->capture = capturing->capture;
  return give(cudaSuccess);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned int) {
  auto work = [=] {
    callback(stream, cudaSuccess, data);
    return cudaSuccess;
  };
  if (!record(stream, work)) work();
  return give(cudaSuccess);
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = is_real(stream) ? stream->priority : 0;
  return give(cudaSuccess);
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  *flags = is_real(stream) ? stream->flags : 0;
  return give(cudaSuccess);
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned int) { return give(cudaSuccess); }
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  auto work = [=] {
    function(data);
    return cudaSuccess;
  };
  if (!record(stream, work)) work();
  return give(cudaSuccess);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  if (event == nullptr) return give(cudaErrorInvalidValue);
  *event = new CUevent_st{flags, false, 0};
  return give(cudaSuccess);
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  if (event == nullptr) return give(cudaErrorInvalidResourceHandle);
  event->is_recorded = true;
  event->time_ms = now_ms();
  return give(cudaSuccess);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return give(event == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess);
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return give(event == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return give(cudaErrorInvalidResourceHandle);
  delete event;
  return give(cudaSuccess);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (milliseconds == nullptr) return give(cudaErrorInvalidValue);
  if (start == nullptr || end == nullptr || !start->is_recorded || !end->is_recorded ||
      ((start->flags | end->flags) & cudaEventDisableTiming) != 0)
    return give(cudaErrorInvalidResourceHandle);
  *milliseconds = static_cast<float>(end->time_ms - start->time_ms);
  return give(cudaSuccess);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const void* place = SB_PLACE;
  if (record(stream, [=] { return copy(to, from, bytes, kind, place); })) return give(cudaSuccess);
  return give(copy(to, from, bytes, kind, place));
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  const void* place = SB_PLACE;
  if (record(stream, [=] { return fill(to, value, bytes, place); })) return give(cudaSuccess);
  return give(fill(to, value, bytes, place));
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (!is_real(stream)) return give(cudaErrorStreamCaptureUnsupported);
  if (stream->capture != nullptr) return give(cudaErrorIllegalState);
  stream->capture = new CUgraph_st;
  g_capturing = stream;
  return give(cudaSuccess);
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (!is_real(stream) || stream->capture == nullptr || graph == nullptr) return give(cudaErrorIllegalState);
  *graph = stream->capture;
  stream->capture = nullptr;
  g_capturing = nullptr;
  return give(cudaSuccess);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  *status = is_capturing(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return give(cudaSuccess);
}
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int) {
  *graph = new CUgraph_st;
  return give(cudaSuccess);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  if (graph == nullptr || executable == nullptr) return give(cudaErrorInvalidValue);
  *executable = new CUgraphExec_st{*graph};
  return give(cudaSuccess);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  if (executable == nullptr) return give(cudaErrorInvalidValue);
  for (const auto& work : executable->graph.work) {
    if (cudaError_t error = work(); error != cudaSuccess) return give(error);
  }
  return give(cudaSuccess);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return give(cudaSuccess); }
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return give(cudaSuccess);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return give(cudaSuccess);
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  if (graph == nullptr || count == nullptr) return give(cudaErrorInvalidValue);
  for (size_t i = 0; nodes != nullptr && i < *count && i < graph->work.size(); ++i)
    nodes[i] = reinterpret_cast<cudaGraphNode_t>(i + 1);
  *count = graph->work.size();
  return give(cudaSuccess);
}

static cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, std::function<cudaError_t()> work) {
  if (graph == nullptr || node == nullptr) return give(cudaErrorInvalidValue);
  graph->work.push_back(std::move(work));
  *node = reinterpret_cast<cudaGraphNode_t>(graph->work.size());
  return give(cudaSuccess);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*, size_t, void* to,
                                     const void* from, size_t bytes, cudaMemcpyKind kind) {
  const void* place = SB_PLACE;
  return add(node, graph, [=] { return copy(to, from, bytes, kind, place); });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*, size_t,
                                   const cudaMemcpy3DParms* parameters) {
  cudaMemcpy3DParms kept = *parameters;
  return add(node, graph, [=] { return cudaMemcpy3D(&kept); });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*, size_t,
                                   const cudaMemsetParams* parameters) {
  cudaMemsetParams kept = *parameters;
  return add(node, graph, [=]() -> cudaError_t {
    std::vector<char> row(kept.width * kept.elementSize);
    for (size_t i = 0; i < kept.width; ++i) std::memcpy(row.data() + i * kept.elementSize, &kept.value, kept.elementSize);
    for (size_t y = 0; y < std::max<size_t>(kept.height, 1); ++y) {
      cudaError_t error =
          copy(static_cast<char*>(kept.dst) + y * kept.pitch, row.data(), row.size(), cudaMemcpyHostToDevice, nullptr);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*, size_t,
                                 const cudaHostNodeParams* parameters) {
  cudaHostNodeParams kept = *parameters;
  return add(node, graph, [=] {
    kept.fn(kept.userData);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*, size_t) {
  return add(node, graph, [] { return cudaSuccess; });
}
}

// ACL: memory, streams, launches. In a check a stream's work waits until somebody waits for the stream.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <set>
#include <string>

#include "acl/acl.h"
#include "emulate/ascend/loops/loops.h"
#include "emulate/ascend/runtime/acl_launch.h"
#include "emulate/ascend/runtime/check.h"
#include "emulate/ascend/runtime/chip.h"
#include "emulate/common/inputs.h"
#include "emulate/common/settings.h"
#include "emulate/common/trace.h"

namespace starbridge::emulate::ascend {

namespace {

constexpr std::size_t kSystemWorkspaceBytes = 64UL << 10;  // kernels ask whether it is there; nothing is kept in it

struct Work {
  std::function<void()> carry_out;
  std::vector<const void*> pointers;  // memory it may use
  std::string what;
};
struct Stream {
  std::deque<Work> work;
};
struct Event {
  std::chrono::steady_clock::time_point when;
};

Stream g_default_stream;
std::set<Stream*>& streams() {
  static auto* instance = new std::set<Stream*>{&g_default_stream};
  return *instance;
}
std::string g_last_error;
unsigned g_tiling_key = 0;

Stream* stream_of(aclrtStream stream) {
  if (stream == nullptr) return &g_default_stream;
  auto* known = static_cast<Stream*>(stream);
  return streams().count(known) > 0 ? known : nullptr;
}

aclError failed(aclError code, std::string words) {
  g_last_error = std::move(words);
  return code;
}

aclError enqueue(aclrtStream stream, Work work) {
  Stream* to = stream_of(stream);
  if (to == nullptr) return failed(ACL_ERROR_RT_PARAM_INVALID, "the stream does not exist");
  if (settings().is_check)
    to->work.push_back(std::move(work));
  else
    work.carry_out();
  return ACL_SUCCESS;
}

void empty(Stream& stream) {
  while (!stream.work.empty()) {
    Work work = std::move(stream.work.front());
    stream.work.pop_front();
    work.carry_out();
  }
}

void before_host_access(const void* pointer, const char* call, const void* place) {
  if (!settings().is_check) return;
  std::optional<Allocation> allocation = find_allocation(pointer);
  if (!allocation) return;
  for (Stream* stream : streams()) {
    for (const Work& work : stream->work) {
      for (const void* used : work.pointers) {
        if (used < allocation->start || used >= allocation->start + allocation->bytes) continue;
        report_at("missing-queue-sync", place, std::string(call) + " touches memory that " + work.what + " in a stream may still use; no aclrtSynchronizeStream lies between",
                  std::string(call) + " 访问的内存可能仍被流中的 " + work.what + " 使用，两者之间没有 aclrtSynchronizeStream");
        empty(*stream);
        return;
      }
    }
  }
}

// A range of the chip's memory that the host names.
bool check_range_of_host(const void* start, std::size_t bytes, const char* call, const char* what, const void* place) {
  if (memory_of(start) != Memory::kGm) return true;
  std::optional<Allocation> allocation = find_allocation(start);
  if (allocation && static_cast<const char*>(start) + bytes <= allocation->start + allocation->bytes) return true;
  const bool is_freed = !allocation && find_freed(start);
  report_at(is_freed ? "use-after-free" : "out-of-bounds", place, std::string(call) + ": " + what + (is_freed ? " was freed" : " leaves its allocation" + (allocation ? " of " + std::to_string(allocation->bytes) + " bytes" : std::string())),
            std::string(call) + "：" + what + (is_freed ? " 已被释放" : " 超出其分配"));
  return false;
}

void copy_now(void* dst, const void* src, std::size_t bytes) {
  OpenMemory open;
  std::memcpy(dst, src, bytes);
  if (settings().is_check) {
    copy_poison(dst, src, bytes);
  }
  const bool to_chip = memory_of(dst) == Memory::kGm, from_chip = memory_of(src) == Memory::kGm;
  if (from_chip && !to_chip) trace_result(dst, bytes);
  if (to_chip && !from_chip) take_input(dst, bytes);
}

aclError copy(void* dst, std::size_t capacity, const void* src, std::size_t bytes, aclrtMemcpyKind kind, const char* call, const void* place) {
  if (bytes == 0) return ACL_SUCCESS;
  if (dst == nullptr || src == nullptr || bytes > capacity) return failed(ACL_ERROR_INVALID_PARAM, "a copy of more bytes than the destination has, or a null pointer");
  const bool to_chip = memory_of(dst) == Memory::kGm, from_chip = memory_of(src) == Memory::kGm;
  const bool wants_to = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
  const bool wants_from = kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
  if (kind != ACL_MEMCPY_DEFAULT && (to_chip != wants_to || from_chip != wants_from)) {
    report_at("copy-direction", place, std::string(call) + " names a direction that does not fit where the pointers lie", std::string(call) + " 的方向与指针所在内存不一致");
    return failed(ACL_ERROR_RT_PARAM_INVALID, "the direction does not fit the pointers");
  }
  if (!check_range_of_host(dst, bytes, call, "the destination", place) || !check_range_of_host(src, bytes, call, "the source", place)) return failed(ACL_ERROR_RT_PARAM_INVALID, "a range leaves its allocation");
  before_host_access(dst, call, place);
  before_host_access(src, call, place);
  copy_now(dst, src, bytes);
  return ACL_SUCCESS;
}

struct Configuration {
  unsigned blocks = 1;
  aclrtStream stream = nullptr;
};
thread_local std::vector<Configuration> t_configurations;

// The arguments, kept until the launch is carried out.
struct Arguments {
  std::vector<std::vector<char>> values;
  std::vector<void*> addresses;
};

}  // namespace

aclError fail_with(aclError code, std::string words) { return failed(code, std::move(words)); }

aclError launch(Kernel* kernel, unsigned blocks, unsigned key, void** arguments, aclrtStream stream, const void* place) {
  if (kernel == nullptr || kernel->code == nullptr || kernel->invoke == nullptr) return failed(ACL_ERROR_INVALID_PARAM, "the kernel was not compiled for the chip");
  if (blocks == 0 || blocks > 65535) {
    report_at("argument-range", place, "blockDim is " + std::to_string(blocks) + "; it must be 1 to 65535", "blockDim 为 " + std::to_string(blocks) + "，必须在 1 到 65535 之间");
    return failed(ACL_ERROR_RT_PARAM_INVALID, "blockDim is out of range");
  }
  auto kept = std::make_shared<Arguments>();
  Work work;
  work.what = kernel->readable;
  for (std::size_t i = 0; i < kernel->argument_bytes.size(); ++i) {
    const char* value = static_cast<const char*>(arguments[i]);
    kept->values.emplace_back(value, value + kernel->argument_bytes[i]);
    if (kernel->argument_bytes[i] == sizeof(void*)) {
      const void* pointer = nullptr;
      std::memcpy(&pointer, value, sizeof pointer);
      if (memory_of(pointer) == Memory::kGm) work.pointers.push_back(pointer);
    }
  }
  for (std::vector<char>& value : kept->values) kept->addresses.push_back(value.data());
  work.carry_out = [kernel, kept, blocks, key] {
    OpenMemory open;
    auto* workspace = static_cast<char*>(allocate(kSystemWorkspaceBytes, nullptr));
    Launch all;
    all.kernel = kernel;
    all.arguments = kept->addresses.data();
    all.blocks = blocks;
    all.tiling_key = key;
    all.workspace = workspace;
    run_launch(all);
    if (workspace != nullptr) release(workspace, nullptr);
  };
  return enqueue(stream, std::move(work));
}

}  // namespace starbridge::emulate::ascend

using namespace starbridge::emulate;
using namespace starbridge::emulate::ascend;

extern "C" {

unsigned __cudaPushCallConfiguration(unsigned blocks, void*, void* stream) {
  t_configurations.push_back({blocks, stream});
  return 0;
}
struct sb_launch_shape_ {
  unsigned blocks, y, z;
};
int __cudaPopCallConfiguration(sb_launch_shape_* grid, sb_launch_shape_* block, std::size_t* bytes, void* stream) {
  const Configuration last = t_configurations.empty() ? Configuration{} : t_configurations.back();
  if (!t_configurations.empty()) t_configurations.pop_back();
  *grid = {last.blocks, 1, 1};
  *block = {1, 1, 1};
  *bytes = 0;
  *static_cast<aclrtStream*>(stream) = last.stream;
  return 0;
}
int cudaLaunchKernel(const void* host_function, sb_launch_shape_ grid, sb_launch_shape_, void** arguments, std::size_t, void* stream) {
  return launch(find_kernel(host_function), grid.blocks, g_tiling_key, arguments, stream, __builtin_return_address(0));
}
void sb_set_tiling_key(unsigned key) { g_tiling_key = key; }

aclError aclInit(const char*) { return ACL_SUCCESS; }
aclError aclFinalize() {
  for (Stream* stream : streams()) empty(*stream);
  return ACL_SUCCESS;
}
aclError aclrtSetDevice(int32_t device) { return device == 0 ? ACL_SUCCESS : failed(ACL_ERROR_INVALID_PARAM, "there is one device, 0"); }
aclError aclrtGetDevice(int32_t* device) {
  *device = 0;
  return ACL_SUCCESS;
}
aclError aclrtResetDevice(int32_t) { return ACL_SUCCESS; }
aclError aclrtGetDeviceCount(uint32_t* count) {
  *count = 1;
  return ACL_SUCCESS;
}
aclError aclrtGetRunMode(aclrtRunMode* mode) {
  *mode = ACL_HOST;
  return ACL_SUCCESS;
}
const char* aclrtGetSocName() { return chip().name.c_str(); }
aclError aclrtCreateContext(aclrtContext* context, int32_t) {
  static int one = 0;
  *context = &one;
  return ACL_SUCCESS;
}
aclError aclrtDestroyContext(aclrtContext) { return ACL_SUCCESS; }
aclError aclrtSetCurrentContext(aclrtContext) { return ACL_SUCCESS; }
aclError aclrtGetCurrentContext(aclrtContext* context) { return aclrtCreateContext(context, 0); }
aclError aclrtCreateStream(aclrtStream* stream) {
  if (stream == nullptr) return failed(ACL_ERROR_INVALID_PARAM, "a null pointer");
  auto* made = new Stream;
  streams().insert(made);
  *stream = made;
  return ACL_SUCCESS;
}
aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) { return aclrtCreateStream(stream); }
aclError aclrtDestroyStream(aclrtStream stream) {
  Stream* known = stream_of(stream);
  if (known == nullptr || known == &g_default_stream) return failed(ACL_ERROR_RT_PARAM_INVALID, "the stream does not exist");
  empty(*known);
  streams().erase(known);
  delete known;
  return ACL_SUCCESS;
}
aclError aclrtSynchronizeStream(aclrtStream stream) {
  Stream* known = stream_of(stream);
  if (known == nullptr) return failed(ACL_ERROR_RT_PARAM_INVALID, "the stream does not exist");
  empty(*known);
  return ACL_SUCCESS;
}
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t) { return aclrtSynchronizeStream(stream); }
aclError aclrtSynchronizeDevice() {
  for (Stream* stream : streams()) empty(*stream);
  return ACL_SUCCESS;
}
aclError aclrtCreateEvent(aclrtEvent* event) {
  *event = new Event;
  return ACL_SUCCESS;
}
aclError aclrtDestroyEvent(aclrtEvent event) {
  delete static_cast<Event*>(event);
  return ACL_SUCCESS;
}
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return enqueue(stream, {[event] { static_cast<Event*>(event)->when = std::chrono::steady_clock::now(); }, {}, "an event"});
}
aclError aclrtSynchronizeEvent(aclrtEvent) { return aclrtSynchronizeDevice(); }
aclError aclrtStreamWaitEvent(aclrtStream, aclrtEvent) { return aclrtSynchronizeDevice(); }
aclError aclrtEventElapsedTime(float* ms, aclrtEvent start, aclrtEvent end) {
  *ms = std::chrono::duration<float, std::milli>(static_cast<Event*>(end)->when - static_cast<Event*>(start)->when).count();
  return ACL_SUCCESS;
}
aclError aclrtMalloc(void** pointer, std::size_t size, aclrtMemMallocPolicy) {
  if (pointer == nullptr || size == 0) return failed(ACL_ERROR_INVALID_PARAM, "a null pointer or no bytes");
  *pointer = allocate(size, __builtin_return_address(0));
  return *pointer == nullptr ? failed(ACL_ERROR_RT_MEMORY_ALLOCATION, "the chip has no room for " + std::to_string(size) + " bytes") : ACL_SUCCESS;
}
aclError aclrtFree(void* pointer) {
  const void* place = __builtin_return_address(0);
  if (pointer == nullptr) return failed(ACL_ERROR_INVALID_PARAM, "a null pointer");
  before_host_access(pointer, "aclrtFree", place);
  if (release(pointer, place)) return ACL_SUCCESS;
  const std::optional<Allocation> freed = find_freed(pointer);
  report_at(freed ? "double-free" : "invalid-free", place, freed ? "aclrtFree of memory that is free already" : "aclrtFree of a pointer that aclrtMalloc did not give", freed ? "aclrtFree 的内存已被释放" : "aclrtFree 的指针并非由 aclrtMalloc 分配");
  return failed(ACL_ERROR_RT_PARAM_INVALID, "the pointer is no allocation");
}
aclError aclrtMallocHost(void** pointer, std::size_t size) {
  *pointer = std::malloc(size);
  return *pointer == nullptr ? ACL_ERROR_RT_MEMORY_ALLOCATION : ACL_SUCCESS;
}
aclError aclrtFreeHost(void* pointer) {
  std::free(pointer);
  return ACL_SUCCESS;
}
aclError aclrtMemcpy(void* dst, std::size_t capacity, const void* src, std::size_t count, aclrtMemcpyKind kind) { return copy(dst, capacity, src, count, kind, "aclrtMemcpy", __builtin_return_address(0)); }
aclError aclrtMemcpyAsync(void* dst, std::size_t capacity, const void* src, std::size_t count, aclrtMemcpyKind kind, aclrtStream stream) {
  Stream* known = stream_of(stream);
  if (known == nullptr) return failed(ACL_ERROR_RT_PARAM_INVALID, "the stream does not exist");
  empty(*known);  // what is before it in the stream comes first
  return copy(dst, capacity, src, count, kind, "aclrtMemcpyAsync", __builtin_return_address(0));
}
aclError aclrtMemset(void* pointer, std::size_t capacity, int32_t value, std::size_t count) {
  const void* place = __builtin_return_address(0);
  if (pointer == nullptr || count > capacity) return failed(ACL_ERROR_INVALID_PARAM, "a null pointer or too many bytes");
  if (!check_range_of_host(pointer, count, "aclrtMemset", "the range", place)) return failed(ACL_ERROR_RT_PARAM_INVALID, "the range leaves its allocation");
  before_host_access(pointer, "aclrtMemset", place);
  OpenMemory open;
  std::memset(pointer, value, count);
  if (settings().is_check) set_poison(pointer, count, false);
  return ACL_SUCCESS;
}
aclError aclrtMemsetAsync(void* pointer, std::size_t capacity, int32_t value, std::size_t count, aclrtStream stream) {
  if (Stream* known = stream_of(stream); known != nullptr) empty(*known);
  return aclrtMemset(pointer, capacity, value, count);
}
aclError aclrtGetMemInfo(aclrtMemAttr, std::size_t* free, std::size_t* total) {
  *total = memory_bytes();
  *free = memory_bytes() - memory_bytes_used();
  return ACL_SUCCESS;
}
const char* aclGetRecentErrMsg() { return g_last_error.c_str(); }
std::size_t aclDataTypeSize(aclDataType type) {
  switch (type) {
    case ACL_INT8: case ACL_UINT8: case ACL_BOOL: return 1;
    case ACL_FLOAT16: case ACL_BF16: case ACL_INT16: case ACL_UINT16: return 2;
    case ACL_INT64: case ACL_UINT64: case ACL_DOUBLE: return 8;
    default: return 4;
  }
}
float aclFloat16ToFloat(aclFloat16 value) {
  float result = 0;
  loops().to_float(SB_F16, &result, &value, 1);
  return result;
}
aclFloat16 aclFloatToFloat16(float value) {
  aclFloat16 result = 0;
  loops().from_float(SB_F16, &result, &value, 1);
  return result;
}
// Memory of the chip for host code that fills it directly: in a check it counts as written.
void* sb_gm_alloc(std::size_t bytes) {
  void* pointer = allocate(bytes, __builtin_return_address(0));
  if (settings().is_check && pointer != nullptr) {
    set_poison(pointer, bytes, false);
    static OpenMemory* open = new OpenMemory;
    (void)open;
  }
  return pointer;
}
void sb_gm_free(void* pointer) { aclrtFree(pointer); }
}

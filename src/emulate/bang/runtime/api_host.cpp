// CNRT calls of the host: devices, memory, notifiers, launches.
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "emulate/bang/runtime/check.h"
#include "emulate/bang/runtime/chip.h"
#include "emulate/bang/runtime/queue.h"
#include "emulate/bang/runtime/shadow.h"
#include "emulate/common/inputs.h"
#include "emulate/common/settings.h"
#include "emulate/common/trace.h"

using namespace starbridge::emulate;
using namespace starbridge::emulate::bang;

struct cnrtNotifierStruct {
  double placed_us = 0;
  cnrtQueue_t queue = nullptr;
};

namespace {

bool is_on_chip(const void* pointer) { return space_of(pointer) == Space::kGdram; }

double now_us() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// What a copy or fill of the host may touch of one allocation. False: refused, and reported.
bool check_range(const void* pointer, std::size_t bytes, const char* call, const void* place) {
  std::optional<Allocation> allocation = find_allocation(pointer);
  if (!allocation) {
    const bool is_freed = find_freed(pointer).has_value();
    report_at(is_freed ? "use-after-free" : "out-of-bounds", place,
              std::string(call) +
                  (is_freed ? " touches memory that was freed" : " touches memory of the chip that was never allocated"),
              std::string(call) + (is_freed ? " 访问了已释放的内存" : " 访问了从未分配的设备内存"));
    return false;
  }
  const char* end = static_cast<const char*>(pointer) + bytes;
  if (end <= allocation->start + allocation->bytes) return true;
  report_at("out-of-bounds", place,
            std::string(call) + " reaches " +
                std::to_string(end - allocation->start - static_cast<std::ptrdiff_t>(allocation->bytes)) +
                " bytes past an allocation of " + std::to_string(allocation->bytes) + " bytes",
            std::string(call) + " 超出大小为 " + std::to_string(allocation->bytes) + " 字节的分配");
  return false;
}

bool check_copy(void* to, const void* from, std::size_t bytes, cnrtMemTransDir_t kind, const char* call, const void* place) {
  if (kind == cnrtMemcpyNoDirection || kind == cnrtMemcpyPeerToPeer) return true;
  const bool wants_to = kind == cnrtMemcpyHostToDev || kind == cnrtMemcpyDevToDev;
  const bool wants_from = kind == cnrtMemcpyDevToHost || kind == cnrtMemcpyDevToDev;
  if (is_on_chip(to) != wants_to || is_on_chip(from) != wants_from) {
    report_at("copy-direction", place, std::string(call) + " names a direction that does not fit its pointers",
              std::string(call) + " 的方向与指针所在内存不一致");
    return false;
  }
  return (!is_on_chip(to) || check_range(to, bytes, call, place)) && (!is_on_chip(from) || check_range(from, bytes, call, place));
}

cnrtRet_t copy(void* to, const void* from, std::size_t bytes) {
  OpenMemory open;
  std::memmove(to, from, bytes);
  if (settings().is_check) copy_poison(to, from, bytes);
  if (is_on_chip(from) && !is_on_chip(to)) trace_result(to, bytes);
  if (!is_on_chip(from) && is_on_chip(to)) take_input(to, bytes);
  return cnrtSuccess;
}

cnrtRet_t fill(void* pointer, int value, std::size_t bytes) {
  OpenMemory open;
  std::memset(pointer, value, bytes);
  if (settings().is_check) set_poison(pointer, bytes, false);
  return cnrtSuccess;
}

std::vector<const void*> chip_pointers(std::initializer_list<const void*> all) {
  std::vector<const void*> result;
  for (const void* pointer : all) {
    if (is_on_chip(pointer)) result.push_back(pointer);
  }
  return result;
}

struct KeptArguments {
  std::vector<std::vector<char>> values;
  std::vector<void*> addresses;
  std::vector<const void*> pointers;
};

std::shared_ptr<KeptArguments> keep_arguments(const Kernel& kernel, void** arguments) {
  auto kept = std::make_shared<KeptArguments>();
  for (std::size_t i = 0; i < kernel.argument_bytes.size(); ++i) {
    const auto* from = static_cast<const char*>(arguments[i]);
    kept->values.emplace_back(from, from + kernel.argument_bytes[i]);
    for (std::size_t at = 0; at + sizeof(void*) <= kernel.argument_bytes[i]; at += sizeof(void*)) {
      const void* word = nullptr;
      std::memcpy(&word, from + at, sizeof word);
      if (is_on_chip(word)) kept->pointers.push_back(word);
    }
  }
  for (auto& value : kept->values) kept->addresses.push_back(value.data());
  kept->addresses.push_back(nullptr);
  return kept;
}

cnrtRet_t launch(const void* host_function, cnrtDim3_t dim, unsigned type, void** arguments, cnrtQueue_t queue,
                 const void* place) {
  Kernel* kernel = find_kernel(host_function);
  if (kernel == nullptr || kernel->code == nullptr || kernel->invoke == nullptr) return remember(cnrtErrorInvalidSymbol);
  int clusters = 0;
  switch (type) {
    case cnrtFuncTypeBlock:
      break;
    case cnrtFuncTypeUnion1:
    case cnrtFuncTypeUnion2:
    case cnrtFuncTypeUnion4:
    case cnrtFuncTypeUnion8:
    case cnrtFuncTypeUnion16:
      clusters = static_cast<int>(type) / 4;
      break;
    default:
      return remember(cnrtErrorInvalidKernel);
  }
  std::shared_ptr<KeptArguments> kept = keep_arguments(*kernel, arguments);
  Work work;
  work.carry_out = [kernel, dim, clusters, kept] {
    OpenMemory open;
    Launch run;
    run.kernel = kernel;
    run.arguments = kept->addresses.data();
    run.dim = dim;
    run.union_clusters = clusters;
    return run_timed(run);
  };
  work.pointers = kept->pointers;
  work.what = "the kernel " + kernel->readable.substr(0, kernel->readable.find('('));
  work.place = place;
  return enqueue(queue, std::move(work));
}

struct Configuration {
  cnrtDim3_t dim = {1, 1, 1};
  cnrtFunctionType_t type = cnrtFuncTypeBlock;
  cnrtQueue_t queue = nullptr;
};
thread_local std::vector<Configuration> t_configurations;

}  // namespace

extern "C" {

unsigned __cudaPushCallConfiguration(cnrtDim3_t dim, cnrtFunctionType_t type, cnrtQueue_t queue) {
  t_configurations.push_back({dim, type, queue});
  return 0;
}
cnrtRet_t __cudaPopCallConfiguration(cnrtDim3_t* grid, cnrtDim3_t* block, std::size_t* bytes, void* queue) {
  const Configuration last = t_configurations.back();
  t_configurations.pop_back();
  *grid = last.dim;
  *block = {static_cast<unsigned>(last.type), 1, 1};
  *bytes = 0;
  *static_cast<cnrtQueue_t*>(queue) = last.queue;
  return cnrtSuccess;
}
cnrtRet_t cudaLaunchKernel(const void* host_function, cnrtDim3_t grid, cnrtDim3_t block, void** arguments, std::size_t,
                           cnrtQueue_t queue) {
  return launch(host_function, grid, block.x, arguments, queue, __builtin_return_address(0));
}
cnrtRet_t cnrtInvokeKernel(const void* kernel, cnrtDim3_t dim, cnrtFunctionType_t type, void** arguments, std::size_t,
                           cnrtQueue_t queue) {
  return launch(kernel, dim, static_cast<unsigned>(type), arguments, queue, __builtin_return_address(0));
}

cnrtRet_t cnrtInit(unsigned) { return cnrtSuccess; }
void cnrtDestroy(void) {}
cnrtRet_t cnrtGetDeviceCount(unsigned* count) {
  *count = 1;
  return cnrtSuccess;
}
cnrtRet_t cnrtGetDevice(int* ordinal) {
  *ordinal = 0;
  return cnrtSuccess;
}
cnrtRet_t cnrtGetDeviceHandle(cnrtDev_t* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? cnrtSuccess : remember(cnrtErrorDeviceInvalid);
}
cnrtRet_t cnrtSetDevice(int ordinal) { return ordinal == 0 ? cnrtSuccess : remember(cnrtErrorDeviceInvalid); }
cnrtRet_t cnrtSetCurrentDevice(cnrtDev_t device) { return cnrtSetDevice(device); }
cnrtRet_t cnrtDeviceReset(void) { return empty_all(); }
cnrtRet_t cnrtGetDeviceProperties(cnrtDeviceProp_t* properties, int ordinal) {
  if (ordinal != 0) return remember(cnrtErrorDeviceInvalid);
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "%s (emulated)", chip().name.c_str());
  properties->major = chip().arch / 100;
  properties->minor = chip().arch / 10 % 10;
  properties->totalMem = memory_bytes() >> 20;
  properties->availableMem = (memory_bytes() - memory_bytes_used()) >> 20;
  properties->clusterCount = chip().clusters;
  properties->McorePerCluster = chip().cores;
  properties->clusterClockRate = chip().clock_mhz * 1000;
  for (int& limit : properties->maxDim) limit = 65535;
  properties->maxClusterCountPerUnionTask = chip().clusters;
  properties->NramSizePerMcore = chip().nram_kib << 10;
  properties->WramSizePerMcore = chip().wram_kib << 10;
  properties->maxSharedMemPerUnionTask = chip().sram_kib << 10;
  return cnrtSuccess;
}
cnrtRet_t cnrtDeviceGetAttribute(int* value, cnrtDeviceAttr_t attribute, int ordinal) {
  if (ordinal != 0) return remember(cnrtErrorDeviceInvalid);
  switch (attribute) {
    case cnrtAttrComputeCapabilityMajor:
      *value = chip().arch / 100;
      break;
    case cnrtAttrComputeCapabilityMinor:
      *value = chip().arch / 10 % 10;
      break;
    case cnrtAttrClusterCount:
    case cnrtAttrMaxClusterPerUnionTask:
      *value = chip().clusters;
      break;
    case cnrtAttrMcorePerCluster:
      *value = chip().cores;
      break;
    case cnrtAttrNramSizePerMcore:
      *value = chip().nram_kib << 10;
      break;
    case cnrtAttrWramSizePerMcore:
      *value = chip().wram_kib << 10;
      break;
    case cnrtAttrSramSizePerMcore:
      *value = chip().sram_kib << 10;
      break;
    case cnrtAttrMaxDimX:
    case cnrtAttrMaxDimY:
    case cnrtAttrMaxDimZ:
      *value = 65535;
      break;
    case cnrtAttrClockRate:
      *value = chip().clock_mhz * 1000;
      break;
    case cnrtAttrBF16ComputingSupported:
      *value = chip().arch >= 300;
      break;
    case cnrtAttrTF32ComputingSupported:
      *value = chip().arch >= 500;
      break;
    case cnrtAttrTotalMemorySize:
      *value = static_cast<int>(memory_bytes() >> 20);
      break;
    default:
      *value = 1;
  }
  return cnrtSuccess;
}
cnrtRet_t cnrtGetLibVersion(int* major, int* minor, int* patch) {
  *major = CNRT_MAJOR_VERSION;
  *minor = CNRT_MINOR_VERSION;
  *patch = CNRT_PATCH_VERSION;
  return cnrtSuccess;
}
cnrtRet_t cnrtDriverGetVersion(int* major, int* minor, int* patch) { return cnrtGetLibVersion(major, minor, patch); }

const char* cnrtGetErrorStr(cnrtRet_t error) {
  switch (error) {
#define SB_CNRT_ERROR(name, number, text) \
  case name:                              \
    return text;
#include "starbridge/cnrt_errors.def"
#undef SB_CNRT_ERROR
  }
  return "unknown error";
}
const char* cnrtGetErrorName(cnrtRet_t error) {
  switch (error) {
#define SB_CNRT_ERROR(name, number, text) \
  case name:                              \
    return #name;
#include "starbridge/cnrt_errors.def"
#undef SB_CNRT_ERROR
  }
  return "unknown";
}

cnrtRet_t cnrtMalloc(void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return remember(cnrtErrorArgsInvalid);
  *pointer = allocate(std::max<std::size_t>(bytes, 1), __builtin_return_address(0));
  return *pointer == nullptr ? remember(cnrtErrorNoMem) : cnrtSuccess;
}
cnrtRet_t cnrtMallocConstant(void** pointer, std::size_t bytes) { return cnrtMalloc(pointer, bytes); }
cnrtRet_t cnrtFree(void* pointer) {
  if (pointer == nullptr) return cnrtSuccess;
  const void* place = __builtin_return_address(0);
  before_host_access(pointer, "cnrtFree", place);
  if (release(pointer, place)) return cnrtSuccess;
  const bool was_freed = find_freed(pointer).has_value();
  report_at(was_freed ? "double-free" : "invalid-free", place,
            was_freed ? "the memory was freed before" : "the pointer was not given out by cnrtMalloc",
            was_freed ? "该内存此前已释放" : "该指针不是 cnrtMalloc 返回的");
  return remember(cnrtErrorArgsInvalid);
}
cnrtRet_t cnrtHostMalloc(void** pointer, std::size_t bytes) {
  *pointer = std::malloc(std::max<std::size_t>(bytes, 1));
  return *pointer == nullptr ? remember(cnrtErrorNoMem) : cnrtSuccess;
}
cnrtRet_t cnrtMallocHost(void** pointer, std::size_t bytes) { return cnrtHostMalloc(pointer, bytes); }
cnrtRet_t cnrtFreeHost(void* pointer) {
  std::free(pointer);
  return cnrtSuccess;
}
cnrtRet_t cnrtMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  *free_bytes = memory_bytes() - memory_bytes_used();
  *total_bytes = memory_bytes();
  return cnrtSuccess;
}
cnrtRet_t cnrtMemcpy(void* to, const void* from, std::size_t bytes, cnrtMemTransDir_t kind) {
  const void* place = __builtin_return_address(0);
  before_host_access(to, "cnrtMemcpy", place);
  before_host_access(from, "cnrtMemcpy", place);
  if (!check_copy(to, from, bytes, kind, "cnrtMemcpy", place)) return remember(cnrtErrorArgsInvalid);
  return copy(to, from, bytes);
}
cnrtRet_t cnrtMemcpyAsync(void* to, const void* from, std::size_t bytes, cnrtQueue_t queue, cnrtMemTransDir_t kind) {
  const void* place = __builtin_return_address(0);
  if (!check_copy(to, from, bytes, kind, "cnrtMemcpyAsync", place)) return remember(cnrtErrorArgsInvalid);
  return enqueue(queue, {[=] { return copy(to, from, bytes); }, chip_pointers({to, from}), "cnrtMemcpyAsync", place});
}
cnrtRet_t cnrtMemcpyAsync_V2(void* to, const void* from, std::size_t bytes, cnrtQueue_t queue, cnrtMemTransDir_t kind) {
  return cnrtMemcpyAsync(to, from, bytes, queue, kind);
}
cnrtRet_t cnrtMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                       std::size_t height, cnrtMemTransDir_t kind) {
  if (width > to_pitch || width > from_pitch) return remember(cnrtErrorArgsInvalid);
  for (std::size_t row = 0; row < height; ++row) {
    cnrtRet_t error =
        cnrtMemcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width, kind);
    if (error != cnrtSuccess) return error;
  }
  return cnrtSuccess;
}
cnrtRet_t cnrtMemset(void* pointer, int value, std::size_t bytes) {
  const void* place = __builtin_return_address(0);
  before_host_access(pointer, "cnrtMemset", place);
  if (!check_range(pointer, bytes, "cnrtMemset", place)) return remember(cnrtErrorArgsInvalid);
  return fill(pointer, value, bytes);
}
cnrtRet_t cnrtMemsetAsync(void* pointer, int value, std::size_t bytes, cnrtQueue_t queue) {
  const void* place = __builtin_return_address(0);
  if (!check_range(pointer, bytes, "cnrtMemsetAsync", place)) return remember(cnrtErrorArgsInvalid);
  return enqueue(queue, {[=] { return fill(pointer, value, bytes); }, chip_pointers({pointer}), "cnrtMemsetAsync", place});
}
cnrtRet_t cnrtMemsetD8(void* pointer, unsigned char value, std::size_t count) { return cnrtMemset(pointer, value, count); }
cnrtRet_t cnrtMemsetD32(void* pointer, unsigned value, std::size_t count) {
  std::vector<unsigned> values(count, value);
  return cnrtMemcpy(pointer, values.data(), count * sizeof value, cnrtMemcpyHostToDev);
}
cnrtRet_t cnrtPointerGetAttributes(cnrtPointerAttributes_t* attributes, const void* pointer) {
  const bool is_device = is_on_chip(pointer);
  *attributes = {is_device ? cnrtMemTypeDevice : cnrtMemTypeUnregistered, 0, is_device ? const_cast<void*>(pointer) : nullptr,
                 is_device ? nullptr : const_cast<void*>(pointer)};
  return cnrtSuccess;
}

cnrtRet_t cnrtNotifierCreate(cnrtNotifier_t* notifier) {
  *notifier = new cnrtNotifierStruct;
  return cnrtSuccess;
}
cnrtRet_t cnrtCreateNotifier(cnrtNotifier_t* notifier) { return cnrtNotifierCreate(notifier); }
cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t notifier) {
  // Work that still waits may place it.
  cnrtRet_t error = empty_all();
  delete notifier;
  return error;
}
cnrtRet_t cnrtDestroyNotifier(cnrtNotifier_t* notifier) { return cnrtNotifierDestroy(*notifier); }
cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue) {
  notifier->queue = queue;
  return enqueue(queue, {[notifier] {
                           notifier->placed_us = now_us();
                           return cnrtSuccess;
                         },
                         {},
                         "cnrtPlaceNotifier",
                         nullptr});
}
cnrtRet_t cnrtWaitNotifier(cnrtNotifier_t notifier) { return empty(notifier->queue); }
cnrtRet_t cnrtQueryNotifier(cnrtNotifier_t notifier) { return empty(notifier->queue); }
cnrtRet_t cnrtQueueWaitNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue, unsigned) {
  return enqueue(queue, {[notifier] { return empty(notifier->queue); }, {}, "cnrtQueueWaitNotifier", nullptr});
}
cnrtRet_t cnrtNotifierDuration(cnrtNotifier_t start, cnrtNotifier_t end, float* microseconds) {
  *microseconds = static_cast<float>(end->placed_us - start->placed_us);
  return cnrtSuccess;
}
cnrtRet_t cnrtNotifierElapsedTime(cnrtNotifier_t start, cnrtNotifier_t end, float* milliseconds) {
  *milliseconds = static_cast<float>((end->placed_us - start->placed_us) / 1e3);
  return cnrtSuccess;
}
}

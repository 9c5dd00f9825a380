// Allocation, copies and fills.
#include <cstring>

#include "cuda_runtime_api.h"
#include "emulate/common/inputs.h"
#include "emulate/common/settings.h"
#include "emulate/common/trace.h"
#include "emulate/cuda/runtime/api.h"
#include "emulate/cuda/runtime/checker.h"
#include "emulate/cuda/runtime/memory.h"
#include "emulate/cuda/runtime/registry.h"
#include "emulate/cuda/runtime/report.h"

namespace starbridge::emulate::cuda {

namespace {

// The direction a copy really has must be the one it names, as on a card without common addresses for pageable memory.
bool fits(const void* address, bool wants_card) {
  switch (space_of(address)) {
    case Space::kDevice:
      return wants_card;
    case Space::kManaged:
    case Space::kPinned:
      return true;
    case Space::kShared:
      return false;
    case Space::kHost:
      return !wants_card || find_variable_at(address) != nullptr || is_registered_host(address);
  }
  return false;
}

bool names_right_sides(const void* to, const void* from, cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return fits(to, false) && fits(from, false);
    case cudaMemcpyHostToDevice:
      return fits(to, true) && fits(from, false);
    case cudaMemcpyDeviceToHost:
      return fits(to, false) && fits(from, true);
    case cudaMemcpyDeviceToDevice:
      return fits(to, true) && fits(from, true);
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

// The range lies inside one allocation of the card (or is not in its arenas at all).
bool is_inside(const void* start, std::size_t bytes, const char* what, const char* what_zh, const void* place) {
  if (space_of(start) == Space::kHost || bytes == 0) return true;
  auto allocation = find_allocation(start);
  if (allocation && static_cast<const char*>(start) + bytes <= allocation->start + allocation->bytes) return true;
  auto freed = find_freed(start);
  if (settings().is_check) {
    if (freed && !allocation) {
      Finding finding{
          "use-after-free",    std::string(what) + " memory that was freed",           std::string(what_zh) + "已释放的内存",
          current_side(place), Side{freed->place, false, {0, 0, 0}, {0, 0, 0}, false}, freed->place != nullptr};
      report(finding);
    } else {
      std::string size = allocation ? std::to_string(allocation->bytes) : "0";
      report_here("out-of-bounds", place,
                  std::string(what) + " " + std::to_string(bytes) + " bytes, of which the allocation (" + size +
                      " bytes) does not hold all",
                  std::string(what_zh) + " " + std::to_string(bytes) + " 字节，超出分配的范围（" + size + " 字节）");
    }
  }
  return false;
}

}  // namespace

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, const void* place) {
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (!names_right_sides(to, from, kind)) {
    if (settings().is_check)
      report_here("copy-direction", place, "the copy names a direction that its pointers do not have",
                  "拷贝方向与指针所在的内存不符");
    return cudaErrorInvalidValue;
  }
  CardOpen open;
  if (!is_inside(to, bytes, "a copy writes", "拷贝写入", place) || !is_inside(from, bytes, "a copy reads", "拷贝读取", place))
    return cudaErrorInvalidValue;
  std::memmove(to, from, bytes);
  if (settings().is_check) shadow_copy(to, from, bytes);
  if (space_of(from) == Space::kDevice && space_of(to) != Space::kDevice) trace_result(to, bytes);
  if (space_of(from) != Space::kDevice && (space_of(to) == Space::kDevice || kind == cudaMemcpyHostToDevice))
    take_input(to, bytes);
  return cudaSuccess;
}

cudaError_t fill(void* to, int value, std::size_t bytes, const void* place) {
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr) return cudaErrorInvalidValue;
  if (!fits(to, true)) {
    if (settings().is_check)
      report_here("host-pointer-on-device", place, "cudaMemset of memory that the card does not have",
                  "cudaMemset 的目标不在显存中");
    return cudaErrorInvalidValue;
  }
  CardOpen open;
  if (!is_inside(to, bytes, "cudaMemset writes", "cudaMemset 写入", place)) return cudaErrorInvalidValue;
  std::memset(to, value, bytes);
  if (settings().is_check) shadow_initialise(to, bytes);
  return cudaSuccess;
}

namespace {

cudaError_t allocate_for(void** pointer, std::size_t bytes, Space space, unsigned flags, const void* place) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  *pointer = allocate(space, bytes, place, flags);
  return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t free_checked(void* pointer, Space space, const void* place) {
  if (pointer == nullptr) return cudaSuccess;
  Space really = space_of(pointer);
  const bool is_allowed =
      space == Space::kPinned ? really == Space::kPinned : really == Space::kDevice || really == Space::kManaged;
  cudaError_t error = is_allowed ? release(pointer, really, place) : cudaErrorInvalidValue;
  if (error != cudaSuccess && settings().is_check) {
    auto freed = find_freed(pointer);
    if (freed && freed->start == pointer)
      report({"double-free", "memory is freed a second time", "内存被再次释放", current_side(place),
              Side{freed->place, false, {0, 0, 0}, {0, 0, 0}, false}, freed->place != nullptr});
    else
      report_here("invalid-free", place, "the pointer freed is not one the same family of calls gave",
                  "被释放的指针不是由对应的接口分配的");
  }
  return error;
}

cudaError_t copy_rows(char* to, std::size_t to_pitch, const char* from, std::size_t from_pitch, std::size_t width,
                      std::size_t height, cudaMemcpyKind kind, const void* place) {
  if (width == 0 || height == 0) return cudaSuccess;
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
  for (std::size_t row = 0; row < height; ++row) {
    cudaError_t error = copy(to + row * to_pitch, from + row * from_pitch, width, kind, place);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace starbridge::emulate::cuda

using namespace starbridge::emulate;
using namespace starbridge::emulate::cuda;

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) { return give(allocate_for(pointer, bytes, Space::kDevice, 0, SB_PLACE)); }
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t) {
  return give(allocate_for(pointer, bytes, Space::kDevice, 0, SB_PLACE));
}
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int flags) {
  return give(allocate_for(pointer, bytes, Space::kManaged, flags, SB_PLACE));
}
cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return give(allocate_for(pointer, bytes, Space::kPinned, 0, SB_PLACE));
}
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return give(allocate_for(pointer, bytes, Space::kPinned, flags, SB_PLACE));
}
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  if (pitch == nullptr) return give(cudaErrorInvalidValue);
  *pitch = (width + 511) / 512 * 512;
  return give(allocate_for(pointer, *pitch * height, Space::kDevice, 0, SB_PLACE));
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  if (pitched == nullptr) return give(cudaErrorInvalidValue);
  *pitched = {nullptr, (extent.width + 511) / 512 * 512, extent.width, extent.height};
  return give(allocate_for(&pitched->ptr, pitched->pitch * extent.height * extent.depth, Space::kDevice, 0, SB_PLACE));
}
cudaError_t cudaFree(void* pointer) {
  CardOpen open;
  return give(free_checked(pointer, Space::kDevice, SB_PLACE));
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) {
  CardOpen open;
  return give(free_checked(pointer, Space::kDevice, SB_PLACE));
}
cudaError_t cudaFreeHost(void* pointer) { return give(free_checked(pointer, Space::kPinned, SB_PLACE)); }

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int) {
  if (pointer == nullptr || bytes == 0 || space_of(pointer) != Space::kHost) return give(cudaErrorInvalidValue);
  if (is_registered_host(pointer)) return give(cudaErrorHostMemoryAlreadyRegistered);
  register_host(pointer, bytes);
  return give(cudaSuccess);
}
cudaError_t cudaHostUnregister(void* pointer) {
  return give(unregister_host(pointer) ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int) {
  if (device == nullptr || (space_of(host) != Space::kPinned && !is_registered_host(host))) return give(cudaErrorInvalidValue);
  *device = host;
  return give(cudaSuccess);
}
cudaError_t cudaHostGetFlags(unsigned int* flags, void* host) {
  auto allocation = find_allocation(host);
  if (flags == nullptr || !allocation || allocation->space != Space::kPinned) return give(cudaErrorInvalidValue);
  *flags = allocation->flags;
  return give(cudaSuccess);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return give(copy(to, from, bytes, kind, SB_PLACE));
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return give(
      copy_rows(static_cast<char*>(to), to_pitch, static_cast<const char*>(from), from_pitch, width, height, kind, SB_PLACE));
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t) {
  return give(
      copy_rows(static_cast<char*>(to), to_pitch, static_cast<const char*>(from), from_pitch, width, height, kind, SB_PLACE));
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
  return give(copy(to, from, bytes, cudaMemcpyDeviceToDevice, SB_PLACE));
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes, cudaStream_t) {
  return give(copy(to, from, bytes, cudaMemcpyDeviceToDevice, SB_PLACE));
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  const DeviceVariable* variable = find_variable(symbol);
  if (variable == nullptr || variable->address == nullptr) return give(cudaErrorInvalidSymbol);
  if (offset + bytes > variable->bytes || kind == cudaMemcpyDeviceToHost) return give(cudaErrorInvalidValue);
  return give(copy(static_cast<char*>(variable->address) + offset, from, bytes, cudaMemcpyDefault, SB_PLACE));
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  const DeviceVariable* variable = find_variable(symbol);
  if (variable == nullptr || variable->address == nullptr) return give(cudaErrorInvalidSymbol);
  if (offset + bytes > variable->bytes || kind == cudaMemcpyHostToDevice) return give(cudaErrorInvalidValue);
  const cudaError_t error = copy(to, static_cast<char*>(variable->address) + offset, bytes, cudaMemcpyDefault, SB_PLACE);
  if (error == cudaSuccess && space_of(variable->address) != Space::kDevice) trace_result(to, bytes);
  return give(error);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t) {
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t) {
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  const DeviceVariable* variable = find_variable(symbol);
  if (variable == nullptr || variable->address == nullptr) return give(cudaErrorInvalidSymbol);
  *pointer = variable->address;
  return give(cudaSuccess);
}
cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  const DeviceVariable* variable = find_variable(symbol);
  if (variable == nullptr) return give(cudaErrorInvalidSymbol);
  *bytes = variable->bytes;
  return give(cudaSuccess);
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) { return give(fill(to, value, bytes, SB_PLACE)); }
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  if (width > pitch) return give(cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  for (size_t row = 0; row < height && error == cudaSuccess; ++row)
    error = fill(static_cast<char*>(to) + row * pitch, value, width, SB_PLACE);
  return give(error);
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t) {
  return cudaMemset2D(to, pitch, value, width, height);
}
cudaError_t cudaMemset3D(cudaPitchedPtr pitched, int value, cudaExtent extent) {
  return cudaMemset2D(pitched.ptr, pitched.pitch, value, extent.width, extent.height * extent.depth);
}
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  *free_bytes = card_bytes_free();
  *total_bytes = card_bytes();
  return give(cudaSuccess);
}
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t, int, cudaStream_t) {
  return give(space_of(pointer) == Space::kManaged ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaMemAdvise(const void* pointer, size_t, cudaMemoryAdvise, int) {
  return give(space_of(pointer) == Space::kManaged ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  if (attributes == nullptr) return give(cudaErrorInvalidValue);
  auto* address = const_cast<void*>(pointer);
  *attributes = {cudaMemoryTypeUnregistered, 0, nullptr, address};
  switch (space_of(pointer)) {
    case Space::kDevice:
      *attributes = {cudaMemoryTypeDevice, 0, address, nullptr};
      break;
    case Space::kManaged:
      *attributes = {cudaMemoryTypeManaged, 0, address, address};
      break;
    case Space::kPinned:
      *attributes = {cudaMemoryTypeHost, 0, address, address};
      break;
    default:
      if (find_variable_at(pointer) != nullptr)
        *attributes = {cudaMemoryTypeDevice, 0, address, nullptr};
      else if (is_registered_host(pointer))
        *attributes = {cudaMemoryTypeHost, 0, address, address};
  }
  return give(cudaSuccess);
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  *pool = reinterpret_cast<cudaMemPool_t>(1);
  return give(cudaSuccess);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return give(cudaSuccess); }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return give(cudaSuccess); }
}

// Allocator: memory of the emulated devices. Device memory is host memory that is counted against the card's capacity.
// Any thread; the counts of one device share a lock.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/DeviceType.h>
#include <c10/core/Storage.h>

#include <cstdint>
#include <string>
#include <vector>

namespace starbridge::emulated {

struct MemoryCounts {
  int64_t allocated_bytes = 0;
  int64_t allocated_bytes_max = 0;
  int64_t reserved_bytes = 0;
  int64_t reserved_bytes_max = 0;
  int64_t allocations = 0;  // ever made
  int64_t frees = 0;        // ever made
  int64_t out_of_memory = 0;
  int64_t allocated_bytes_total = 0;
};

// Sets the cards that exist; called once, before any allocation. `label` is the word in messages, such as NPU.
void configure_memory(const std::string& label, int device_count, int64_t memory_bytes);

// From now on device memory comes out of the emulated chip that `runtime` (a library with the vendor's names) stands for, so that kernels
// of an extension may be given tensors: `take` and `give` are its functions that allocate and free.
void use_chip_memory(const std::string& runtime, const std::string& take, const std::string& give);

// The device allocator; c10::DataPtr it gives carries a PrivateUse1 device. Throws c10::OutOfMemoryError past capacity.
c10::DeviceAllocator* device_allocator();

MemoryCounts memory_counts(int device);
int64_t memory_capacity(int device);
void reset_peak(int device);
void reset_accumulated(int device);
void release_cached(int device);
// Limits a device to `fraction` (0..1] of its memory.
void set_memory_fraction(int device, double fraction);
// The device that owns `address`, or -1. Only starts of allocations are known.
int owner_of(const void* address);

// Memory that other processes of this machine may map, for tensors passed between processes. The file is this module's and stays open as
// long as the block; a receiver duplicates it.
struct SharedBlock {
  int file = -1;
  int64_t bytes = 0;
  int device = -1;
};
// Moves the memory of a device storage into such a block, if it is not in one already. The storage keeps its identity; its address
// changes. Throws c10::Error for a storage that is not a whole allocation.
SharedBlock share_memory(const c10::Storage& storage);
// A device storage over a block of another process; `file` stays the caller's. Counts against `device`.
c10::Storage map_shared_memory(int file, int64_t bytes, int device);

// While one of these lives, what the CPU's kernels allocate on this thread belongs to `device`: their outputs become device
// storage without a copy, and their workspaces count against the card as a real kernel's would.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_;
};

}  // namespace starbridge::emulated

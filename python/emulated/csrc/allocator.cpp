#include "allocator.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/Exception.h>
#include <c10/util/error.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iomanip>
#include <memory>
#include <mutex>
#include <sstream>
#include <unordered_map>

#include "device_state.h"

namespace starbridge::emulated {
namespace {

constexpr int64_t kRoundBytes = 512;  // the vendors' allocators give out multiples of this
constexpr size_t kShards = 16;

struct Card {
  std::mutex mutex;
  MemoryCounts counts;
  int64_t capacity_bytes = 0;
  double fraction = 1.0;
};

struct Block {
  int device;
  int64_t bytes;
  int file = -1;             // of a block that other processes may map
  int64_t mapped_bytes = 0;  // of such a block
  bool is_chip = false;
};

// The chip's own allocation functions, null while device memory is plain host memory.
struct Chip {
  int (*take)(void**, size_t) = nullptr;
  int (*give)(void*) = nullptr;
};
Chip chip;

struct Shard {
  std::mutex mutex;
  std::unordered_map<const void*, Block> blocks;
};

struct Memory {
  std::string label;
  std::vector<std::unique_ptr<Card>> cards;
  std::array<Shard, kShards> shards;
};

// Never destroyed: tensors held by Python may be freed after static destruction begins.
Memory& memory() {
  static Memory* instance = new Memory;
  return *instance;
}

thread_local int scope_device = -1;

Shard& shard_of(const void* address) { return memory().shards[(reinterpret_cast<uintptr_t>(address) >> 6) % kShards]; }

Card& card(int device) {
  TORCH_CHECK(device >= 0 && device < static_cast<int>(memory().cards.size()), "Invalid device index ", device,
              ": this process sees ", memory().cards.size(), " emulated device(s)");
  return *memory().cards[device];
}

std::string readable(int64_t bytes) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(2);
  if (bytes < (1LL << 20)) {
    out << static_cast<double>(bytes) / 1024.0 << " KiB";
  } else if (bytes < (1LL << 30)) {
    out << static_cast<double>(bytes) / 1048576.0 << " MiB";
  } else {
    out << static_cast<double>(bytes) / 1073741824.0 << " GiB";
  }
  return out.str();
}

void claim(int device, int64_t bytes) {
  Card& owner = card(device);
  std::string message;
  {
    std::lock_guard<std::mutex> lock(owner.mutex);
    MemoryCounts& counts = owner.counts;
    auto limit = static_cast<int64_t>(static_cast<double>(owner.capacity_bytes) * owner.fraction);
    if (bytes <= limit - counts.allocated_bytes) {
      counts.allocated_bytes += bytes;
      counts.allocated_bytes_total += bytes;
      counts.allocations += 1;
      counts.allocated_bytes_max = std::max(counts.allocated_bytes_max, counts.allocated_bytes);
      counts.reserved_bytes = std::max(counts.reserved_bytes, counts.allocated_bytes);
      counts.reserved_bytes_max = std::max(counts.reserved_bytes_max, counts.reserved_bytes);
      return;
    }
    counts.out_of_memory += 1;
    counts.reserved_bytes = counts.allocated_bytes;  // a caching allocator gives its cache back before it fails
    std::ostringstream text;
    text << memory().label << " out of memory. Tried to allocate " << readable(bytes) << " (" << memory().label << " " << device
         << "; " << readable(owner.capacity_bytes) << " total capacity; " << readable(counts.allocated_bytes)
         << " already allocated; " << readable(counts.allocated_bytes) << " current active; "
         << readable(limit - counts.allocated_bytes) << " free; " << readable(counts.reserved_bytes)
         << " reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid "
            "fragmentation. (emulated device)";
    message = text.str();
  }
  TORCH_CHECK_WITH(OutOfMemoryError, false, message);
}

void give_back(const Block& block) {
  Card& owner = *memory().cards[block.device];
  std::lock_guard<std::mutex> lock(owner.mutex);
  owner.counts.allocated_bytes -= block.bytes;
  owner.counts.frees += 1;
}

// Frees device blocks and plain host blocks alike, so either allocator's memory may meet it.
void free_block(void* address) {
  if (address == nullptr) return;
  Block block{-1, 0};
  {
    Shard& shard = shard_of(address);
    std::lock_guard<std::mutex> lock(shard.mutex);
    auto found = shard.blocks.find(address);
    if (found != shard.blocks.end()) {
      block = found->second;
      shard.blocks.erase(found);
    }
  }
  if (block.device >= 0) give_back(block);
  if (block.is_chip) {
    chip.give(address);
    return;
  }
  if (block.file < 0) {
    c10::free_cpu(address);
    return;
  }
  ::munmap(address, static_cast<size_t>(block.mapped_bytes));
  ::close(block.file);
}

// Takes over `file`. The block's address is mapped, shared, and registered for `device`.
void* map_block(int file, int64_t bytes, int device) {
  int64_t rounded = (bytes + kRoundBytes - 1) / kRoundBytes * kRoundBytes;
  claim(device, rounded);
  void* address = ::mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (address == MAP_FAILED) {
    int failure = errno;
    give_back({device, rounded});
    ::close(file);
    TORCH_CHECK(false, "cannot map ", bytes, " bytes of shared device memory: ", c10::utils::str_error(failure));
  }
  Shard& shard = shard_of(address);
  std::lock_guard<std::mutex> lock(shard.mutex);
  shard.blocks[address] = {device, rounded, file, bytes};
  return address;
}

void* allocate_block(int device, size_t bytes) {
  if (bytes == 0) return nullptr;
  TORCH_CHECK(bytes <= static_cast<size_t>(INT64_MAX - kRoundBytes), "invalid allocation size ", bytes);
  int64_t rounded = (static_cast<int64_t>(bytes) + kRoundBytes - 1) / kRoundBytes * kRoundBytes;
  claim(device, rounded);
  void* address = nullptr;
  const bool is_chip = chip.take != nullptr && chip.take(&address, bytes) == 0;
  if (!is_chip) {
    try {
      address = c10::alloc_cpu(bytes);
    } catch (...) {
      give_back({device, rounded});
      throw;
    }
  }
  Shard& shard = shard_of(address);
  std::lock_guard<std::mutex> lock(shard.mutex);
  shard.blocks[address] = {device, rounded, -1, 0, is_chip};
  return address;
}

class EmulatedAllocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    int device = current_device();
    void* address = allocate_block(device, bytes);
    return {address, address, &free_block, c10::Device(c10::kPrivateUse1, static_cast<c10::DeviceIndex>(device))};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free_block; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }

  bool initialized() override { return !memory().cards.empty(); }
  void emptyCache(c10::MempoolId_t) override {
    for (size_t i = 0; i < memory().cards.size(); ++i) release_cached(static_cast<int>(i));
  }
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    MemoryCounts counts = memory_counts(device);
    c10::CachingDeviceAllocator::DeviceStats stats;
    auto fill = [](auto& stat, int64_t now, int64_t peak, int64_t made, int64_t freed) {
      auto& all = stat[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
      all.current = now;
      all.peak = peak;
      all.allocated = made;
      all.freed = freed;
    };
    int64_t total = counts.allocated_bytes_total;
    fill(stats.allocated_bytes, counts.allocated_bytes, counts.allocated_bytes_max, total, total - counts.allocated_bytes);
    fill(stats.active_bytes, counts.allocated_bytes, counts.allocated_bytes_max, total, total - counts.allocated_bytes);
    fill(stats.requested_bytes, counts.allocated_bytes, counts.allocated_bytes_max, total, total - counts.allocated_bytes);
    fill(stats.reserved_bytes, counts.reserved_bytes, counts.reserved_bytes_max, counts.reserved_bytes_max, 0);
    int64_t live = counts.allocations - counts.frees;
    fill(stats.allocation, live, live, counts.allocations, counts.frees);
    fill(stats.active, live, live, counts.allocations, counts.frees);
    stats.num_ooms = counts.out_of_memory;
    return stats;
  }
  void resetAccumulatedStats(c10::DeviceIndex device) override { reset_accumulated(device); }
  void resetPeakStats(c10::DeviceIndex device) override { reset_peak(device); }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override {
    int64_t capacity = memory_capacity(device);
    return {static_cast<size_t>(capacity - memory_counts(device).reserved_bytes), static_cast<size_t>(capacity)};
  }
};

// Stands in front of PyTorch's CPU allocator and takes over inside a DeviceScope.
class ScopedHostAllocator final : public c10::Allocator {
 public:
  explicit ScopedHostAllocator(c10::Allocator* host) : host_(host) {}
  c10::DataPtr allocate(size_t bytes) override {
    if (scope_device < 0) return host_->allocate(bytes);
    void* address = allocate_block(scope_device, bytes);
    return {address, address, &free_block, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free_block; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }

 private:
  c10::Allocator* host_;
};

}  // namespace

void configure_memory(const std::string& label, int device_count, int64_t memory_bytes) {
  TORCH_CHECK(memory().cards.empty(), "the emulated device is configured once per process");
  memory().label = label;
  for (int i = 0; i < device_count; ++i) {
    memory().cards.push_back(std::make_unique<Card>());
    memory().cards.back()->capacity_bytes = memory_bytes;
  }
  constexpr uint8_t kAboveDefault = 100;
  c10::SetCPUAllocator(new ScopedHostAllocator(c10::GetCPUAllocator()), kAboveDefault);
}

void use_chip_memory(const std::string& runtime, const std::string& take, const std::string& give) {
  void* library = dlopen(runtime.c_str(), RTLD_NOW | RTLD_GLOBAL);
  TORCH_CHECK(library != nullptr, "the emulated chip's runtime cannot be loaded: ", dlerror());
  Chip found;
  found.take = reinterpret_cast<int (*)(void**, size_t)>(dlsym(library, take.c_str()));
  found.give = reinterpret_cast<int (*)(void*)>(dlsym(library, give.c_str()));
  TORCH_CHECK(found.take != nullptr && found.give != nullptr, runtime, " lacks ", take, " or ", give);
  chip = found;
}

c10::DeviceAllocator* device_allocator() {
  static auto* instance = new EmulatedAllocator;
  return instance;
}

MemoryCounts memory_counts(int device) {
  Card& owner = card(device);
  std::lock_guard<std::mutex> lock(owner.mutex);
  return owner.counts;
}

int64_t memory_capacity(int device) { return card(device).capacity_bytes; }

void reset_peak(int device) {
  Card& owner = card(device);
  std::lock_guard<std::mutex> lock(owner.mutex);
  owner.counts.allocated_bytes_max = owner.counts.allocated_bytes;
  owner.counts.reserved_bytes_max = owner.counts.reserved_bytes;
}

void reset_accumulated(int device) {
  Card& owner = card(device);
  std::lock_guard<std::mutex> lock(owner.mutex);
  owner.counts.allocations -= owner.counts.frees;
  owner.counts.frees = 0;
  owner.counts.allocated_bytes_total = owner.counts.allocated_bytes;
  owner.counts.out_of_memory = 0;
}

void release_cached(int device) {
  Card& owner = card(device);
  std::lock_guard<std::mutex> lock(owner.mutex);
  owner.counts.reserved_bytes = owner.counts.allocated_bytes;
}

void set_memory_fraction(int device, double fraction) {
  TORCH_CHECK_VALUE(fraction >= 0 && fraction <= 1, "Invalid fraction:", fraction, ". Please set within (0, 1).");
  Card& owner = card(device);
  std::lock_guard<std::mutex> lock(owner.mutex);
  owner.fraction = fraction;
}

int owner_of(const void* address) {
  Shard& shard = shard_of(address);
  std::lock_guard<std::mutex> lock(shard.mutex);
  auto found = shard.blocks.find(address);
  return found == shard.blocks.end() ? -1 : found->second.device;
}

SharedBlock share_memory(const c10::Storage& storage) {
  auto* impl = storage.unsafeGetStorageImpl();
  void* before = impl->_mutable_data_ptr_no_checks().get();
  auto bytes = static_cast<int64_t>(impl->nbytes());
  TORCH_CHECK(before != nullptr && bytes > 0, "an empty storage has no memory to share");
  int device = impl->device().index();
  {
    Shard& shard = shard_of(before);
    std::lock_guard<std::mutex> lock(shard.mutex);
    auto found = shard.blocks.find(before);
    if (found != shard.blocks.end() && found->second.file >= 0) return {found->second.file, bytes, device};
  }
  int file = ::memfd_create("starbridge-device-memory", MFD_CLOEXEC);
  TORCH_CHECK(file >= 0, "cannot make shared device memory: ", c10::utils::str_error(errno));
  if (::ftruncate(file, bytes) != 0) {
    int failure = errno;
    ::close(file);
    TORCH_CHECK(false, "cannot make ", bytes, " bytes of shared device memory: ", c10::utils::str_error(failure));
  }
  void* address = map_block(file, bytes, device);
  std::memcpy(address, before, static_cast<size_t>(bytes));
  impl->set_data_ptr_noswap({address, address, &free_block, impl->device()});
  return {file, bytes, device};
}

c10::Storage map_shared_memory(int file, int64_t bytes, int device) {
  TORCH_CHECK(bytes > 0, "invalid size of shared device memory: ", bytes);
  // Unmapped pages past the end of a shorter file would end the process at their first use.
  struct stat status {};
  TORCH_CHECK(::fstat(file, &status) == 0 && status.st_size >= bytes, "the shared device memory is smaller than the ", bytes,
              " bytes its sender names");
  int own = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  TORCH_CHECK(own >= 0, "cannot keep shared device memory: ", c10::utils::str_error(errno));
  void* address = map_block(own, bytes, device);
  c10::DataPtr memory(address, address, &free_block, c10::Device(c10::kPrivateUse1, static_cast<c10::DeviceIndex>(device)));
  return c10::Storage(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), static_cast<size_t>(bytes),
                                                            std::move(memory), device_allocator(), /*resizable=*/false));
}

DeviceScope::DeviceScope(int device) : before_(scope_device) { scope_device = device; }
DeviceScope::~DeviceScope() { scope_device = before_; }

}  // namespace starbridge::emulated

REGISTER_ALLOCATOR(c10::DeviceType::PrivateUse1, starbridge::emulated::device_allocator());

#include "machine.h"

#include <c10/util/Exception.h>

#include <cstdio>

namespace starbridge::device {
namespace {

std::string gib(std::int64_t bytes) {
  char text[64];
  if (bytes >= (1LL << 30)) {
    std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(bytes) / (1LL << 30));
  } else {
    std::snprintf(text, sizeof text, "%.2f MiB", static_cast<double>(bytes) / (1LL << 20));
  }
  return text;
}

}  // namespace

thread_local int Machine::current_device_ = 0;

Machine& Machine::get() {
  static Machine* machine = new Machine();  // never destroyed: tensors may outlive static objects
  return *machine;
}

void Machine::check(int device) const {
  TORCH_CHECK(device >= 0 && device < config_.device_count, "Invalid device ID: ", device, ". This process sees ", config_.device_count, " emulated card(s) of ",
              config_.chip_name, ".");
}

void Machine::set_device(int index) {
  check(index);
  current_device_ = index;
}

void Machine::take(int device, std::int64_t bytes) {
  check(device);
  std::lock_guard<std::mutex> lock(mutex_);
  Memory& memory = memory_[static_cast<std::size_t>(device)];
  if (memory.allocated + bytes > config_.memory_bytes) {
    std::string name = config_.backend == "npu" ? "NPU" : "MLU";
    TORCH_CHECK_WITH(OutOfMemoryError, false, name, " out of memory. Tried to allocate ", gib(bytes), " (", name, " ", device, "; ", gib(config_.memory_bytes),
                     " total capacity; ", gib(memory.allocated), " already allocated; ", gib(config_.memory_bytes - memory.allocated),
                     " free; emulated ", config_.chip_name, ")");
  }
  memory.allocated += bytes;
  memory.peak = std::max(memory.peak, memory.allocated);
  ++memory.allocation_count;
}

void Machine::give_back(int device, std::int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  memory_[static_cast<std::size_t>(device)].allocated -= bytes;
}

Memory Machine::memory(int device) {
  check(device);
  std::lock_guard<std::mutex> lock(mutex_);
  return memory_[static_cast<std::size_t>(device)];
}

void Machine::reset_peak(int device) {
  check(device);
  std::lock_guard<std::mutex> lock(mutex_);
  memory_[static_cast<std::size_t>(device)].peak = memory_[static_cast<std::size_t>(device)].allocated;
}

void Machine::count(const std::string& name, int how) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++counts_[name][static_cast<std::size_t>(how)];
}

std::map<std::string, std::array<std::int64_t, 3>> Machine::counts() {
  std::lock_guard<std::mutex> lock(mutex_);
  return {counts_.begin(), counts_.end()};
}

bool Machine::is_first_fallback(const std::string& name) {
  std::lock_guard<std::mutex> lock(mutex_);
  return warned_.insert(name).second;
}

}  // namespace starbridge::device

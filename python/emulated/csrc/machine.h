// Machine: the emulated cards of this process: their number and memory, what their plug-in lacks, and what was counted.
// One per process; thread safe.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace starbridge::device {

// What the profile says about one operator.
struct OperatorRule {
  bool is_unsupported = false;  // otherwise the plug-in runs it on the CPU
  std::string source;
};

struct Config {
  std::string chip_name;
  std::string backend;  // "npu", "mlu"
  int device_count = 0;  // visible to this process
  std::int64_t memory_bytes = 0;  // per card
  std::set<c10::ScalarType> dtypes_unsupported;
  std::unordered_map<std::string, OperatorRule> rules;  // by full operator name, "aten::lgamma.out"
  bool refuses_fallback = false;
};

struct Memory {
  std::int64_t allocated = 0;
  std::int64_t peak = 0;
  std::int64_t allocation_count = 0;
};

class Machine {
 public:
  static Machine& get();

  void configure(Config config) { config_ = std::move(config); memory_.assign(static_cast<std::size_t>(config_.device_count), {}); }
  const Config& config() const { return config_; }

  int current_device() const { return current_device_; }
  void set_device(int index);

  // Takes `bytes` of a card's memory, or throws torch's out-of-memory error.
  void take(int device, std::int64_t bytes);
  void give_back(int device, std::int64_t bytes);
  Memory memory(int device);
  void reset_peak(int device);

  // Counts one execution of an operator; `how`: 0 executed, 1 run on the CPU by the plug-in, 2 refused.
  void count(const std::string& name, int how);
  std::map<std::string, std::array<std::int64_t, 3>> counts();
  // True the first time it is asked for this name.
  bool is_first_fallback(const std::string& name);

 private:
  void check(int device) const;

  Config config_;
  static thread_local int current_device_;
  std::mutex mutex_;
  std::vector<Memory> memory_;
  std::unordered_map<std::string, std::array<std::int64_t, 3>> counts_;
  std::set<std::string> warned_;
};

}  // namespace starbridge::device

// Op table: what the profile says about each operator, and how often each one ran. Configured once before use; counting is
// lock-free, so any thread may run operators.
#pragma once

#include <c10/core/ScalarType.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace starbridge::emulated {

constexpr int kDtypes = static_cast<int>(c10::ScalarType::NumOptions);

enum class OpMode { kRuns, kFallsBack, kUnsupported };

struct OpCounts {
  std::array<std::atomic<uint64_t>, kDtypes + 1> ran{};  // the last slot counts calls without a tensor
  std::array<std::atomic<uint64_t>, kDtypes + 1> fell_back{};
  std::array<std::atomic<uint64_t>, kDtypes + 1> refused{};
};

struct OpRecord {
  std::string name;  // aten::add.Tensor
  OpMode mode = OpMode::kRuns;
  std::string source;
  uint64_t dtypes_ok = ~0ULL;          // bit per dtype; outside it the operator is refused
  uint64_t dtypes_documented = ~0ULL;  // outside it the vendor's pages do not promise it: a warning, once
  std::string documented_source;
  bool is_mutable = false;
  bool may_mix_devices = false;   // copies and index lists may take CPU tensors
  bool moves_bytes = false;       // does no arithmetic, so a dtype without arithmetic passes
  bool is_random = false;         // draws numbers and takes no generator
  std::atomic<bool> has_warned{false};
  std::atomic<bool> has_warned_dtype{false};
  OpCounts counts;
};

struct OpRule {
  std::string name;  // aten::add (all overloads) or aten::add.Tensor
  OpMode mode;
  std::string source;
  std::vector<std::string> dtypes_ok;  // empty: all
  bool is_documentation_only = false;  // dtypes_ok come from pages and only warn
};

struct Policy {
  std::string label;    // NPU
  std::string backend;  // npu
  std::string chip_name;
  bool refuses_fallback = false;
  uint64_t dtypes_unsupported = 0;
  std::string dtypes_source;
};

void configure_policy(Policy policy, const std::vector<std::string>& dtypes_unsupported, std::vector<OpRule> rules);
const Policy& policy();

// The record of an operator, made on first use; the address stays valid for the life of the process.
OpRecord* op_record(const std::string& name);
// Names that the rules give a mode of their own, as written.
std::vector<std::string> ruled_names();

// Decides whether the operator may run on `dtype` (kDtypes: no tensor), counts it, warns once or throws.
void admit(OpRecord& record, int dtype);
// Throws when the card cannot compute in `dtype`, and counts that.
void check_dtype(OpRecord& record, int dtype);

struct CountRow {
  std::string op;
  std::string dtype;
  uint64_t ran, fell_back, refused;
};
std::vector<CountRow> count_rows();  // only non-zero rows, sorted
void reset_counts();

}  // namespace starbridge::emulated

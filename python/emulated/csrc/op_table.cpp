#include "op_table.h"

#include <c10/util/Exception.h>

#include <map>
#include <memory>
#include <mutex>

namespace starbridge::emulated {
namespace {

struct Table {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<OpRecord>> records;
  std::map<std::string, OpRule> rules;
  std::map<std::string, OpRule> documented;
  Policy policy;
};

Table& table() {
  static auto* instance = new Table;
  return *instance;
}

// Profiles use PyTorch's Python names.
const std::map<std::string, c10::ScalarType>& dtype_names() {
  using c10::ScalarType;
  static const auto* names = new std::map<std::string, ScalarType>{
      {"float64", ScalarType::Double},   {"float32", ScalarType::Float},        {"float16", ScalarType::Half},
      {"bfloat16", ScalarType::BFloat16}, {"complex64", ScalarType::ComplexFloat}, {"complex128", ScalarType::ComplexDouble},
      {"complex32", ScalarType::ComplexHalf}, {"int64", ScalarType::Long},      {"int32", ScalarType::Int},
      {"int16", ScalarType::Short},      {"int8", ScalarType::Char},            {"uint8", ScalarType::Byte},
      {"bool", ScalarType::Bool},        {"uint16", ScalarType::UInt16},        {"uint32", ScalarType::UInt32},
      {"uint64", ScalarType::UInt64},    {"float8_e4m3fn", ScalarType::Float8_e4m3fn},
      {"float8_e5m2", ScalarType::Float8_e5m2}, {"qint8", ScalarType::QInt8},   {"quint8", ScalarType::QUInt8},
      {"qint32", ScalarType::QInt32}};
  return *names;
}

// Names PyTorch 2.13 does not have (formats only a vendor has) match nothing.
uint64_t bits_of(const std::vector<std::string>& names) {
  uint64_t bits = 0;
  for (const std::string& name : names) {
    auto found = dtype_names().find(name);
    if (found != dtype_names().end()) bits |= 1ULL << static_cast<int>(found->second);
  }
  return bits;
}

std::string dtype_name(int dtype) {
  if (dtype >= kDtypes) return "none";
  for (const auto& [name, type] : dtype_names()) {
    if (static_cast<int>(type) == dtype) return name;
  }
  return c10::toString(static_cast<c10::ScalarType>(dtype));
}

const OpRule* rule_for(const std::map<std::string, OpRule>& rules, const std::string& name) {
  auto found = rules.find(name);
  if (found == rules.end()) found = rules.find(name.substr(0, name.find('.')));
  return found == rules.end() ? nullptr : &found->second;
}

std::string place(const std::string& source) {
  return "[emulated " + table().policy.chip_name + (source.empty() ? "]" : "; source: " + source + "]");
}

bool has_bit(uint64_t bits, int dtype) { return dtype >= kDtypes || (bits >> dtype & 1) != 0; }

void refuse(OpRecord& record, int dtype) {
  record.counts.refused[dtype].fetch_add(1, std::memory_order_relaxed);
  TORCH_CHECK(false, "The operator '", record.name, "' with dtype ", dtype_name(dtype), " is not currently supported on the ",
              table().policy.label, " backend. ", place(record.source));
}

void warn_documented(OpRecord& record, int dtype) {
  if (record.has_warned_dtype.exchange(true)) return;
  TORCH_WARN("The operator '", record.name, "' ran with dtype ", dtype_name(dtype), ", which the documentation of the ",
             table().policy.label, " backend does not list for it. ", place(record.documented_source));
}

}  // namespace

void configure_policy(Policy policy, const std::vector<std::string>& dtypes_unsupported, std::vector<OpRule> rules) {
  policy.dtypes_unsupported = bits_of(dtypes_unsupported);
  table().policy = std::move(policy);
  for (OpRule& rule : rules) {
    auto& target = rule.is_documentation_only ? table().documented : table().rules;
    std::string name = rule.name;
    target.emplace(std::move(name), std::move(rule));
  }
}

const Policy& policy() { return table().policy; }

OpRecord* op_record(const std::string& name) {
  std::lock_guard<std::mutex> lock(table().mutex);
  auto& slot = table().records[name];
  if (slot != nullptr) return slot.get();
  slot = std::make_unique<OpRecord>();
  slot->name = name;
  if (const OpRule* rule = rule_for(table().rules, name)) {
    slot->mode = rule->mode;
    slot->source = rule->source;
    // A rule with dtypes speaks of those dtypes only: the operator runs with them and is refused or falls back otherwise.
    if (!rule->dtypes_ok.empty()) slot->dtypes_ok = bits_of(rule->dtypes_ok);
  }
  if (const OpRule* rule = rule_for(table().documented, name)) {
    slot->dtypes_documented = bits_of(rule->dtypes_ok);
    slot->documented_source = rule->source;
  }
  return slot.get();
}

std::vector<std::string> ruled_names() {
  std::vector<std::string> names;
  for (const auto& [name, rule] : table().rules) names.push_back(name);
  return names;
}

void admit(OpRecord& record, int dtype) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  check_dtype(record, dtype);
  bool has_dtype_list = record.dtypes_ok != ~0ULL;
  bool is_plain = record.mode == OpMode::kRuns || (has_dtype_list && has_bit(record.dtypes_ok, dtype));
  if (is_plain && has_bit(record.dtypes_ok, dtype)) {
    record.counts.ran[dtype].fetch_add(1, kRelaxed);
    if (!has_bit(record.dtypes_documented, dtype)) warn_documented(record, dtype);
    return;
  }
  if (record.mode != OpMode::kFallsBack) refuse(record, dtype);
  if (table().policy.refuses_fallback) refuse(record, dtype);
  record.counts.fell_back[dtype].fetch_add(1, kRelaxed);
  if (!record.has_warned.exchange(true)) {
    TORCH_WARN("CAUTION: The operator '", record.name, "' is not currently supported on the ", table().policy.label,
               " backend and will fall back to run on the CPU. This may have performance implications. ",
               place(record.source));
  }
}

void check_dtype(OpRecord& record, int dtype) {
  if (dtype >= kDtypes || !has_bit(table().policy.dtypes_unsupported, dtype) || record.moves_bytes) return;
  record.counts.refused[dtype].fetch_add(1, std::memory_order_relaxed);
  TORCH_CHECK(false, "The operator '", record.name, "' with dtype ", dtype_name(dtype), " is not supported: the ",
              table().policy.label, " backend does not compute in ", dtype_name(dtype), ". ",
              place(table().policy.dtypes_source));
}

std::vector<CountRow> count_rows() {
  std::lock_guard<std::mutex> lock(table().mutex);
  std::vector<CountRow> rows;
  for (const auto& [name, record] : table().records) {
    for (int dtype = 0; dtype <= kDtypes; ++dtype) {
      CountRow row{name, dtype_name(dtype), record->counts.ran[dtype], record->counts.fell_back[dtype],
                   record->counts.refused[dtype]};
      if (row.ran + row.fell_back + row.refused > 0) rows.push_back(std::move(row));
    }
  }
  return rows;
}

void reset_counts() {
  std::lock_guard<std::mutex> lock(table().mutex);
  for (auto& [name, record] : table().records) {
    for (int dtype = 0; dtype <= kDtypes; ++dtype) {
      record->counts.ran[dtype] = 0;
      record->counts.fell_back[dtype] = 0;
      record->counts.refused[dtype] = 0;
    }
  }
}

}  // namespace starbridge::emulated

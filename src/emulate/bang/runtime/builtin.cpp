#include "emulate/bang/runtime/builtin.h"

#include <cstring>

#include "emulate/bang/runtime/chip.h"
#include "emulate/bang/runtime/shadow.h"
#include "emulate/common/crash.h"
#include "emulate/common/finding_log.h"

namespace starbridge::emulate::bang {

const Loops& loops() {
#if defined(__x86_64__)
  static const Loops& best = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c")
                                 ? v3::kLoops
                                 : base::kLoops;
#else
  static const Loops& best = base::kLoops;
#endif
  return best;
}

namespace {

void check_overlap(const Builtin& builtin, std::initializer_list<Operand> operands) {
  if (builtin.overlap == Overlap::kAny) return;
  for (const Operand& to : operands) {
    if (!to.region.is_write) continue;
    for (const Operand& from : operands) {
      if (&from == &to || from.region.is_write || !overlap(to.region, from.region)) continue;
      if (builtin.overlap == Overlap::kExact && to.region.start == from.region.start) continue;
      report_at("operand-overlap", builtin.place,
                std::string(builtin.name) + ": " + to.what + " lies over " + from.what +
                    (builtin.overlap == Overlap::kExact ? "; only the very same place is allowed" : "; no overlap is allowed"),
                std::string(builtin.name) + "：" + to.what + " 与 " + from.what + " 重叠" +
                    (builtin.overlap == Overlap::kExact ? "；只允许完全相同的地址" : "；不允许重叠"));
      return;
    }
  }
}

}  // namespace

bool passes_by(const Builtin& builtin, std::initializer_list<Operand> operands) {
  bool needs_core = builtin.pipe == Pipe::kCompute;
  for (const Operand& operand : operands) needs_core = needs_core || (operand.spaces & ~(kNram | kWram)) == 0;
  if (needs_core && settings().is_check)
    report_at("memory-core-work", builtin.place,
              std::string(builtin.name) + " is reached by the memory core, which has no NRAM, WRAM or vector unit; it passes by",
              std::string("内存核执行到 ") + builtin.name + "，但它没有 NRAM、WRAM 和向量单元，该操作被跳过");
  return needs_core;
}

void perform_checked(const Builtin& builtin, std::initializer_list<Operand> operands, std::function<void()> work,
                     std::function<void()> poison) {
  Task* task = current_task();
  if (task == nullptr) return work();
  bool is_safe = true;
  for (Operand operand : operands) {
    if (operand.region.bytes <= 0) continue;
    if (operand.align == 0) {
      const Space space = space_of(operand.region.start);
      operand.align = space == Space::kWram ? chip().wram_align : builtin.pipe == Pipe::kCompute ? chip().address_align : 1;
    }
    is_safe = check_operand(*task, builtin.name, operand, builtin.place) && is_safe;
  }
  check_overlap(builtin, operands);
  if (!is_safe) return;  // reported; carrying it out would damage what it does not own
  Operation operation{builtin.pipe, builtin.is_async, builtin.name, builtin.place, {}, nullptr, false};
  for (const Operand& operand : operands) {
    if (operand.region.bytes <= 0) continue;
    operation.regions.push_back(operand.region);
    note_shared(*task, operand.region, builtin.is_atomic, builtin.place);
  }
  operation.work = [work = std::move(work), poison = std::move(poison)] {
    poison();
    work();
  };
  issue(*task, std::move(operation));
  let_others_run(*task);
}

void flow_elements(void* to, int to_bytes, std::int64_t n, std::initializer_list<Source> sources) {
  if (!has_shadow(to)) return;
  unsigned char* marks = poison_of(to);
  for (std::int64_t i = 0; i < n; ++i) {
    unsigned char mark = 0;
    for (const Source& source : sources) {
      if (!has_shadow(source.start)) continue;
      const unsigned char* from = poison_of(source.start) + i * source.bytes;
      for (int k = 0; k < source.bytes; ++k) mark |= from[k] & kNeverWritten;
    }
    std::memset(marks + i * to_bytes, mark, static_cast<std::size_t>(to_bytes));
  }
}

void flow_whole(void* to, std::int64_t to_bytes, std::initializer_list<std::pair<const void*, std::int64_t>> sources) {
  bool is_bad = false;
  for (auto [start, bytes] : sources) is_bad = is_bad || first_poisoned(start, static_cast<std::size_t>(bytes)) != nullptr;
  set_poison(to, static_cast<std::size_t>(to_bytes), is_bad);
}

bool check_count(const Builtin& builtin, std::int64_t count, int element_bytes) {
  if (count < 0) {
    report_argument(builtin, "the count is " + std::to_string(count), "元素个数为 " + std::to_string(count));
    return false;
  }
  if (settings().is_check && count * element_bytes % chip().size_align != 0)
    report_at("length-alignment", builtin.place,
              std::string(builtin.name) + ": " + std::to_string(count) + " elements are " +
                  std::to_string(count * element_bytes) + " bytes; " + chip().name + " works on multiples of " +
                  std::to_string(chip().size_align) + " and leaves out or makes up the rest",
              std::string(builtin.name) + "：" + std::to_string(count) + " 个元素共 " + std::to_string(count * element_bytes) +
                  " 字节；" + chip().name + " 只处理 " + std::to_string(chip().size_align) +
                  " 字节的整数倍，余下部分被截断或补齐");
  return count > 0;
}

void report_argument(const Builtin& builtin, const std::string& en, const std::string& zh) {
  report_at("argument-range", builtin.place, std::string(builtin.name) + ": " + en, std::string(builtin.name) + "：" + zh);
}

void refuse(const Builtin& builtin, const std::string& en, const std::string& zh) {
  report_at("unsupported", builtin.place, std::string(builtin.name) + ": " + en, std::string(builtin.name) + "：" + zh);
  finish_log();
  std::fflush(nullptr);
  std::_Exit(kExitRefused);
}

}  // namespace starbridge::emulate::bang

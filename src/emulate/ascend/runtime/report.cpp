// Findings of this machine, with the block and core they happened on.
#include "emulate/ascend/runtime/check.h"
#include "emulate/ascend/runtime/task.h"
#include "emulate/common/crash.h"
#include "emulate/common/finding_log.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::ascend {

namespace {

std::string core_of(const Task& task) {
  const char* kind = task.units == kIsCube ? "AIC" : task.units == kIsVector ? "AIV" : "AICore";
  return kind + (task.launch->is_mixed && task.units == kIsVector ? "." + std::to_string(task.sub_block) : std::string());
}

std::string block_of(const Task& task) { return std::to_string(task.block); }

LogSide side_of(const Task* task, const void* place, bool is_write = false) {
  LogSide side{place, "", "", is_write};
  if (task != nullptr) {
    side.fields = "\"task\":" + quoted(block_of(*task)) + ",\"core\":" + quoted(core_of(*task)) + ",";
    side.unit = unit_of(*task);
  }
  return side;
}

std::string kernel_of(const Task* task) { return task == nullptr ? "" : task->launch->kernel->readable; }

}  // namespace

std::string unit_of(const Task& task) { return "block " + block_of(task) + ", core " + core_of(task); }

void report_at(std::string_view rule, const void* place, std::string en, std::string zh) {
  const Task* task = current_task();
  log_finding({rule, std::move(en), std::move(zh), kernel_of(task), side_of(task, place), {}, false});
}

void report_pair(std::string_view rule, Task& task, const void* place, bool is_write, const void* other, bool other_writes, std::string en, std::string zh) {
  log_finding({rule, std::move(en), std::move(zh), kernel_of(&task), side_of(&task, place, is_write), side_of(&task, other, other_writes), true});
}

void report_race(Task& task, std::string_view rule, const void* place, bool is_write, const Access& other, bool other_writes, std::string en, std::string zh) {
  LogSide side{place_of_mark(task, other.place), "", "", other_writes};
  for (const auto& each : task.team->tasks) {
    if (each->strand == other.strand) side = side_of(each.get(), place_of_mark(task, other.place), other_writes);
  }
  if (side.fields.empty()) side.fields = "\"task\":\"-\",\"core\":\"-\",";  // of an earlier wave
  log_finding({rule, std::move(en), std::move(zh), kernel_of(&task), side_of(&task, place, is_write), side, true});
}

}  // namespace starbridge::emulate::ascend

namespace starbridge::emulate {

using namespace ascend;

// What the crash handlers, which all machines share, ask of this one.
MachineState machine_state() {
  const Task* task = current_task();
  if (task == nullptr) return {};
  return {true, task->launch->kernel->code, task->fibre->low, task->fibre->low + kStackBytes - kStackGuardBytes};
}

bool is_chip_memory(const void* address) { return memory_of(address) != Memory::kHost; }

void report_here(std::string_view rule, const void* place, std::string en, std::string zh) { report_at(rule, place, std::move(en), std::move(zh)); }

void check_at_end() {
  if (!settings().is_check) return;
  std::size_t bytes = 0;
  if (std::size_t count = count_leaks(bytes); count > 0)
    report_at("leak", nullptr,
              std::to_string(count) + " allocations of the chip, " + std::to_string(bytes) + " bytes in all, were never freed",
              "有 " + std::to_string(count) + " 处设备内存分配（共 " + std::to_string(bytes) + " 字节）从未释放");
}

}  // namespace starbridge::emulate

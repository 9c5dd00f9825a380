// Findings of this machine, with the task and core they happened on.
#include <cstdio>

#include "emulate/bang/runtime/check.h"
#include "emulate/bang/runtime/task.h"
#include "emulate/common/crash.h"
#include "emulate/common/finding_log.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::bang {

namespace {

std::string core_of(const Task& task) {
  return std::to_string(task.cluster) + "." + (task.is_memory_core ? "memory" : std::to_string(task.core_id));
}

LogSide side_of(const Task* task, const void* place, bool is_write = false) {
  LogSide side{place, "", "", is_write};
  if (task != nullptr) {
    side.fields = "\"task\":" + quoted(std::to_string(task->id)) + ",\"core\":" + quoted(core_of(*task)) + ",";
    side.unit = unit_of(*task);
  }
  return side;
}

std::string kernel_of(const Task* task) { return task == nullptr ? "" : task->launch->kernel->readable; }

}  // namespace

std::string unit_of(const Task& task) { return "task " + std::to_string(task.id) + ", core " + core_of(task); }

void report_at(std::string_view rule, const void* place, std::string en, std::string zh) {
  const Task* task = current_task();
  log_finding({rule, std::move(en), std::move(zh), kernel_of(task), side_of(task, place), {}, false});
}

void report_missing_sync(Task& task, const Operation& operation, const Region& mine, const Operation& earlier,
                         const Region& its) {
  static const char* const words_en[] = {"the scalar pipe", "the compute pipe", "the io pipe", "the move pipe"};
  static const char* const words_zh[] = {"标量流水", "计算流水", "IO 流水", "Move 流水"};
  const auto pipe = static_cast<unsigned>(earlier.pipe);
  log_finding({"missing-pipe-sync",
               std::string(operation.name) + (mine.is_write ? " writes" : " reads") + " what " + earlier.name +
                   (its.is_write ? " still writes" : " still reads") + " on " + words_en[pipe] + "; no sync lies between",
               std::string(operation.name) + (mine.is_write ? " 写入" : " 读取") + " 的数据仍被 " + earlier.name + " 在" +
                   words_zh[pipe] + (its.is_write ? "写入" : "读取") + "，两者之间没有同步",
               kernel_of(&task), side_of(&task, operation.place, mine.is_write), side_of(&task, earlier.place, its.is_write),
               true});
}

void report_unwaited(Task& task, const Operation& operation) {
  log_finding({"unwaited-copy",
               std::string(operation.name) + " was never waited for; the task ended with it under way",
               std::string(operation.name) + " 从未被等待，任务结束时仍在进行",
               kernel_of(&task),
               side_of(&task, operation.place, true),
               {},
               false});
}

void report_race(Task& task, const void* place, bool is_write, std::uint32_t strand, const void* other_place, bool other_writes,
                 const void* address) {
  char where[48];
  std::snprintf(where, sizeof where, "%s (%p)", name_of(space_of(address)), address);
  const auto members = static_cast<std::uint32_t>(task.team->tasks.size());
  const std::uint32_t other_member = strand % members;
  const Task* other_task = task.team->tasks[other_member].get();
  LogSide other{other_place, "", "", other_writes};
  if (strand / members == task.strand / members) {
    other = side_of(other_task, other_place, other_writes);
  } else {
    // A Block's other task: its number is its strand.
    other.fields = "\"task\":" + quoted(std::to_string(strand / members)) + ",\"core\":\"-\",";
  }
  log_finding(
      {"core-race",
       std::string("two cores ") + (is_write && other_writes ? "write" : "read and write") + " the same bytes of " + where +
           " and nothing orders them",
       std::string("两个核") + (is_write && other_writes ? "写入" : "分别读写") + " " + where + " 的同一数据，且没有先后顺序",
       kernel_of(&task), side_of(&task, place, is_write), other, true});
}

void report_declaration(const Kernel& kernel, const SpaceVariable& variable, std::string_view rule, std::string en,
                        std::string zh) {
  LogSide side{nullptr, "\"file\":" + quoted(variable.file) + ",\"line\":" + std::to_string(variable.line) + ",", "", false};
  log_finding({rule, std::move(en), std::move(zh), kernel.readable, side, {}, false});
}

}  // namespace starbridge::emulate::bang

namespace starbridge::emulate {

using namespace bang;

// What the crash handlers, which all machines share, ask of this one.
MachineState machine_state() {
  const Task* task = current_task();
  if (task == nullptr) return {};
  return {true, task->launch->kernel->code, task->fibre->low, task->fibre->low + kStackBytes - kStackGuardBytes};
}

bool is_chip_memory(const void* address) { return space_of(address) != Space::kHost; }

void report_here(std::string_view rule, const void* place, std::string en, std::string zh) {
  report_at(rule, place, std::move(en), std::move(zh));
}

void check_at_end() {
  if (!settings().is_check) return;
  std::size_t bytes = 0;
  if (std::size_t count = count_leaks(bytes); count > 0)
    report_at("leak", nullptr,
              std::to_string(count) + " allocations of the chip, " + std::to_string(bytes) + " bytes in all, were never freed",
              "有 " + std::to_string(count) + " 处设备内存分配（共 " + std::to_string(bytes) + " 字节）从未释放");
}

}  // namespace starbridge::emulate

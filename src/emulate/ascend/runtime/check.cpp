#include "emulate/ascend/runtime/check.h"

#include <dlfcn.h>

#include <algorithm>

#include "emulate/ascend/runtime/chip.h"
#include "emulate/common/crash.h"

namespace starbridge::emulate::ascend {

namespace {

std::string bytes_word(std::int64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

std::string memories_word(unsigned memories) {
  std::string words;
  for (unsigned i = 0; i < kOwnMemories + 1; ++i) {
    if ((memories & (1U << i)) != 0) words += (words.empty() ? "" : "/") + std::string(name_of(static_cast<Memory>(i)));
  }
  return words;
}

// The device library of the running kernel.
struct Library {
  const void* code = nullptr;
  const char *start = nullptr, *end = nullptr;
};
const Library& library_of(const Task& task) {
  static Library library;
  if (library.code != task.launch->kernel->code) {
    Dl_info info = {};
    library.code = task.launch->kernel->code;
    library.start = dladdr(library.code, &info) != 0 ? static_cast<const char*>(info.dli_fbase) : nullptr;
    library.end = library.start == nullptr ? nullptr : end_of_library(library.start);
  }
  return library;
}

bool is_on_stack(const Task& task, const void* address) {
  const char* byte = static_cast<const char*>(address);
  return byte >= task.fibre->low && byte < task.fibre->low + kStackBytes;
}

bool check_gm(const char* name, const char* what, const char* low, const char* high, const void* place) {
  static Allocation last;
  if (low >= last.start && high <= last.start + last.bytes && last.start != nullptr) {
    std::optional<Allocation> still = find_allocation(low);
    if (still && still->start == last.start && still->bytes == last.bytes) return true;
  }
  std::optional<Allocation> allocation = find_allocation(low);
  if (!allocation) {
    if (find_freed(low)) {
      report_at("use-after-free", place, std::string(name) + ": " + what + " lies in memory that was freed",
                std::string(name) + "：" + what + " 位于已释放的内存");
      return false;
    }
    std::optional<Allocation> near = find_allocation(low, true);
    report_at("out-of-bounds", place,
              std::string(name) + ": " + what + " lies in no allocation" +
                  (near ? "; the nearest has " + bytes_word(static_cast<std::int64_t>(near->bytes)) + " and starts " +
                              bytes_word(low - near->start) + " before it"
                        : ""),
              std::string(name) + "：" + what + " 不在任何已分配的内存内");
    return false;
  }
  last = *allocation;
  const std::int64_t over = high - (allocation->start + allocation->bytes);
  if (over <= 0) return true;
  report_at("out-of-bounds", place,
            std::string(name) + ": " + what + " reaches " + bytes_word(over) + " past the end of an allocation of " +
                bytes_word(static_cast<std::int64_t>(allocation->bytes)),
            std::string(name) + "：" + what + " 超出大小为 " + std::to_string(allocation->bytes) + " 字节的分配末尾 " +
                std::to_string(over) + " 字节");
  return false;
}

bool check_own(Task& task, Memory memory, const char* name, const char* what, const char* low, const char* high, const void* place) {
  const char* start = start_of(memory, task.core);
  if (low < start || high > start + size_of(memory)) {
    const bool is_other = is_on_core(low) && (low < start_of(Memory::kUb, task.core) || low >= start_of(Memory::kUb, task.core) + kCoreBytes);
    report_at("out-of-bounds", place,
              std::string(name) + ": " + what + (is_other ? " lies in the memory of another core" : std::string(" leaves ") + name_of(memory)),
              std::string(name) + "：" + what + (is_other ? " 位于其他核的存储" : std::string(" 超出 ") + name_of(memory)));
    return false;
  }
  if (task.buffers.has_local) return true;  // the program hands out addresses itself
  Buffer* buffer = find_buffer(task, low);
  if (buffer == nullptr) {
    report_at("not-allocated", place,
              std::string(name) + ": " + what + " lies in a part of " + name_of(memory) + " that no InitBuffer handed out",
              std::string(name) + "：" + what + " 位于 " + name_of(memory) + " 中未经 InitBuffer 分配的区域");
    return true;
  }
  if (buffer->state == BufferState::kFree)
    report_pair("tensor-not-held", task, place, false, buffer->last_place != nullptr ? buffer->last_place : buffer->place, true,
                std::string(name) + ": " + what + " was given back with FreeTensor" +
                    (buffer->last_place == nullptr ? " or never taken with AllocTensor" : ""),
                std::string(name) + "：" + what + " 已用 FreeTensor 释放" + (buffer->last_place == nullptr ? "，或从未用 AllocTensor 申请" : ""));
  const std::int64_t over = high - (buffer->start + buffer->bytes);
  if (over <= 0) return true;
  report_at("out-of-bounds", place,
            std::string(name) + ": " + what + " reaches " + bytes_word(over) + " past the end of its buffer of " + bytes_word(buffer->bytes),
            std::string(name) + "：" + what + " 超出大小为 " + std::to_string(buffer->bytes) + " 字节的缓冲区末尾 " + std::to_string(over) + " 字节");
  return true;
}

bool is_ordered(const Task& task, const Access& access) {
  if (access.clock <= task.launch->first_clock || access.strand == task.strand) return true;
  const auto members = static_cast<std::uint32_t>(task.team->tasks.size());
  for (std::uint32_t i = 0; i < members; ++i) {
    if (task.team->tasks[i]->strand == access.strand) return task.clock[i] >= access.clock;
  }
  return false;  // another wave
}

// The data cache works on 64 bytes: two cores that store in one line overwrite each other when they write it back.
void check_cache_line(Task& task, const Segment& segment, const void* place) {
  const std::uintptr_t line_start = reinterpret_cast<std::uintptr_t>(segment.start) & ~std::uintptr_t{63};
  for (std::uintptr_t half : {line_start, line_start + 32}) {
    const Access& other = line_at(half).write;
    if (other.clock == 0 || other.is_scalar == 0 || other.strand == task.strand || is_ordered(task, other)) continue;
    report_race(task, "cache-line-shared", place, true, other, true,
                "two cores store to one 64-byte line of GM through their data caches; whoever writes the line back last overwrites the other",
                "两个核经各自的数据缓存写入 GM 的同一 64 字节缓存行，后写回者会覆盖前者");
    return;
  }
}

std::string cores_words(bool mine, bool other) { return mine && other ? "write" : "read and write"; }

}  // namespace

std::uint32_t place_mark(const Task& task, const void* place) {
  return static_cast<std::uint32_t>(static_cast<const char*>(place) - library_of(task).start);
}
const void* place_of_mark(const Task& task, std::uint32_t mark) { return library_of(task).start + mark; }

bool check_range(const char* name, const char* what, std::int64_t value, std::int64_t low, std::int64_t high, const void* place) {
  if (value >= low && value <= high) return true;
  report_at("argument-range", place,
            std::string(name) + ": " + what + " is " + std::to_string(value) + "; it must be " + std::to_string(low) + " to " + std::to_string(high),
            std::string(name) + "：" + what + " 为 " + std::to_string(value) + "，必须在 " + std::to_string(low) + " 到 " + std::to_string(high) + " 之间");
  return false;
}

bool check_operand(Task& task, const char* name, const char* what, const Segment& segment, unsigned memories, int align, const void* place) {
  const char *low = segment.start, *high = segment.start + segment.bytes;
  const Memory memory = memory_of(low);
  if (memory == Memory::kHost) {
    const bool is_own = is_on_stack(task, low);
    report_at(is_own ? "memory-space" : "host-pointer-in-kernel", place,
              std::string(name) + ": " + what + (low == nullptr ? " is an empty tensor" : is_own ? " lies on the stack" : " is a pointer of the host"),
              std::string(name) + "：" + what + (low == nullptr ? " 是空张量" : is_own ? " 位于栈上" : " 是主机指针"));
    return false;
  }
  if ((memories & memory_bit(memory)) == 0) {
    report_at("memory-space", place,
              std::string(name) + ": " + what + " must lie in " + memories_word(memories) + ", it lies in " + name_of(memory),
              std::string(name) + "：" + what + " 必须位于 " + memories_word(memories) + "，实际位于 " + name_of(memory));
    return false;
  }
  if (align > 1 && reinterpret_cast<std::uintptr_t>(low) % static_cast<std::uintptr_t>(align) != 0)
    report_at("misaligned", place,
              std::string(name) + ": " + what + " must start at a multiple of " + std::to_string(align) + " bytes of " + name_of(memory),
              std::string(name) + "：" + what + " 在 " + name_of(memory) + " 中必须按 " + std::to_string(align) + " 字节对齐");
  if (segment.bytes <= 0) return true;
  return memory == Memory::kGm ? check_gm(name, what, low, high, place) : check_own(task, memory, name, what, low, high, place);
}

void check_scalar(const void* address, std::int64_t bytes, int align, bool is_write, bool is_atomic, const void* place) {
  Task* running = current_task();
  if (running == nullptr) return;
  Task& task = *running;
  const Memory memory = memory_of(address);
  if (memory == Memory::kHost) {
    const char* byte = static_cast<const char*>(address);
    const Library& library = library_of(task);
    if (is_on_stack(task, address) || (byte >= library.start && byte < library.end)) return;
    report_at("host-pointer-in-kernel", place, "the kernel uses a pointer of the host", "内核使用了主机指针");
    return;
  }
  const char* name = is_write ? "a scalar store" : "a scalar load";
  if (memory != Memory::kGm && memory != Memory::kUb) {
    report_at("memory-space", place, std::string(name) + " of " + name_of(memory) + ": the scalar unit reaches GM and UB alone",
              std::string("标量单元只能访问 GM 与 UB，不能访问 ") + name_of(memory));
    return;
  }
  if (align > 1 && reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(align) != 0)
    report_at("misaligned", place, std::string(name) + " must be aligned to " + std::to_string(align) + " bytes",
              "标量访问必须按 " + std::to_string(align) + " 字节对齐");
  const Segment segment{static_cast<const char*>(address), bytes, is_write};
  if (!check_operand(task, name, "the address", segment, kUbOnly | memory_bit(Memory::kGm), 1, place)) return;
  if (memory == Memory::kGm) {
    note_gm(task, segment, SB_PIPE_S, is_atomic, place);
    let_others_run(task);
  } else {
    before_scalar(task, segment.start, bytes, is_write, place);
  }
  if (!is_write) check_written(name, segment.start, bytes, place);
  if (is_write) set_poison(address, static_cast<std::size_t>(bytes), false);
}

void note_gm(Task& task, const Segment& segment, int pipe, bool is_atomic, const void* place) {
  const std::uint32_t mark = place_mark(task, place);
  const std::uint32_t now = task.clock[static_cast<std::size_t>(task.member)];
  if (pipe == SB_PIPE_S) task.pipes.known[SB_PIPE_S][SB_PIPE_S] = ++task.pipes.clock[SB_PIPE_S];
  const std::uint32_t pipe_now = task.pipes.clock[static_cast<std::size_t>(pipe)];
  auto at = reinterpret_cast<std::uintptr_t>(segment.start);
  const std::uintptr_t end = at + static_cast<std::uintptr_t>(segment.bytes);
  if (pipe == SB_PIPE_S && segment.is_write) check_cache_line(task, segment, place);
  bool is_told = false;
  auto conflict = [&](const Access& access, bool other_writes, std::uint32_t bytes) {
    if (access.clock == 0 || (access.bytes & bytes) == 0 || is_told) return;
    if (access.strand == task.strand && access.clock > task.launch->first_clock) {
      // The same core: is the other pipe's work known to be over?
      if (access.pipe_clock <= task.pipes.known[pipe][access.pipe]) return;
      if (access.pipe == pipe && (access.pipe_clock == pipe_now || pipe == SB_PIPE_S || pipe == SB_PIPE_V || !(segment.is_write && other_writes))) return;
      if (is_atomic && access.is_atomic != 0) return;
      if (pipe == SB_PIPE_S) {
        drain(task, access.pipe);  // automatic synchronisation
        return;
      }
      if (access.pipe == SB_PIPE_S) return;
      is_told = true;
      const std::string here = name_of_pipe(pipe), there = name_of_pipe(access.pipe);
      report_pair("missing-pipe-sync", task, place, segment.is_write, place_of_mark(task, access.place), other_writes,
                  here + (segment.is_write ? " writes" : " reads") + " GM that " + there + (other_writes ? " may still write" : " may still read") +
                      (pipe == access.pipe ? "; no PipeBarrier lies between" : "; no flag from " + there + " to " + here + " lies between"),
                  here + (segment.is_write ? " 写入" : " 读取") + "的 GM 可能仍被 " + there + (other_writes ? " 写入" : " 读取") +
                      (pipe == access.pipe ? "，两者之间没有 PipeBarrier" : "，两者之间没有从 " + there + " 到 " + here + " 的事件"));
      return;
    }
    if ((is_atomic && access.is_atomic != 0) || is_ordered(task, access)) return;
    is_told = true;
    report_race(task, "core-race", place, segment.is_write, access, other_writes,
                "two cores " + cores_words(segment.is_write, other_writes) + " the same bytes of GM and nothing orders them",
                std::string("两个核") + (segment.is_write && other_writes ? "写入" : "分别读写") + " GM 的同一数据，且没有先后顺序");
  };
  while (at < end) {
    const std::uintptr_t base = at & ~std::uintptr_t{31};
    const std::uintptr_t stop = std::min(end, base + 32);
    const std::uint64_t upper = stop - base == 32 ? ~0ULL : (1ULL << (stop - base)) - 1;
    const auto bytes = static_cast<std::uint32_t>(upper & ~((1ULL << (at - base)) - 1));
    Line& line = line_at(base);
    conflict(line.write, true, bytes);
    if (segment.is_write) conflict(line.read, false, bytes);
    Access& access = segment.is_write ? line.write : line.read;
    const bool is_same = access.strand == task.strand && access.clock == now && access.is_atomic == static_cast<std::uint8_t>(is_atomic) && access.pipe == pipe;
    access = {now, mark, task.strand, is_same ? access.bytes | bytes : bytes, pipe_now, static_cast<std::uint8_t>(pipe), static_cast<std::uint8_t>(is_atomic),
              static_cast<std::uint8_t>(pipe == SB_PIPE_S), 0};
    at = stop;
  }
}

void check_written(const char* name, const char* start, std::int64_t bytes, const void* place) {
  const char* bad = first_poisoned(start, static_cast<std::size_t>(bytes));
  if (bad == nullptr) return;
  report_at("uninitialised-read", place,
            std::string(name) + " takes bytes of " + name_of(memory_of(bad)) + " that were never written (byte " + std::to_string(bad - start) + " of the operand)",
            std::string(name) + " 读取了 " + name_of(memory_of(bad)) + " 中从未写入的数据（操作数第 " + std::to_string(bad - start) + " 字节）");
  set_poison(start, static_cast<std::size_t>(bytes), false);  // told once, not wherever it travels
}

}  // namespace starbridge::emulate::ascend

#include "emulate/bang/runtime/check.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "emulate/bang/runtime/chip.h"
#include "emulate/bang/runtime/shadow.h"
#include "emulate/common/crash.h"

namespace starbridge::emulate::bang {

void report_race(Task& task, const void* place, bool is_write, std::uint32_t strand, const void* other_place, bool other_writes,
                 const void* address);
void report_declaration(const Kernel& kernel, const SpaceVariable& variable, std::string_view rule, std::string en,
                        std::string zh);

namespace {

std::string bytes_word(std::int64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

std::string spaces_word(unsigned spaces) {
  std::string words;
  for (unsigned i = 0; i <= 5; ++i) {
    if ((spaces & (1U << i)) != 0) words += (words.empty() ? "" : "/") + std::string(name_of(static_cast<Space>(i)));
  }
  return words;
}

const char* base_of(const Task& task, Space space) { return start_of(space, space == Space::kSram ? task.cluster : task.core); }

// Where device code's own variables and constants lie.
bool is_in_program(const Task& task, const void* address) {
  static const void* code = nullptr;
  static const char *start = nullptr, *end = nullptr;
  if (code != task.launch->kernel->code) {
    Dl_info info = {};
    code = task.launch->kernel->code;
    if (dladdr(code, &info) != 0) {
      start = static_cast<const char*>(info.dli_fbase);
      end = end_of_library(start);
    }
  }
  return address >= start && address < end;
}

bool is_on_stack(const Task& task, const void* address) {
  return address >= task.fibre->low && address < task.fibre->low + kStackBytes;
}

// The declared variable of the space that holds `offset`, or nullptr.
const SpaceVariable* variable_at(const Task& task, Space space, std::uint64_t offset) {
  const SpaceMap* map = task.launch->kernel->spaces;
  for (std::uint32_t i = 0; map != nullptr && i < map->count; ++i) {
    const SpaceVariable& variable = map->variables[i];
    if (variable.space == static_cast<unsigned>(space) && offset >= variable.offset && offset < variable.offset + variable.bytes)
      return &variable;
  }
  return nullptr;
}

void report_bounds(const char* name, const char* what, std::int64_t over, const std::string& holder_en,
                   const std::string& holder_zh, const void* place) {
  report_at("out-of-bounds", place, std::string(name) + ": " + what + " reaches " + bytes_word(over) + " past " + holder_en,
            std::string(name) + "：" + what + " 超出 " + holder_zh + " " + std::to_string(over) + " 字节");
}

bool check_own_memory(Task& task, Space space, const char* name, const char* what, const char* low, const char* high,
                      const void* place) {
  const char* base = base_of(task, space);
  const std::int64_t offset = low - base;
  const bool is_elsewhere = space == Space::kSram ? offset < 0 || offset >= static_cast<std::int64_t>(kSramBytes)
                                                  : offset < 0 || offset >= static_cast<std::int64_t>(kWramOffset);
  if (is_elsewhere && space != Space::kLdram) {
    report_at("memory-space", place, std::string(name) + ": " + what + " lies in the " + name_of(space) + " of another core",
              std::string(name) + "：" + what + " 位于其他核的 " + name_of(space));
    return false;
  }
  const SpaceVariable* variable = variable_at(task, space, static_cast<std::uint64_t>(offset));
  if (variable == nullptr) {
    report_at("out-of-bounds", place, std::string(name) + ": " + what + " lies in no declared variable of " + name_of(space),
              std::string(name) + "：" + what + " 不在 " + name_of(space) + " 的任何已声明变量内");
    return false;
  }
  const std::int64_t over = high - (base + variable->offset + variable->bytes);
  if (over <= 0) return true;
  report_bounds(name, what, over, std::string(variable->name) + " (" + bytes_word(variable->bytes) + ")",
                std::string(variable->name) + "（" + std::to_string(variable->bytes) + " 字节）", place);
  return false;
}

bool check_gdram(const char* name, const char* what, const char* low, const char* high, const void* place) {
  static thread_local Allocation last;
  if (last.start != nullptr && low >= last.start && high <= last.start + last.bytes) {
    // Still there? Only the host frees, between launches.
    if (std::optional<Allocation> now = find_allocation(low); now && now->start == last.start && now->bytes == last.bytes)
      return true;
  }
  std::optional<Allocation> allocation = find_allocation(low);
  if (!allocation) {
    if (std::optional<Allocation> freed = find_freed(low)) {
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
  report_bounds(name, what, over, "an allocation of " + bytes_word(static_cast<std::int64_t>(allocation->bytes)),
                "大小为 " + std::to_string(allocation->bytes) + " 字节的分配", place);
  return false;
}

void span(const Region& region, const char*& low, const char*& high) {
  const std::int64_t reach0 = region.stride0 * (region.count0 - 1), reach1 = region.stride1 * (region.count1 - 1);
  low = region.start + std::min<std::int64_t>(reach0, 0) + std::min<std::int64_t>(reach1, 0);
  high = region.start + std::max<std::int64_t>(reach0, 0) + std::max<std::int64_t>(reach1, 0) + region.bytes;
}

bool is_ordered(const Task& task, const Access& access) {
  if (access.clock <= task.launch->first_clock || access.strand == task.strand) return true;
  const auto members = static_cast<std::uint32_t>(task.team->tasks.size());
  if (access.strand / members != task.strand / members) return false;
  return task.clock[access.strand % members] >= access.clock;
}

const char* library_start(const Task& task) {
  static const void* code = nullptr;
  static const char* start = nullptr;
  if (code != task.launch->kernel->code) {
    Dl_info info = {};
    code = task.launch->kernel->code;
    start = dladdr(code, &info) != 0 ? static_cast<const char*>(info.dli_fbase) : nullptr;
  }
  return start;
}

void note_segment(Task& task, const char* start, std::int64_t bytes, bool is_write, bool is_atomic, const void* place,
                  const void* new_bytes) {
  const char* library = library_start(task);
  const auto mark = static_cast<std::uint32_t>(static_cast<const char*>(place) - library);
  const std::uint32_t now = task.clock[static_cast<std::size_t>(task.member)];
  auto at = reinterpret_cast<std::uintptr_t>(start);
  const std::uintptr_t end = at + static_cast<std::uintptr_t>(bytes);
  bool is_told = false;
  // Who stores what is there already does no harm to another writer.
  const bool is_same = is_write && new_bytes != nullptr && std::memcmp(start, new_bytes, static_cast<std::size_t>(bytes)) == 0;
  while (at < end) {
    const std::uintptr_t base = at & ~std::uintptr_t{7};
    const std::uintptr_t stop = std::min(end, base + 8);
    const auto mask = static_cast<std::uint8_t>(((1U << (stop - base)) - 1) & ~((1U << (at - base)) - 1));
    Cell& cell = cell_at(base);
    auto conflict = [&](const Access& access, bool other_writes) {
      if (access.clock == 0 || (access.bytes & mask) == 0 || is_told || (is_atomic && access.is_atomic != 0)) return;
      if (is_ordered(task, access)) return;
      if (other_writes && is_same) return;
      is_told = true;
      report_race(task, place, is_write, access.strand, library + access.place, other_writes, reinterpret_cast<const void*>(at));
    };
    conflict(cell.write, true);
    if (is_write) conflict(cell.read, false);
    Access& access = is_write ? cell.write : cell.read;
    const bool is_mine =
        access.strand == task.strand && access.clock == now && access.is_atomic == static_cast<std::uint8_t>(is_atomic);
    access = {now, mark, task.strand, static_cast<std::uint8_t>(is_mine ? access.bytes | mask : mask),
              static_cast<std::uint8_t>(is_atomic)};
    at = stop;
  }
}

}  // namespace

bool check_operand(Task& task, const char* name, const Operand& operand, const void* place) {
  const char *low = nullptr, *high = nullptr;
  span(operand.region, low, high);
  const Space space = space_of(operand.region.start);
  const bool is_own_data =
      space == Space::kHost && (is_on_stack(task, operand.region.start) || is_in_program(task, operand.region.start));
  if (is_own_data) {
    // The stack is LDRAM, variables of __mlu_device__ are GDRAM.
    const unsigned wanted = is_on_stack(task, operand.region.start) ? space_bit(Space::kLdram) : space_bit(Space::kGdram);
    if ((operand.spaces & wanted) != 0) return true;
  }
  if (space == Space::kHost && !is_own_data) {
    report_at("host-pointer-in-kernel", place, std::string(name) + ": " + operand.what + " is a pointer of the host",
              std::string(name) + "：" + operand.what + " 是主机指针");
    return false;
  }
  if (is_own_data || (operand.spaces & space_bit(space)) == 0) {
    const char* is_in = is_own_data ? (is_on_stack(task, operand.region.start) ? "LDRAM (the stack)" : "GDRAM") : name_of(space);
    report_at("memory-space", place,
              std::string(name) + ": " + operand.what + " must lie in " + spaces_word(operand.spaces) + ", it lies in " + is_in,
              std::string(name) + "：" + operand.what + " 必须位于 " + spaces_word(operand.spaces) + "，实际位于 " + is_in);
    return false;
  }
  if (operand.align > 1 &&
      reinterpret_cast<std::uintptr_t>(operand.region.start) % static_cast<std::uintptr_t>(operand.align) != 0)
    report_at("misaligned", place,
              std::string(name) + ": " + operand.what + " must start at a multiple of " + std::to_string(operand.align) +
                  " bytes on " + chip().name,
              std::string(name) + "：" + operand.what + " 的地址在 " + chip().name + " 上必须按 " +
                  std::to_string(operand.align) + " 字节对齐");
  if (operand.region.bytes <= 0) return true;
  return space == Space::kGdram ? check_gdram(name, operand.what, low, high, place)
                                : check_own_memory(task, space, name, operand.what, low, high, place);
}

void check_scalar(const void* address, std::int64_t bytes, int align, bool is_write, bool is_atomic, const void* place) {
  Task* running = current_task();
  if (running == nullptr) return;
  Task& task = *running;
  const Space space = space_of(address);
  if (space == Space::kHost) {
    if (is_on_stack(task, address) || is_in_program(task, address)) return;
    // Thread-local storage and the like of the emulator itself are not the program's business; a host heap or stack is.
    report_at("host-pointer-in-kernel", place, "the kernel uses a pointer of the host", "内核使用了主机指针");
    return;
  }
  const char* name = is_write ? "a scalar store" : "a scalar load";
  if (space == Space::kWram)
    report_at("memory-space", place, std::string(name) + " of WRAM: it can only be filled and read by copies",
              "标量访问 WRAM：WRAM 只能通过拷贝读写");
  if (align > 1 && reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(align) != 0)
    report_at("misaligned", place, std::string(name) + " must be aligned to " + std::to_string(align) + " bytes",
              "标量访问必须按 " + std::to_string(align) + " 字节对齐");
  const Region region{static_cast<const char*>(address), bytes, 0, 1, 0, 1, is_write};
  if (!check_operand(task, name, {"the address", region, kAllPipes, 1}, place)) return;
  before_scalar(task, region, place);
  if (!is_write) check_written(name, region, place);
  if (space == Space::kGdram || space == Space::kSram) {
    note_shared(task, region, is_atomic, place);
    let_others_run(task);  // a core that polls memory lets the one it waits for go on
  }
  if (is_write) set_poison(address, static_cast<std::size_t>(bytes), false);
}

void note_shared(Task& task, const Region& region, bool is_atomic, const void* place, const void* new_bytes) {
  const Space space = space_of(region.start);
  if (space != Space::kGdram && space != Space::kSram) return;
  std::int64_t done = 0;
  each_segment(region, [&](const char* start, std::int64_t bytes) {
    note_segment(task, start, bytes, region.is_write, is_atomic, place,
                 new_bytes == nullptr ? nullptr : static_cast<const char*>(new_bytes) + done);
    done += bytes;
  });
}

void check_written(const char* name, const Region& region, const void* place) {
  bool is_told = false;
  each_segment(region, [&](const char* start, std::int64_t bytes) {
    if (is_told) return;
    const char* bad = first_poisoned(start, static_cast<std::size_t>(bytes));
    if (bad == nullptr) return;
    is_told = true;
    report_at("uninitialised-read", place,
              std::string(name) + " takes bytes of " + name_of(space_of(bad)) + " that were never written (byte " +
                  std::to_string(bad - region.start) + " of the operand)",
              std::string(name) + " 读取了 " + name_of(space_of(bad)) + " 中从未写入的数据（操作数第 " +
                  std::to_string(bad - region.start) + " 字节）");
    set_poison(start, static_cast<std::size_t>(bytes), false);  // told once, not wherever it travels
  });
}

bool check_capacity(const Kernel& kernel) {
  const SpaceMap* map = kernel.spaces;
  if (map == nullptr) return true;
  const std::int64_t limits[] = {std::int64_t{chip().nram_kib} << 10, std::int64_t{chip().wram_kib} << 10,
                                 std::int64_t{chip().sram_kib} << 10, static_cast<std::int64_t>(kCoreBytes - kLdramOffset)};
  std::int64_t used[4] = {};
  for (std::uint32_t i = 0; i < map->count; ++i) {
    const SpaceVariable& variable = map->variables[i];
    used[variable.space] += variable.bytes;
    if (used[variable.space] <= limits[variable.space]) continue;
    const char* space = name_of(static_cast<Space>(variable.space));
    report_declaration(
        kernel, variable, "capacity",
        std::string("with ") + variable.name + " the variables of the kernel take " + bytes_word(used[variable.space]) + " of " +
            space + "; " + chip().name + " has " + bytes_word(limits[variable.space]),
        std::string("加上 ") + variable.name + "，内核变量共占用 " + space + " " + std::to_string(used[variable.space]) +
            " 字节；" + chip().name + " 只有 " + std::to_string(limits[variable.space]) + " 字节");
    return false;
  }
  return true;
}

}  // namespace starbridge::emulate::bang

// The rules on accesses: bounds, alignment, initialisation, races.
#include "emulate/cuda/runtime/checker.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "emulate/common/crash.h"
#include "emulate/cuda/runtime/launch.h"
#include "emulate/cuda/runtime/lines.h"
#include "emulate/cuda/runtime/memory.h"
#include "emulate/cuda/runtime/registry.h"
#include "emulate/cuda/runtime/report.h"
#include "emulate/cuda/runtime/shadow.h"
#include "starbridge/device_api.h"

namespace starbridge::emulate::cuda {

namespace {

constexpr std::uint32_t kAlignMask = 0xff;  // of the flags of an access, in step with pass/accesses.cpp
constexpr std::uint32_t kIsVolatile = 1U << 8;

enum class Kind { kRead, kWrite, kAtomic };

// What an interval is: whose, between which barriers.
struct Interval {
  std::uint64_t block;
  std::uint32_t barrier;
};

// What one block knows of others by way of fences and flags: everything up to these intervals came before.
using Knowledge = std::unordered_map<std::uint64_t, std::uint32_t>;

struct State {
  Launch* launch = nullptr;
  std::uint32_t next_interval = 1;
  std::vector<Interval> intervals;   // from launch->first_interval on
  std::uint32_t ordered_before = 0;  // intervals below come before everything now (grid barrier)
  bool any_fence = false;
  std::unordered_map<std::uint64_t, Knowledge> known;       // by block
  std::unordered_map<std::uint64_t, std::uint32_t> fenced;  // by block: last interval closed by a fence
  std::unordered_map<std::uintptr_t, Knowledge> published;  // by address of an atomic or volatile flag
  std::vector<std::uint8_t> shared_bytes;                   // which bytes of the block's fixed shared memory belong to a variable
  const char* library_start = nullptr;                      // of the device code
  const char* library_end = nullptr;
};
State g;

const Interval& interval_of(std::uint32_t number) { return g.intervals[number - g.launch->first_interval]; }

Side side_of(const Access& access) {
  const Interval& interval = interval_of(access.interval);
  Side side;
  side.place = g.library_start + access.place;
  side.has_thread = true;
  const dim3& grid = g.launch->grid;
  side.block = {static_cast<unsigned>(interval.block % grid.x), static_cast<unsigned>(interval.block / grid.x % grid.y),
                static_cast<unsigned>(interval.block / grid.x / grid.y)};
  const dim3& block = g.launch->block;
  side.thread = {access.thread % block.x, access.thread / block.x % block.y, access.thread / block.x / block.y};
  return side;
}

// What stands between an earlier access and one by the current thread.
enum class Order { kOrdered, kSameWarp, kRace };
Order order_of(const Access& earlier, const Block& block) {
  if (earlier.interval < g.launch->first_interval) return Order::kOrdered;  // an earlier kernel
  const Interval& theirs = interval_of(earlier.interval);
  if (theirs.block == block.linear) {
    if (earlier.thread == block.current) return Order::kOrdered;
    if (earlier.interval != block.interval && theirs.barrier != interval_of(block.interval).barrier) return Order::kOrdered;
    // A fence came after it: threads of one block may hand data over under a lock; who held it is not followed.
    if (g.any_fence) {
      if (auto fenced = g.fenced.find(block.linear); fenced != g.fenced.end() && fenced->second >= earlier.interval)
        return Order::kOrdered;
    }
    if (earlier.thread / kWarpSize != block.current / kWarpSize) return Order::kRace;
    return earlier.epoch == static_cast<std::uint8_t>(block.warps[block.current / kWarpSize].epoch) ? Order::kSameWarp
                                                                                                    : Order::kOrdered;
  }
  if (earlier.interval < g.ordered_before) return Order::kOrdered;
  if (g.any_fence) {
    const Knowledge& knowledge = g.known[block.linear];
    if (auto found = knowledge.find(theirs.block); found != knowledge.end() && found->second >= earlier.interval)
      return Order::kOrdered;
  }
  return Order::kRace;
}

struct Now {
  Block& block;
  const void* place;
  Kind kind;
  bool is_volatile;
  bool is_shared;
};

void report_race(const Now& now, const Access& earlier, bool earlier_writes, Order order, const char* name) {
  const bool writes = now.kind != Kind::kRead;
  std::string rule = now.is_shared ? "shared-race" : "global-race";
  if (order == Order::kSameWarp && !(writes && earlier_writes)) rule = "missing-warp-sync";
  Finding finding;
  finding.side = current_side(now.place, writes);
  finding.other = side_of(earlier);
  finding.other.is_write = earlier_writes;
  finding.has_other = true;
  finding.rule = rule;
  const char* where = now.is_shared ? "shared" : "global";
  const char* where_zh = now.is_shared ? "共享" : "全局";
  std::string variable = name == nullptr ? "" : std::string(" (") + name + ")";
  if (rule == "missing-warp-sync") {
    finding.en =
        std::string("lanes of one warp exchange a word of ") + where + " memory" + variable + " with no __syncwarp between";
    finding.zh = std::string("同一 warp 的线程交换") + where_zh + "内存中的字" + variable + "，其间没有 __syncwarp";
  } else {
    finding.en =
        std::string("two threads reach the same word of ") + where + " memory" + variable + ", one writes, nothing orders them";
    finding.zh = std::string("两个线程访问") + where_zh + "内存的同一字" + variable + "，至少一个写入，且没有先后保证";
  }
  report(finding);
}

bool may_meet(const Now& now, const Access& earlier) {
  // Atomics may meet atomics, and volatile accesses act like relaxed atomics (PTX ISA, memory model) between warps.
  if (now.kind == Kind::kAtomic && earlier.is_atomic != 0) return true;
  return (now.is_volatile || now.kind == Kind::kAtomic) && (earlier.is_volatile != 0 || earlier.is_atomic != 0);
}

const char* shared_name(const Block& block, std::uintptr_t address) {
  const SharedMap* map = g.launch->kernel->shared;
  const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(block.shared);
  for (std::uint32_t i = 0; map != nullptr && i < map->count; ++i) {
    const SharedVariable& variable = map->variables[i];
    if (offset >= variable.offset && offset < variable.offset + variable.bytes) return variable.name;
  }
  return nullptr;
}

// The access of whoever used the same word or byte that the current one races with; null: none.
const Access* conflict_of(const Now& now, const Users& users, bool same_value, Order* order) {
  auto is_conflict = [&](const Access& earlier, bool earlier_writes) {
    if (earlier.interval == 0) return false;
    // Blocks use the same shared memory one after the other.
    if (now.is_shared && earlier.interval < now.block.first_interval) return false;
    *order = order_of(earlier, now.block);
    if (*order == Order::kOrdered) return false;
    if (may_meet(now, earlier) && !(*order == Order::kSameWarp && now.kind != Kind::kAtomic && earlier.is_atomic == 0)) return false;
    return !(earlier_writes && now.kind == Kind::kWrite && same_value);  // both put the same value there
  };
  if (is_conflict(users.write, true)) return &users.write;
  if (now.kind == Kind::kRead) return nullptr;
  for (const Access* read : {&users.read, &users.other_read}) {
    if (is_conflict(*read, false)) return read;
  }
  return nullptr;
}

void record(Users& users, const Access& mine, Kind kind) {
  if (kind != Kind::kRead) {
    users.write = mine;
    return;
  }
  // What a thread reads later in an interval stands for what it read before.
  if (users.read.thread != mine.thread || users.read.interval != mine.interval) users.other_read = users.read;
  users.read = mine;
}

void examine(const Now& now, Cell& cell, unsigned bytes, std::uintptr_t word, bool same_value) {
  Block& block = now.block;
  Access mine = {};
  mine.interval = block.interval;
  mine.place = static_cast<std::uint32_t>(static_cast<const char*>(now.place) - g.library_start);
  mine.thread = static_cast<std::uint16_t>(block.current);
  mine.epoch = static_cast<std::uint8_t>(block.warps[block.current / kWarpSize].epoch);
  mine.is_atomic = now.kind == Kind::kAtomic;
  mine.is_volatile = now.is_volatile;
  const bool is_split = cell.is_split != 0 || bytes != 0xf;
  Users* users = is_split ? users_of_bytes(cell, word) : &cell.users;
  bool is_reported = false;  // one race a word
  for (unsigned byte = 0; byte < (is_split ? 4U : 1U); ++byte) {
    if (is_split && (bytes >> byte & 1U) == 0) continue;
    Order order = Order::kOrdered;
    const Access* other = is_reported ? nullptr : conflict_of(now, users[byte], same_value, &order);
    if (other != nullptr) report_race(now, *other, other == &users[byte].write, order, now.is_shared ? shared_name(block, word) : nullptr);
    is_reported |= other != nullptr;
    record(users[byte], mine, now.kind);
  }
  if (now.kind != Kind::kRead) cell.initialised = (cell.initialised | bytes) & 0xf;
}

// An atomic or volatile access of a flag, in a grid that uses fences: what was fenced before a write is known to who reads it.
void follow_flag(const Block& block, std::uintptr_t address, bool reads, bool writes) {
  Knowledge& flag = g.published[address];
  Knowledge& mine = g.known[block.linear];
  if (reads) {
    for (auto [other, interval] : flag) mine[other] = std::max(mine[other], interval);
  }
  if (writes) {
    for (auto [other, interval] : mine) flag[other] = std::max(flag[other], interval);
    if (auto fenced = g.fenced.find(block.linear); fenced != g.fenced.end())
      flag[block.linear] = std::max(flag[block.linear], fenced->second);
  }
}

void report_bounds(const Now& now, std::uintptr_t address, std::size_t bytes) {
  const auto* pointer = reinterpret_cast<const void*>(address);
  const char* verb = now.kind == Kind::kRead ? "a read" : "a write";
  const char* verb_zh = now.kind == Kind::kRead ? "读取" : "写入";
  if (auto freed = find_freed(pointer)) {
    report({"use-after-free", std::string(verb) + " of " + std::to_string(bytes) + " bytes in memory that was freed",
            std::string(verb_zh) + "已释放内存中的 " + std::to_string(bytes) + " 字节",
            current_side(now.place, now.kind != Kind::kRead), Side{freed->place, false, {0, 0, 0}, {0, 0, 0}, false},
            freed->place != nullptr});
    return;
  }
  std::string en = std::string(verb) + " of " + std::to_string(bytes) + " bytes",
              zh = verb_zh + std::string(" ") + std::to_string(bytes) + " 字节";
  if (auto near = find_allocation(pointer, true)) {
    const auto start = reinterpret_cast<std::uintptr_t>(near->start);
    const std::string distance =
        address < start ? std::to_string(start - address) : std::to_string(address - start - near->bytes);
    const std::string size = std::to_string(near->bytes);
    if (address >= start && address < start + near->bytes) {
      en += " that passes the end of an allocation of " + size + " bytes";
      zh += "，越过 " + size + " 字节分配的末尾";
    } else {
      en += ", " + distance + " bytes " + (address < start ? "before" : "after") + " an allocation of " + size + " bytes";
      zh += std::string("，位于 ") + size + " 字节的分配" + (address < start ? "之前 " : "之后 ") + distance + " 字节";
    }
  } else {
    en += " outside every allocation";
    zh += "，不属于任何分配";
  }
  report_here("out-of-bounds", now.place, en, zh);
}

// Objects that are no plain data come to a kernel by address. How large those are is not known here.
constexpr std::size_t kObjectBytesMax = 4096;
bool is_kernel_argument(const char* byte) {
  const std::vector<std::uint32_t>& sizes = g.launch->kernel->argument_bytes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto* start = static_cast<const char*>(g.launch->arguments[i]);
    if (byte >= start && byte < start + (sizes[i] == 0 ? kObjectBytesMax : sizes[i])) return true;
  }
  return false;
}

// False: the access is no business of the shadow.
bool check_host_address(const Now& now, std::uintptr_t address, std::size_t bytes) {
  const char* byte = reinterpret_cast<const char*>(address);
  Worker& worker = this_worker();
  const char* frame = worker.region_frame.data();  // what threads keep between two waits
  if (byte >= frame && byte < frame + worker.region_frame.size()) return false;
  if (byte >= worker.running->low - kStackGuardBytes && byte < worker.running->low + kStackBytes) return false;
  if (worker.fibres.is_stack(byte)) return false;
  if (const DeviceVariable* variable = find_variable_at(byte)) {
    if (variable->is_constant && now.kind != Kind::kRead)
      report_here("constant-write", now.place, "the kernel writes the constant " + variable->name,
                  "内核写入常量 " + variable->name);
    return !variable->is_constant;
  }
  if (byte >= g.library_start && byte < g.library_end) return false;  // texts and tables of the device code
  if (is_registered_host(byte) || is_kernel_argument(byte)) return false;
  if (address < 4096) {
    report_here("out-of-bounds", now.place, "an access through a null pointer", "通过空指针访问");
    return false;
  }
  report_here(
      "host-pointer-in-kernel", now.place,
      std::string(now.kind == Kind::kRead ? "a read" : "a write") + " of " + std::to_string(bytes) + " bytes of host memory",
      std::string(now.kind == Kind::kRead ? "读取" : "写入") + "主机内存 " + std::to_string(bytes) + " 字节");
  return false;
}

bool is_in_shared(const Block& block, std::uintptr_t address, std::size_t bytes) {
  const auto base = reinterpret_cast<std::uintptr_t>(block.shared);
  if (address < base || address + bytes > base + kSharedSlotBytes) return false;
  const std::size_t first = address - base, end = first + bytes;
  if (first >= g.launch->dynamic_offset) return end <= g.launch->dynamic_offset + g.launch->dynamic_bytes;
  if (end > g.shared_bytes.size()) return false;
  // Between variables lie more bytes than one access has: its two ends speak for all.
  return g.shared_bytes[first] != 0 && g.shared_bytes[end - 1] != 0;
}

// Most accesses are of whole words that nobody touched since the kernel began, or since the block's last barrier: they are
// recorded, and no question is asked. False: the access must be examined.
template <Kind kind>
inline bool record_quickly(const void* pointer, std::size_t bytes, std::uint32_t flags, const void* place) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::uintptr_t offset = address - kWindow;
  if (offset >= kWindowEnd - kWindow || (flags & kIsVolatile) != 0 || g.any_fence) return false;
  if (((address | bytes) & 3) != 0 || bytes > 16 || (address & ((flags & kAlignMask) - 1)) != 0) return false;
  const std::uintptr_t first_byte = address % kLineBytes;
  Block* running = current_block();
  if (running == nullptr || first_byte + bytes > kLineBytes) return false;
  Block& block = *running;
  const bool is_shared = offset >= kSharedStart - kWindow;
  if (is_shared && !is_in_shared(block, address, bytes)) return false;
  const std::uint32_t generation = is_shared ? block.first_interval : g.launch->first_interval;
  Line& line = line_at(address);
  if (line.generation != generation) renew_line(line, address, generation, is_shared);
  if (line.form != LineForm::kRows || first_byte + bytes > line.usable) return false;
  const auto word = static_cast<unsigned>(first_byte / 4), count = static_cast<unsigned>(bytes / 4);
  Row mine = {};
  mine.interval = block.interval;
  mine.place = static_cast<std::uint32_t>(static_cast<const char*>(place) - g.library_start);
  mine.words = ((1U << count) - 1) << word;
  mine.epoch = static_cast<std::uint8_t>(block.warps[block.current / kWarpSize].epoch);
  // Vectors of two or four words are taken to lie side by side, one per thread.
  mine.shift = word % count != 0 ? 5 : static_cast<std::uint8_t>(count == 1 ? 0 : count == 2 ? 1 : count == 4 ? 2 : 5);
  mine.first_thread = static_cast<std::int16_t>(static_cast<int>(block.current) - static_cast<int>(word >> mine.shift));
  return record_row(line, mine, kind == Kind::kWrite, block, is_shared);
}

void check_access(const void* pointer, std::size_t bytes, std::uint32_t flags, Kind kind, const void* place,
                  const std::uint64_t* value, bool must_be_initialised) {
  Block* running = current_block();
  if (running == nullptr || bytes == 0) return;
  Now now{*running, place, kind, (flags & kIsVolatile) != 0, false};
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::uint32_t align = flags & kAlignMask;
  if (align > 1 && (address & (align - 1)) != 0) {
    report_here("misaligned", place,
                "an access that needs an address divisible by " + std::to_string(align) + " has " +
                    std::to_string(address % align) + " over",
                "访问要求地址是 " + std::to_string(align) + " 的倍数，余数为 " + std::to_string(address % align));
  }
  const Space space = space_of(pointer);
  if (space == Space::kHost && !check_host_address(now, address, bytes)) return;
  now.is_shared = space == Space::kShared;
  if (now.is_shared && !is_in_shared(*running, address, bytes)) {
    report_here("out-of-bounds", place,
                std::string(kind == Kind::kRead ? "a read" : "a write") + " of " + std::to_string(bytes) +
                    " bytes outside the block's shared variables",
                std::string(kind == Kind::kRead ? "读取" : "写入") + " " + std::to_string(bytes) + " 字节，超出线程块的共享变量");
    return;
  }
  if (g.any_fence && (kind == Kind::kAtomic || now.is_volatile))
    follow_flag(*running, address, kind != Kind::kWrite, kind != Kind::kRead);
  const std::uintptr_t end = address + bytes;
  bool all_missing = must_be_initialised;
  bool some_missing = false;
  const bool same_value = value != nullptr && bytes <= 8 && std::memcmp(pointer, value, bytes) == 0;
  for (std::uintptr_t word = address & ~std::uintptr_t{3}; word < end; word += 4) {
    Cell& cell = space == Space::kHost
                     ? cell_of_variable(word)
                     : open_cell(word, now.is_shared ? running->first_interval : g.launch->first_interval, now.is_shared);
    const unsigned first = static_cast<unsigned>(std::max(word, address) - word),
                   last = static_cast<unsigned>(std::min(word + 4, end) - word);
    if (space == Space::kDevice || space == Space::kManaged || space == Space::kPinned) {
      if (last > cell.usable) {
        report_bounds(now, address, bytes);
        return;
      }
    }
    const unsigned mask = ((1U << last) - 1) & ~((1U << first) - 1);
    const bool is_missing = (cell.initialised & mask) != mask;
    some_missing |= is_missing;
    all_missing &= (cell.initialised & mask) == 0;
    examine(now, cell, mask, word, same_value);
  }
  if (must_be_initialised && kind != Kind::kWrite && (bytes <= 4 ? some_missing : all_missing)) {
    const char* name = now.is_shared ? shared_name(*running, address) : nullptr;
    const std::string what = name == nullptr ? "" : std::string(" (") + name + ")";
    report_here("uninitialised-read", place,
                std::string("a read of ") + (now.is_shared ? "shared" : "global") + " memory" + what + " that nobody wrote",
                std::string("读取了从未写入的") + (now.is_shared ? "共享" : "全局") + "内存" + what);
  }
}

void open_interval(Block& block, bool after_barrier) {
  const std::uint32_t barrier = block.interval == 0 ? 0 : interval_of(block.interval).barrier;
  block.interval = g.next_interval++;
  g.intervals.push_back({block.linear, barrier + (after_barrier ? 1U : 0U)});
}

}  // namespace

void new_interval(Block& block) { open_interval(block, true); }

bool is_earlier(std::uint32_t interval, const Block& block) {
  return interval_of(interval).block == block.linear || interval < g.ordered_before;
}

void begin_checked_launch(Launch& launch) {
  reserve_shadow();
  g.launch = &launch;
  launch.first_interval = g.next_interval;
  g.intervals.clear();
  g.ordered_before = 0;
  g.any_fence = false;
  g.known.clear();
  g.fenced.clear();
  g.published.clear();
  g.shared_bytes.assign(launch.kernel->shared == nullptr ? 0 : launch.kernel->shared->bytes, 0);
  for (std::uint32_t i = 0; launch.kernel->shared != nullptr && i < launch.kernel->shared->count; ++i) {
    const SharedVariable& variable = launch.kernel->shared->variables[i];
    std::fill_n(g.shared_bytes.begin() + variable.offset, variable.bytes, std::uint8_t{1});
  }
  Dl_info info = {};
  if (dladdr(launch.kernel->code, &info) != 0 && info.dli_fbase != g.library_start) {
    g.library_start = static_cast<const char*>(info.dli_fbase);
    g.library_end = end_of_library(g.library_start);
  }
}

void begin_checked_block(Block& block) {
  block.interval = 0;
  open_interval(block, false);
  block.first_interval = block.interval;
}

void end_checked_grid_interval() { g.ordered_before = g.next_interval; }

void warp_synchronised(Block&, Warp& warp, std::uint32_t) { ++warp.epoch; }

void check_fence(Block& block) {
  g.any_fence = true;
  g.fenced[block.linear] = block.interval;
  open_interval(block, false);
}

}  // namespace starbridge::emulate::cuda

using namespace starbridge::emulate;
using namespace starbridge::emulate::cuda;

extern "C" {

void __sb_read(const void* pointer, std::uint32_t bytes, std::uint32_t flags) {
  if (record_quickly<Kind::kRead>(pointer, bytes, flags, __builtin_return_address(0))) return;
  check_access(pointer, bytes, flags, Kind::kRead, __builtin_return_address(0), nullptr, true);
  // A thread that reads the same volatile word again waits for another.
  if ((flags & kIsVolatile) != 0 && current_block() != nullptr) __sb_poll(pointer);
}
void __sb_write(const void* pointer, std::uint32_t bytes, std::uint32_t flags) {
  if (record_quickly<Kind::kWrite>(pointer, bytes, flags, __builtin_return_address(0))) return;
  check_access(pointer, bytes, flags, Kind::kWrite, __builtin_return_address(0), nullptr, false);
}
void __sb_write_value(const void* pointer, std::uint32_t bytes, std::uint32_t flags, std::uint64_t value) {
  if (record_quickly<Kind::kWrite>(pointer, bytes, flags, __builtin_return_address(0))) return;
  check_access(pointer, bytes, flags, Kind::kWrite, __builtin_return_address(0), &value, false);
}
void __sb_atomic(const void* pointer, std::uint32_t bytes, std::uint32_t flags) {
  check_access(pointer, bytes, flags, Kind::kAtomic, __builtin_return_address(0), nullptr, true);
}
// What is copied need not hold values: only using it is wrong.
void __sb_copy(void* to, const void* from, std::uint64_t bytes, std::uint32_t align) {
  check_access(from, bytes, align, Kind::kRead, __builtin_return_address(0), nullptr, false);
  check_access(to, bytes, align, Kind::kWrite, __builtin_return_address(0), nullptr, false);
  if (current_block() != nullptr && space_of(to) != Space::kHost && space_of(from) != Space::kHost) shadow_copy(to, from, bytes);
}
void __sb_fill(void* to, std::uint64_t bytes, std::uint32_t align) {
  check_access(to, bytes, align, Kind::kWrite, __builtin_return_address(0), nullptr, false);
}
void __sb_local(const void* pointer, std::uint64_t bytes, const void* variable, std::uint64_t variable_bytes) {
  const auto* byte = static_cast<const char*>(pointer);
  const auto* start = static_cast<const char*>(variable);
  if (byte >= start && byte + bytes <= start + variable_bytes) return;
  report_here("local-out-of-bounds", __builtin_return_address(0),
              "an access at byte " + std::to_string(byte - start) + " of a local variable of " + std::to_string(variable_bytes) +
                  " bytes",
              "访问 " + std::to_string(variable_bytes) + " 字节局部变量的第 " + std::to_string(byte - start) + " 字节");
  // What lies beside a local variable is the thread's own stack: nothing after this write could be trusted.
  abort_launch(cudaErrorIllegalAddress);
  abandon_block();
}
}

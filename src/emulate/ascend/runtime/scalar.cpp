// Scalar accesses of device code: through the data cache where they reach GM.
#include <cstring>

#include "emulate/ascend/runtime/cache.h"
#include "emulate/ascend/runtime/check.h"
#include "emulate/ascend/runtime/shadow.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::ascend {

namespace {

constexpr std::size_t kLinesMax = 256;  // 16 KiB

std::uintptr_t line_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address) & ~std::uintptr_t{63}; }

// The whole line goes back, with what the neighbours held when it was fetched.
void write_back(std::uintptr_t at, CacheLine& line) {
  if (line.dirty == 0) return;
  auto* gm = reinterpret_cast<unsigned char*>(at);
  for (unsigned i = 0; i < 64; ++i) {
    if ((line.moved >> i & 1) == 0 || (line.dirty >> i & 1) != 0) gm[i] = line.data[i];
  }
  line.dirty = 0;
}

// Does the line lie in the allocation whole? The last one of an allocation may not.
CacheLine& fetch(Task& task, const void* address) {
  const std::uintptr_t at = line_of(address);
  auto found = task.cache.find(at);
  if (found != task.cache.end()) return found->second;
  if (task.cache.size() >= kLinesMax) {
    auto oldest = task.cache.begin();
    write_back(oldest->first, oldest->second);
    task.cache.erase(oldest);
  }
  CacheLine& line = task.cache[at];
  std::memcpy(line.data, reinterpret_cast<void*>(at), 64);
  return line;
}

// Some line may leave the cache at any time.
void age(Task& task) {
  if (!settings().is_adversarial) return;
  task.yields = task.yields * 6364136223846793005ULL + 1442695040888963407ULL;
  if ((task.yields >> 58) != 0 || task.cache.empty()) return;
  auto victim = task.cache.begin();
  write_back(victim->first, victim->second);
  task.cache.erase(victim);
}

std::uint64_t bits_of(std::uintptr_t offset, int bytes) { return (bytes == 64 ? ~0ULL : (1ULL << bytes) - 1) << offset; }

void report_stale(Task& task, const void* address, int bytes, const CacheLine& line, const void* place) {
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) & 63;
  if ((line.moved & bits_of(offset, bytes)) == 0 || std::memcmp(line.data + offset, address, static_cast<std::size_t>(bytes)) == 0) return;
  (void)task;
  report_at("stale-cache", place, "the scalar load gets the value from before the core's own copy wrote this line of GM; DataCacheCleanAndInvalid lies not between",
            "标量读取得到的是本核搬运写入该缓存行之前的旧值，两者之间没有 DataCacheCleanAndInvalid");
}

}  // namespace

void write_back_all(Task& task) {
  for (auto& [at, line] : task.cache) write_back(at, line);
  task.cache.clear();
}

void note_moved(Task& task, const char* start, std::int64_t bytes) {
  if (task.cache.empty()) return;
  const auto low = reinterpret_cast<std::uintptr_t>(start), high = low + static_cast<std::uintptr_t>(bytes);
  for (auto& [at, line] : task.cache) {
    if (at + 64 <= low || at >= high) continue;
    const std::uintptr_t from = low > at ? low - at : 0, to = high < at + 64 ? high - at : 64;
    line.moved |= bits_of(from, static_cast<int>(to - from));
  }
}

void check_flushed(Task& task, const Segment& segment, const char* name, const void* place) {
  if (task.cache.empty() || segment.is_write) return;
  const auto low = reinterpret_cast<std::uintptr_t>(segment.start), high = low + static_cast<std::uintptr_t>(segment.bytes);
  for (auto& [at, line] : task.cache) {
    if (at + 64 <= low || at >= high || line.dirty == 0) continue;
    const std::uintptr_t from = low > at ? low - at : 0, to = high < at + 64 ? high - at : 64;
    if ((line.dirty & bits_of(from, static_cast<int>(to - from))) == 0) continue;
    report_pair("cache-not-flushed", task, place, false, line.place, true,
                std::string(name) + " reads GM past the data cache, where the core's own scalar store may still lie; DataCacheCleanAndInvalid lies not between",
                std::string(name) + " 绕过数据缓存读取 GM，本核的标量写入可能仍在缓存中，两者之间没有 DataCacheCleanAndInvalid");
    return;
  }
}

}  // namespace starbridge::emulate::ascend

using namespace starbridge::emulate;
using namespace starbridge::emulate::ascend;

extern "C" {

sb_word __sb_asc_load(const void* address, int bytes) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  sb_word value = 0;
  const Segment segment{static_cast<const char*>(address), bytes, false};
  const Memory memory = memory_of(address);
  if (!check_operand(task, "GetValue", "the element", segment, kUbOnly | memory_bit(Memory::kGm), bytes, place)) return 0;
  if (memory == Memory::kUb) {
    before_scalar(task, segment.start, bytes, false, place);
    if (!task.is_foreign_vector()) check_written("GetValue", segment.start, bytes, place);
    std::memcpy(&value, address, static_cast<std::size_t>(bytes));
    return value;
  }
  let_others_run(task);
  note_gm(task, segment, SB_PIPE_S, false, place);
  check_written("GetValue", segment.start, bytes, place);
  CacheLine& line = fetch(task, address);
  report_stale(task, address, bytes, line, place);
  std::memcpy(&value, line.data + (reinterpret_cast<std::uintptr_t>(address) & 63), static_cast<std::size_t>(bytes));
  age(task);
  return value;
}

void __sb_asc_store(void* address, int bytes, sb_word value) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  const Segment segment{static_cast<const char*>(address), bytes, true};
  const Memory memory = memory_of(address);
  if (!check_operand(task, "SetValue", "the element", segment, kUbOnly | memory_bit(Memory::kGm), bytes, place)) return;
  if (memory == Memory::kUb) {
    before_scalar(task, segment.start, bytes, true, place);
    std::memcpy(address, &value, static_cast<std::size_t>(bytes));
    set_poison(address, static_cast<std::size_t>(bytes), false);
    return;
  }
  let_others_run(task);
  note_gm(task, segment, SB_PIPE_S, false, place);
  CacheLine& line = fetch(task, address);
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) & 63;
  std::memcpy(line.data + offset, &value, static_cast<std::size_t>(bytes));
  line.dirty |= bits_of(offset, bytes);
  line.moved &= ~bits_of(offset, bytes);
  line.place = place;
  set_poison(address, static_cast<std::size_t>(bytes), false);
  age(task);
}

void __sb_asc_cache(const void* address, int whole) {
  Task& task = *current_task();
  if (settings().is_check) {
    if (whole != 0) {
      write_back_all(task);
    } else if (auto found = task.cache.find(line_of(address)); found != task.cache.end()) {
      write_back(found->first, found->second);
      task.cache.erase(found);
    }
  }
  let_others_run(task, true);  // a core that polls memory does it through here
}

// Accesses through pointers: told by the pass, done by the program itself, past the cache.
void __sb_read(const void* address, std::uint32_t bytes, std::uint32_t flags) { check_scalar(address, bytes, static_cast<int>(flags & 255), false, false, __builtin_return_address(0)); }
void __sb_write(const void* address, std::uint32_t bytes, std::uint32_t flags) { check_scalar(address, bytes, static_cast<int>(flags & 255), true, false, __builtin_return_address(0)); }
void __sb_write_value(const void* address, std::uint32_t bytes, std::uint32_t flags, std::uint64_t) { check_scalar(address, bytes, static_cast<int>(flags & 255), true, false, __builtin_return_address(0)); }
void __sb_atomic(const void* address, std::uint32_t bytes, std::uint32_t flags) { check_scalar(address, bytes, static_cast<int>(flags & 255), true, true, __builtin_return_address(0)); }
void __sb_copy(const void* to, const void* from, std::uint64_t bytes, std::uint32_t) {
  const void* place = __builtin_return_address(0);
  if (bytes == 0) return;
  check_scalar(from, static_cast<std::int64_t>(bytes), 0, false, false, place);
  check_scalar(to, static_cast<std::int64_t>(bytes), 0, true, false, place);
}
void __sb_fill(const void* to, std::uint64_t bytes, std::uint32_t) {
  if (bytes > 0) check_scalar(to, static_cast<std::int64_t>(bytes), 0, true, false, __builtin_return_address(0));
}
void __sb_local(const void* address, std::uint64_t bytes, const void* start, std::uint64_t size) {
  const auto offset = static_cast<const char*>(address) - static_cast<const char*>(start);
  if (offset >= 0 && static_cast<std::uint64_t>(offset) + bytes <= size) return;
  report_at("local-out-of-bounds", __builtin_return_address(0),
            "an access at byte " + std::to_string(offset) + " of a local array of " + std::to_string(size) + " bytes",
            "访问了大小为 " + std::to_string(size) + " 字节的局部数组的第 " + std::to_string(offset) + " 字节");
}
}

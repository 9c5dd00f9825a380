// Syncs, scalar accesses that the compiler's pass tells of, and small calls of device code.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "emulate/bang/runtime/builtin.h"
#include "emulate/bang/runtime/shadow.h"
#include "emulate/common/crash.h"
#include "emulate/common/finding_log.h"

using namespace starbridge::emulate;
using namespace starbridge::emulate::bang;

extern "C" {

void __sb_bang_sync(unsigned pipes) {
  Task* task = current_task();
  if (settings().is_timed) time_sync(pipes);
  if (task != nullptr && settings().is_check) sync_pipes(*task, pipes);
}
void __sb_bang_meet(int meeting) { meet(static_cast<Meeting>(meeting), SB_HERE); }

void __sb_read(const void* address, std::uint32_t bytes, std::uint32_t flags) {
  check_scalar(address, bytes, static_cast<int>(flags & 0xff), false, false, SB_HERE);
}
void __sb_write(const void* address, std::uint32_t bytes, std::uint32_t flags) {
  check_scalar(address, bytes, static_cast<int>(flags & 0xff), true, false, SB_HERE);
}
void __sb_write_value(const void* address, std::uint32_t bytes, std::uint32_t flags, std::uint64_t) {
  check_scalar(address, bytes, static_cast<int>(flags & 0xff), true, false, SB_HERE);
}
void __sb_atomic(const void* address, std::uint32_t bytes, std::uint32_t flags) {
  check_scalar(address, bytes, static_cast<int>(flags & 0xff), true, true, SB_HERE);
}
void __sb_copy(const void* to, const void* from, std::uint64_t bytes, std::uint32_t) {
  if (bytes == 0) return;
  check_scalar(from, static_cast<std::int64_t>(bytes), 0, false, false, SB_HERE);
  check_scalar(to, static_cast<std::int64_t>(bytes), 0, true, false, SB_HERE);
}
void __sb_fill(const void* to, std::uint64_t bytes, std::uint32_t) {
  if (bytes > 0) check_scalar(to, static_cast<std::int64_t>(bytes), 0, true, false, SB_HERE);
}
void __sb_local(const void* address, std::uint64_t bytes, const void* start, std::uint64_t whole) {
  const auto* at = static_cast<const char*>(address);
  const auto* low = static_cast<const char*>(start);
  if (at >= low && at + bytes <= low + whole) return;
  report_at("local-out-of-bounds", SB_HERE,
            "an access of " + std::to_string(bytes) + " bytes at offset " + std::to_string(at - low) +
                " of a local variable of " + std::to_string(whole) + " bytes",
            "访问大小为 " + std::to_string(whole) + " 字节的局部变量，偏移 " + std::to_string(at - low));
}

// A variable of the core with initial values, at the entry of a function that uses it.
void __sb_bang_initial(void* to, const void* values, std::uint64_t bytes) {
  if (is_on_memory_core() && space_of(to) != Space::kSram) return;
  Task* task = current_task();
  if (task != nullptr && settings().is_check) sync_pipes(*task, kAllPipes);
  std::memcpy(to, values, bytes);
  if (settings().is_check) set_poison(to, bytes, false);
}

int __sb_printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int result = std::vprintf(format, arguments);
  va_end(arguments);
  return result;
}

void __sb_assert_fail(const char* condition, const char* file, unsigned line, const char*) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s:%u: assertion failed on the chip: %s\n", file, line, condition);
  report_at("device-assert", SB_HERE, std::string("assertion failed: ") + condition, std::string("断言失败：") + condition);
  finish_log();
  std::fflush(nullptr);
  std::_Exit(kExitRefused);
}

void __sb_bang_abort() {
  report_at("device-trap", SB_HERE, "the kernel stopped itself (__abort)", "内核主动中止（__abort）");
  finish_log();
  std::fflush(nullptr);
  std::_Exit(kExitRefused);
}
}

// A value rounded to a whole number by one of the chip's modes; what does not fit 32 bits saturates.
extern "C" long long __sb_bang_whole(float value, int rounding) {
  std::int32_t result = 0;
  loops().convert(SB_F32, SB_S32, rounding, &result, &value, 1, 0, 0);
  return result;
}

// The number of the space an address lies in: NRAM, WRAM, SRAM, LDRAM, GDRAM, elsewhere (the stack, variables of the program).
extern "C" int __sb_bang_space(const void* address) { return static_cast<int>(space_of(address)); }

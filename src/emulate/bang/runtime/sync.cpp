// Syncs, scalar accesses that the compiler's pass tells of, and small calls of device code.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "emulate/bang/runtime/builtin.h"
#include "emulate/bang/runtime/chip.h"
#include "emulate/common/crash.h"
#include "emulate/common/finding_log.h"

using namespace starbridge::emulate;
using namespace starbridge::emulate::bang;

extern "C" {

void __sb_bang_sync(unsigned pipes) {
  Task* task = current_task();
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
            "an access of " + std::to_string(bytes) + " bytes at offset " + std::to_string(at - low) + " of a local variable of " +
                std::to_string(whole) + " bytes",
            "访问大小为 " + std::to_string(whole) + " 字节的局部变量，偏移 " + std::to_string(at - low));
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

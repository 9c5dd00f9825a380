// What device code calls beside barriers: printing, assertions, the heap, clocks, memory spaces.
#include <stdarg.h>
#include <time.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "emulate/cuda/runtime/api.h"
#include "emulate/cuda/runtime/checker.h"
#include "emulate/common/crash.h"
#include "emulate/cuda/runtime/launch.h"
#include "emulate/cuda/runtime/memory.h"
#include "emulate/cuda/runtime/registry.h"
#include "emulate/cuda/runtime/report.h"
#include "emulate/common/settings.h"
#include "starbridge/device_api.h"

using namespace starbridge::emulate;
using namespace starbridge::emulate::cuda;

extern "C" {

int __sb_printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
  // As on the card: the number of arguments, which is not known here, or a negative number on failure.
  return 0;
}

[[noreturn]] void __sb_assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  const Side side = current_side(__builtin_return_address(0));
  std::fflush(stdout);
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line, function,
               side.block.x, side.block.y, side.block.z, side.thread.x, side.thread.y, side.thread.z, expression);
  report_here("device-assert", __builtin_return_address(0), std::string("assertion `") + expression + "` failed",
              std::string("断言 `") + expression + "` 失败");
  abort_launch(cudaErrorAssert);
  abandon_block();
}

void __sb_trap() {
  report_here("device-trap", __builtin_return_address(0), "the kernel stopped itself (__trap)", "内核主动中止（__trap）");
  abort_launch(cudaErrorLaunchFailure);
  abandon_block();
}

// What the program asks for and the emulated card does not have; named, and then the end.
[[noreturn]] void __sb_refuse(const char* feature) {
  report_here("unsupported", __builtin_return_address(0), std::string(feature) + " is not emulated",
              std::string("仿真器不支持 ") + feature);
  std::fprintf(stderr, "starbridge: %s is not emulated\n", feature);
  finish_reports();
  std::fflush(nullptr);
  std::_Exit(kExitRefused);
}

void* __sb_device_malloc(std::size_t bytes) {
  return bytes == 0 ? nullptr : allocate(Space::kDevice, bytes, __builtin_return_address(0));
}

void __sb_device_free(void* pointer) {
  if (pointer != nullptr && release(pointer, Space::kDevice, __builtin_return_address(0)) != cudaSuccess)
    report_here("invalid-free", __builtin_return_address(0), "the pointer freed is not one that malloc gave",
                "被释放的指针不是由 malloc 分配的");
}

long long __sb_clock() {
#if defined(__x86_64__)
  return static_cast<long long>(__builtin_ia32_rdtsc());
#else
  return static_cast<long long>(__sb_global_timer());
#endif
}

unsigned long long __sb_global_timer() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<unsigned long long>(now.tv_sec) * 1000000000ULL + static_cast<unsigned long long>(now.tv_nsec);
}

unsigned int __sb_multiprocessor() {
  return static_cast<unsigned>(this_worker().block->linear % static_cast<unsigned>(card_properties().multiProcessorCount));
}

void __sb_fence(int) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (settings().is_check) check_fence(*this_worker().block);
}

int __sb_space(const void* address) {
  switch (space_of(address)) {
    case Space::kShared:
      return 2;
    case Space::kDevice:
    case Space::kManaged:
    case Space::kPinned:
      return 1;
    case Space::kHost:
      break;
  }
  if (const DeviceVariable* variable = find_variable_at(address)) return variable->is_constant ? 3 : 1;
  return this_worker().fibres.is_stack(address) ? 4 : 0;
}

void* __sb_dynamic_shared_start() { return __sb_dynamic_shared; }
unsigned int __sb_dynamic_shared_bytes() { return this_worker().block->launch->dynamic_bytes; }
}

// Crash: a fault of the program becomes a located report and a stable way to end, never a silent death. Process-wide.
#pragma once

#include <string>
#include <string_view>

namespace starbridge::emulate {

// What the handlers ask the machine they run in. Called on the thread that faulted, from a signal handler.
struct MachineState {
  bool is_in_kernel = false;
  const void* code = nullptr;       // an address in the library of the running kernel
  const char* stack_low = nullptr;  // of the running fibre
  const char* stack_high = nullptr;
};
MachineState machine_state();
bool is_stack_guard(const void* address);
bool is_chip_memory(const void* address);
// A finding at the current thread, core or, when none runs, the host.
void report_here(std::string_view rule, const void* place, std::string en, std::string zh);
// What the machine checks when the program ends by itself.
void check_at_end();

// Gives the calling thread a stack for signal handlers, installs the handlers once, and starts the time limit.
void guard_against_crashes_on_this_thread();

// Where the library that starts at `start` ends.
const char* end_of_library(const char* start);

// How the process ends when the runtime stops it; the command reads these. Outside the codes programs use by habit.
constexpr int kExitStuck = 121;
constexpr int kExitCrashed = 122;
constexpr int kExitTimeLimit = 123;
constexpr int kExitRefused = 124;

}  // namespace starbridge::emulate

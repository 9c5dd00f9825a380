// Crash: a fault of the program becomes a located report and a stable way to end, never a silent death. Process-wide.
#pragma once

namespace starbridge::emulate::cuda {

// Gives the calling thread a stack for signal handlers, installs the handlers once, and starts the time limit.
void guard_against_crashes_on_this_thread();

// How the process ends when the runtime stops it; the command reads these. Outside the codes programs use by habit.
constexpr int kExitStuck = 121;
constexpr int kExitCrashed = 122;
constexpr int kExitTimeLimit = 123;
constexpr int kExitRefused = 124;

}  // namespace starbridge::emulate::cuda

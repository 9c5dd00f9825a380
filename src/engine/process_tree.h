// ProcessTree: the descendants of a process, read from /proc. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace starbridge::engine {

// All living descendants of `root`, not itself.
std::vector<pid_t> descendants(pid_t root);
// Processes of this user whose environment began with the entry `NAME=value`.
std::vector<pid_t> processes_with_environment(const std::string& entry);
// Start time in clock ticks since boot, field 22 of /proc/PID/stat; nullopt: no such process.
std::optional<std::int64_t> start_ticks(pid_t pid);
// Sends `signal` to every descendant of `root`, again and again until no new one appears.
void signal_descendants(pid_t root, int signal);

}  // namespace starbridge::engine

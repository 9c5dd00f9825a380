// JobCgroup: a control group (v2) of a job's own, where this machine lets us make one. One thread.
// It holds every process of the job however it was started, so that ending the group ends them all at once.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

namespace starbridge::engine {

class JobCgroup {
 public:
  // Below the group of this process. Without cgroup v2, or without the right to make groups, the object is empty and does
  // nothing.
  static JobCgroup create(const std::string& name);
  JobCgroup() = default;
  JobCgroup(JobCgroup&& other) noexcept { std::swap(path_, other.path_), std::swap(procs_path_, other.procs_path_); }
  JobCgroup& operator=(JobCgroup&& other) noexcept;
  ~JobCgroup();  // removes the group; it must be empty by then

  bool exists() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  // Moves the calling process into the group. Safe between fork and exec.
  void enter() const;
  // KILL to every process of the group, at once where the kernel can (cgroup.kill, Linux 5.14).
  void kill() const;
  bool is_empty() const;

 private:
  std::string path_;
  std::string procs_path_;
};

}  // namespace starbridge::engine

#include "engine/job_cgroup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>

namespace starbridge::engine {
namespace {

// Where cgroup v2 is mounted: field 5 of the line of /proc/self/mountinfo whose type is cgroup2. Empty: nowhere.
std::string mount_point() {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::size_t dash = line.find(" - cgroup2 ");
    if (dash == std::string::npos) continue;
    std::istringstream fields(line);
    std::string field;
    for (int index = 0; index < 5; ++index) fields >> field;
    return field;
  }
  return "";
}

// The group of this process below the mount point: the line "0::/path" of /proc/self/cgroup.
std::string own_group() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::", 0) == 0) return line.substr(3);
  }
  return "";
}

bool write_word(const std::string& path, const char* word, std::size_t size) {
  int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool is_written = ::write(file, word, size) == static_cast<ssize_t>(size);
  ::close(file);
  return is_written;
}

}  // namespace

JobCgroup JobCgroup::create(const std::string& name) {
  JobCgroup group;
  std::string mount = mount_point();
  std::string own = own_group();
  if (mount.empty() || own.empty()) return group;
  std::string path = mount + (own == "/" ? "" : own) + "/" + name;
  // One that a killed supervisor left behind is taken over.
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return group;
  group.path_ = path;
  group.procs_path_ = path + "/cgroup.procs";
  return group;
}

JobCgroup& JobCgroup::operator=(JobCgroup&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(procs_path_, other.procs_path_);
  return *this;
}

JobCgroup::~JobCgroup() {
  if (exists()) ::rmdir(path_.c_str());
}

void JobCgroup::enter() const {
  if (exists()) write_word(procs_path_, "0", 1);
}

void JobCgroup::kill() const {
  if (!exists() || write_word(path_ + "/cgroup.kill", "1", 1)) return;
  std::ifstream processes(procs_path_);
  for (pid_t process = 0; processes >> process;) ::kill(process, SIGKILL);
}

bool JobCgroup::is_empty() const {
  if (!exists()) return true;
  std::ifstream processes(procs_path_);
  pid_t process = 0;
  return !(processes >> process);
}

}  // namespace starbridge::engine

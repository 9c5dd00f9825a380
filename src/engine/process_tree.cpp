#include "engine/process_tree.h"

#include <dirent.h>
#include <signal.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "base/files.h"

namespace starbridge::engine {
namespace {

struct Stat {
  pid_t parent = 0;
  std::int64_t start_ticks = 0;
  char state = '?';
};

// The command's name stands in parentheses and may hold anything, so fields are counted from the last ')'.
std::optional<Stat> read_stat(pid_t pid) {
  base::Result<std::string> content = base::read_file("/proc/" + std::to_string(pid) + "/stat", 4096);
  if (!content.ok()) return std::nullopt;
  std::size_t at = content->rfind(')');
  if (at == std::string::npos) return std::nullopt;
  Stat stat;
  const char* rest = content->c_str() + at + 1;
  int field = 2;  // of the parenthesis
  for (const char* word = rest; *word != '\0';) {
    while (*word == ' ') ++word;
    ++field;
    if (field == 3) stat.state = *word;
    if (field == 4) stat.parent = static_cast<pid_t>(std::strtol(word, nullptr, 10));
    if (field == 22) {
      stat.start_ticks = std::strtoll(word, nullptr, 10);
      return stat;
    }
    while (*word != '\0' && *word != ' ') ++word;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> start_ticks(pid_t pid) {
  std::optional<Stat> stat = read_stat(pid);
  if (!stat || stat->state == 'Z') return std::nullopt;
  return stat->start_ticks;
}

std::vector<pid_t> descendants(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return {};
  while (dirent* entry = ::readdir(folder)) {
    char* end = nullptr;
    long pid = std::strtol(entry->d_name, &end, 10);
    if (*end != '\0' || pid <= 0) continue;
    std::optional<Stat> stat = read_stat(static_cast<pid_t>(pid));
    if (stat && stat->state != 'Z') children.emplace(stat->parent, static_cast<pid_t>(pid));
  }
  ::closedir(folder);
  std::vector<pid_t> found;
  std::vector<pid_t> open = {root};
  while (!open.empty()) {
    pid_t parent = open.back();
    open.pop_back();
    auto [begin, end] = children.equal_range(parent);
    for (auto child = begin; child != end; ++child) {
      found.push_back(child->second);
      open.push_back(child->second);
    }
  }
  return found;
}

std::vector<pid_t> processes_with_environment(const std::string& entry) {
  constexpr std::size_t kEnvironmentBytesMax = 4UL << 20;
  std::string needle = '\0' + entry + '\0';
  std::vector<pid_t> found;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return found;
  while (dirent* each = ::readdir(folder)) {
    char* end = nullptr;
    long pid = std::strtol(each->d_name, &end, 10);
    if (*end != '\0' || pid <= 0) continue;
    base::Result<std::string> content = base::read_file("/proc/" + std::to_string(pid) + "/environ", kEnvironmentBytesMax);
    if (content.ok() && ('\0' + *content).find(needle) != std::string::npos) found.push_back(static_cast<pid_t>(pid));
  }
  ::closedir(folder);
  return found;
}

void signal_descendants(pid_t root, int signal) {
  std::set<pid_t> told;
  constexpr int kRoundsMax = 64;  // a fork bomb must not keep us here for ever; the caller comes back
  for (int round = 0; round < kRoundsMax; ++round) {
    bool is_new = false;
    for (pid_t pid : descendants(root)) {
      if (told.insert(pid).second) {
        ::kill(pid, signal);
        is_new = true;
      }
    }
    if (!is_new) return;
  }
}

}  // namespace starbridge::engine

#include "emulate/common/finding_log.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <tuple>

#include "emulate/common/settings.h"

namespace starbridge::emulate {

namespace {

// Rule, both places, and what tells declarations apart that have no place.
using Key = std::tuple<std::string, const void*, const void*, std::string>;

struct Log {
  std::mutex mutex;
  std::map<Key, std::uint64_t> seen;
  int file = -1;
  std::uint64_t dropped = 0;

  Log() {
    if (!settings().report_path.empty())
      file = open(settings().report_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  }
};

Log& log() {
  static Log* instance = new Log;
  return *instance;
}

std::string json_of(const LogSide& side) {
  std::string result = "{";
  Dl_info info = {};
  if (side.place != nullptr && dladdr(side.place, &info) != 0 && info.dli_fname != nullptr) {
    char offset[32];
    // The call lies before the address it returns to.
    std::snprintf(
        offset, sizeof offset, "%llu",
        static_cast<unsigned long long>(static_cast<const char*>(side.place) - static_cast<const char*>(info.dli_fbase)) - 1);
    result += "\"module\":" + quoted(info.dli_fname) + ",\"offset\":" + offset + ",";
  }
  return result + side.fields + "\"write\":" + (side.is_write ? "true" : "false") + "}";
}

void write_line(Log& to, const std::string& line) {
  if (to.file < 0) return;
  const char* data = line.data();
  std::size_t left = line.size();
  while (left > 0) {
    ssize_t wrote = write(to.file, data, left);
    if (wrote <= 0) return;
    data += wrote;
    left -= static_cast<std::size_t>(wrote);
  }
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      result += code;
    } else {
      result += c;
    }
  }
  return result + '"';
}

void log_finding(const LogFinding& finding) {
  Log& to = log();
  std::lock_guard lock(to.mutex);
  const void* other = finding.has_other ? finding.other.place : nullptr;
  std::uint64_t& count =
      to.seen[{std::string(finding.rule), finding.side.place, other, finding.side.place == nullptr ? finding.side.fields : ""}];
  if (++count > 1) return;
  if (to.seen.size() > settings().findings_max) {
    ++to.dropped;
    return;
  }
  std::string line = "{\"rule\":" + quoted(finding.rule) + ",\"en\":" + quoted(finding.en) + ",\"zh\":" + quoted(finding.zh);
  if (!finding.kernel.empty()) line += ",\"kernel\":" + quoted(finding.kernel);
  line += ",\"side\":" + json_of(finding.side);
  if (finding.has_other) line += ",\"other\":" + json_of(finding.other);
  line += "}\n";
  if (to.file >= 0) {
    write_line(to, line);
  } else {
    std::fprintf(stderr, "starbridge: %.*s: %s%s\n", static_cast<int>(finding.rule.size()), finding.rule.data(),
                 finding.en.c_str(), finding.side.unit.empty() ? "" : (" (" + finding.side.unit + ")").c_str());
  }
}

void finish_log() {
  Log& to = log();
  std::lock_guard lock(to.mutex);
  for (const auto& [key, count] : to.seen) {
    if (count < 2) continue;
    std::string line = "{\"repeat\":" + quoted(std::get<0>(key)) + ",\"count\":" + std::to_string(count) +
                       ",\"side\":" + json_of({std::get<1>(key), std::get<3>(key), "", false});
    if (std::get<2>(key) != nullptr) line += ",\"other\":" + json_of({std::get<2>(key), "", "", false});
    write_line(to, line + "}\n");
  }
  if (to.dropped > 0) write_line(to, "{\"dropped\":" + std::to_string(to.dropped) + "}\n");
  to.seen.clear();
}

}  // namespace starbridge::emulate

#include "emulate/cuda/runtime/report.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

#include "emulate/cuda/runtime/launch.h"
#include "emulate/cuda/runtime/settings.h"

namespace starbridge::emulate::cuda {

namespace {

struct Log {
  std::mutex mutex;
  std::map<std::tuple<std::string, const void*, const void*>, std::uint64_t> seen;
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

std::string json_of(const Side& side) {
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
  if (side.has_thread) {
    result += "\"block\":" + quoted(to_string(side.block)) + ",\"thread\":" + quoted(to_string(side.thread)) + ",";
  }
  result += std::string("\"write\":") + (side.is_write ? "true" : "false") + "}";
  return result;
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

std::string to_string(uint3 index) {
  char text[48];
  std::snprintf(text, sizeof text, "%u,%u,%u", index.x, index.y, index.z);
  return text;
}

Side current_side(const void* place, bool is_write) {
  Side side;
  side.place = place;
  side.is_write = is_write;
  if (Block* block = current_block(); block != nullptr) {
    side.has_thread = true;
    side.block = block->index;
    side.thread = block->threads[block->current].index;
  }
  return side;
}

void report(const Finding& finding) {
  Log& to = log();
  std::lock_guard lock(to.mutex);
  const void* other = finding.has_other ? finding.other.place : nullptr;
  std::uint64_t& count = to.seen[{std::string(finding.rule), finding.side.place, other}];
  if (++count > 1) return;
  if (to.seen.size() > settings().findings_max) {
    ++to.dropped;
    return;
  }
  std::string line = "{\"rule\":" + quoted(finding.rule) + ",\"en\":" + quoted(finding.en) + ",\"zh\":" + quoted(finding.zh);
  if (const Kernel* kernel = current_kernel(); kernel != nullptr) line += ",\"kernel\":" + quoted(kernel->readable);
  line += ",\"side\":" + json_of(finding.side);
  if (finding.has_other) line += ",\"other\":" + json_of(finding.other);
  line += "}\n";
  if (to.file >= 0) {
    write_line(to, line);
  } else {
    std::fprintf(stderr, "starbridge: %.*s: %s%s\n", static_cast<int>(finding.rule.size()), finding.rule.data(),
                 finding.en.c_str(),
                 finding.side.has_thread
                     ? (" (block " + to_string(finding.side.block) + ", thread " + to_string(finding.side.thread) + ")").c_str()
                     : "");
  }
}

void report_here(std::string_view rule, const void* place, std::string en, std::string zh) {
  report({rule, std::move(en), std::move(zh), current_side(place), {}, false});
}

void report_stuck_block(Block& block) {
  std::size_t at_barrier = block.at_barrier.size();
  std::size_t in_warp = 0;
  const Thread* first = nullptr;
  const Thread* second = nullptr;  // one that waits elsewhere
  for (const Thread& thread : block.threads) {
    if (thread.wait == Wait::kExited || thread.wait == Wait::kNone) continue;
    if (thread.wait == Wait::kWarp) ++in_warp;
    if (first == nullptr)
      first = &thread;
    else if (second == nullptr && (thread.wait_place != first->wait_place || thread.warp_mask != first->warp_mask))
      second = &thread;
  }
  char en[240], zh[240];
  std::snprintf(en, sizeof en,
                "no thread of the block can go on: %zu wait at a barrier, %zu for other lanes of their warp, %u have ended",
                at_barrier, in_warp, block.exited);
  std::snprintf(zh, sizeof zh, "线程块无法继续：%zu 个线程在屏障处等待，%zu 个等待同一 warp 的其他线程，%u 个已结束", at_barrier,
                in_warp, block.exited);
  auto side_of = [&](const Thread* thread) { return Side{thread->wait_place, true, block.index, thread->index, false}; };
  Finding finding{"deadlock", en, zh, first == nullptr ? Side() : side_of(first), {}, false};
  if (second != nullptr) {
    finding.other = side_of(second);
    finding.has_other = true;
  }
  report(finding);
}

void finish_reports() {
  Log& to = log();
  std::lock_guard lock(to.mutex);
  for (const auto& [key, count] : to.seen) {
    if (count < 2) continue;
    Side side{std::get<1>(key), false, {0, 0, 0}, {0, 0, 0}, false};
    Side other{std::get<2>(key), false, {0, 0, 0}, {0, 0, 0}, false};
    std::string line =
        "{\"repeat\":" + quoted(std::get<0>(key)) + ",\"count\":" + std::to_string(count) + ",\"side\":" + json_of(side);
    if (std::get<2>(key) != nullptr) line += ",\"other\":" + json_of(other);
    write_line(to, line + "}\n");
  }
  if (to.dropped > 0) write_line(to, "{\"dropped\":" + std::to_string(to.dropped) + "}\n");
  to.seen.clear();
}

}  // namespace starbridge::emulate::cuda

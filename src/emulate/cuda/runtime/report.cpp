#include "emulate/cuda/runtime/report.h"

#include <cstdio>

#include "emulate/common/finding_log.h"
#include "emulate/cuda/runtime/launch.h"

namespace starbridge::emulate::cuda {

namespace {

LogSide log_side(const Side& side) {
  LogSide result{side.place, "", "", side.is_write};
  if (side.has_thread) {
    const std::string block = to_string(side.block), thread = to_string(side.thread);
    result.fields = "\"block\":" + quoted(block) + ",\"thread\":" + quoted(thread) + ",";
    result.unit = "block " + block + ", thread " + thread;
  }
  return result;
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
  const Kernel* kernel = current_kernel();
  log_finding({finding.rule, finding.en, finding.zh, kernel == nullptr ? "" : kernel->readable, log_side(finding.side),
               log_side(finding.other), finding.has_other});
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

void finish_reports() { finish_log(); }

}  // namespace starbridge::emulate::cuda

namespace starbridge::emulate {

void report_here(std::string_view rule, const void* place, std::string en, std::string zh) {
  cuda::report({rule, std::move(en), std::move(zh), cuda::current_side(place), {}, false});
}

}  // namespace starbridge::emulate

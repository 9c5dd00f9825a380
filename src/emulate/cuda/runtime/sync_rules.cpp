// The rules on barriers and warp operations.
#include "emulate/cuda/runtime/checker.h"
#include "emulate/cuda/runtime/launch.h"
#include "emulate/cuda/runtime/report.h"

namespace starbridge::emulate::cuda {

void check_barrier_place(Block& block, const void* place) {
  if (block.at_barrier.empty()) return;
  const Thread& first = block.threads[block.at_barrier.front()];
  if (first.wait_place == place) return;
  report({"barrier-divergence", "threads of one block wait at different barriers", "同一线程块的线程停在不同的屏障处",
          current_side(place), Side{first.wait_place, true, block.index, first.index, false}, true});
}

void check_barrier_with_exited(Block& block) {
  if (block.at_barrier.empty()) return;
  const Thread& waiting = block.threads[block.at_barrier.front()];
  report({"barrier-after-exit",
          std::to_string(block.exited) + " threads of the block ended before this barrier",
          "线程块中有 " + std::to_string(block.exited) + " 个线程在此屏障之前已结束",
          Side{waiting.wait_place, true, block.index, waiting.index, false},
          {},
          false});
}

void check_warp_mask(Block& block, Warp& warp, std::uint32_t mask, const void* place) {
  const std::uint32_t own = 1U << (block.current % kWarpSize);
  if ((mask & own) != 0 && (mask & warp.lanes & warp.exited) == 0) return;
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  if ((mask & own) == 0) {
    report_here("warp-mask", place, std::string("the mask ") + text + " does not name the lane that gives it",
                std::string("掩码 ") + text + " 不包含调用线程自己");
  } else if ((mask & warp.lanes & warp.exited) != 0) {
    report_here("warp-mask-ended", place, std::string("the mask ") + text + " names lanes that have ended",
                std::string("掩码 ") + text + " 包含已结束的线程");
  }
}

void check_shuffle_source(Block& block, unsigned thread, int source) {
  const Thread& reader = block.threads[thread];
  const void* place = reader.wait_place;
  Side side{place, true, block.index, reader.index, false};
  report(
      {"shuffle-source",
       "lane " + std::to_string(thread % kWarpSize) + " reads from lane " + std::to_string(source) + ", which does not take part",
       "第 " + std::to_string(thread % kWarpSize) + " 个线程读取未参与的第 " + std::to_string(source) + " 个线程",
       side,
       {},
       false});
}

}  // namespace starbridge::emulate::cuda

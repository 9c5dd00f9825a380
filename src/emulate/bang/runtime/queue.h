// Queues of the host. In a run work is done when it is asked for. In a check it waits in its queue until somebody syncs, so that
// a host that reads results too early sees it. One thread of the host at a time.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "cnrt.h"

namespace starbridge::emulate::bang {

struct Work {
  std::function<cnrtRet_t()> carry_out;
  std::vector<const void*> pointers;  // into the chip's memory, among its arguments
  std::string what;
  const void* place = nullptr;
};

// Does `work` now or later, after what the queue already holds.
cnrtRet_t enqueue(cnrtQueue_t queue, Work work);
cnrtRet_t empty(cnrtQueue_t queue);  // nullptr: the default queue
cnrtRet_t empty_all();
// The host is about to touch the allocation that holds `pointer` without having waited for the queues: reported when work on it
// is open.
void before_host_access(const void* pointer, const char* call, const void* place);
cnrtRet_t remember(cnrtRet_t error);

}  // namespace starbridge::emulate::bang

struct cnrtQueueStruct {
  std::deque<starbridge::emulate::bang::Work> work;
};

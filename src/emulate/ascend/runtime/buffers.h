// Buffers of a core: what TPipe hands out of its memories, and the queues that pass them from pipe to pipe. One task.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "emulate/ascend/runtime/memory.h"
#include "starbridge/asc_abi.h"

namespace starbridge::emulate::ascend {

enum class BufferState { kFree, kHeld, kQueued, kTaken, kAlways };  // kAlways: of a TBuf

struct Buffer {
  char* start = nullptr;
  std::uint32_t bytes = 0;
  BufferState state = BufferState::kFree;
  int queue = -1;
  const void* place = nullptr;       // InitBuffer
  const void* last_place = nullptr;  // where its state last changed
  std::uint32_t token = 0;           // of its flags
  bool was_freed = false;            // a flag from its last user is raised
  bool has_flag = false;             // EnQue raised a flag that DeQue will take
};

struct Queue {
  int src = 0, dst = 0, depth = 1;
  bool is_buffer = false;
  std::vector<Buffer*> buffers;
  std::deque<Buffer*> waiting;
  std::size_t next = 0;
};

struct Buffers {
  std::vector<Queue> queues;
  std::map<std::uintptr_t, Buffer> by_address;
  std::uintptr_t used[kOwnMemories] = {};
  bool has_local = false;  // tensors at addresses the program chose itself
  std::uint32_t next_token = 1U << 20;
  int live_events = 0;
  std::uint32_t events[8][8] = {};  // taken ids, one bit each
};

struct Task;
// The buffer that holds `address`, or nullptr.
Buffer* find_buffer(Task& task, const void* address);
// The task ended: what is still held or queued.
void finish_buffers(Task& task);

}  // namespace starbridge::emulate::ascend

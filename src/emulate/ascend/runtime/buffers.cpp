#include "emulate/ascend/runtime/buffers.h"

#include "emulate/ascend/runtime/check.h"
#include "emulate/ascend/runtime/chip.h"
#include "emulate/ascend/runtime/task.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::ascend {

namespace {

// TPosition, by number.
enum { kGmPosition, kA1, kA2, kB1, kB2, kC1, kC2, kCo1, kCo2, kVecIn, kVecOut, kVecCalc, kSpm, kTscm, kC2Pipe2Gm };

// The pipes a queue stands between: who fills its buffers, who uses them.
struct Ends {
  int filler, user;
};

int filler_into(int position) {
  switch (position) {
    case kA2: case kB2: case kC2: return SB_PIPE_MTE1;
    case kCo1: return SB_PIPE_M;
    case kVecOut: case kVecCalc: return SB_PIPE_V;
    default: return SB_PIPE_MTE2;
  }
}

// The position whose memory holds a queue's buffers: what comes from GM or L1 lies where it goes, the rest where it was made.
int home_of(int src, int dst) {
  const bool is_into_l0 = (src == kA1 && dst == kA2) || (src == kB1 && dst == kB2) || (src == kC1 && dst == kC2);
  return src == kGmPosition || is_into_l0 ? dst : src;
}

Ends ends_of(const Queue& queue) {
  const int at = home_of(queue.src, queue.dst);
  Ends ends{filler_into(at), SB_PIPE_V};
  if (queue.src == kVecIn) ends.filler = SB_PIPE_MTE2;
  switch (queue.src == kGmPosition ? at : queue.dst) {
    case kGmPosition: case kVecOut: ends.user = SB_PIPE_MTE3; break;
    case kA1: case kB1: case kC1: case kTscm: ends.user = queue.src == kGmPosition ? SB_PIPE_MTE1 : SB_PIPE_MTE3; break;
    case kA2: case kB2: case kC2: ends.user = SB_PIPE_M; break;
    case kCo1: case kCo2: ends.user = chip().is_split() ? SB_PIPE_FIX : SB_PIPE_V; break;
    case kC2Pipe2Gm: ends.user = SB_PIPE_FIX; break;
    default: ends.user = SB_PIPE_V;
  }
  if (queue.src == kCo1) ends.filler = SB_PIPE_M;
  if (queue.dst == kVecOut && queue.src == kVecOut) ends = {SB_PIPE_V, SB_PIPE_MTE3};
  return ends;
}

const char* name_of_position(int position) {
  static const char* const names[] = {"GM", "A1", "A2", "B1", "B2", "C1", "C2", "CO1", "CO2", "VECIN", "VECOUT", "VECCALC", "SPM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
  return position >= 0 && position < 16 ? names[position] : "?";
}
const char* name_of_queue(const Queue& queue) { return name_of_position(home_of(queue.src, queue.dst)); }

Queue* queue_of(Task& task, const sb_que* que, const char* call, const void* place) {
  if (que->id > 0 && static_cast<std::size_t>(que->id) <= task.buffers.queues.size()) return &task.buffers.queues[static_cast<std::size_t>(que->id - 1)];
  report_at("tensor-not-held", place, std::string(call) + " of a queue or buffer that InitBuffer never filled", std::string(call) + " 的队列或缓冲区未经 InitBuffer 初始化");
  return nullptr;
}

// The buffer of `queue` that holds `at`, or nullptr after a report.
Buffer* own_buffer(Task& task, Queue& queue, const void* at, const char* call, const void* place) {
  Buffer* buffer = find_buffer(task, at);
  if (buffer != nullptr && &task.buffers.queues[static_cast<std::size_t>(buffer->queue)] == &queue) return buffer;
  report_at("queue-mismatch", place,
            std::string(call) + ": the tensor is none of this queue's (" + name_of_queue(queue) + ")" +
                (buffer != nullptr ? std::string("; it belongs to a ") + (task.buffers.queues[static_cast<std::size_t>(buffer->queue)].is_buffer ? "TBuf" : "queue") + " of " + name_of_queue(task.buffers.queues[static_cast<std::size_t>(buffer->queue)]) : ""),
            std::string(call) + "：该张量不属于此队列（" + name_of_queue(queue) + "）");
  return nullptr;
}

void wrong_state(Task& task, const Buffer& buffer, const char* call, const char* en, const char* zh, const void* place) {
  if (!settings().is_check) return;
  const void* other = buffer.last_place != nullptr ? buffer.last_place : buffer.place;
  report_pair("queue-discipline", task, place, true, other, true, std::string(call) + ": " + en, std::string(call) + "：" + zh);
}

[[noreturn]] void stuck(const char* call, const std::string& en, const std::string& zh, const void* place);

}  // namespace

Buffer* find_buffer(Task& task, const void* address) {
  auto after = task.buffers.by_address.upper_bound(reinterpret_cast<std::uintptr_t>(address));
  if (after == task.buffers.by_address.begin()) return nullptr;
  Buffer& buffer = std::prev(after)->second;
  return static_cast<const char*>(address) < buffer.start + buffer.bytes ? &buffer : nullptr;
}

void finish_buffers(Task& task) {
  for (auto& [at, buffer] : task.buffers.by_address) {
    if (buffer.state != BufferState::kHeld && buffer.state != BufferState::kQueued && buffer.state != BufferState::kTaken) continue;
    const bool is_queued = buffer.state == BufferState::kQueued;
    report_at("queue-leak", buffer.last_place,
              is_queued ? "a tensor was put into its queue and never taken out" : "a tensor of a queue was never given back with FreeTensor",
              is_queued ? "张量入队后从未出队" : "队列的张量从未用 FreeTensor 释放");
  }
}

}  // namespace starbridge::emulate::ascend

#include <cstdio>

#include "emulate/common/crash.h"
#include "emulate/common/finding_log.h"

namespace starbridge::emulate::ascend {
namespace {
void stuck(const char* call, const std::string& en, const std::string& zh, const void* place) {
  report_at("deadlock", place, std::string(call) + ": " + en, std::string(call) + "：" + zh);
  finish_log();
  std::fflush(nullptr);
  std::_Exit(kExitStuck);
}
}  // namespace
}  // namespace starbridge::emulate::ascend

using namespace starbridge::emulate;
using namespace starbridge::emulate::ascend;

extern "C" {

void __sb_asc_pipe_start() {}

void __sb_asc_pipe_end() {
  Task& task = *current_task();
  if (settings().is_check) {
    drain(task, SB_PIPE_ALL);
    finish_buffers(task);
  }
  Buffers fresh;
  fresh.next_token = task.buffers.next_token;
  task.buffers = std::move(fresh);
}

void __sb_asc_que_init(sb_que* que, int src, int dst, int depth, int count, sb_long bytes, int is_buffer) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  Buffers& all = task.buffers;
  const Memory memory = memory_of_position(home_of(src, dst));
  const sb_long rounded = (bytes + 31) / 32 * 32;
  if (settings().is_check && all.by_address.size() + static_cast<std::size_t>(count) > 64)
    report_at("capacity", place, "with this InitBuffer the pipe has more than 64 buffers", "此 InitBuffer 使缓冲区总数超过 64");
  std::uintptr_t& used = all.used[static_cast<unsigned>(memory)];
  if (used + static_cast<std::uintptr_t>(rounded * count) > size_of(memory)) {
    report_at("capacity", place,
              "with this InitBuffer the buffers take " + std::to_string(used + static_cast<std::uintptr_t>(rounded * count)) + " bytes of " + name_of(memory) + "; " + chip().name + " has " + std::to_string(size_of(memory)),
              "此 InitBuffer 使缓冲区共占用 " + std::string(name_of(memory)) + " " + std::to_string(used + static_cast<std::uintptr_t>(rounded * count)) + " 字节；" + chip().name + " 只有 " + std::to_string(size_of(memory)) + " 字节");
    if (start_of(memory, 0) + used + rounded * count > start_of(memory, 0) + (kOffsets[static_cast<unsigned>(memory) + 1] - kOffsets[static_cast<unsigned>(memory)]))
      stuck("InitBuffer", "there is no room to go on", "空间不足，无法继续", place);
  }
  all.queues.emplace_back();
  Queue& queue = all.queues.back();
  queue.src = src;
  queue.dst = dst;
  queue.depth = depth;
  queue.is_buffer = is_buffer != 0;
  que->id = static_cast<int>(all.queues.size());
  for (int i = 0; i < count; ++i) {
    Buffer buffer;
    buffer.start = start_of(memory, task.core) + used;
    buffer.bytes = static_cast<std::uint32_t>(rounded);
    buffer.state = is_buffer != 0 ? BufferState::kAlways : BufferState::kFree;
    buffer.queue = que->id - 1;
    buffer.place = place;
    buffer.token = all.next_token;
    all.next_token += 2;
    used += static_cast<std::uintptr_t>(rounded);
    if (rounded == 0) continue;
    queue.buffers.push_back(&(all.by_address[reinterpret_cast<std::uintptr_t>(buffer.start)] = buffer));
  }
}

char* __sb_asc_que_alloc(sb_que* que, sb_word* bytes) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  Queue* queue = queue_of(task, que, "AllocTensor", place);
  *bytes = 0;
  if (queue == nullptr || queue->buffers.empty()) return nullptr;
  Buffer* found = nullptr;
  std::size_t live = 0;
  for (std::size_t i = 0; i < queue->buffers.size(); ++i) {
    Buffer* buffer = queue->buffers[(queue->next + i) % queue->buffers.size()];
    if (buffer->state != BufferState::kFree) {
      ++live;
    } else if (found == nullptr) {
      found = buffer;
      queue->next = (queue->next + i + 1) % queue->buffers.size();
    }
  }
  if (found == nullptr)
    stuck("AllocTensor", "all " + std::to_string(queue->buffers.size()) + " tensors of the queue (" + name_of_queue(*queue) + ") are held or queued; FreeTensor is missing, or InitBuffer made too few",
          "队列（" + std::string(name_of_queue(*queue)) + "）的 " + std::to_string(queue->buffers.size()) + " 个张量都被占用；缺少 FreeTensor，或 InitBuffer 的数量太少", place);
  if (settings().is_check) {
    int held = 1;
    for (const Queue& each : task.buffers.queues) {
      if (each.is_buffer || each.src != queue->src || each.dst != queue->dst) continue;
      for (const Buffer* buffer : each.buffers) held += buffer->state != BufferState::kFree ? 1 : 0;
    }
    if (held > chip().queue_max)
      report_at("queue-discipline", place, std::to_string(held) + " tensors of position " + name_of_queue(*queue) + " are held at once; " + chip().name + " has events for " + std::to_string(chip().queue_max),
                "位置 " + std::string(name_of_queue(*queue)) + " 同时占用了 " + std::to_string(held) + " 个张量；" + chip().name + " 只支持 " + std::to_string(chip().queue_max) + " 个");
    const Ends ends = ends_of(*queue);
    if (found->was_freed && ends.filler != ends.user) wait_flag(task, ends.filler, found->token + 1);
    set_poison(found->start, found->bytes, true);
  }
  found->was_freed = false;
  found->state = BufferState::kHeld;
  found->last_place = place;
  *bytes = found->bytes;
  return found->start;
}

void __sb_asc_que_free(sb_que* que, const void* at) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  Queue* queue = queue_of(task, que, "FreeTensor", place);
  if (queue == nullptr || queue->is_buffer) return;
  Buffer* buffer = own_buffer(task, *queue, at, "FreeTensor", place);
  if (buffer == nullptr) return;
  if (buffer->state == BufferState::kFree) return wrong_state(task, *buffer, "FreeTensor", "the tensor is free already", "该张量已被释放", place);
  if (buffer->state == BufferState::kQueued) {
    wrong_state(task, *buffer, "FreeTensor", "the tensor is still in its queue", "该张量仍在队列中", place);
    std::erase(queue->waiting, buffer);
  }
  const Ends ends = ends_of(*queue);
  if (settings().is_check && ends.filler != ends.user) raise_flag(task, ends.user, buffer->token + 1, place);
  buffer->was_freed = true;
  buffer->state = BufferState::kFree;
  buffer->last_place = place;
}

void __sb_asc_que_enque(sb_que* que, const void* at) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  Queue* queue = queue_of(task, que, "EnQue", place);
  if (queue == nullptr || queue->is_buffer) return;
  Buffer* buffer = own_buffer(task, *queue, at, "EnQue", place);
  if (buffer == nullptr) return;
  if (buffer->state == BufferState::kFree) wrong_state(task, *buffer, "EnQue", "the tensor is not held: AllocTensor gives it", "该张量未持有，应先 AllocTensor", place);
  if (buffer->state == BufferState::kQueued) return wrong_state(task, *buffer, "EnQue", "the tensor is in the queue already", "该张量已在队列中", place);
  const Ends ends = ends_of(*queue);
  if (settings().is_check && ends.filler != ends.user) {
    raise_flag(task, ends.filler, buffer->token, place);
    buffer->has_flag = true;
  }
  buffer->state = BufferState::kQueued;
  buffer->last_place = place;
  queue->waiting.push_back(buffer);
}

char* __sb_asc_que_deque(sb_que* que, sb_word* bytes) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  Queue* queue = queue_of(task, que, "DeQue", place);
  *bytes = 0;
  if (queue == nullptr) return nullptr;
  if (queue->waiting.empty()) {
    report_at("queue-discipline", place, std::string("DeQue: the queue (") + name_of_queue(*queue) + ") is empty", std::string("DeQue：队列（") + name_of_queue(*queue) + "）为空");
    if (queue->buffers.empty()) return nullptr;
    *bytes = queue->buffers[0]->bytes;
    return queue->buffers[0]->start;
  }
  Buffer* buffer = queue->waiting.front();
  queue->waiting.pop_front();
  const Ends ends = ends_of(*queue);
  if (settings().is_check && buffer->has_flag) wait_flag(task, ends.user, buffer->token);
  buffer->has_flag = false;
  buffer->state = BufferState::kTaken;
  buffer->last_place = place;
  *bytes = buffer->bytes;
  return buffer->start;
}

int __sb_asc_que_state(const sb_que* que, int what) {
  Task& task = *current_task();
  if (que->id == 0) return 0;
  const Queue& queue = task.buffers.queues[static_cast<std::size_t>(que->id - 1)];
  if (what == 0) return static_cast<int>(queue.waiting.size());
  int idle = 0;
  for (const Buffer* buffer : queue.buffers) idle += buffer->state == BufferState::kFree ? 1 : 0;
  return idle;
}

char* __sb_asc_buf_get(sb_que* que, sb_word offset, sb_word bytes, sb_word* capacity) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  Queue* queue = queue_of(task, que, "Get", place);
  *capacity = 0;
  if (queue == nullptr || queue->buffers.empty()) return nullptr;
  const Buffer& buffer = *queue->buffers[0];
  *capacity = buffer.bytes;
  if (settings().is_check && offset + bytes > buffer.bytes)
    report_at("out-of-bounds", place, "Get: the tensor reaches " + std::to_string(offset + bytes - buffer.bytes) + " bytes past the end of its buffer of " + std::to_string(buffer.bytes),
              "Get：张量超出大小为 " + std::to_string(buffer.bytes) + " 字节的缓冲区末尾 " + std::to_string(offset + bytes - buffer.bytes) + " 字节");
  return buffer.start + offset;
}

char* __sb_asc_local(int position, sb_word address, sb_word bytes) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  const Memory memory = memory_of_position(position);
  task.buffers.has_local = true;
  if (address + bytes > size_of(memory))
    report_at("capacity", place, "the tensor ends at byte " + std::to_string(address + bytes) + " of " + name_of(memory) + "; " + chip().name + " has " + std::to_string(size_of(memory)),
              "张量结束于 " + std::string(name_of(memory)) + " 的第 " + std::to_string(address + bytes) + " 字节；" + chip().name + " 只有 " + std::to_string(size_of(memory)) + " 字节");
  return start_of(memory, task.core) + address;
}
}

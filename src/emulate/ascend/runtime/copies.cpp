// Moves between GM and a core's memories, and inside it; atomics on the way out; changes of layout on the way in and out.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "emulate/ascend/runtime/cache.h"
#include "emulate/ascend/runtime/chip.h"
#include "emulate/ascend/runtime/instruction.h"
#include "emulate/common/settings.h"

using namespace starbridge::emulate;
using namespace starbridge::emulate::ascend;

namespace {

int pipe_between(Memory from, Memory to) {
  if (from == Memory::kGm) return to == Memory::kL0a || to == Memory::kL0b ? SB_PIPE_MTE2 : SB_PIPE_MTE2;
  if (from == Memory::kUb) return to == Memory::kUb ? SB_PIPE_V : SB_PIPE_MTE3;
  if (from == Memory::kL1) return to == Memory::kGm ? SB_PIPE_MTE3 : SB_PIPE_MTE1;
  if (from == Memory::kL0c) return chip().is_split() ? SB_PIPE_FIX : SB_PIPE_V;
  return SB_PIPE_MTE1;
}

bool is_foreign(const Task& task, Memory memory) {
  if (memory == Memory::kUb) return task.is_foreign_vector();
  return memory != Memory::kGm && task.is_foreign_cube();
}

std::mutex g_atomic_mutex;  // atomics of cores that run on different workers

void add_into(char* to, const char* from, std::int64_t bytes, int what, int type) {
  static constexpr int ops[] = {SB_COPY, SB_ADD, SB_MAX, SB_MIN};
  LoopCall loop;
  loop.op = ops[what];
  loop.type = loop.to_type = loop.src_type[0] = loop.src_type[1] = type;
  loop.src_count = 2;
  loop.dst = to;
  loop.src[0] = to;
  loop.src[1] = from;
  loop.n = bytes / kTypeBytes[type];
  std::lock_guard lock(g_atomic_mutex);
  loops().apply(loop);
}

struct Piece {
  char* to;
  const char* from;
  std::int64_t bytes;
};

void plain_pieces(const sb_copy& call, std::vector<Piece>& pieces) {
  auto* to = static_cast<char*>(call.dst) + call.left_bytes;
  const auto* from = static_cast<const char*>(call.src);
  const bool is_solid = call.blocks > 1 && call.src_stride == call.bytes && call.dst_stride == call.bytes;
  if (is_solid) {
    pieces.push_back({to, from, call.bytes * call.blocks});
    return;
  }
  for (sb_long i = 0; i < call.blocks; ++i) pieces.push_back({to + i * call.dst_stride, from + i * call.src_stride, call.bytes});
}

// Rows of n x d become columns of 32 bytes: z in n, one after the other along d.
void nz_pieces(const sb_copy& call, std::vector<Piece>& pieces) {
  const sb_long nd = call.nd[0], n = call.nd[1], d = call.nd[2], src_nd = call.nd[3], src_d = call.nd[4], dst_c0 = call.nd[5], dst_n = call.nd[6], dst_nd = call.nd[7];
  const sb_long c0 = 32 / call.size;
  for (sb_long matrix = 0; matrix < nd; ++matrix) {
    for (sb_long row = 0; row < n; ++row) {
      for (sb_long column = 0; column < d; column += c0) {
        pieces.push_back({static_cast<char*>(call.dst) + matrix * dst_nd * call.size + column / c0 * dst_c0 * 32 + row * dst_n * 32,
                          static_cast<const char*>(call.src) + (matrix * src_nd + row * src_d + column) * call.size, std::min(c0, d - column) * call.size});
      }
    }
  }
}

void nd_pieces(const sb_copy& call, std::vector<Piece>& pieces) {
  const sb_long nd = call.nd[0], n = call.nd[1], d = call.nd[2], src_nd = call.nd[3], src_n = call.nd[4], dst_d = call.nd[5], dst_nd = call.nd[6];
  for (sb_long matrix = 0; matrix < nd; ++matrix) {
    for (sb_long row = 0; row < n; ++row) {
      for (sb_long column = 0; column < d; column += 16) {
        pieces.push_back({static_cast<char*>(call.dst) + (matrix * dst_nd + row * dst_d + column) * call.size,
                          static_cast<const char*>(call.src) + (matrix * src_nd * 256 + column / 16 * src_n * 16 + row * 16) * call.size, std::min<sb_long>(16, d - column) * call.size});
      }
    }
  }
}

// Mirrors SliceInfo.
struct Slice {
  std::uint32_t start, end, stride, burst, shape;
};

void slice_pieces(const sb_copy& call, std::vector<Piece>& pieces) {
  const auto dims = static_cast<int>(call.nd[0]);
  const auto* to = reinterpret_cast<const Slice*>(call.nd[1]);
  const auto* from = reinterpret_cast<const Slice*>(call.nd[2]);
  // Offsets of each side's bursts, first dimension innermost; the burst counts blocks of 32 bytes.
  auto offsets = [&](const Slice* slices) {
    std::vector<sb_long> result = {0};
    sb_long scale = 1;
    for (int i = 0; i < dims; ++i) {
      const Slice& slice = slices[i];
      std::vector<sb_long> next;
      const sb_long length = i == 0 ? static_cast<sb_long>(slice.burst) * 32 / call.size : 1;
      std::vector<sb_long> at;
      for (sb_long x = slice.start; x <= static_cast<sb_long>(slice.end); x += length + slice.stride) at.push_back(x * scale);
      for (sb_long outer : at) {
        for (sb_long inner : result) next.push_back(inner + outer);
      }
      result = std::move(next);
      scale *= slice.shape;
    }
    return result;
  };
  const std::vector<sb_long> to_at = offsets(to), from_at = offsets(from);
  const sb_long bytes = static_cast<sb_long>(from[0].burst) * 32;
  for (std::size_t i = 0; i < std::min(to_at.size(), from_at.size()); ++i)
    pieces.push_back({static_cast<char*>(call.dst) + to_at[i] * call.size, static_cast<const char*>(call.src) + from_at[i] * call.size, bytes});
}

std::vector<Piece> pieces_of(const sb_copy& call) {
  std::vector<Piece> pieces;
  switch (call.kind) {
    case SB_COPY_ND2NZ: nz_pieces(call, pieces); break;
    case SB_COPY_NZ2ND: nd_pieces(call, pieces); break;
    case SB_COPY_SLICE: slice_pieces(call, pieces); break;
    default: plain_pieces(call, pieces);
  }
  return pieces;
}

// Around each block that came in: the given value, or, without one, the block's first element up to the next 32 bytes.
void fill_padding(const sb_copy& call) {
  if (call.kind != SB_COPY_PAD || memory_of(call.dst) == Memory::kGm) return;
  for (sb_long i = 0; i < call.blocks; ++i) {
    char* block = static_cast<char*>(call.dst) + i * call.dst_stride;
    const sb_long used = call.left_bytes + call.bytes, end = (used + call.right_bytes + 31) / 32 * 32;
    auto fill = [&](sb_long from, sb_long to) {
      for (sb_long at = from; at + call.size <= to; at += call.size) std::memcpy(block + at, call.pads != 0 ? static_cast<const void*>(&call.pad_value) : block + call.left_bytes, static_cast<std::size_t>(call.size));
    };
    if (call.pads != 0) {
      fill(0, call.left_bytes);
      fill(used, used + call.right_bytes);
      if (call.left_bytes == 0 && call.right_bytes == 0) fill(used, end);
      continue;
    }
    if (call.left_bytes == 0 && call.right_bytes == 0) fill(used, end);
  }
}

void carry_out(const sb_copy& call, const std::vector<Piece>& pieces, Task& task, int atomic, int atomic_type) {
  const bool is_out = memory_of(call.dst) == Memory::kGm;
  for (const Piece& piece : pieces) {
    if (is_out && atomic != SB_ATOMIC_NONE)
      add_into(piece.to, piece.from, piece.bytes, atomic, atomic_type);
    else
      std::memmove(piece.to, piece.from, static_cast<std::size_t>(piece.bytes));
    if (is_out && settings().is_check) note_moved(task, piece.to, piece.bytes);
  }
  fill_padding(call);
}

void check_numbers(const sb_copy& call, const void* place) {
  if (call.asked_bytes != 0)
    report_at("copy-truncated", place,
              "DataCopy of " + std::to_string(call.asked_bytes) + " bytes moves " + std::to_string(call.bytes) + ": lengths are rounded down to 32 bytes",
              "DataCopy 请求 " + std::to_string(call.asked_bytes) + " 字节，实际只搬运 " + std::to_string(call.bytes) + " 字节：长度向下取整到 32 字节");
  if (call.kind == SB_COPY_PAD) {
    if (chip().has_pad_copy == 0) report_at("unsupported", place, "DataCopyPad is not there on " + chip().name, chip().name + " 不支持 DataCopyPad");
    check_range(call.name, "blockCount", call.blocks, 1, 4095, place);
    check_range(call.name, "blockLen", call.bytes, 1, 2097151, place);
    check_range(call.name, "leftPadding in bytes", call.left_bytes, 0, 32, place);
    check_range(call.name, "rightPadding in bytes", call.right_bytes, 0, 32, place);
  } else if (call.kind == SB_COPY_PLAIN && call.src_stride != 0) {
    check_range(call.name, "blockCount", call.blocks, 1, 4095, place);
    check_range(call.name, "blockLen", call.bytes / 32, 1, 65535, place);
  } else if (call.kind == SB_COPY_PLAIN && call.bytes == 0) {
    report_at("empty-instruction", place, "DataCopy moves nothing", "DataCopy 没有搬运任何数据");
  }
}

// How the two sides must be aligned.
int align_of(Memory memory, const sb_copy& call) {
  switch (memory) {
    case Memory::kGm: return call.kind == SB_COPY_PAD ? 1 : call.size;
    case Memory::kL0a:
    case Memory::kL0b: return 512;
    case Memory::kL0c:
    case Memory::kBias: return 64;
    case Memory::kFix: return 128;
    default: return 32;
  }
}

void pass_poison(const sb_copy& call, const std::vector<Piece>& pieces, const void* place) {
  for (const Piece& piece : pieces) {
    if (memory_of(piece.to) == Memory::kGm) {
      // Padding at the end of a block may be anything; a block whose first element nobody wrote is none.
      if (piece.bytes > 0) check_written(call.name, piece.from, std::min<std::int64_t>(call.size, piece.bytes), place);
      set_poison(piece.to, static_cast<std::size_t>(piece.bytes), false);
    } else {
      copy_poison(piece.to, piece.from, static_cast<std::size_t>(piece.bytes));
    }
  }
  if (call.kind != SB_COPY_PAD || memory_of(call.dst) == Memory::kGm) return;
  for (sb_long i = 0; i < call.blocks; ++i) {
    char* block = static_cast<char*>(call.dst) + i * call.dst_stride;
    const sb_long used = call.left_bytes + call.bytes, end = (used + call.right_bytes + 31) / 32 * 32;
    const bool is_known = call.pads != 0 || (call.left_bytes == 0 && call.right_bytes == 0);
    set_poison(block, static_cast<std::size_t>(call.left_bytes), !is_known);
    set_poison(block + used, static_cast<std::size_t>(end - used), !is_known);
  }
}

// A queue's own synchronisation stands between the pipes its position names.
void check_position(Task& task, const sb_copy& call, const void* place) {
  const bool is_in = memory_of(call.src) == Memory::kGm, is_out = memory_of(call.dst) == Memory::kGm;
  Buffer* buffer = is_in ? find_buffer(task, call.dst) : is_out ? find_buffer(task, call.src) : nullptr;
  if (buffer == nullptr) return;
  const Queue& queue = task.buffers.queues[static_cast<std::size_t>(buffer->queue)];
  constexpr int kVecIn = 9, kVecOut = 10;
  if (queue.is_buffer) return;
  if (is_in && queue.src == kVecOut)
    report_at("queue-position", place, "DataCopy from GM fills a tensor of a VECOUT queue, whose EnQue waits for PIPE_V, not for the copy", "DataCopy 从 GM 填充 VECOUT 队列的张量，其 EnQue 等待的是 PIPE_V 而不是搬运");
  if (is_out && queue.dst == kVecIn)
    report_at("queue-position", place, "DataCopy to GM reads a tensor of a VECIN queue, whose DeQue makes PIPE_V wait, not the copy", "DataCopy 把 VECIN 队列的张量搬到 GM，其 DeQue 让 PIPE_V 等待而不是搬运");
}

}  // namespace

extern "C" void __sb_asc_copy(const sb_copy* given) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  const sb_copy call = *given;
  const Memory from = memory_of(call.src), to = memory_of(call.dst);
  if (is_foreign(task, from) || is_foreign(task, to)) {
    if (!task.launch->is_mixed) report_at("memory-space", place, std::string(call.name) + " reaches a memory this core does not have", std::string(call.name) + " 访问了此核没有的存储");
    return;
  }
  std::vector<Piece> pieces = pieces_of(call);
  const int atomic = task.atomic, atomic_type = task.atomic_type;
  if (!settings().is_check) {
    carry_out(call, pieces, task, atomic, atomic_type);
    return;
  }
  check_numbers(call, place);
  const unsigned anywhere = ~memory_bit(Memory::kHost);
  Operation operation{pipe_between(from, to), call.name, place, atomic != SB_ATOMIC_NONE && to == Memory::kGm, {}, nullptr};
  bool is_fine = check_operand(task, call.name, "src", {static_cast<const char*>(call.src), 0, false}, anywhere, align_of(from, call), place) &&
                 check_operand(task, call.name, "dst", {static_cast<const char*>(call.dst), 0, true}, anywhere, align_of(to, call), place);
  if (!is_fine) return;
  for (const Piece& piece : pieces) {
    const Segment read{piece.from, piece.bytes, false}, write{piece.to, piece.bytes, true};
    if (piece.bytes <= 0) continue;
    if (!check_operand(task, call.name, "src", read, anywhere, 1, place) || !check_operand(task, call.name, "dst", write, anywhere, 1, place)) return;
    operation.segments.push_back(read);
    operation.segments.push_back(write);
    if (from == Memory::kGm) check_flushed(task, read, call.name, place);
    if (from == Memory::kUb && to == Memory::kUb && piece.from < piece.to + piece.bytes && piece.to < piece.from + piece.bytes)
      report_at("operand-overlap", place, "DataCopy inside UB: source and destination overlap", "UB 内的 DataCopy 源与目的重叠");
  }
  if (to == Memory::kUb && from == Memory::kGm && call.kind == SB_COPY_PAD) {
    for (sb_long i = 0; i < call.blocks; ++i) {
      const sb_long end = (call.left_bytes + call.bytes + call.right_bytes + 31) / 32 * 32;
      const Segment whole{static_cast<const char*>(call.dst) + i * call.dst_stride, end, true};
      if (!check_operand(task, call.name, "dst", whole, anywhere, 1, place)) return;
      operation.segments.push_back(whole);
    }
  }
  check_position(task, call, place);
  pass_poison(call, pieces, place);
  Task* running = &task;
  operation.work = [call, pieces = std::move(pieces), running, atomic, atomic_type] { carry_out(call, pieces, *running, atomic, atomic_type); };
  issue(task, std::move(operation));
}

extern "C" void __sb_asc_set_atomic(int what, int type) {
  Task& task = *current_task();
  if (what >= 0) task.atomic = what;
  task.atomic_type = type;
}

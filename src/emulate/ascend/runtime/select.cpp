// Selection, gathering, broadcast, index vectors, transposition.
#include <algorithm>
#include <cstring>

#include "emulate/ascend/runtime/chip.h"
#include "emulate/ascend/runtime/instruction.h"
#include "emulate/common/settings.h"

using namespace starbridge::emulate;
using namespace starbridge::emulate::ascend;

namespace {

bool bit_at(const void* bits, std::int64_t i) { return (static_cast<const unsigned char*>(bits)[i / 8] >> (i % 8) & 1) != 0; }

void carry_out_select(const sb_select& call, const Shape& shape, Task& task) {
  const Layout dst{static_cast<const char*>(call.dst), call.size, call.dst_blk, call.dst_rep};
  const Layout a{static_cast<const char*>(call.src0), call.size, call.src_blk[0], call.src_rep[0]};
  const Layout b{static_cast<const char*>(call.src1), call.size, call.src_blk[1], call.src_rep[1]};
  const auto size = static_cast<std::size_t>(call.size);
  if (shape.is_run) {
    for (std::int64_t i = 0; i < shape.count; ++i) {
      const bool first = bit_at(call.mask_bits, i);
      const void* from = first ? static_cast<const void*>(a.start + i * call.size) : call.has_value != 0 ? &call.value : static_cast<const void*>(b.start + i * call.size);
      std::memcpy(const_cast<char*>(dst.start) + i * call.size, from, size);
    }
    return;
  }
  const std::uint64_t state[2] = {task.compare_mask[0], task.compare_mask[1]};
  for (int repeat = 0; repeat < shape.repeats; ++repeat) {
    for (int lane = 0; lane < shape.lanes; ++lane) {
      if (!shape.active(repeat, lane)) continue;
      // Mode 0 takes the same bits for every repeat; the others go on.
      const bool first = call.mask_bits == nullptr ? (state[lane / 64] >> (lane % 64) & 1) != 0 : bit_at(call.mask_bits, call.mode == 0 ? lane : static_cast<std::int64_t>(repeat) * shape.lanes + lane);
      const void* from = first ? static_cast<const void*>(a.at(repeat, lane)) : call.has_value != 0 ? &call.value : static_cast<const void*>(b.at(repeat, lane));
      std::memcpy(const_cast<char*>(dst.at(repeat, lane)), from, size);
    }
  }
}

// Which elements a fixed pattern of GatherMask takes.
bool pattern_takes(int pattern, std::int64_t i) {
  switch (pattern) {
    case 1: return i % 2 == 0;
    case 2: return i % 2 == 1;
    case 3: return i % 4 == 0;
    case 4: return i % 4 == 1;
    case 5: return i % 4 == 2;
    case 6: return i % 4 == 3;
    default: return true;
  }
}

sb_long gather_mask(const sb_gather_mask& call) {
  const int lanes = 256 / call.size;
  const Layout src{static_cast<const char*>(call.src), call.size, call.src_blk, call.src_rep};
  auto* dst = static_cast<char*>(call.dst);
  sb_long count = 0;
  for (int repeat = 0; repeat < call.repeat; ++repeat) {
    const sb_long n = call.reduces != 0 ? call.mask : lanes;
    for (sb_long i = 0; i < n; ++i) {
      const auto* bits = static_cast<const unsigned char*>(call.bits) + static_cast<std::int64_t>(repeat) * call.pattern_rep * 32;
      if (!(call.bits != nullptr ? bit_at(bits, i) : pattern_takes(call.pattern, i))) continue;
      const char* from = src.start + static_cast<std::int64_t>(repeat) * call.src_rep * 32 + i * call.size / 32 * call.src_blk * 32 + i * call.size % 32;
      std::memmove(dst + count++ * call.size, from, static_cast<std::size_t>(call.size));
    }
  }
  return count;
}

}  // namespace

extern "C" {

void __sb_asc_select(const sb_select* given) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  const sb_select call = *given;
  const Shape shape = shape_of(task, call.name, call.form, call.count, call.mask, call.repeat, call.is_sliced != 0, call.size, place);
  Operation operation{SB_PIPE_V, call.name, place, false, {}, nullptr};
  if (settings().is_check) {
    add_segments(operation.segments, {static_cast<const char*>(call.src0), call.size, call.src_blk[0], call.src_rep[0]}, shape, false);
    if (call.has_value == 0) add_segments(operation.segments, {static_cast<const char*>(call.src1), call.size, call.src_blk[1], call.src_rep[1]}, shape, false);
    const std::int64_t bits = shape.is_run ? shape.count : call.mode == 0 ? shape.lanes : static_cast<std::int64_t>(shape.repeats) * shape.lanes;
    if (call.mask_bits != nullptr) {
      operation.segments.push_back({static_cast<const char*>(call.mask_bits), (bits + 7) / 8, false});
      check_written(call.name, static_cast<const char*>(call.mask_bits), (bits + 7) / 8, place);
    }
    add_segments(operation.segments, {static_cast<const char*>(call.dst), call.size, call.dst_blk, call.dst_rep}, shape, true);
  }
  operation.work = [call, shape, running = &task] { carry_out_select(call, shape, *running); };
  issue_vector(task, std::move(operation));
}

sb_long __sb_asc_gather_mask(const sb_gather_mask* given) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_vector()) return 0;
  const sb_gather_mask call = *given;
  if (settings().is_check) {
    const int lanes = 256 / call.size;
    const sb_long n = call.reduces != 0 ? call.mask : lanes;
    if (call.repeat > 0) {
      const sb_long bytes = (static_cast<sb_long>(call.repeat) - 1) * call.src_rep * 32 + (n * call.size + 31) / 32 * 32;
      if (!check_operand(task, call.name, "src0", {static_cast<const char*>(call.src), bytes, false}, kUbOnly, 32, place)) return 0;
    }
    if (call.bits == nullptr) check_range(call.name, "the pattern", call.pattern, 1, 7, place);
    // The count comes back in a register: the instruction is over when the scalar unit has it.
    drain(task, SB_PIPE_V);
    Operation probe{SB_PIPE_V, call.name, place, false, {{static_cast<const char*>(call.src), n * call.size, false}, {static_cast<const char*>(call.dst), call.size, true}}, [] {}};
    issue(task, std::move(probe));
    const sb_long count = gather_mask(call);
    if (count > 0) check_operand(task, call.name, "dst", {static_cast<const char*>(call.dst), count * call.size, true}, kUbOnly, 32, place);
    set_poison(call.dst, static_cast<std::size_t>(count * call.size), false);
    return count;
  }
  return gather_mask(call);
}

void __sb_asc_gather(const char* name, int size, void* dst, const void* src, const void* offsets, sb_word base, sb_long count, int per_block, int repeat, int dst_blk, int dst_rep) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  const bool is_sliced = repeat > 0;
  const int rows = is_sliced ? repeat : 1;
  // A row of the destination: of Gatherb eight blocks of 32 bytes at a stride.
  const sb_long unit = per_block != 0 ? 32 : size;
  auto run = [=](auto each) {
    for (int row = 0; row < rows; ++row) {
      for (sb_long i = 0; i < count; ++i) {
        std::uint32_t offset;
        const sb_long index = per_block != 0 ? row * 8 + i : is_sliced ? row * (256 / size) + i : i;
        std::memcpy(&offset, static_cast<const char*>(offsets) + index * 4, 4);
        const sb_long to = static_cast<sb_long>(row) * (is_sliced ? dst_rep * 32 : 0) + (per_block != 0 ? i * dst_blk * 32 : i * size);
        if (!each(static_cast<char*>(dst) + to, static_cast<const char*>(src) + base + offset, unit)) return;
      }
    }
  };
  auto work = [run] {
    run([](char* to, const char* from, sb_long bytes) {
      std::memmove(to, from, static_cast<std::size_t>(bytes));
      return true;
    });
  };
  if (!settings().is_check) {
    work();
    return;
  }
  // Which elements it takes depends on the offsets: those must be there now.
  Operation operation{SB_PIPE_V, name, place, false, {}, work};
  const sb_long offsets_bytes = (per_block != 0 ? rows * 8 : is_sliced ? (rows - 1) * (256 / size) + count : count) * 4;
  if (!check_operand(task, name, "srcOffset", {static_cast<const char*>(offsets), offsets_bytes, false}, kUbOnly, 32, place)) return;
  check_written(name, static_cast<const char*>(offsets), offsets_bytes, place);
  drain(task, SB_PIPE_V);
  operation.segments.push_back({static_cast<const char*>(offsets), offsets_bytes, false});
  bool is_fine = true;
  run([&](char* to, const char* from, sb_long bytes) {
    if (reinterpret_cast<std::uintptr_t>(from) % static_cast<std::uintptr_t>(unit) != 0)
      report_at("misaligned", place, std::string(name) + ": an offset is no multiple of the size of " + (per_block != 0 ? "a block" : "an element"), std::string(name) + "：偏移不是" + (per_block != 0 ? "数据块" : "元素") + "大小的整数倍");
    is_fine = check_operand(task, name, "an element that srcOffset names", {from, bytes, false}, kUbOnly, 1, place) && check_operand(task, name, "dst", {to, bytes, true}, kUbOnly, 1, place);
    operation.segments.push_back({from, bytes, false});
    operation.segments.push_back({to, bytes, true});
    return is_fine;
  });
  if (!is_fine) return;
  mark_written(operation);
  issue(task, std::move(operation));
}

// Element i of src to the byte of dst that offset i names, counted from `base`.
void __sb_asc_scatter(const char* name, int size, void* dst, const void* src, const void* offsets, sb_word base, sb_long count) {
  const void* place = __builtin_return_address(0);
  constexpr int kWithoutScatter = 220;
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  if (chip().aicore == kWithoutScatter) refuse(name, "is not there on this chip", "在此芯片上不支持", place);
  const auto* places = static_cast<const std::uint32_t*>(offsets);
  Operation operation{SB_PIPE_V, name, place, false, {{static_cast<const char*>(src), count * size, false}}, nullptr};
  operation.work = [=] {
    const auto bytes = static_cast<std::size_t>(size);
    for (sb_long i = 0; i < count; ++i)
      std::memcpy(static_cast<char*>(dst) + base + places[i], static_cast<const char*>(src) + i * size, bytes);
  };
  if (settings().is_check) {
    // Which bytes it writes depends on the offsets: those must be there now.
    if (!check_operand(task, name, "dstOffset", {static_cast<const char*>(offsets), count * 4, false}, kUbOnly, 32, place)) return;
    check_written(name, static_cast<const char*>(offsets), count * 4, place);
    drain(task, SB_PIPE_V);
    operation.segments.push_back({static_cast<const char*>(offsets), count * 4, false});
    for (sb_long i = 0; i < count; ++i) {
      if (places[i] % static_cast<std::uint32_t>(size) != 0)
        report_at("misaligned", place, std::string(name) + ": an offset is no multiple of the size of an element",
                  std::string(name) + "：偏移不是元素大小的整数倍");
      operation.segments.push_back({static_cast<const char*>(dst) + base + places[i], size, true});
      if (!check_operand(task, name, "an element that dstOffset names", operation.segments.back(), kUbOnly, 1, place)) return;
    }
    mark_written(operation);
    issue(task, std::move(operation));
    return;
  }
  operation.work();
}

void __sb_asc_brcb(const char* name, int size, void* dst, const void* src, int repeat, int dst_blk, int dst_rep) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  Operation operation{SB_PIPE_V, name, place, false, {{static_cast<const char*>(src), static_cast<sb_long>(repeat) * 8 * size, false}}, nullptr};
  for (int r = 0; settings().is_check && r < repeat; ++r) {
    for (int b = 0; b < 8; ++b) operation.segments.push_back({static_cast<const char*>(dst) + static_cast<sb_long>(r) * dst_rep * 32 + static_cast<sb_long>(b) * dst_blk * 32, 32, true});
  }
  operation.work = [=] {
    for (int r = 0; r < repeat; ++r) {
      for (int b = 0; b < 8; ++b) {
        char* block = static_cast<char*>(dst) + static_cast<sb_long>(r) * dst_rep * 32 + static_cast<sb_long>(b) * dst_blk * 32;
        for (int at = 0; at < 32; at += size) std::memcpy(block + at, static_cast<const char*>(src) + (r * 8 + b) * size, static_cast<std::size_t>(size));
      }
    }
  };
  issue_vector(task, std::move(operation));
}

void __sb_asc_index(const char* name, int type, void* dst, sb_word first, sb_word step, sb_long count) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  const int size = kTypeBytes[type];
  Operation operation{SB_PIPE_V, name, place, false, {{static_cast<const char*>(dst), count * size, true}}, nullptr};
  operation.work = [=] {
    for (sb_long i = 0; i < count; ++i) {
      char* at = static_cast<char*>(dst) + i * size;
      if (is_floating(type)) {
        float start = 0, by = 0;
        loops().to_float(type, &start, &first, 1);
        loops().to_float(type, &by, &step, 1);
        const float value = start + static_cast<float>(i) * by;
        loops().from_float(type, at, &value, 1);
      } else {
        const sb_word value = first + static_cast<sb_word>(i) * step;
        std::memcpy(at, &value, static_cast<std::size_t>(size));
      }
    }
  };
  issue_vector(task, std::move(operation));
}

void __sb_asc_transpose(const char* name, int size, void* dst, const void* src, sb_long rows, sb_long columns) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  const sb_long bytes = rows * columns * size;
  if (settings().is_check && dst != src && static_cast<const char*>(dst) < static_cast<const char*>(src) + bytes && static_cast<const char*>(src) < static_cast<const char*>(dst) + bytes)
    report_at("operand-overlap", place, std::string(name) + ": dst lies over a part of src", std::string(name) + "：目的与源部分重叠");
  Operation operation{SB_PIPE_V, name, place, false, {{static_cast<const char*>(src), bytes, false}, {static_cast<const char*>(dst), bytes, true}}, nullptr};
  operation.work = [=] {
    std::vector<char> copy(static_cast<const char*>(src), static_cast<const char*>(src) + bytes);
    for (sb_long r = 0; r < rows; ++r) {
      for (sb_long c = 0; c < columns; ++c) std::memcpy(static_cast<char*>(dst) + (c * rows + r) * size, copy.data() + (r * columns + c) * size, static_cast<std::size_t>(size));
    }
  };
  issue_vector(task, std::move(operation));
}

// 16 rows of 32 bytes each become 16 (of bytes 32, of words 8 x 2) rows of columns.
void __sb_asc_to_5hd(const char* name, int size, const sb_word* dst, const sb_word* src, int dst_high, int src_high, int repeat, int dst_rep, int src_rep) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  Operation operation{SB_PIPE_V, name, place, false, {}, nullptr};
  std::vector<sb_word> to(dst, dst + 16), from(src, src + 16);
  for (int r = 0; settings().is_check && r < repeat; ++r) {
    for (int i = 0; i < 16; ++i) {
      operation.segments.push_back({reinterpret_cast<const char*>(from[static_cast<std::size_t>(i)]) + static_cast<sb_long>(r) * src_rep * 32, 32, false});
      operation.segments.push_back({reinterpret_cast<const char*>(to[static_cast<std::size_t>(i)]) + static_cast<sb_long>(r) * dst_rep * 32, size == 1 ? 16 : 32, true});
    }
  }
  operation.work = [=] {
    for (int r = 0; r < repeat; ++r) {
      char block[16][32];
      for (std::size_t i = 0; i < 16; ++i) std::memcpy(block[i], reinterpret_cast<const char*>(from[i]) + static_cast<sb_long>(r) * src_rep * 32, 32);
      auto out = [&](std::size_t i) { return reinterpret_cast<char*>(to[i]) + static_cast<sb_long>(r) * dst_rep * 32; };
      for (std::size_t i = 0; i < 16; ++i) {
        for (std::size_t k = 0; k < 16; ++k) {
          if (size == 2) {
            std::memcpy(out(i) + k * 2, block[k] + i * 2, 2);
          } else if (size == 4) {
            // 16 rows of 8 words become 8 rows of 16: two destinations each.
            if (i < 8) std::memcpy(out(2 * i + k / 8) + k % 8 * 4, block[k] + i * 4, 4);
          } else {
            out(i)[k + (dst_high != 0 ? 16 : 0)] = block[k][i + (src_high != 0 ? 16 : 0)];
          }
        }
      }
    }
  };
  issue_vector(task, std::move(operation), 1);
}

void __sb_asc_broadcast(const char* name, int size, void* dst, const void* src, int dims, const unsigned* to, const unsigned* from) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  std::vector<unsigned> big(to, to + dims), small(from, from + dims);
  sb_long to_count = 1, from_count = 1;
  for (int i = 0; i < dims; ++i) {
    to_count *= to[i];
    from_count *= from[i];
  }
  Operation operation{SB_PIPE_V, name, place, false, {{static_cast<const char*>(src), from_count * size, false}, {static_cast<const char*>(dst), to_count * size, true}}, nullptr};
  operation.work = [=] {
    for (sb_long i = 0; i < to_count; ++i) {
      sb_long left = i, at = 0, scale = 1;
      for (int d = dims - 1; d >= 0; --d) {
        const sb_long index = left % big[static_cast<std::size_t>(d)];
        left /= big[static_cast<std::size_t>(d)];
        if (small[static_cast<std::size_t>(d)] != 1) at += index * scale;
        scale *= small[static_cast<std::size_t>(d)];
      }
      std::memcpy(static_cast<char*>(dst) + i * size, static_cast<const char*>(src) + at * size, static_cast<std::size_t>(size));
    }
  };
  issue_vector(task, std::move(operation));
}
}

// Copies between the chip's memories, in one, two and three dimensions, and fills.
#include <cstring>

#include "emulate/bang/runtime/builtin.h"
#include "emulate/bang/runtime/chip.h"
#include "emulate/bang/runtime/shadow.h"
#include "starbridge/bang_directions.h"

namespace starbridge::emulate::bang {

namespace {

struct Ends {
  Space from, to;
};

Ends ends_of(int direction) {
  static const Ends table[] = {
#define SB_BANG_DIRECTION(from, to) {Space::k##from, Space::k##to},
#include "starbridge/bang_directions.def"
#undef SB_BANG_DIRECTION
  };
  return table[direction];
}

bool is_off_chip(Space space) { return space == Space::kGdram || space == Space::kLdram; }
// Inside NRAM the compute pipe copies: public code waits for such copies with __sync_compute.
Pipe pipe_of(Ends ends) {
  if (ends.from == Space::kNram && ends.to == Space::kNram) return Pipe::kCompute;
  return is_off_chip(ends.from) || is_off_chip(ends.to) ? Pipe::kIo : Pipe::kMove;
}

struct Shape {
  std::int64_t bytes;
  std::int64_t to_stride0 = 0, to_count0 = 1, to_stride1 = 0, to_count1 = 1;
  std::int64_t from_stride0 = 0, from_count0 = 1, from_stride1 = 0, from_count1 = 1;
};

void copy_segments(char* to, const char* from, const Shape& shape, bool is_poison) {
  const std::int64_t count = shape.to_count0 * shape.to_count1;
  if (count > 1 && shape.to_stride0 == shape.bytes && shape.from_stride0 == shape.bytes && shape.to_count1 == 1 &&
      shape.from_count1 == 1) {
    if (is_poison)
      copy_poison(to, from, static_cast<std::size_t>(shape.bytes * count));
    else
      std::memmove(to, from, static_cast<std::size_t>(shape.bytes * count));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    char* at = to + i / shape.to_count0 * shape.to_stride1 + i % shape.to_count0 * shape.to_stride0;
    const char* start = from + i / shape.from_count0 * shape.from_stride1 + i % shape.from_count0 * shape.from_stride0;
    if (is_poison)
      copy_poison(at, start, static_cast<std::size_t>(shape.bytes));
    else
      std::memmove(at, start, static_cast<std::size_t>(shape.bytes));
  }
}

void report_shape(const Builtin& builtin, const std::string& en, const std::string& zh) {
  report_at("copy-shape", builtin.place, std::string(builtin.name) + ": " + en, std::string(builtin.name) + "：" + zh);
}

// False: nothing that could be carried out.
bool check_shape(const Builtin& builtin, const Shape& shape, Ends ends) {
  if (shape.bytes < 0 || shape.to_count0 < 1 || shape.from_count0 < 1 || shape.to_count1 < 1 || shape.from_count1 < 1) {
    report_shape(builtin, "a length or a number of segments is negative", "长度或段数为负");
    return false;
  }
  if (shape.to_count0 * shape.to_count1 != shape.from_count0 * shape.from_count1) {
    report_shape(builtin, "source and destination have different numbers of segments", "源与目的的段数不一致");
    return false;
  }
  if (shape.bytes == 0) {
    if (settings().is_check) report_shape(builtin, "the length is zero", "长度为零");
    return false;
  }
  if (!settings().is_check) return true;
  if (shape.to_count0 > 1 && std::abs(shape.to_stride0) < shape.bytes)
    report_shape(builtin,
                 "the destination's stride " + std::to_string(shape.to_stride0) + " is shorter than a segment of " +
                     std::to_string(shape.bytes) + " bytes",
                 "目的步长 " + std::to_string(shape.to_stride0) + " 小于段长 " + std::to_string(shape.bytes) + " 字节");
  const bool touches_wram = ends.from == Space::kWram || ends.to == Space::kWram;
  const std::int64_t unit = touches_wram ? (chip().arch >= 300 ? 16 : 64)
                            : chip().arch < 300 && ends.from == Space::kNram && ends.to == Space::kNram ? 128
                                                                                                        : 1;
  if (shape.to_count0 == 1 && shape.bytes % unit != 0)
    report_at("length-alignment", builtin.place,
              std::string(builtin.name) + ": " + std::to_string(shape.bytes) + " bytes; " + name_of(ends.from) + " to " +
                  name_of(ends.to) + " is copied in units of " + std::to_string(unit) + " on " + chip().name +
                  ", the rest is undefined",
              std::string(builtin.name) + "：" + std::to_string(shape.bytes) + " 字节；在 " + chip().name + " 上从 " +
                  name_of(ends.from) + " 到 " + name_of(ends.to) + " 以 " + std::to_string(unit) +
                  " 字节为单位拷贝，余下部分无定义");
  return true;
}

unsigned allowed(Space space) {
  unsigned spaces = space_bit(space);
  // A scalar's address names the stack, which is LDRAM; variables in the program lie in GDRAM.
  return spaces;
}

void copy(const char* name, const void* place, bool is_async, void* to, const void* from, int direction, const Shape& shape,
          int to_cluster) {
  const Ends ends = ends_of(direction);
  Builtin builtin{name, place, pipe_of(ends), is_async, ends.from == ends.to ? Overlap::kNone : Overlap::kAny, false};
  if (!check_shape(builtin, shape, ends)) return;
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  const Task* task = current_task();
  if (to_cluster >= 0 && task != nullptr) {
    // The same place in the SRAM of another cluster of the team.
    const int own = task->cluster;
    target += (task->cluster - task->cluster_id + to_cluster - own) * static_cast<std::ptrdiff_t>(kSramBytes);
  }
  const Operand to_operand{"dst",
                           {target, shape.bytes, shape.to_stride0, shape.to_count0, shape.to_stride1, shape.to_count1, true},
                           allowed(ends.to),
                           0};
  const Operand from_operand{
      "src",
      {source, shape.bytes, shape.from_stride0, shape.from_count0, shape.from_stride1, shape.from_count1, false},
      allowed(ends.from),
      0};
  perform(
      builtin, {to_operand, from_operand}, [=] { copy_segments(target, source, shape, false); },
      [=] { copy_segments(target, source, shape, true); });
}

}  // namespace

extern "C" {

void __sb_bang_copy(const char* name, int is_async, void* to, const void* from, std::int64_t bytes, int direction) {
  copy(name, SB_HERE, is_async != 0, to, from, direction, Shape{bytes}, -1);
}

void __sb_bang_copy_cluster(const char* name, int is_async, void* to, const void* from, std::int64_t bytes, int direction,
                            int cluster) {
  copy(name, SB_HERE, is_async != 0, to, from, direction, Shape{bytes}, cluster);
}

void __sb_bang_copy_2d(const char* name, int is_async, void* to, const void* from, std::int64_t bytes, int direction,
                       std::int64_t to_stride, std::int64_t from_stride, std::int64_t segments, int cluster) {
  Shape shape{bytes};
  shape.to_stride0 = to_stride;
  shape.from_stride0 = from_stride;
  shape.to_count0 = shape.from_count0 = segments + 1;
  copy(name, SB_HERE, is_async != 0, to, from, direction, shape, cluster);
}

void __sb_bang_copy_3d(const char* name, int is_async, void* to, const void* from, std::int64_t bytes, int direction,
                       std::int64_t to_stride0, std::int64_t to_segments1, std::int64_t to_stride1, std::int64_t to_segments2,
                       std::int64_t from_stride0, std::int64_t from_segments1, std::int64_t from_stride1,
                       std::int64_t from_segments2, int cluster) {
  const Shape shape{bytes,        to_stride0,         to_segments1 + 1, to_stride1,        to_segments2 + 1,
                    from_stride0, from_segments1 + 1, from_stride1,     from_segments2 + 1};
  copy(name, SB_HERE, is_async != 0, to, from, direction, shape, cluster);
}

// Fills `count` elements of `size` bytes with `value`, repeated at two strides (bytes; repetitions less one).
void __sb_bang_fill(const char* name, int pipe, int is_async, unsigned spaces, int size, void* to, std::int64_t count,
                    std::uint64_t value, std::int64_t stride0, std::int64_t times0, std::int64_t stride1, std::int64_t times1) {
  const Builtin builtin{name, SB_HERE, static_cast<Pipe>(pipe), is_async != 0};
  if (pipe == static_cast<int>(Pipe::kCompute)) {
    if (!check_count(builtin, count, size)) return;
  } else if (count <= 0) {
    if (count < 0) report_argument(builtin, "the count is " + std::to_string(count), "元素个数为 " + std::to_string(count));
    return;
  }
  Operand operand = writes("dst", to, count * size, spaces);
  operand.region.stride0 = stride0;
  operand.region.count0 = times0 + 1;
  operand.region.stride1 = stride1;
  operand.region.count1 = times1 + 1;
  const Region region = operand.region;
  perform(
      builtin, {operand},
      [=] {
        each_segment(region, [&](const char* start, std::int64_t bytes) {
          char* at = const_cast<char*>(start);
          for (std::int64_t done = 0; done < bytes && done < 256; done += size)
            std::memcpy(at + done, &value, static_cast<std::size_t>(size));
          for (std::int64_t done = 256; done < bytes; done += 256)
            std::memcpy(at + done, at, static_cast<std::size_t>(std::min<std::int64_t>(256, bytes - done)));
        });
      },
      [=] {
        each_segment(region,
                     [&](const char* start, std::int64_t bytes) { set_poison(start, static_cast<std::size_t>(bytes), false); });
      });
}
}

}  // namespace starbridge::emulate::bang

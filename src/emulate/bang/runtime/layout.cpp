// Built-ins that move elements to other places, pooling, and rows taken by a list of offsets.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "emulate/bang/runtime/builtin.h"
#include "emulate/bang/runtime/chip.h"
#include "emulate/bang/runtime/shadow.h"

namespace starbridge::emulate::bang {

namespace {

void move_element(char* to, std::int64_t to_index, const char* from, std::int64_t from_index, int size) {
  std::memcpy(to + to_index * size, from + from_index * size, static_cast<std::size_t>(size));
}

template <class Word>
void transpose_words(char* to, const char* from, std::int64_t h, std::int64_t w) {
  constexpr std::int64_t kBlock = 32;  // a block of both matrices stays in the cache
  for (std::int64_t i = 0; i < h; i += kBlock) {
    for (std::int64_t j = 0; j < w; j += kBlock) {
      for (std::int64_t r = i; r < std::min(h, i + kBlock); ++r) {
        for (std::int64_t c = j; c < std::min(w, j + kBlock); ++c) {
          Word word;  // addresses need not be aligned
          std::memcpy(&word, from + (r * w + c) * static_cast<std::int64_t>(sizeof word), sizeof word);
          std::memcpy(to + (c * h + r) * static_cast<std::int64_t>(sizeof word), &word, sizeof word);
        }
      }
    }
  }
}

void transpose(char* to, const char* from, std::int64_t h, std::int64_t w, int size) {
  switch (size) {
    case 1:
      return transpose_words<std::uint8_t>(to, from, h, w);
    case 2:
      return transpose_words<std::uint16_t>(to, from, h, w);
    case 4:
      return transpose_words<std::uint32_t>(to, from, h, w);
    default:
      return transpose_words<std::uint64_t>(to, from, h, w);
  }
}

void rearrange(int what, char* to, const char* from, std::int64_t h, std::int64_t w, int size) {
  if (what == SB_TRANSPOSE) return transpose(to, from, h, w, size);
  for (std::int64_t r = 0; r < h; ++r) {
    for (std::int64_t c = 0; c < w; ++c) {
      std::int64_t target = 0;
      switch (what) {
        case SB_ROTATE90:  // clockwise
          target = c * h + (h - 1 - r);
          break;
        case SB_ROTATE180:
          target = (h - 1 - r) * w + (w - 1 - c);
          break;
        case SB_ROTATE270:
          target = (w - 1 - c) * h + r;
          break;
        default:  // mirrored, left to right
          target = r * w + (w - 1 - c);
      }
      move_element(to, target, from, r * w + c, size);
    }
  }
}

// The same movement for the data and for the marks of never-written bytes.
template <class Move>
void perform_movement(const Builtin& builtin, void* to, std::int64_t to_bytes, const void* from, std::int64_t from_bytes,
                      Move move) {
  perform(
      builtin, {writes("dst", to, to_bytes), reads("src", from, from_bytes)},
      [=] { move(static_cast<char*>(to), static_cast<const char*>(from)); },
      [=] {
        if (has_shadow(to) && has_shadow(from))
          move(reinterpret_cast<char*>(poison_of(to)), reinterpret_cast<const char*>(poison_of(from)));
      });
}

struct Window {
  std::int64_t channels, height, width, kernel_h, kernel_w, stride_h, stride_w, dilation_h = 1, dilation_w = 1;
  std::int64_t span_h() const { return (kernel_h - 1) * dilation_h + 1; }
  std::int64_t span_w() const { return (kernel_w - 1) * dilation_w + 1; }
  std::int64_t out_h() const { return height < span_h() ? 0 : (height - span_h()) / stride_h + 1; }
  std::int64_t out_w() const { return width < span_w() ? 0 : (width - span_w()) / stride_w + 1; }
};

bool check_window(const Builtin& builtin, const Window& window) {
  if (window.channels > 0 && window.height > 0 && window.width > 0 && window.kernel_h > 0 && window.kernel_w > 0 &&
      window.stride_h > 0 && window.stride_w > 0)
    return true;
  report_argument(builtin, "a size or stride is not positive", "尺寸或步长不是正数");
  return false;
}

// The value and, for the extremes, the place in the window (row by row) of every output.
template <class Each>
void each_output(const Window& window, Each each) {
  for (std::int64_t y = 0; y < window.out_h(); ++y) {
    for (std::int64_t x = 0; x < window.out_w(); ++x) {
      for (std::int64_t c = 0; c < window.channels; ++c) each(y, x, c);
    }
  }
}

void pool(int what, int type, void* to, const void* from, const Window& window, std::int64_t index_offset) {
  const std::int64_t n = window.height * window.width * window.channels;
  std::vector<float> values(static_cast<std::size_t>(n));
  loops().to_float(type, values.data(), from, n);
  const std::int64_t outputs = window.out_h() * window.out_w() * window.channels;
  std::vector<float> result(static_cast<std::size_t>(outputs));
  const bool wants_index = what == SB_MAXPOOL_INDEX || what == SB_MAXPOOL_VALUE_INDEX;
  std::vector<std::uint32_t> indices(wants_index ? result.size() : 0);
  std::size_t at = 0;
  each_output(window, [&](std::int64_t y, std::int64_t x, std::int64_t c) {
    float best = 0;
    std::uint32_t best_index = 0;
    bool is_first = true;
    for (std::int64_t ky = 0; ky < window.kernel_h; ++ky) {
      for (std::int64_t kx = 0; kx < window.kernel_w; ++kx) {
        const std::int64_t row = y * window.stride_h + ky * window.dilation_h,
                           column = x * window.stride_w + kx * window.dilation_w;
        const float value = values[static_cast<std::size_t>((row * window.width + column) * window.channels + c)];
        if (what == SB_SUMPOOL || what == SB_AVGPOOL) {
          best += value;
        } else if (is_first || (what == SB_MINPOOL ? value < best : value > best)) {
          best = value;
          best_index = static_cast<std::uint32_t>(ky * window.kernel_w + kx);
        }
        is_first = false;
      }
    }
    if (what == SB_AVGPOOL) best /= static_cast<float>(window.kernel_h * window.kernel_w);
    if (wants_index) indices[at] = best_index;
    result[at++] = best;
  });
  if (what != SB_MAXPOOL_INDEX) loops().from_float(type, to, result.data(), outputs);
  if (!wants_index) return;
  char* index_at = static_cast<char*>(to) + (what == SB_MAXPOOL_VALUE_INDEX ? index_offset : 0);
  loops().convert(SB_U32, type == SB_F32 ? SB_U32 : SB_U16, SB_TZ, index_at, indices.data(), outputs, 0, 0);
}

}  // namespace

extern "C" {

void __sb_bang_layout(const char* name, int what, int size, void* to, const void* from, std::int64_t h, std::int64_t w) {
  const Builtin builtin{name, SB_HERE, Pipe::kCompute, false, Overlap::kNone};
  if (!check_count(builtin, h < 0 || w < 0 ? -1 : h * w, size)) return;
  perform_movement(builtin, to, h * w * size, from, h * w * size,
                   [=](char* target, const char* source) { rearrange(what, target, source, h, w, size); });
}

// HWC; zeros around.
void __sb_bang_pad(const char* name, int size, void* to, const void* from, std::int64_t channels, std::int64_t h, std::int64_t w,
                   std::int64_t top, std::int64_t bottom, std::int64_t left, std::int64_t right) {
  const Builtin builtin{name, SB_HERE, Pipe::kCompute, false, Overlap::kNone};
  if (channels <= 0 || h <= 0 || w <= 0 || top < 0 || bottom < 0 || left < 0 || right < 0) {
    report_argument(builtin, "a size is negative or zero", "尺寸为负或零");
    return;
  }
  const std::int64_t row = (w + left + right) * channels * size;
  perform_movement(builtin, to, row * (h + top + bottom), from, h * w * channels * size, [=](char* target, const char* source) {
    std::memset(target, 0, static_cast<std::size_t>(row * (h + top + bottom)));
    for (std::int64_t y = 0; y < h; ++y)
      std::memcpy(target + (y + top) * row + left * channels * size, source + y * w * channels * size,
                  static_cast<std::size_t>(w * channels * size));
  });
}

// [n][h][w][c] <-> [n][c][h][w].
void __sb_bang_channels(const char* name, int to_channels_first, int size, void* to, const void* from, std::int64_t n,
                        std::int64_t h, std::int64_t w, std::int64_t c) {
  const Builtin builtin{name, SB_HERE, Pipe::kCompute, false, Overlap::kNone};
  if (!check_count(builtin, n * h * w * c, size)) return;
  perform_movement(builtin, to, n * h * w * c * size, from, n * h * w * c * size, [=](char* target, const char* source) {
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t at = i * h * w * c * size;
      transpose(target + at, source + at, to_channels_first != 0 ? h * w : c, to_channels_first != 0 ? c : h * w, size);
    }
  });
}

void __sb_bang_pool(const char* name, int what, int type, void* to, const void* from, std::int64_t channels, std::int64_t h,
                    std::int64_t w, std::int64_t kernel_h, std::int64_t kernel_w, std::int64_t stride_w, std::int64_t stride_h,
                    std::int64_t index_offset, std::int64_t dilation_h, std::int64_t dilation_w) {
  // The reference forbids any overlap; the vendor's own kernels for the 300 series pool in place.
  const Builtin builtin{name, SB_HERE, Pipe::kCompute, false, chip().arch >= 300 ? Overlap::kExact : Overlap::kNone};
  const Window window{channels, h, w, kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w};
  if (!check_window(builtin, window)) return;
  const int size = kTypeBytes[type];
  const std::int64_t outputs = window.out_h() * window.out_w() * channels;
  if (!check_count(builtin, channels, size)) return;
  if (outputs == 0) {
    report_argument(builtin, "the window is larger than the input", "窗口大于输入");
    return;
  }
  const std::int64_t to_bytes =
      what == SB_MAXPOOL_VALUE_INDEX ? std::max(outputs * size, index_offset + outputs * size) : outputs * size;
  perform(
      builtin, {writes("dst", to, to_bytes), reads("src", from, h * w * channels * size)},
      [=] { pool(what, type, to, from, window, index_offset); },
      [=] {
        // What lies in a window is known too late to be worth following element by element; channels are kept apart.
        std::vector<unsigned char> bad(static_cast<std::size_t>(channels), 0);
        const unsigned char* marks = has_shadow(from) ? poison_of(from) : nullptr;
        for (std::int64_t i = 0; marks != nullptr && i < h * w * channels; ++i)
          bad[static_cast<std::size_t>(i % channels)] |= marks[i * size];
        for (std::int64_t i = 0; has_shadow(to) && i < outputs; ++i)
          std::memset(poison_of(to) + i * size,
                      bad[static_cast<std::size_t>(i % channels)] != 0 && h * w == kernel_h * kernel_w ? 1 : 0,
                      static_cast<std::size_t>(size));
        if (what == SB_MAXPOOL_VALUE_INDEX)
          set_poison(static_cast<char*>(to) + index_offset, static_cast<std::size_t>(outputs * size), false);
      });
}

// Backwards: what 0 average, 1 maximum (with the place of each in `mask`), 2 every value to the place `index` of its window.
void __sb_bang_unpool(const char* name, int what, int type, void* to, const void* from, const void* mask, std::int64_t channels,
                      std::int64_t h, std::int64_t w, std::int64_t kernel_h, std::int64_t kernel_w, std::int64_t stride_w,
                      std::int64_t stride_h, std::int64_t index, int covers) {
  const Builtin builtin{name, SB_HERE, Pipe::kCompute, false, Overlap::kNone};
  const Window window{channels, h, w, kernel_h, kernel_w, stride_h, stride_w};
  if (!check_window(builtin, window)) return;
  const int size = kTypeBytes[type];
  const std::int64_t inputs = window.out_h() * window.out_w() * channels, outputs = h * w * channels;
  perform(
      builtin,
      {writes("dst", to, outputs * size), reads("src", from, inputs * size),
       reads("mask", mask, mask == nullptr ? 0 : inputs * size)},
      [=] {
        std::vector<float> values(static_cast<std::size_t>(inputs)), result(static_cast<std::size_t>(outputs));
        loops().to_float(type, values.data(), from, inputs);
        if (what == 2) loops().to_float(type, result.data(), to, outputs);  // outside every window nothing changes
        std::vector<std::uint32_t> places(mask == nullptr ? 0 : values.size());
        if (mask != nullptr) loops().convert(type == SB_F32 ? SB_U32 : SB_U16, SB_U32, SB_TZ, places.data(), mask, inputs, 0, 0);
        std::size_t at = 0;
        each_output(window, [&](std::int64_t y, std::int64_t x, std::int64_t c) {
          const float value = values[at];
          for (std::int64_t k = 0; k < kernel_h * kernel_w; ++k) {
            const std::int64_t row = y * stride_h + k / kernel_w, column = x * stride_w + k % kernel_w;
            float& target = result[static_cast<std::size_t>((row * w + column) * channels + c)];
            const bool is_place = what == 0 || k == (what == 1 ? static_cast<std::int64_t>(places[at]) : index);
            const float given = what == 0 ? value / static_cast<float>(kernel_h * kernel_w) : value;
            if (what == 2 || covers != 0)
              target = is_place ? given : (what == 2 ? 0.0f : target);
            else if (is_place)
              target += given;
          }
          ++at;
        });
        loops().from_float(type, to, result.data(), outputs);
      },
      [=] { set_poison(to, static_cast<std::size_t>(outputs * size), false); });
}

// Rows of `bytes` that lie in a row at `stride` on one side and at `offsets` (in bytes) on the other: gathered from there, or
// scattered to there. Only those whose bit in `mask` is set; nullptr: all. The side of the offsets is GDRAM or NRAM.
void __sb_bang_gather(const char* name, int is_async, int is_scatter, int in_gdram, void* to, const void* from,
                      const std::uint32_t* offsets, const void* mask, std::int64_t bytes, std::int64_t stride, std::int64_t n) {
  const Builtin builtin{name, SB_HERE, in_gdram != 0 ? Pipe::kIo : Pipe::kMove, is_async != 0, Overlap::kNone};
  if (bytes <= 0 || n <= 0) {
    if (bytes < 0 || n < 0) report_argument(builtin, "a length is negative", "长度为负");
    return;
  }
  if (is_on_memory_core() && passes_by(builtin, {reads("offsets", offsets, n * 4)})) return;
  // The offsets are read when the built-in starts.
  if (settings().is_check && current_task() != nullptr) sync_pipes(*current_task(), bit(Pipe::kCompute));
  auto is_wanted = [=](std::int64_t i) {
    return mask == nullptr || (static_cast<const unsigned char*>(mask)[i / 8] >> (i % 8) & 1) != 0;
  };
  auto target_of = [=](std::int64_t i) { return static_cast<char*>(to) + (is_scatter != 0 ? offsets[i] : i * stride); };
  auto source_of = [=](std::int64_t i) { return static_cast<const char*>(from) + (is_scatter != 0 ? i * stride : offsets[i]); };
  if (!settings().is_check) {
    for (std::int64_t i = 0; i < n; ++i) {
      if (is_wanted(i)) std::memcpy(target_of(i), source_of(i), static_cast<std::size_t>(bytes));
    }
    return;
  }
  perform(
      builtin, {reads("offsets", offsets, n * 4), reads("mask", mask, mask == nullptr ? 0 : (n + 7) / 8)}, [] {}, [] {});
  const unsigned far_side = in_gdram != 0 ? kGdram : kNram;
  for (std::int64_t i = 0; i < n; ++i) {
    if (!is_wanted(i)) continue;
    char* target = target_of(i);
    const char* start = source_of(i);
    perform(
        builtin,
        {writes("dst", target, bytes, is_scatter != 0 ? far_side : kNram),
         reads("src", start, bytes, is_scatter != 0 ? kNram : far_side)},
        [=] { std::memcpy(target, start, static_cast<std::size_t>(bytes)); },
        [=] { copy_poison(target, start, static_cast<std::size_t>(bytes)); });
  }
}

// Each of `n` elements as often as its count says.
void __sb_bang_extend(const char* name, void* to, const void* from, const std::uint8_t* counts, std::int64_t bytes, std::int64_t n) {
  const Builtin builtin{name, SB_HERE, Pipe::kMove, false, Overlap::kNone};
  if (!check_count(builtin, bytes <= 0 ? -1 : n, 1)) return;
  if (is_on_memory_core() && passes_by(builtin, {reads("counts", counts, n)})) return;
  if (settings().is_check && current_task() != nullptr) sync_pipes(*current_task(), bit(Pipe::kCompute));
  std::int64_t total = 0;
  for (std::int64_t i = 0; i < n; ++i) total += counts[i];
  auto extend = [=](char* target, const char* source) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (int k = 0; k < counts[i]; ++k, target += bytes) std::memcpy(target, source + i * bytes, static_cast<std::size_t>(bytes));
    }
  };
  perform(
      builtin, {writes("dst", to, total * bytes), reads("src", from, n * bytes), reads("counts", counts, n)},
      [=] { extend(static_cast<char*>(to), static_cast<const char*>(from)); },
      [=] {
        if (has_shadow(to) && has_shadow(from))
          extend(reinterpret_cast<char*>(poison_of(to)), reinterpret_cast<const char*>(poison_of(from)));
      });
}

void __sb_bang_incseq(const char* name, int type, void* to, std::int64_t n) {
  const Builtin builtin{name, SB_HERE};
  const int size = kTypeBytes[type];
  if (!check_count(builtin, n, size)) return;
  perform(
      builtin, {writes("dst", to, n * size)},
      [=] {
        for (std::int64_t i = 0; i < n; ++i) loops().convert(SB_S64, type, SB_RN, static_cast<char*>(to) + i * size, &i, 1, 0, 0);
      },
      [=] { set_poison(to, static_cast<std::size_t>(n * size), false); });
}
}

}  // namespace starbridge::emulate::bang

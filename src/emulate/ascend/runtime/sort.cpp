// Sorting: records of 8 bytes, a score and the index it came from, greatest first; equal scores keep their order.
#include <algorithm>
#include <cstring>
#include <vector>

#include "emulate/ascend/runtime/instruction.h"
#include "emulate/common/settings.h"

using namespace starbridge::emulate;
using namespace starbridge::emulate::ascend;

// How many records of each list the last merge took. Read by GetMrgSortResult on the thread of the task that merged.
__thread unsigned __sb_asc_sorted[4];

namespace {

constexpr int kRecord = 8, kBlock = 32;

float score_of(int type, const char* record) {
  float score = 0;
  loops().to_float(type, &score, record, 1);
  return score;
}

void sort_block(int type, char* to, const char* values, const char* indices, int count) {
  const auto size = static_cast<std::size_t>(kTypeBytes[type]);
  std::vector<int> order(static_cast<std::size_t>(count));
  std::vector<float> scores(order.size());
  loops().to_float(type, scores.data(), values, count);
  for (int i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)]; });
  std::vector<char> records(order.size() * kRecord, 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = static_cast<std::size_t>(order[i]);
    std::memcpy(records.data() + i * kRecord, values + from * size, size);
    std::memcpy(records.data() + i * kRecord + 4, indices + from * 4, 4);
  }
  std::memcpy(to, records.data(), records.size());
}

struct Merge {
  int type = 0, lists = 0, repeat = 1;
  bool stops = false;  // as soon as one list has nothing left
  char* dst = nullptr;
  const char* src[4] = {};
  int which[4] = {};  // the number the caller gave the list
  unsigned lengths[4] = {};
};

// Merges the lists once and returns how many records went out; `taken` counts them by list.
unsigned merge_once(const Merge& merge, char* dst, const char* const* src, unsigned* taken) {
  std::fill_n(taken, 4, 0U);
  std::vector<char> records;
  for (;;) {
    int best = -1;
    bool is_one_empty = false;
    for (int i = 0; i < merge.lists; ++i) {
      if (taken[i] == merge.lengths[i]) {
        is_one_empty = true;
        continue;
      }
      if (best < 0 || score_of(merge.type, src[i] + taken[i] * kRecord) > score_of(merge.type, src[best] + taken[best] * kRecord))
        best = i;
    }
    if (best < 0 || (merge.stops && is_one_empty)) break;
    const char* record = src[best] + taken[best]++ * kRecord;
    records.insert(records.end(), record, record + kRecord);
  }
  std::memcpy(dst, records.data(), records.size());
  return static_cast<unsigned>(records.size() / kRecord);
}

void merge_all(const Merge& merge, unsigned* taken) {
  const char* src[4];
  std::copy_n(merge.src, 4, src);
  char* dst = merge.dst;
  for (int r = 0; r < merge.repeat; ++r) {
    dst += merge_once(merge, dst, src, taken) * kRecord;
    // Further rounds go on behind the four lists, which lie one after the other.
    for (int i = 0; i < merge.lists; ++i) src[i] += static_cast<std::ptrdiff_t>(merge.lengths[0]) * 4 * kRecord;
  }
}

}  // namespace

extern "C" {

void __sb_asc_sort32(const char* name, int type, void* dst, const void* values, const void* indices, int repeat) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  // Less than none: everything is one list.
  const bool is_whole = repeat < 0;
  const int count = std::abs(repeat) * kBlock, size = kTypeBytes[type];
  Operation operation{SB_PIPE_V,
                      name,
                      place,
                      false,
                      {{static_cast<const char*>(values), static_cast<std::int64_t>(count) * size, false},
                       {static_cast<const char*>(indices), static_cast<std::int64_t>(count) * 4, false},
                       {static_cast<const char*>(dst), static_cast<std::int64_t>(count) * kRecord, true}},
                      nullptr};
  operation.work = [=] {
    const int width = is_whole ? count : kBlock;
    for (int at = 0; at < count; at += width)
      sort_block(type, static_cast<char*>(dst) + at * kRecord, static_cast<const char*>(values) + at * size,
                 static_cast<const char*>(indices) + at * 4, width);
  };
  if (settings().is_check) check_range(name, "repeatTime", std::abs(repeat), 0, 255, place);
  issue_vector(task, std::move(operation));
}

void __sb_asc_merge_sort(const char* name, int type, void* dst, const void* const* src, const unsigned short* lengths,
                         unsigned valid, int repeat, int stops, unsigned* taken) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  Merge merge;
  merge.type = type;
  merge.repeat = repeat;
  merge.stops = stops != 0;
  merge.dst = static_cast<char*>(dst);
  Operation operation{SB_PIPE_V, name, place, false, {}, nullptr};
  std::int64_t total = 0;
  for (int i = 0; i < 4; ++i) {
    if ((valid >> i & 1) == 0) continue;
    merge.src[merge.lists] = static_cast<const char*>(src[i]);
    merge.which[merge.lists] = i;
    merge.lengths[merge.lists++] = lengths[i];
    total += lengths[i];
  }
  for (int i = 0; i < merge.lists; ++i) {
    for (int r = 0; r < repeat; ++r)
      operation.segments.push_back({merge.src[i] + static_cast<std::ptrdiff_t>(r) * merge.lengths[0] * 4 * kRecord,
                                    static_cast<std::int64_t>(merge.lengths[i]) * kRecord, false});
  }
  operation.segments.push_back({merge.dst, total * kRecord * repeat, true});
  if (settings().is_check) {
    check_range(name, "the number of lists", merge.lists, 2, 4, place);
    check_range(name, "repeatTimes", repeat, 1, 255, place);
    for (int i = 0; i < merge.lists; ++i) check_range(name, "the length of a list", merge.lengths[i], 1, 4095, place);
    if (repeat > 1 && (merge.lists != 4 || merge.stops || std::count(merge.lengths, merge.lengths + 4, merge.lengths[0]) != 4))
      report_at("argument-range", place, std::string(name) + ": repeatTimes above 1 needs four lists of one length",
                std::string(name) + "：repeatTimes 大于 1 时须有四个等长列表");
  }
  std::fill_n(taken, 4, 0U);
  if (!merge.stops) {
    for (int i = 0; i < merge.lists; ++i) taken[merge.which[i]] = merge.lengths[i];
    operation.work = [merge] {
      unsigned by_list[4];
      merge_all(merge, by_list);
    };
    issue_vector(task, std::move(operation));
    return;
  }
  // The counts come back in registers: the instruction is over when the scalar unit has them.
  if (settings().is_check) drain(task, SB_PIPE_V);
  operation.work = [merge, taken] {
    unsigned by_list[4];
    merge_all(merge, by_list);
    for (int i = 0; i < merge.lists; ++i) taken[merge.which[i]] = by_list[i];
  };
  issue_vector(task, std::move(operation));
  if (settings().is_check) drain(task, SB_PIPE_V);
}

void __sb_asc_extract(const char* name, int type, void* values, void* indices, const void* sorted, int repeat) {
  const void* place = __builtin_return_address(0);
  Task& task = *current_task();
  if (task.is_foreign_vector()) return;
  const std::int64_t count = static_cast<std::int64_t>(repeat) * kBlock;
  const int size = kTypeBytes[type];
  Operation operation{SB_PIPE_V,
                      name,
                      place,
                      false,
                      {{static_cast<const char*>(sorted), count * kRecord, false},
                       {static_cast<const char*>(values), count * size, true},
                       {static_cast<const char*>(indices), count * 4, true}},
                      nullptr};
  operation.work = [=] {
    for (std::int64_t i = 0; i < count; ++i) {
      const char* record = static_cast<const char*>(sorted) + i * kRecord;
      std::memcpy(static_cast<char*>(values) + i * size, record, static_cast<std::size_t>(size));
      std::memcpy(static_cast<char*>(indices) + i * 4, record + 4, 4);
    }
  };
  issue_vector(task, std::move(operation));
}
}

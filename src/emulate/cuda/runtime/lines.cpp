#include "emulate/cuda/runtime/lines.h"

#include <algorithm>
#include <bit>

#include "emulate/cuda/runtime/block.h"

namespace starbridge::emulate::cuda {

namespace {

Cell* cells_of(std::uintptr_t address) { return &cell_at(address & ~(kLineBytes - 1)); }

unsigned warp_of(const Row& row) {
  return static_cast<unsigned>(row.thread_of(static_cast<unsigned>(std::countr_zero(row.words)))) / kWarpSize;
}

bool is_of_one_thread(const Row& row) {
  return row.thread_of(static_cast<unsigned>(std::countr_zero(row.words))) ==
         row.thread_of(static_cast<unsigned>(31 - std::countl_zero(row.words)));
}

bool have_same_map(const Row& a, const Row& b) { return a.first_thread == b.first_thread && a.shift == b.shift; }

// Is every word of both rows used by the same thread in both?
bool have_same_threads(const Row& a, const Row& b) {
  if (have_same_map(a, b)) return true;
  for (std::uint32_t rest = a.words & b.words; rest != 0; rest &= rest - 1) {
    const auto word = static_cast<unsigned>(std::countr_zero(rest));
    if (a.thread_of(word) != b.thread_of(word)) return false;
  }
  return true;
}

bool is_harmless(const Row& earlier, const Row& mine, const Block& block, bool is_shared) {
  if ((earlier.words & mine.words) == 0) return true;
  if (earlier.interval != mine.interval) return is_shared || is_earlier(earlier.interval, block);
  if (have_same_threads(earlier, mine)) return true;
  return earlier.epoch != mine.epoch && warp_of(earlier) == warp_of(mine);
}

// Adds the words of `mine` to `row` when one row can tell both.
bool merge(Row& row, const Row& mine) {
  if (row.interval != mine.interval || row.place != mine.place || row.epoch != mine.epoch) return false;
  if (have_same_map(row, mine)) {
    if (warp_of(row) != warp_of(mine)) return false;
    row.words |= mine.words;
    return true;
  }
  if (!is_of_one_thread(row) || !is_of_one_thread(mine)) return false;
  const int thread = mine.thread_of(static_cast<unsigned>(std::countr_zero(mine.words)));
  if (row.thread_of(static_cast<unsigned>(std::countr_zero(row.words))) != thread) return false;
  row.first_thread = static_cast<std::int16_t>(thread);
  row.shift = 5;
  row.words |= mine.words;
  return true;
}

bool record_write(Line& line, const Row& mine) {
  for (unsigned i = line.writes; i > 0; --i) {
    // Words that another row tells go over to this one.
    if (!merge(line.write[i - 1], mine)) continue;
    unsigned kept = 0;
    for (unsigned other = 0; other < line.writes; ++other) {
      Row row = line.write[other];
      if (other != i - 1) row.words &= ~mine.words;
      if (row.words != 0) line.write[kept++] = row;
    }
    line.writes = static_cast<std::uint8_t>(kept);
    line.initialised |= mine.words;
    return true;
  }
  unsigned left = 0;
  for (unsigned i = 0; i < line.writes; ++i) left += (line.write[i].words & ~mine.words) != 0 ? 1U : 0U;
  if (left == Line::kWritesMax) return false;
  unsigned kept = 0;
  for (unsigned i = 0; i < line.writes; ++i) {
    line.write[kept] = line.write[i];
    line.write[kept].words &= ~mine.words;
    if (line.write[kept].words != 0) ++kept;
  }
  line.write[kept] = mine;
  line.writes = static_cast<std::uint8_t>(kept + 1);
  line.initialised |= mine.words;
  return true;
}

// A row may be forgotten when two later readers are known for each of its words, as many as a cell remembers.
bool forget_a_reader(Line& line, const Row& mine) {
  std::uint32_t once = mine.words, twice = 0;
  for (unsigned i = Line::kReadsMax; i > 0; --i) {
    const Row& row = line.read[i - 1];
    if ((row.words & ~twice) == 0) {
      std::copy(line.read + i, line.read + Line::kReadsMax, line.read + i - 1);
      --line.reads;
      return true;
    }
    bool is_known = row.interval == mine.interval && have_same_map(row, mine);
    for (unsigned later = i; later < Line::kReadsMax; ++later)
      is_known |= row.interval == line.read[later].interval && have_same_map(row, line.read[later]);
    if (!is_known) twice |= once & row.words;
    once |= row.words;
  }
  return false;
}

bool record_read(Line& line, const Row& mine) {
  for (unsigned i = line.reads; i > 0; --i) {
    if (merge(line.read[i - 1], mine)) return true;
  }
  if (line.reads == Line::kReadsMax && !forget_a_reader(line, mine)) return false;
  line.read[line.reads++] = mine;
  return true;
}

Access access_of(const Row& row, unsigned word) {
  Access access = {};
  access.interval = row.interval;
  access.place = row.place;
  access.thread = static_cast<std::uint16_t>(row.thread_of(word));
  access.epoch = row.epoch;
  return access;
}

// Back to the short form, where every word is whole.
void gather_line(Line& line, std::uintptr_t address) {
  const Cell* cells = cells_of(address);
  unsigned usable = 0;
  std::uint32_t initialised = 0;
  for (unsigned word = 0; word < kLineWords; ++word) {
    const Cell& cell = cells[word];
    if (cell.usable != 0 && usable != word * 4) return;
    usable += cell.usable;
    if (cell.initialised == 0xf)
      initialised |= 1U << word;
    else if (cell.initialised != 0)
      return;
  }
  line.usable = static_cast<std::uint8_t>(usable);
  line.initialised = initialised;
  line.form = LineForm::kRows;
}

}  // namespace

void renew_line(Line& line, std::uintptr_t address, std::uint32_t generation, bool is_shared) {
  line.generation = generation;
  line.reads = line.writes = 0;
  if (is_shared) {
    line.form = LineForm::kRows;
    line.initialised = 0;
    line.usable = kLineBytes;
  } else if (line.form == LineForm::kCells) {
    gather_line(line, address);
  }
}

void spread_line(Line& line, std::uintptr_t address) {
  Cell* cells = cells_of(address);
  const unsigned usable = line.form == LineForm::kNothing ? 0 : line.usable;
  for (unsigned word = 0; word < kLineWords; ++word) {
    Cell cell = {};
    cell.usable = static_cast<std::uint8_t>(usable <= word * 4 ? 0 : std::min(usable - word * 4, 4U));
    cell.initialised = usable != 0 && (line.initialised >> word & 1U) != 0 ? 0xf : 0;
    for (unsigned i = 0; i < line.writes; ++i) {
      if ((line.write[i].words >> word & 1U) != 0) cell.users.write = access_of(line.write[i], word);
    }
    for (unsigned i = line.reads; i > 0; --i) {
      const Row& row = line.read[i - 1];
      if ((row.words >> word & 1U) == 0) continue;
      Users& users = cell.users;
      if (users.read.interval == 0) {
        users.read = access_of(row, word);
      } else if (row.interval != users.read.interval || row.thread_of(word) != users.read.thread) {
        users.other_read = access_of(row, word);
        break;
      }
    }
    cells[word] = cell;
  }
  line.reads = line.writes = 0;
  line.form = LineForm::kCells;
}

bool record_row(Line& line, const Row& mine, bool is_write, const Block& block, bool is_shared) {
  if (!is_write && (mine.words & ~line.initialised) != 0) return false;
  for (unsigned i = 0; i < line.writes; ++i) {
    if (!is_harmless(line.write[i], mine, block, is_shared)) return false;
  }
  if (!is_write) return record_read(line, mine);
  for (unsigned i = 0; i < line.reads; ++i) {
    if (!is_harmless(line.read[i], mine, block, is_shared)) return false;
  }
  return record_write(line, mine);
}

}  // namespace starbridge::emulate::cuda

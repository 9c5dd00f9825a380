#include "base/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/check.h"
#include "base/text.h"

namespace starbridge::base {

std::string Style::wrap(std::string_view code, std::string_view text) const {
  if (!enabled || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::size_t visible_width(std::string_view text) {
  std::string plain;
  for (std::size_t position = 0; position < text.size(); ++position) {
    if (text[position] == '\x1b' && position + 1 < text.size() && text[position + 1] == '[') {
      while (position < text.size() && text[position] != 'm') ++position;
    } else {
      plain += text[position];
    }
  }
  return display_width(plain);
}

std::string bar(double share, std::size_t width) {
  double clamped = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  auto filled = static_cast<std::size_t>(std::lround(clamped * static_cast<double>(width)));
  std::string cells;
  for (std::size_t cell = 0; cell < width; ++cell) cells += cell < filled ? "█" : "░";
  return cells;
}

void Table::add_row(std::vector<std::string> cells) {
  SB_CHECK(cells.size() <= columns_.size());
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::render(const Style& style, std::string_view indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::size_t width = visible_width(columns_[column].title);
    for (const auto& row : rows_) width = std::max(width, visible_width(row[column]));
    widths.push_back(width);
  }
  std::string out;
  auto add_line = [&](auto cell_of) {
    std::string line(indent);
    std::size_t pending = 0;  // blanks are written only when something follows, so that no line ends in blanks
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const std::string cell = cell_of(column);
      std::size_t blank = widths[column] - visible_width(cell);
      bool right = columns_[column].align == Align::kRight;
      if (right) pending += blank;
      if (!cell.empty()) {
        line.append(pending, ' ');
        line += cell;
        pending = 0;
      }
      if (!right) pending += blank;
      pending += 2;
    }
    out += line + "\n";
  };
  add_line([&](std::size_t column) { return style.bold(columns_[column].title); });
  for (const auto& row : rows_) add_line([&](std::size_t column) { return row[column]; });
  return out;
}

Progress::Progress(std::FILE* stream, bool quiet) : stream_(stream), is_shown_(!quiet && ::isatty(::fileno(stream)) == 1) {}
Progress::~Progress() { finish(); }

void Progress::update(std::string_view label, std::size_t done, std::size_t total) {
  if (!is_shown_) return;
  using namespace std::chrono;
  long long now_ms = duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
  if (is_drawn_ && now_ms - last_ms_ < 100 && done != total) return;
  last_ms_ = now_ms;
  is_drawn_ = true;
  std::string count = total > 0 ? fmt::format("{}/{}", done, total) : fmt::format("{}", done);
  std::fprintf(stream_, "\r\x1b[K%s %s", std::string(label).c_str(), count.c_str());
  std::fflush(stream_);
}

void Progress::finish() {
  if (is_drawn_) std::fprintf(stream_, "\r\x1b[K");
  if (is_drawn_) std::fflush(stream_);
  is_drawn_ = false;
}

}  // namespace starbridge::base

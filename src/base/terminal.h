// What commands print with: tables whose columns line up in both languages, colours that can be switched off, progress on a
// terminal. One thread at a time per stream.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace starbridge::base {

// Colours; every function returns the text unchanged when colour is off.
struct Style {
  bool enabled = false;
  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }
  std::string red(std::string_view text) const { return wrap("31", text); }
  std::string green(std::string_view text) const { return wrap("32", text); }
  std::string yellow(std::string_view text) const { return wrap("33", text); }
  std::string cyan(std::string_view text) const { return wrap("36", text); }

 private:
  std::string wrap(std::string_view code, std::string_view text) const;
};

// A table in memory. Cells may hold colour codes and CJK text; widths are counted in terminal columns.
class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Missing cells are empty; a row longer than the header is a bug.
  void add_row(std::vector<std::string> cells);
  std::size_t row_count() const { return rows_.size(); }
  // Two spaces between columns, titles in bold, no trailing blanks; each line ends with '\n' and starts with `indent`.
  std::string render(const Style& style, std::string_view indent = "") const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// One line that is rewritten in place; silent when the stream is no terminal or `quiet`.
class Progress {
 public:
  Progress(std::FILE* stream, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Shows "label 12/40"; redraws at most ten times a second. `total` 0: the count alone.
  void update(std::string_view label, std::size_t done, std::size_t total);
  void finish();

 private:
  std::FILE* stream_;
  bool is_shown_;
  bool is_drawn_ = false;
  long long last_ms_ = 0;
};

// Columns of text without colour codes.
std::size_t visible_width(std::string_view text);
// A bar of `width` cells filled in proportion, e.g. "████░░░░".
std::string bar(double share, std::size_t width);

}  // namespace starbridge::base

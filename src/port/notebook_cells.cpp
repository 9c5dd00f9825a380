#include "port/notebook_cells.h"

#include "port/source_file.h"

namespace starbridge::port {
namespace {

using base::text;

// A reader of JSON that keeps offsets. It stops at the first thing that is not JSON.
class Scanner {
 public:
  explicit Scanner(std::string_view json) : json_(json) {}

  bool read() {
    skip_blank();
    if (!value("", 0)) return false;
    skip_blank();
    return position_ == json_.size();
  }
  std::size_t position() const { return position_; }
  NotebookCells take() {
    cells_.raw_of.push_back(static_cast<std::uint32_t>(end_of_last_));
    return std::move(cells_);
  }

 private:
  struct Piece {
    std::size_t begin;
    std::size_t end;
  };

  void skip_blank() {
    while (position_ < json_.size() &&
           (json_[position_] == ' ' || json_[position_] == '\t' || json_[position_] == '\n' || json_[position_] == '\r'))
      ++position_;
  }
  bool take_char(char wanted) {
    if (position_ >= json_.size() || json_[position_] != wanted) return false;
    ++position_;
    return true;
  }

  // A string; `piece` gets the offsets of its content.
  bool string(Piece* piece) {
    if (!take_char('"')) return false;
    piece->begin = position_;
    while (position_ < json_.size() && json_[position_] != '"') position_ += json_[position_] == '\\' ? 2 : 1;
    if (position_ >= json_.size()) return false;
    piece->end = position_++;
    return true;
  }

  // `path` is the place in a notebook: "" document, "cells" list of cells, "cell" a cell, "source" its source, "-" anything else.
  bool value(std::string_view path, int depth) {
    if (depth > kNotebookDepthMax || position_ >= json_.size()) return false;
    switch (json_[position_]) {
      case '{':
        return object(path, depth);
      case '[':
        return array(path, depth);
      case '"': {
        Piece piece{};
        if (!string(&piece)) return false;
        if (path == "source") pieces_.push_back(piece);
        return true;
      }
      default: {
        std::size_t begin = position_;
        while (position_ < json_.size() && json_.find_first_of(" \t\r\n,]}", position_) != position_) ++position_;
        return position_ > begin;
      }
    }
  }

  bool object(std::string_view path, int depth) {
    bool is_cell = path == "cell";
    if (is_cell) {
      pieces_.clear();
      is_code_ = false;
    }
    ++position_;
    skip_blank();
    if (take_char('}')) return true;
    for (;;) {
      Piece key{};
      skip_blank();
      if (!string(&key)) return false;
      std::string_view name = json_.substr(key.begin, key.end - key.begin);
      skip_blank();
      if (!take_char(':')) return false;
      skip_blank();
      std::size_t value_begin = position_;
      std::string_view inner = path.empty() && name == "cells" ? "cells" : is_cell && name == "source" ? "source" : "-";
      if (!value(inner, depth + 1)) return false;
      if (is_cell && name == "cell_type") is_code_ = json_.substr(value_begin, position_ - value_begin) == "\"code\"";
      skip_blank();
      if (take_char('}')) break;
      if (!take_char(',')) return false;
    }
    if (is_cell && is_code_) add_cell();
    return true;
  }

  bool array(std::string_view path, int depth) {
    ++position_;
    skip_blank();
    if (take_char(']')) return true;
    for (;;) {
      skip_blank();
      if (!value(path == "cells" ? "cell" : path == "source" ? "source" : "-", depth + 1)) return false;
      skip_blank();
      if (take_char(']')) return true;
      if (!take_char(',')) return false;
    }
  }

  void add_cell() {
    if (!cells_.code.empty() && cells_.code.back() != '\n') push('\n', end_of_last_);
    std::size_t cell_begin = cells_.code.size();
    for (const Piece& piece : pieces_) {
      decode(piece);
      end_of_last_ = piece.end;
    }
    mask_magics(cell_begin);
  }

  void push(char c, std::size_t raw) {
    cells_.code += c;
    cells_.raw_of.push_back(static_cast<std::uint32_t>(raw));
  }

  void decode(const Piece& piece) {
    for (std::size_t at = piece.begin; at < piece.end;) {
      if (json_[at] != '\\') {
        push(json_[at], at);
        ++at;
        continue;
      }
      char escape = at + 1 < piece.end ? json_[at + 1] : '\\';
      if (escape == 'u') {
        push('?', at);  // its value never matters to a device word
        at += 6;
      } else {
        push(escape == 'n'                    ? '\n'
             : escape == 't'                  ? '\t'
             : escape == 'r'                  ? '\r'
             : escape == 'b' || escape == 'f' ? ' '
                                              : escape,
             at);
        at += 2;
      }
    }
  }

  void mask_magics(std::size_t begin) {
    bool whole_cell = cells_.code.compare(begin, 2, "%%") == 0;
    for (std::size_t line = begin; line < cells_.code.size();) {
      std::size_t end = std::min(cells_.code.find('\n', line), cells_.code.size());
      std::size_t first = cells_.code.find_first_not_of(" \t", line);
      bool is_magic = first < end && (cells_.code[first] == '%' || cells_.code[first] == '!');
      if (is_magic) cells_.code[first] = '#';
      if (whole_cell && first < end && line < end) cells_.code[line] = '#';
      line = end + 1;
    }
  }

  std::string_view json_;
  std::size_t position_ = 0;
  NotebookCells cells_;
  std::vector<Piece> pieces_;
  bool is_code_ = false;
  std::size_t end_of_last_ = 0;
};

}  // namespace

base::Result<NotebookCells> find_notebook_cells(std::string_view json, const std::string& path) {
  Scanner scanner(json);
  if (scanner.read()) return scanner.take();
  LineColumn at = LineIndex(json).at(std::min(scanner.position(), json.size()));
  return base::Error("port.malformed_notebook", text("the notebook is not valid JSON here", "笔记本在此处不是合法的 JSON"))
      .at(path, at.line, at.column)
      .next(text("open and save it with Jupyter", "请用 Jupyter 打开并重新保存"));
}

std::string json_escape(std::string_view text_value) {
  std::string escaped;
  for (char c : text_value) {
    if (c == '"' || c == '\\') {
      escaped += '\\';
      escaped += c;
    } else if (c == '\n') {
      escaped += "\\n";
    } else if (c == '\r') {
      escaped += "\\r";
    } else if (c == '\t') {
      escaped += "\\t";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace starbridge::port

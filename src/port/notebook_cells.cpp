#include "port/notebook_cells.h"

#include <algorithm>
#include <array>

#include "base/json.h"
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

  // `path` is the place in a notebook: "" document, "worksheets" of format 3, "cells" list of cells, "cell" a cell, "source" its
  // source, "-" anything else.
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
      bool is_document = path.empty() || path == "worksheet";
      bool is_source = is_cell && (name == "source" || name == "input");
      std::string_view inner = is_document && name == "cells"         ? "cells"
                               : path.empty() && name == "worksheets" ? "worksheets"
                               : is_source                            ? "source"
                                                                      : "-";
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
      std::string_view inner = path == "cells" ? "cell" : path == "worksheets" ? "worksheet" : path == "source" ? "source" : "-";
      if (!value(inner, depth + 1)) return false;
      skip_blank();
      if (take_char(']')) return true;
      if (!take_char(',')) return false;
    }
  }

  void add_cell() {
    if (!cells_.code.empty() && cells_.code.back() != '\n') push('\n', end_of_last_, 0);
    std::size_t cell_begin = cells_.code.size();
    for (const Piece& piece : pieces_) {
      decode(piece);
      end_of_last_ = piece.end;
    }
    cells_.shell.append(cells_.code.size() - cells_.shell.size(), ' ');
    cells_.cells.push_back({cell_begin, cells_.code.size()});
    mask_magics(cell_begin);
  }

  void push(char c, std::size_t raw, std::uint8_t length) {
    cells_.code += c;
    cells_.raw_of.push_back(static_cast<std::uint32_t>(raw));
    cells_.raw_length.push_back(length);
  }

  // The byte that an escape writes; beyond ASCII '?' stands for it, which no device word holds.
  char unescape(std::size_t at) const {
    char escape = json_[at + 1];
    switch (escape) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case 'b':
      case 'f':
        return ' ';
      case 'u': {
        unsigned value = 0;
        for (char c : json_.substr(at + 2, 4)) {
          value = value * 16 + static_cast<unsigned>(c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        }
        return value >= 0x20 && value < 0x7F ? static_cast<char>(value) : value == '\n' ? '\n' : '?';
      }
      default:
        return escape;
    }
  }

  void decode(const Piece& piece) {
    for (std::size_t at = piece.begin; at < piece.end;) {
      std::uint8_t length = json_[at] != '\\' ? 1 : json_[at + 1] == 'u' ? 6 : 2;
      push(length == 1 ? json_[at] : unescape(at), at, length);
      at += length;
    }
  }

  // Takes [begin, end) of the code for shell and leaves a comment in its place.
  void move_to_shell(std::size_t begin, std::size_t end) {
    cells_.shell.replace(begin, end - begin, cells_.code, begin, end - begin);
    cells_.shell_pieces.push_back({begin, end});
  }

  void mask_magics(std::size_t begin) {
    static constexpr std::array<std::string_view, 6> kPythonMagics = {"%%time", "%%timeit", "%%capture",
                                                                      "%%prun", "%%memit",  "%%px"};
    std::string& code = cells_.code;
    bool is_cell_magic = code.compare(begin, 2, "%%") == 0;
    std::string_view magic =
        std::string_view(code).substr(begin, std::min(code.find_first_of(" \t\r\n", begin), code.size()) - begin);
    // Magics that run the cell as Python leave it Python; the others hand it to something else.
    bool is_python = std::find(kPythonMagics.begin(), kPythonMagics.end(), magic) != kPythonMagics.end();
    bool is_foreign = is_cell_magic && !is_python;
    if (magic == "%%bash" || magic == "%%sh" || magic == "%%script") {
      std::size_t body = code.find('\n', begin);
      if (body != std::string::npos) move_to_shell(body + 1, code.size());
    }
    bool goes_on = false;  // the line before ended in a backslash and was a magic
    for (std::size_t line = begin; line < code.size();) {
      std::size_t end = std::min(code.find('\n', line), code.size());
      std::size_t first = code.find_first_not_of(" \t", line);
      bool has_text = first < end;
      bool is_magic = has_text && (goes_on || code[first] == '%' || code[first] == '!');
      goes_on = is_magic && code[end - 1] == '\\';
      if (is_magic && !is_foreign &&
          (code[first] == '!' || code.compare(first, 5, "%pip ") == 0 || code.compare(first, 7, "%conda ") == 0))
        move_to_shell(first + 1, end);
      for (std::string_view setting : {"%env ", "%set_env "}) {  // %env NAME=value reads like an assignment
        if (is_magic && !is_foreign && code.compare(first, setting.size(), setting) == 0)
          move_to_shell(first + setting.size(), end);
      }
      if (is_magic) code[first] = '#';
      if (is_foreign && has_text) code[line] = '#';
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

// Notebooks that name no language are Python's.
bool is_python_notebook(const base::Json& document) {
  if (!document.is_object() || !document.contains("metadata") || !document["metadata"].is_object()) return true;
  const base::Json& metadata = document["metadata"];
  for (const auto& [section, field] : {std::pair("language_info", "name"), std::pair("kernelspec", "language")}) {
    if (!metadata.contains(section) || !metadata[section].is_object() || !metadata[section].contains(field)) continue;
    const base::Json& language = metadata[section][field];
    if (language.is_string()) return base::to_lower(language.get<std::string>()).find("python") != std::string::npos;
  }
  return true;
}

}  // namespace

std::optional<NotebookCells::Raw> NotebookCells::raw(std::size_t begin, std::size_t end) const {
  Raw raw{raw_of[begin], raw_of[begin]};
  for (std::size_t at = begin; at < end; ++at) {
    if (raw_of[at] != raw.end || raw_length[at] == 0) return std::nullopt;
    raw.end = raw_of[at] + raw_length[at];
  }
  return raw;
}

base::Result<NotebookCells> find_notebook_cells(std::string_view json, const std::string& path) {
  // The strict reader decides whether it is JSON at all; the scanner below only finds places.
  base::Result<base::Json> document = base::parse_json(std::string(json), path);
  Scanner scanner(json);
  bool is_read = scanner.read();
  if (document.ok() && is_read) {
    NotebookCells cells = scanner.take();
    if (!is_python_notebook(*document)) return NotebookCells{"", "", {}, {}, {0}, {}};
    return cells;
  }
  if (!document.ok() && document.error().place().line > 0) {
    return base::Error("port.malformed_notebook", text("the notebook is not valid JSON here", "笔记本在此处不是合法的 JSON"))
        .at(path, document.error().place().line, document.error().place().column)
        .next(text("open and save it with Jupyter", "请用 Jupyter 打开并重新保存"));
  }
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

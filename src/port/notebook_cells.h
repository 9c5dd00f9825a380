// NotebookCells: where the code of a Jupyter notebook stands in its JSON text, byte for byte. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace starbridge::port {

// The code cells joined into one text, and for each of its bytes where it stands in the file.
struct NotebookCells {
  struct Piece {
    std::size_t begin;  // offsets in `code`
    std::size_t end;
  };
  std::string code;                      // Python; shell commands and magics are masked as comments of the same length
  std::string shell;                     // as long as `code`: the shell commands in their places, blanks elsewhere
  std::vector<Piece> cells;              // one per code cell
  std::vector<Piece> shell_pieces;       // one per "!" line and per "%%bash" cell
  std::vector<std::uint32_t> raw_of;     // size code.size() + 1: raw offset of each byte, and of the end
  std::vector<std::uint8_t> raw_length;  // how many bytes write it: 1, or those of an escape; 0 for a line end put between cells

  // The bytes of the file that write [begin, end) of the code; nothing when they do not stand together in one string.
  struct Raw {
    std::size_t begin;
    std::size_t end;
  };
  std::optional<Raw> raw(std::size_t begin, std::size_t end) const;
};

constexpr int kNotebookDepthMax = 64;

// Formats 3 and 4. Cells of a notebook in another language are left out. Errors: port.malformed_notebook with line and column.
base::Result<NotebookCells> find_notebook_cells(std::string_view json, const std::string& path);

// Text as it is written inside a JSON string.
std::string json_escape(std::string_view text);

}  // namespace starbridge::port

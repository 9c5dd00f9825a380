#include "kernel/assembly_text.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/json.h"

namespace starbridge::kernel {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kFilesMax = 4000;          // looked at per program
constexpr std::size_t kFileBytesMax = 8U << 20;  // larger headers are data

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Past blanks and line ends, also escaped ones.
std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (std::isspace(static_cast<unsigned char>(text[at])) != 0 || text[at] == '\\')) ++at;
  return at;
}

std::size_t end_of_literal(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
    else if (text[i] == '\n')
      return i;
  }
  return text.size();
}

// Where the parenthesis of an asm statement that starts at `at` opens; npos: there is none.
std::size_t opening_of(std::string_view text, std::size_t at) {
  for (std::string_view word : {"__asm__", "__asm", "asm"}) {
    if (text.substr(at, word.size()) != word || (at > 0 && is_name(text[at - 1]))) continue;
    std::size_t next = at + word.size();
    if (next < text.size() && is_name(text[next])) continue;
    next = skip_blanks(text, next);
    for (std::string_view extra : {"__volatile__", "volatile", "__volatile"}) {
      if (text.substr(next, extra.size()) == extra) next = skip_blanks(text, next + extra.size());
    }
    return next < text.size() && text[next] == '(' ? next : std::string_view::npos;
  }
  return std::string_view::npos;
}

void adapt_operand(std::string& letters) {
  for (char& c : letters) c = c == 'f' ? 'x' : c == 'h' ? 'r' : c;
}

// %laneid becomes %%laneid; %0 and %[name] stay.
void adapt_template(std::string& literal) {
  for (std::size_t i = 0; i + 1 < literal.size(); ++i) {
    if (literal[i] != '%') continue;
    if (literal[i + 1] == '%')
      ++i;
    else if (std::isalpha(static_cast<unsigned char>(literal[i + 1])) != 0)
      literal.insert(i++, 1, '%');
  }
}

}  // namespace

std::string adapt_assembly(std::string_view source) {
  std::string result;
  result.reserve(source.size() + 64);
  int depth = 0;  // of parentheses inside the statement; zero: outside
  for (std::size_t at = 0; at < source.size();) {
    if (source[at] == '"') {
      const std::size_t end = end_of_literal(source, at);
      std::string literal(source.substr(at, end - at));
      if (depth == 1) {
        const std::size_t next = skip_blanks(source, end);
        if (next < source.size() && source[next] == '(' && literal.size() <= 7)
          adapt_operand(literal);
        else
          adapt_template(literal);
      }
      result += literal;
      at = end;
      continue;
    }
    if (source.substr(at, 2) == "//" || source.substr(at, 2) == "/*") {
      std::size_t end = source[at + 1] == '/' ? source.find('\n', at) : source.find("*/", at + 2);
      end = end == std::string_view::npos ? source.size() : source[at + 1] == '/' ? end : end + 2;
      result += source.substr(at, end - at);
      at = end;
      continue;
    }
    if (depth == 0) {
      const std::size_t opening = opening_of(source, at);
      if (opening != std::string_view::npos) {
        result += source.substr(at, opening + 1 - at);
        at = opening + 1;
        depth = 1;
        continue;
      }
    } else {
      depth += source[at] == '(' ? 1 : source[at] == ')' ? -1 : 0;
    }
    result += source[at++];
  }
  return result;
}

base::Result<std::string> write_overlay(const std::vector<std::string>& sources, const std::vector<std::string>& folders,
                                        const std::string& output_folder) {
  std::set<std::string> files;
  std::error_code error;
  for (const std::string& source : sources) files.insert(fs::absolute(source, error).lexically_normal().string());
  static const std::set<std::string> kSuffixes = {".cu", ".cuh", ".h", ".hpp", ".hh", ".inl", ".inc"};
  for (const std::string& folder : folders) {
    for (fs::directory_iterator it(folder, error), end; !error && it != end && files.size() < kFilesMax; it.increment(error)) {
      if (kSuffixes.count(it->path().extension().string()) != 0 && it->is_regular_file(error))
        files.insert(fs::absolute(it->path(), error).lexically_normal().string());
    }
  }
  base::Json roots = base::Json::array();
  int number = 0;
  for (const std::string& file : files) {
    if (fs::file_size(file, error) > kFileBytesMax || error) continue;
    base::Result<std::string> content = base::read_file(file);
    if (!content.ok() || content->find("asm") == std::string::npos) continue;
    const std::string adapted = adapt_assembly(*content);
    if (adapted == *content) continue;
    const std::string copy = fs::absolute(output_folder, error).string() + "/ptx" + std::to_string(number++) + ".h";
    SB_TRY_VOID(base::write_file_atomically(copy, adapted));
    roots.push_back({{"type", "file"}, {"name", file}, {"external-contents", copy}});
  }
  if (roots.empty()) return std::string();
  const std::string list = fs::absolute(output_folder, error).string() + "/overlay.yaml";
  const base::Json overlay = {{"version", 0}, {"use-external-names", false}, {"roots", roots}};
  SB_TRY_VOID(base::write_file_atomically(list, base::to_string(overlay)));
  return list;
}

}  // namespace starbridge::kernel

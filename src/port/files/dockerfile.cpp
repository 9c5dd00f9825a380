#include "port/files/dockerfile.h"

#include "base/text.h"
#include "port/files/lines.h"

namespace starbridge::port {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

class DockerReader {
 public:
  explicit DockerReader(std::string_view bytes) : bytes_(bytes) {}

  std::vector<DockerInstruction> read() {
    if (bytes_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    read_directives();
    while (at_ < bytes_.size()) read_instruction();
    return std::move(instructions_);
  }

 private:
  std::size_t line_end(std::size_t at) const { return std::min(bytes_.find_first_of("\r\n", at), bytes_.size()); }

  // "# escape=`" counts only in comments before everything else.
  void read_directives() {
    for (std::size_t at = at_; at < bytes_.size();) {
      std::size_t end = line_end(at);
      std::string line = base::to_lower(base::trim(bytes_.substr(at, end - at)));
      if (line.empty() || line[0] != '#' || line.find('=') == std::string::npos) return;
      if (line.rfind("escape=`") == line.size() - 8 && line.find("escape=`") != std::string::npos) escape_ = '`';
      at = after_line(bytes_, end);
    }
  }

  static std::size_t first_word(std::string_view line, std::size_t at) {
    while (at < line.size() && is_blank(line[at])) ++at;
    return at;
  }

  void read_instruction() {
    std::size_t end = line_end(at_);
    std::size_t begin = first_word(bytes_.substr(0, end), at_);
    if (begin == end || bytes_[begin] == '#') {
      at_ = after_line(bytes_, end);
      return;
    }
    DockerInstruction instruction;
    std::size_t name_end = begin;
    while (name_end < end && !is_blank(bytes_[name_end])) ++name_end;
    instruction.name = base::to_lower(bytes_.substr(begin, name_end - begin));
    std::string script;
    std::size_t from = name_end;
    // Lines that belong to it: those after a line ending in the escape character, comments and blank lines between them.
    for (bool goes_on = true; goes_on;) {
      std::size_t last = end;
      while (last > from && is_blank(bytes_[last - 1])) --last;
      goes_on = last > from && bytes_[last - 1] == escape_;
      script.append(bytes_.substr(from, end - from));
      if (goes_on) script[script.size() - (end - last) - 1] = '\\';
      std::size_t next = after_line(bytes_, end);
      if (!goes_on || next >= bytes_.size()) break;
      // Blanks after the escape character would end the line for a shell.
      for (std::size_t blank = last; blank < end; ++blank) script[script.size() - (end - blank)] = ' ';
      if (last < end) std::swap(script[script.size() - 1], script[script.size() - (end - last) - 1]);
      script.append(bytes_.substr(end, next - end));
      from = next;
      end = line_end(from);
      std::size_t word = first_word(bytes_.substr(0, end), from);
      while (from < bytes_.size() && (word == end || bytes_[word] == '#')) {
        std::size_t after = after_line(bytes_, end);
        // A comment inside a command: its line becomes blanks, its end a blank too, so that the command goes on.
        script.append(after - from, ' ');
        from = after;
        if (from >= bytes_.size()) break;
        end = line_end(from);
        word = first_word(bytes_.substr(0, end), from);
      }
      end = std::max(end, from);
    }
    instruction.arguments = {name_end, std::min(name_end + script.size(), bytes_.size())};
    instruction.script = std::move(script);
    at_ = after_line(bytes_, end);
    finish(std::move(instruction));
  }

  void finish(DockerInstruction instruction) {
    if (instruction.name == "onbuild") {
      std::size_t begin = first_word(instruction.script, 0);
      std::size_t end = std::min(instruction.script.find_first_of(" \t", begin), instruction.script.size());
      instruction.name = base::to_lower(instruction.script.substr(begin, end - begin));
      for (std::size_t at = 0; at < end; ++at) instruction.script[at] = ' ';
    }
    std::size_t at = first_word(instruction.script, 0);
    // Options of the instruction itself: --mount=..., --platform=...
    while (instruction.script.compare(at, 2, "--") == 0) {
      std::size_t end = std::min(instruction.script.find_first_of(" \t\r\n", at), instruction.script.size());
      for (; at < end; ++at) instruction.script[at] = ' ';
      at = std::min(instruction.script.find_first_not_of(" \t\r\n\\", end), instruction.script.size());
    }
    if (instruction.name == "healthcheck" && base::to_lower(instruction.script.substr(at, 3)) == "cmd") {
      instruction.script.replace(at, 3, "   ");
      at = first_word(instruction.script, at);
    }
    if (at < instruction.script.size() && instruction.script[at] == '[') read_exec_form(instruction, at);
    if (!instruction.is_exec_form) {
      split_words(instruction);
      if (instruction.name == "run" || instruction.name == "copy" || instruction.name == "add") read_here_documents(instruction);
    }
    instructions_.push_back(std::move(instruction));
  }

  void read_exec_form(DockerInstruction& instruction, std::size_t at) const {
    const std::string& script = instruction.script;
    std::vector<ByteSpan> words;
    for (++at; at < script.size(); ++at) {
      if (script[at] == ']') {
        instruction.words = std::move(words);
        instruction.is_exec_form = true;
        return;
      }
      if (script[at] != '"') continue;
      std::size_t begin = ++at;
      while (at < script.size() && script[at] != '"') at += script[at] == '\\' ? 2 : 1;
      if (at >= script.size()) return;
      words.push_back({instruction.arguments.begin + begin, instruction.arguments.begin + at});
    }
  }

  static void split_words(DockerInstruction& instruction) {
    const std::string& script = instruction.script;
    std::size_t base = instruction.arguments.begin;
    for (std::size_t at = 0; at < script.size();) {
      bool is_joint = script[at] == '\\' && (at + 1 == script.size() || script[at + 1] == '\n' || script[at + 1] == '\r');
      if (is_blank(script[at]) || script[at] == '\n' || script[at] == '\r' || is_joint) {
        ++at;
        continue;
      }
      std::size_t begin = at;
      char quote = '\0';
      for (; at < script.size(); ++at) {
        char c = script[at];
        if (quote != '\0') {
          if (c == quote) quote = '\0';
        } else if (c == '"' || c == '\'') {
          quote = c;
        } else if (is_blank(c) || c == '\n' || c == '\r') {
          break;
        }
      }
      instruction.words.push_back({base + begin, base + at});
    }
  }

  // "RUN <<EOF": the lines up to EOF belong to the instruction.
  void read_here_documents(DockerInstruction& instruction) {
    for (const ByteSpan& span : instruction.words) {
      std::string_view word = bytes_.substr(span.begin, span.end - span.begin);
      std::size_t mark = word.find("<<");
      if (mark == std::string_view::npos || word.compare(mark, 3, "<<<") == 0) continue;
      word.remove_prefix(mark + 2);
      bool strips_tabs = !word.empty() && word[0] == '-';
      if (strips_tabs) word.remove_prefix(1);
      std::string name;
      for (char c : word) {
        if (c != '"' && c != '\'') name += c;
      }
      if (name.empty()) continue;
      std::size_t body = at_;
      while (at_ < bytes_.size()) {
        std::size_t end = line_end(at_);
        std::string_view line = bytes_.substr(at_, end - at_);
        while (strips_tabs && !line.empty() && line[0] == '\t') line.remove_prefix(1);
        std::size_t line_begin = at_;
        at_ = after_line(bytes_, end);
        if (line == name) {
          instruction.here_documents.push_back({body, line_begin});
          break;
        }
      }
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  char escape_ = '\\';
  std::vector<DockerInstruction> instructions_;
};

}  // namespace

std::vector<DockerInstruction> read_dockerfile(std::string_view bytes) { return DockerReader(bytes).read(); }

}  // namespace starbridge::port

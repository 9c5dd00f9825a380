// Documents (Markdown, reStructuredText): the commands in blocks of code, and nothing else. Prose, output and code of other
// languages stay.
#include <array>

#include "port/files/lines.h"
#include "port/files/shell.h"
#include "port/relevance.h"

namespace starbridge::port {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  for (std::string_view each : words) {
    if (each == word) return true;
  }
  return false;
}

std::string_view first_word(std::string_view line) {
  line = base::trim(line);
  return line.substr(0, line.find_first_of(" \t"));
}

// A line that nobody would write for anything but a shell.
bool is_command(std::string_view line) {
  std::string_view word = first_word(line);
  if (word.size() == base::trim(line).size()) return is_one_of(word, {"nvidia-smi"});
  std::size_t sign = word.find('=');
  bool is_assignment =
      sign != std::string_view::npos && sign > 0 && word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == sign;
  return is_assignment ||
         is_one_of(word, {"python",        "python3", "torchrun",   "pip",    "pip3", "conda",  "mamba",      "docker",
                          "nvidia-docker", "podman",  "nvidia-smi", "export", "srun", "sbatch", "accelerate", "deepspeed",
                          "bash",          "sh",      "sudo",       "nohup",  "nsys", "uv"});
}

// Lines of commands, as spans without prompt and indent; a backslash joins the next line to one.
class Blocks {
 public:
  Blocks(std::string_view bytes, bool is_rst) : bytes_(bytes), is_rst_(is_rst) {}

  std::vector<ByteSpan> run() {
    each_line(bytes_, [&](std::size_t begin, std::size_t end) { line(begin, end); });
    return std::move(commands_);
  }

 private:
  enum class Block { kNone, kShell, kPlain, kForeign };

  void line(std::size_t begin, std::size_t end) {
    std::string_view text = bytes_.substr(begin, end - begin);
    std::size_t indent = std::min(text.find_first_not_of(" \t"), text.size());
    std::string_view inner = text.substr(indent);
    if (!fence_.empty()) {
      bool closes =
          inner.substr(0, fence_.size()) == fence_ && base::trim(inner).find_first_not_of(fence_[0]) == std::string_view::npos;
      if (closes) {
        fence_.clear();
        goes_on_ = false;
        was_blank_ = true;
        return;
      }
      return take(begin + indent, end, fenced_);
    }
    if (!is_rst_ && (inner.substr(0, 3) == "```" || inner.substr(0, 3) == "~~~")) {
      std::size_t length = std::min(inner.find_first_not_of(inner[0]), inner.size());
      std::string language = base::to_lower(first_word(inner.substr(length)));
      if (language.find('`') != std::string::npos) return;  // code in a line
      fence_ = std::string(inner.substr(0, length));
      fenced_ = block_of(language);
      return;
    }
    if (is_rst_) return rst_line(begin, end, indent, inner);
    // Four columns after a blank line.
    bool is_deep = indent >= 4 || (indent > 0 && text[0] == '\t');
    if (inner.empty()) {
      was_blank_ = true;
      goes_on_ = false;
    } else if (is_deep && (was_blank_ || in_indented_)) {
      in_indented_ = true;
      take(begin + indent, end, Block::kPlain);
    } else {
      in_indented_ = was_blank_ = goes_on_ = false;
    }
  }

  // ".. code-block:: bash", "::" at the end of a paragraph; the block is what is indented deeper.
  void rst_line(std::size_t begin, std::size_t end, std::size_t indent, std::string_view inner) {
    if (inner.empty()) return;
    if (rst_ != Block::kNone && indent > rst_indent_) {
      if (inner[0] != ':') take(begin + indent, end, rst_);
      return;
    }
    rst_ = Block::kNone;
    goes_on_ = false;
    rst_indent_ = indent;
    std::string_view plain = base::trim(inner);
    for (std::string_view directive : {".. code-block::", ".. code::", ".. sourcecode::", ".. prompt::"}) {
      if (plain.substr(0, directive.size()) == directive)
        rst_ = block_of(base::to_lower(first_word(plain.substr(directive.size()))));
    }
    bool is_directive = plain.substr(0, 3) == ".. ";
    if (!is_directive && plain.size() >= 2 && plain.substr(plain.size() - 2) == "::") rst_ = Block::kPlain;
  }

  static Block block_of(std::string_view language) {
    language = language.substr(0, language.find_first_of("{,"));
    if (is_one_of(language, {"bash", "sh", "shell", "zsh", "{.bash}", "{.sh}"})) return Block::kShell;
    if (is_one_of(language, {"", "text", "console", "shell-session", "none", "cmd", "terminal", "bashrc"})) return Block::kPlain;
    return Block::kForeign;
  }

  void take(std::size_t begin, std::size_t end, Block block) {
    if (block == Block::kForeign) return;
    std::string_view text = bytes_.substr(begin, end - begin);
    bool has_prompt = text.substr(0, 2) == "$ " || text.substr(0, 2) == "% ";
    if (goes_on_) {
      commands_.back().end = end;
    } else if (has_prompt) {
      commands_.push_back({begin + 2, end});
    } else if (block == Block::kShell || is_command(text)) {
      commands_.push_back({begin, end});
    } else {
      return;
    }
    goes_on_ = !text.empty() && text.back() == '\\';
  }

  std::string_view bytes_;
  bool is_rst_;
  std::vector<ByteSpan> commands_;
  std::string fence_;
  Block fenced_ = Block::kNone;
  Block rst_ = Block::kNone;
  std::size_t rst_indent_ = 0;
  bool was_blank_ = true;
  bool in_indented_ = false;
  bool goes_on_ = false;
};

}  // namespace

std::vector<TargetResult> analyze_document(const SourceFile& file, const Context& context) {
  if (!may_shell_matter(file.bytes)) return std::vector<TargetResult>(context.targets.size());
  bool is_rst = file.path.size() > 4 && base::to_lower(file.path.substr(file.path.size() - 4)) == ".rst";
  std::vector<ShellReading> readings;
  for (ByteSpan command : Blocks(file.bytes, is_rst).run()) {
    std::string_view text = std::string_view(file.bytes).substr(command.begin, command.end - command.begin);
    if (may_shell_matter(text)) readings.push_back(read_shell(text, command.begin, context));
  }
  return per_target(file, context, [&](Sheet& sheet) {
    for (const ShellReading& reading : readings) {
      if (reading.is_complete) judge_shell(reading, sheet);
    }
  });
}

}  // namespace starbridge::port

#include "emulate/pass/ptx_text.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdlib>

namespace starbridge::emulate {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':'; }

// Gives back what the user wrote, arguments as \1N, without comments.
std::string plain_text(std::string_view assembly) {
  std::string text;
  for (std::size_t i = 0; i < assembly.size(); ++i) {
    const char c = assembly[i];
    if (c == '$' && i + 1 < assembly.size()) {
      const char next = assembly[++i];
      if (next == '(')
        text += '{';
      else if (next == ')')
        text += '}';
      else if (next == '|' || next == '$')
        text += next;
      else if (next == '{') {  // ${N:modifier}
        std::string number;
        for (++i; i < assembly.size() && assembly[i] != '}'; ++i)
          if (std::isdigit(static_cast<unsigned char>(assembly[i])) != 0 && number.size() < 4) number += assembly[i];
        text += '\1' + number;
      } else {
        text += '\1';
        text += next;
      }
    } else if (c == '/' && assembly.substr(i, 2) == "//") {
      while (i + 1 < assembly.size() && assembly[i + 1] != '\n') ++i;
    } else if (c == '/' && assembly.substr(i, 2) == "/*") {
      const std::size_t end = assembly.find("*/", i + 2);
      i = end == std::string_view::npos ? assembly.size() : end + 1;
    } else {
      text += c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
    }
  }
  return text;
}

class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)) {}

  PtxText read() {
    while (result_.error.empty()) {
      skip();
      if (at_ >= text_.size()) break;
      // Braces open and close a scope of names; all names of one statement live in one scope here.
      if (peek() == '{' || peek() == '}' || peek() == ';') {
        ++at_;
        continue;
      }
      statement();
    }
    return std::move(result_);
  }

 private:
  char peek() { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void fail(const std::string& what) {
    if (result_.error.empty()) result_.error = what;
  }

  std::string word() {
    skip();
    std::string found;
    while (is_word(peek()) || (peek() == '%' && found.empty())) found += text_[at_++];
    return found;
  }

  void statement() {
    PtxInstruction instruction;
    const std::size_t start = at_;
    if (take('@')) {
      instruction.is_predicate_negated = take('!');
      instruction.predicate = bare(word());
    }
    std::string dotted = word();
    if (dotted.empty()) return fail("\"" + text_.substr(at_, 20) + "\"");
    if (dotted.back() == ':') return fail("label " + dotted);
    if (dotted.starts_with(".reg")) return declare(dotted);
    for (std::size_t from = 0; from <= dotted.size();) {
      const std::size_t dot = std::min(dotted.find('.', from), dotted.size());
      std::string part = dotted.substr(from, dot - from);
      if (from == 0)
        instruction.opcode = part;
      else
        instruction.words.push_back(part);
      from = dot + 1;
    }
    skip();
    while (result_.error.empty() && peek() != ';' && peek() != '}' && at_ < text_.size()) {
      instruction.operands.push_back(operand());
      if (!take(',')) break;
    }
    skip();
    if (result_.error.empty() && at_ < text_.size() && peek() != ';' && peek() != '}')
      return fail("\"" + text_.substr(start, at_ - start + 10) + "\"");
    instruction.text = text_.substr(start, at_ - start);
    result_.instructions.push_back(std::move(instruction));
  }

  // .reg .b32 a, b<4>;
  void declare(const std::string& head) {
    std::string type = head.size() > 4 ? head.substr(5) : word();
    if (type.starts_with(".")) type = type.substr(1);
    do {
      std::string name = bare(word());
      if (name.empty()) return fail("a declaration");
      if (take('<')) {
        const int count = std::atoi(word().c_str());
        for (int i = 0; i < std::min(count, 256); ++i) result_.registers.push_back({name + std::to_string(i), type});
        take('>');
      } else {
        result_.registers.push_back({name, type});
      }
    } while (take(','));
  }

  static std::string bare(std::string name) { return name.starts_with("%") ? name.substr(1) : name; }

  PtxOperand operand() {
    skip();
    PtxOperand found = single();
    if (take('|')) found.second.push_back(single());
    return found;
  }

  PtxOperand single() {
    PtxOperand found;
    skip();
    if (take('!')) {
      found = single();
      found.is_negated = true;
      return found;
    }
    const char c = peek();
    if (c == '{') return vector();
    if (c == '[') return address();
    if (c == '\1') {
      ++at_;
      found.kind = PtxOperand::Kind::kArgument;
      while (std::isdigit(static_cast<unsigned char>(peek())) != 0)
        found.argument = found.argument * 10 + static_cast<unsigned>(text_[at_++] - '0');
      return found;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-') return number();
    std::string name = word();
    if (name == "_") return found;
    if (name.empty()) fail("\"" + text_.substr(at_, 20) + "\"");
    const std::string plain = bare(name);
    const bool is_declared = std::any_of(result_.registers.begin(), result_.registers.end(),
                                         [&](const PtxRegister& each) { return each.name == plain; });
    found.kind = is_declared ? PtxOperand::Kind::kRegister : PtxOperand::Kind::kSpecial;
    found.name = plain;
    return found;
  }

  PtxOperand vector() {
    PtxOperand found;
    found.kind = PtxOperand::Kind::kVector;
    take('{');
    do found.members.push_back(single());
    while (result_.error.empty() && take(','));
    if (!take('}')) fail("a vector of operands");
    return found;
  }

  PtxOperand address() {
    PtxOperand found;
    found.kind = PtxOperand::Kind::kAddress;
    take('[');
    found.members.push_back(single());
    skip();
    if (peek() == '+' || peek() == '-') {
      if (peek() == '+') ++at_;
      found.members.push_back(single());
    }
    if (!take(']')) fail("an address");
    return found;
  }

  PtxOperand number() {
    PtxOperand found;
    found.kind = PtxOperand::Kind::kNumber;
    std::string digits;
    if (peek() == '-') digits += text_[at_++];
    while (is_word(peek()) || ((peek() == '-' || peek() == '+') && !digits.empty() &&
                               (digits.back() == 'e' || digits.back() == 'E') && !digits.starts_with("0x")))
      digits += text_[at_++];
    if (digits.starts_with("0f") || digits.starts_with("0F")) {
      found.number = std::strtoull(digits.c_str() + 2, nullptr, 16);
      found.number_type = 'f';
    } else if (digits.starts_with("0d") || digits.starts_with("0D")) {
      found.number = std::strtoull(digits.c_str() + 2, nullptr, 16);
      found.number_type = 'd';
    } else if (digits.find('.') != std::string::npos) {
      found.number = std::bit_cast<std::uint64_t>(std::strtod(digits.c_str(), nullptr));
      found.number_type = 'd';
    } else {
      found.number = digits.starts_with("-") ? static_cast<std::uint64_t>(std::strtoll(digits.c_str(), nullptr, 0))
                                             : std::strtoull(digits.c_str(), nullptr, 0);
    }
    return found;
  }

  std::string text_;
  std::size_t at_ = 0;
  PtxText result_;
};

}  // namespace

bool PtxInstruction::has(std::string_view word) const { return std::find(words.begin(), words.end(), word) != words.end(); }

PtxText read_ptx(std::string_view assembly) { return Reader(plain_text(assembly)).read(); }

}  // namespace starbridge::emulate

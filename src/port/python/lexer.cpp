#include "port/python/lexer.h"

#include <cstring>

namespace starbridge::port::python {
namespace {

constexpr std::uint8_t kLetter = 1;
constexpr std::uint8_t kDecimal = 2;
constexpr std::uint8_t kBlank = 4;
constexpr std::uint8_t kHexadecimal = 8;
constexpr std::uint8_t kOctal = 16;
constexpr std::uint8_t kBinaryDigit = 32;
constexpr std::uint8_t kBeyondAscii = 64;

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned c = 0; c < 256; ++c) {
    bool is_decimal = c >= '0' && c <= '9';
    bool is_lower = c >= 'a' && c <= 'z';
    bool is_upper = c >= 'A' && c <= 'Z';
    std::uint8_t bits = 0;
    if (is_lower || is_upper || c == '_') bits |= kLetter;
    if (is_decimal) bits |= kDecimal;
    if (is_decimal || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) bits |= kHexadecimal;
    if (c >= '0' && c <= '7') bits |= kOctal;
    if (c == '0' || c == '1') bits |= kBinaryDigit;
    if (c == ' ' || c == '\t' || c == '\f') bits |= kBlank;
    if (c >= 128) bits |= kBeyondAscii;
    classes[c] = bits;
  }
  return classes;
}

constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

bool is(char c, unsigned classes) { return (kClasses[static_cast<unsigned char>(c)] & classes) != 0; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }

// What a prefix of a string says; false when the letters are no prefix.
bool read_prefix(const char* letters, std::size_t size, bool& is_format, bool& is_raw) {
  is_format = false;
  is_raw = false;
  bool is_bytes = false;
  bool is_unicode = false;
  for (std::size_t at = 0; at < size; ++at) {
    bool* flag = nullptr;
    switch (letters[at] | 0x20) {
      case 'f':
        flag = &is_format;
        break;
      case 'r':
        flag = &is_raw;
        break;
      case 'b':
        flag = &is_bytes;
        break;
      case 'u':
        flag = &is_unicode;
        break;
      default:
        return false;
    }
    if (*flag) return false;
    *flag = true;
  }
  return !(is_bytes && is_format) && !(is_unicode && size > 1);
}

}  // namespace

Lexer::Lexer(const std::string& source, Symbols& symbols)
    : source_begin_(source.data()),
      source_end_(source.data() + source.size()),
      position_(source.data()),
      token_begin_(source.data()),
      symbols_(&symbols) {
  if (source.compare(0, 3, "\xEF\xBB\xBF") == 0) position_ += 3;
}

void Lexer::stop() {
  is_stopped_ = true;
  token_ = Token::kEnd;
}

void Lexer::advance() {
  if (is_stopped_) return;
  if (pending_dedents_ > 0) {
    --pending_dedents_;
    token_begin_ = position_;
    token_ = Token::kDedent;
    return;
  }
  if (is_line_start_ && start_line()) return;
  for (;;) {
    while (is(*position_, kBlank)) ++position_;
    token_begin_ = position_;
    char c = *position_;
    if (is(c, kLetter)) return lex_name();
    switch (c) {
      case '#':
        skip_comment();
        continue;
      case '\n':
      case '\r':
        if (nesting_ == 0) return lex_newline();
        skip_line_end();
        continue;
      case '\\':
        ++position_;
        if (!is_line_end(*position_)) return fail();
        skip_line_end();
        if (position_ == source_end_) return fail();
        continue;
      case '"':
      case '\'':
        return lex_string(false, false);
      case '\0':
        if (position_ != source_end_) return fail();
        if (nesting_ == 0 && !is_line_start_) return lex_newline();
        token_ = Token::kEnd;
        return;
      default:
        if (is(c, kDecimal)) return lex_number();
        return lex_operator();
    }
  }
}

// Measures the indentation of the next line that holds something.
bool Lexer::start_line() {
  for (;;) {
    Indent indent;
    Indent before_continuation;
    for (;; ++position_) {
      if (*position_ == ' ') {
        ++indent.column;
        ++indent.tab_as_one;
      } else if (*position_ == '\t') {
        indent.column = (indent.column / 8 + 1) * 8;
        ++indent.tab_as_one;
      } else if (*position_ == '\f') {
        indent = {};
      } else if (*position_ == '\\' && is_line_end(position_[1])) {
        // A continued line is as deep as its first part.
        if (before_continuation.column == 0) before_continuation = {indent.column, indent.column};
        ++position_;
        skip_line_end();
        --position_;
        if (position_ + 1 == source_end_) return fail(), true;
      } else {
        break;
      }
    }
    if (*position_ == '#') skip_comment();
    if (is_line_end(*position_)) {
      skip_line_end();
      continue;
    }
    token_begin_ = position_;
    if (position_ == source_end_) {
      indent = {};
    } else if (before_continuation.column != 0) {
      indent = before_continuation;
    }
    if (position_ != source_end_) is_line_start_ = false;
    const Indent current = indent_count_ == 0 ? Indent{} : indents_[static_cast<std::size_t>(indent_count_ - 1)];
    if (indent.column == current.column) return indent.tab_as_one == current.tab_as_one ? false : (fail(), true);
    if (indent.column > current.column) {
      if (indent_count_ + 1 >= kIndentationMax || indent.tab_as_one <= current.tab_as_one) return fail(), true;
      indents_[static_cast<std::size_t>(indent_count_++)] = indent;
      token_ = Token::kIndent;
      return true;
    }
    while (indent_count_ > 0 && indent.column < indents_[static_cast<std::size_t>(indent_count_ - 1)].column) {
      --indent_count_;
      ++pending_dedents_;
    }
    const Indent outer = indent_count_ == 0 ? Indent{} : indents_[static_cast<std::size_t>(indent_count_ - 1)];
    if (indent.column != outer.column || indent.tab_as_one != outer.tab_as_one) return fail(), true;
    --pending_dedents_;
    token_ = Token::kDedent;
    return true;
  }
}

void Lexer::skip_line_end() { position_ += position_[0] == '\r' && position_[1] == '\n' ? 2 : 1; }

void Lexer::skip_comment() {
  while (*position_ != '\n' && *position_ != '\r' && position_ != source_end_) ++position_;
}

void Lexer::lex_newline() {
  token_ = Token::kNewline;
  is_line_start_ = true;
  if (position_ != source_end_) skip_line_end();
}

void Lexer::lex_name() {
  const char* at = position_ + 1;
  while (is(*at, kLetter | kDecimal)) ++at;
  auto size = static_cast<std::size_t>(at - token_begin_);
  if (*at == '"' || *at == '\'') {
    bool is_format = false;
    bool is_raw = false;
    if (size <= 2 && read_prefix(token_begin_, size, is_format, is_raw)) {
      position_ = at;
      return lex_string(is_format, is_raw);
    }
  }
  position_ = at;
  if (is(*at, kBeyondAscii)) return fail();
  symbol_ = symbols_->intern({token_begin_, size});
  token_ = symbol_ < kHardKeywordCount ? static_cast<Token>(symbol_) : Token::kName;
}

bool Lexer::skip_digits(std::uint8_t digit_class) {
  for (;;) {
    if (!is(*position_, digit_class)) return false;
    while (is(*position_, digit_class)) ++position_;
    if (*position_ != '_') return true;
    ++position_;
  }
}

void Lexer::lex_number() {
  token_ = Token::kNumber;
  bool is_good = true;
  char kind = *position_ == '0' ? static_cast<char>(position_[1] | 0x20) : '\0';
  if (kind == 'x' || kind == 'o' || kind == 'b') {
    position_ += 2;
    if (*position_ == '_') ++position_;
    is_good = skip_digits(kind == 'x' ? kHexadecimal : kind == 'o' ? kOctal : kBinaryDigit) && !is(*position_, kDecimal);
  } else {
    bool is_integer = true;
    if (*position_ != '.') is_good = skip_digits(kDecimal);
    if (*position_ == '.') {
      is_integer = false;
      ++position_;
      if (is(*position_, kDecimal)) is_good = skip_digits(kDecimal) && is_good;
    }
    bool has_exponent =
        (*position_ | 0x20) == 'e' &&
        (is(position_[1], kDecimal) || ((position_[1] == '+' || position_[1] == '-') && is(position_[2], kDecimal)));
    if (has_exponent) {
      is_integer = false;
      position_ += is(position_[1], kDecimal) ? 1 : 2;
      is_good = skip_digits(kDecimal) && is_good;
    }
    if ((*position_ | 0x20) == 'j') {
      is_integer = false;
      ++position_;
    }
    // 0777 is a number of Python 2; 000 is zero.
    if (is_integer && *token_begin_ == '0') {
      for (const char* at = token_begin_; at < position_; ++at) is_good = is_good && (*at == '0' || *at == '_');
    }
  }
  if (is(*position_, kLetter | kBeyondAscii)) {
    // "1if x else y" is read as CPython reads it: a keyword may touch the number.
    static constexpr std::array<std::string_view, 8> kMayTouch = {"and", "else", "for", "if", "in", "is", "not", "or"};
    bool may_touch = false;
    for (std::string_view word : kMayTouch) may_touch = may_touch || std::strncmp(position_, word.data(), word.size()) == 0;
    is_good = is_good && may_touch;
  }
  if (!is_good) fail();
}

void Lexer::make_or_assigning(Token token, int length, Token token_assigning) {
  if (position_[length] == '=') return make(token_assigning, length + 1);
  make(token, length);
}

void Lexer::open_bracket(Token token) {
  if (++nesting_ > kNestingMax) return fail();
  make(token, 1);
}

void Lexer::close_bracket(Token token) {
  if (nesting_ == 0) return fail();
  --nesting_;
  make(token, 1);
}

void Lexer::lex_operator() {
  char next = position_[1];
  switch (*position_) {
    case '(':
      return open_bracket(Token::kLeftParen);
    case ')':
      return close_bracket(Token::kRightParen);
    case '[':
      return open_bracket(Token::kLeftBracket);
    case ']':
      return close_bracket(Token::kRightBracket);
    case '{':
      return open_bracket(Token::kLeftBrace);
    case '}':
      return close_bracket(Token::kRightBrace);
    case ',':
      return make(Token::kComma, 1);
    case ':':
      // At the level of a field the format follows, which may begin with "=".
      if (next == '=' && !is_at_field_level()) return make(Token::kWalrus, 2);
      return make(Token::kColon, 1);
    case ';':
      return make(Token::kSemicolon, 1);
    case '.':
      if (is(next, kDecimal)) return lex_number();
      if (next == '.' && position_[2] == '.') return make(Token::kEllipsis, 3);
      return make(Token::kDot, 1);
    case '=':
      return make_or_assigning(Token::kAssign, 1, Token::kEqual);
    case '!':
      return make_or_assigning(Token::kExclamation, 1, Token::kNotEqual);
    case '<':
      if (next == '<') return make_or_assigning(Token::kShift, 2, Token::kAugmentedAssign);
      return make_or_assigning(Token::kLess, 1, Token::kLessEqual);
    case '>':
      if (next == '>') return make_or_assigning(Token::kShift, 2, Token::kAugmentedAssign);
      return make_or_assigning(Token::kGreater, 1, Token::kGreaterEqual);
    case '+':
      return make_or_assigning(Token::kPlus, 1, Token::kAugmentedAssign);
    case '-':
      if (next == '>') return make(Token::kArrow, 2);
      return make_or_assigning(Token::kMinus, 1, Token::kAugmentedAssign);
    case '*':
      if (next == '*') return make_or_assigning(Token::kDoubleStar, 2, Token::kAugmentedAssign);
      return make_or_assigning(Token::kStar, 1, Token::kAugmentedAssign);
    case '/':
      if (next == '/') return make_or_assigning(Token::kPercent, 2, Token::kAugmentedAssign);
      return make_or_assigning(Token::kSlash, 1, Token::kAugmentedAssign);
    case '%':
      return make_or_assigning(Token::kPercent, 1, Token::kAugmentedAssign);
    case '@':
      return make_or_assigning(Token::kAt, 1, Token::kAugmentedAssign);
    case '&':
      return make_or_assigning(Token::kAmpersand, 1, Token::kAugmentedAssign);
    case '|':
      return make_or_assigning(Token::kPipe, 1, Token::kAugmentedAssign);
    case '^':
      return make_or_assigning(Token::kCaret, 1, Token::kAugmentedAssign);
    case '~':
      return make(Token::kTilde, 1);
    default:
      return fail();
  }
}

void Lexer::lex_string(bool is_format, bool is_raw) {
  char quote = *position_;
  bool is_triple = position_[1] == quote && position_[2] == quote;
  position_ += is_triple ? 3 : 1;
  if (is_format) {
    token_ = Token::kFormatString;
    format_ = {quote, is_triple, is_raw};
    return;
  }
  token_ = Token::kString;
  if (!(is_triple ? skip_long_string(quote) : skip_short_string(quote))) fail();
}

bool Lexer::skip_short_string(char quote) {
  for (;; ++position_) {
    char c = *position_;
    if (c == quote) {
      ++position_;
      return true;
    }
    if (is_line_end(c) || (c == '\0' && position_ == source_end_)) return false;
    if (c != '\\') continue;
    ++position_;
    if (position_ == source_end_) return false;
    if (position_[0] == '\r' && position_[1] == '\n') ++position_;
  }
}

bool Lexer::skip_long_string(char quote) {
  const char* content = position_;
  for (;;) {
    const void* found = std::memchr(position_, quote, static_cast<std::size_t>(source_end_ - position_));
    if (found == nullptr) return false;
    position_ = static_cast<const char*>(found);
    std::size_t backslashes = 0;
    while (position_ - backslashes > content && *(position_ - backslashes - 1) == '\\') ++backslashes;
    ++position_;
    if (backslashes % 2 == 1) {
      content = position_;
      continue;
    }
    if (position_[0] == quote && position_[1] == quote) {
      position_ += 2;
      return true;
    }
    content = position_;
  }
}

Token Lexer::skip_format_text(const FormatString& format, bool is_specifier) {
  bool is_in_name = false;  // \N{NAME OF A CHARACTER}
  for (;; ++position_) {
    char c = *position_;
    if (c == '\0' && position_ == source_end_) return Token::kError;
    if (is_line_end(c) && !format.is_triple) return Token::kError;
    if (c == format.quote && (!format.is_triple || (position_[1] == c && position_[2] == c))) {
      position_ += format.is_triple ? 3 : 1;
      return is_specifier || is_in_name ? Token::kError : Token::kString;
    }
    if (c == '{' && !is_in_name) {
      if (is_specifier || position_[1] != '{') return ++position_, Token::kLeftBrace;
      ++position_;
    } else if (c == '}') {
      if (is_in_name) {
        is_in_name = false;
      } else if (is_specifier) {
        return ++position_, Token::kRightBrace;
      } else if (position_[1] == '}') {
        ++position_;
      } else {
        return Token::kError;
      }
    } else if (c == '\\' && !is_in_name) {
      char next = position_[1];
      if (next == '{' || next == '}' || (next == '\0' && position_ + 1 == source_end_)) continue;
      ++position_;
      if (next == '\r' && position_[1] == '\n') ++position_;
      if (next == 'N' && !format.is_raw && position_[1] == '{') {
        is_in_name = true;
        ++position_;
      }
    }
  }
}

Lexer::Outside Lexer::enter_field() {
  Outside outside{nesting_, field_level_};
  field_level_ = ++nesting_;
  if (nesting_ > kNestingMax) stop();
  return outside;
}

void Lexer::leave_field(Outside outside) {
  nesting_ = outside.nesting;
  field_level_ = outside.field_level;
}

}  // namespace starbridge::port::python

// Lexer: the tokens of Python 3.8 to 3.13, one at a time, as CPython's tokenizer reads them. Strict: what CPython refuses is an
// error token. Names beyond ASCII are errors too: the caller has a slower reader that knows Unicode's classes. One object per
// file, one thread. Copying it saves the place, so that a parser may try and return.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "port/python/symbols.h"

namespace starbridge::port::python {

enum class Token : std::uint8_t {
  // Keywords first, in the order of kKeywords.
  kFalse,
  kNone,
  kTrue,
  kAnd,
  kAs,
  kAssert,
  kAsync,
  kAwait,
  kBreak,
  kClass,
  kContinue,
  kDef,
  kDel,
  kElif,
  kElse,
  kExcept,
  kFinally,
  kFor,
  kFrom,
  kGlobal,
  kIf,
  kImport,
  kIn,
  kIs,
  kLambda,
  kNonlocal,
  kNot,
  kOr,
  kPass,
  kRaise,
  kReturn,
  kTry,
  kWhile,
  kWith,
  kYield,
  kName,
  kNumber,
  kString,
  kFormatString,
  kNewline,
  kIndent,
  kDedent,
  kEnd,
  kError,
  kLeftParen,
  kRightParen,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kComma,
  kColon,
  kSemicolon,
  kDot,
  kEllipsis,
  kArrow,
  kWalrus,
  kAssign,
  kExclamation,
  kAugmentedAssign,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kPipe,
  kCaret,
  kAmpersand,
  kShift,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kAt,
  kDoubleStar,
  kTilde,
};

// A format string whose fields are being read: what ends it and how its text is escaped.
struct FormatString {
  char quote = '"';
  bool is_triple = false;
  bool is_raw = false;
};

class Lexer {
 public:
  static constexpr int kNestingMax = 200;      // brackets, as in CPython
  static constexpr int kIndentationMax = 100;  // levels, as in CPython

  // `symbols` collects the names; both outlive the object. A std::string ends with NUL, which stops every loop.
  Lexer(const std::string& source, Symbols& symbols);

  void advance();  // reads the next token
  Token token() const { return token_; }
  std::uint32_t begin() const { return static_cast<std::uint32_t>(token_begin_ - source_begin_); }
  std::uint32_t end() const { return static_cast<std::uint32_t>(position_ - source_begin_); }
  Symbol symbol() const { return symbol_; }               // of kName and keywords
  FormatString format_string() const { return format_; }  // of kFormatString; the place is behind the opening quotes

  // --- inside format strings: the parser reads the text between the fields itself ---
  // Steps over text up to a field's "{" (kLeftBrace), the closing quotes (kString), a "}" of the outer field when `is_specifier`
  // (kRightBrace), or damage (kError).
  Token skip_format_text(const FormatString& format, bool is_specifier);
  // Enters and leaves a field; inside, line ends do not count and a ":" of its own level stands alone. Returns what is outside.
  struct Outside {
    int nesting = 0;
    int field_level = -1;
  };
  Outside enter_field();
  void leave_field(Outside outside);
  bool is_at_field_level() const { return nesting_ == field_level_; }

  // From now on only kEnd: the text is refused.
  void stop();

 private:
  bool start_line();  // true when it made a token
  void lex_name();
  void lex_number();
  bool skip_digits(std::uint8_t digit_class);
  void lex_operator();
  void lex_string(bool is_format, bool is_raw);
  bool skip_short_string(char quote);
  bool skip_long_string(char quote);
  void lex_newline();
  void skip_line_end();
  void skip_comment();
  void close_bracket(Token token);
  void open_bracket(Token token);
  void make(Token token, int length) {
    token_ = token;
    position_ += length;
  }
  // `token`, or `token_assigning` when "=" follows its `length` bytes.
  void make_or_assigning(Token token, int length, Token token_assigning);
  void fail() { make(Token::kError, 0); }

  const char* source_begin_;
  const char* source_end_;
  const char* position_;
  const char* token_begin_;
  Symbols* symbols_;
  Symbol symbol_ = kNoSymbol;
  Token token_ = Token::kEnd;
  FormatString format_;
  bool is_line_start_ = true;
  bool is_stopped_ = false;
  int nesting_ = 0;
  int field_level_ = -1;  // nesting_ of the innermost field
  int pending_dedents_ = 0;
  int indent_count_ = 0;
  struct Indent {
    int column = 0;      // tabs reach to multiples of eight
    int tab_as_one = 0;  // tabs count one: the two must agree, or the depth depends on the reader
  };
  std::array<Indent, kIndentationMax> indents_{};
};

}  // namespace starbridge::port::python

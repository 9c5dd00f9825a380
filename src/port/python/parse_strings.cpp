// Strings, joined when they follow each other, and the fields of format strings.
#include "port/python/parser.h"

namespace starbridge::port::python {

NodeId Parser::strings() {
  NodeId first = at(Token::kString) ? leaf(Kind::kString) : format_string();
  if (!at(Token::kString) && !at(Token::kFormatString)) return first;
  Open joined = wrap(Kind::kConcatenatedString, first);
  while (at(Token::kString) || at(Token::kFormatString)) add(joined, at(Token::kString) ? leaf(Kind::kString) : format_string());
  return close(joined);
}

NodeId Parser::format_string() {
  Depth depth(*this);
  Open made = open(Kind::kString, lexer_.begin());
  FormatString format = lexer_.format_string();
  for (;;) {
    Token stop = lexer_.skip_format_text(format, false);
    if (stop == Token::kString) break;
    if (stop != Token::kLeftBrace || is_refused_) {
      refuse();
      return made.id;
    }
    add(made, format_field(format));
  }
  // The text was read behind the lexer's back: what ends here is the string.
  last_end_ = lexer_.end();
  node(made.id).end = last_end_;
  lexer_.advance();
  return made.id;
}

// {expression = !r :format}, behind the "{"; the lexer is left behind the "}".
NodeId Parser::format_field(const FormatString& format) {
  Depth depth(*this);
  Open field = open(Kind::kInterpolation, lexer_.end() - 1);
  Lexer::Outside outside = lexer_.enter_field();
  lexer_.advance();
  add(field, star_expressions_or_yield());
  if (at(Token::kAssign)) lexer_.advance();
  if (at(Token::kExclamation)) {
    lexer_.advance();
    if (!at(Token::kName) || lexer_.end() != lexer_.begin() + 1) refuse();
    lexer_.advance();
  }
  if (at(Token::kColon)) {
    for (;;) {
      Token stop = lexer_.skip_format_text(format, true);
      if (stop == Token::kRightBrace) break;
      if (stop != Token::kLeftBrace || is_refused_) {
        refuse();
        break;
      }
      add(field, format_field(format));
    }
  } else if (!at(Token::kRightBrace)) {
    refuse();
  }
  lexer_.leave_field(outside);
  node(field.id).end = lexer_.end();
  return field.id;
}

}  // namespace starbridge::port::python

// The match statement and its patterns. Names in patterns are bound or compared by their dotted path: leaves, no expressions.
#include "port/python/parser.h"

namespace starbridge::port::python {

// `match` is a name everywhere else: the statement is one when a block of cases follows. False: none begins here.
bool Parser::match_statement(Open& block) {
  Saved saved = save();
  Open statement = open(Kind::kStatement, lexer_.begin());
  advance();
  add(statement, star_subject());
  bool has_block = accept(Token::kColon) && accept(Token::kNewline) && accept(Token::kIndent) && at_word(kCaseSymbol);
  if (is_refused_ || !has_block) {
    restore(saved);
    return false;
  }
  while (at_word(kCaseSymbol)) case_clause(statement);
  expect(Token::kDedent);
  add(block, close(statement));
  return true;
}

NodeId Parser::star_subject() {
  bool is_star = at(Token::kStar);
  NodeId first = star_or_named_expression();
  if (!at(Token::kComma)) {
    if (is_star) refuse();
    return first;
  }
  Open tuple = wrap(Kind::kTuple, first);
  while (accept(Token::kComma) && !at(Token::kColon) && !at(Token::kEnd)) add(tuple, star_or_named_expression());
  return close(tuple);
}

void Parser::case_clause(Open& statement) {
  advance();
  add(statement, open_pattern(), Field::kPattern);
  if (accept(Token::kIf)) add(statement, named_expression());
  expect(Token::kColon);
  add(statement, block());
}

NodeId Parser::open_pattern() {
  bool is_star = at(Token::kStar);
  NodeId first = star_or_pattern();
  if (!at(Token::kComma)) {
    if (is_star) refuse();
    return first;
  }
  Open sequence = wrap(Kind::kOther, first);
  while (accept(Token::kComma) && !at(Token::kColon) && !at(Token::kIf) && !at(Token::kEnd)) add(sequence, star_or_pattern());
  return close(sequence);
}

NodeId Parser::capture() {
  if (!at(Token::kName)) refuse();
  return leaf(Kind::kIdentifier);
}

NodeId Parser::star_or_pattern() {
  if (!at(Token::kStar)) return pattern();
  Open star = open(Kind::kStar, lexer_.begin());
  advance();
  add(star, capture());
  return close(star);
}

NodeId Parser::pattern() {
  Depth depth(*this);
  NodeId left = or_pattern();
  if (!at(Token::kAs)) return left;
  Open named = wrap(Kind::kOther, left);
  advance();
  add(named, capture());
  return close(named);
}

NodeId Parser::or_pattern() {
  NodeId first = closed_pattern();
  if (!at(Token::kPipe)) return first;
  Open alternatives = wrap(Kind::kOther, first);
  while (accept(Token::kPipe)) add(alternatives, closed_pattern());
  return close(alternatives);
}

NodeId Parser::closed_pattern() {
  switch (token()) {
    case Token::kName:
      return name_pattern();
    case Token::kLeftParen:
      return sequence_pattern(Token::kRightParen);
    case Token::kLeftBracket:
      return sequence_pattern(Token::kRightBracket);
    case Token::kLeftBrace:
      return mapping_pattern();
    default:
      return literal_pattern();
  }
}

// Numbers with sign and imaginary part, strings, None, True, False.
NodeId Parser::literal_pattern() {
  if (at(Token::kString) || at(Token::kFormatString)) return strings();
  if (at(Token::kNone) || at(Token::kTrue) || at(Token::kFalse)) return leaf(Kind::kConstant);
  Open number = open(Kind::kOther, lexer_.begin());
  accept(Token::kMinus);
  if (!at(Token::kNumber)) refuse();
  add(number, leaf(Kind::kConstant));
  if (accept(Token::kPlus) || accept(Token::kMinus)) {
    if (!at(Token::kNumber)) refuse();
    add(number, leaf(Kind::kConstant));
  }
  return close(number);
}

NodeId Parser::name_pattern() {
  NodeId name = dotted_name();
  if (!at(Token::kLeftParen)) return name;
  Open made = wrap(Kind::kOther, name);
  class_pattern_arguments(made);
  return close(made);
}

void Parser::class_pattern_arguments(Open& class_pattern) {
  expect(Token::kLeftParen);
  bool has_keyword = false;
  while (!at(Token::kRightParen) && !at(Token::kEnd)) {
    NodeId made = pattern();
    if (at(Token::kAssign)) {
      // What was read is the name of an attribute.
      if (kind(made) != Kind::kDottedName || syntax_.text(made) != syntax_.name(made)) refuse();
      has_keyword = true;
      node(made).kind = Kind::kIdentifier;
      add(class_pattern, made);
      advance();
      made = pattern();
    } else if (has_keyword) {
      refuse();
    }
    add(class_pattern, made);
    if (!accept(Token::kComma)) break;
  }
  expect(Token::kRightParen);
}

// [a, *rest] and (a, b); (a) is a.
NodeId Parser::sequence_pattern(Token closer) {
  Open sequence = open(Kind::kOther, lexer_.begin());
  advance();
  bool has_star = false;
  bool has_comma = false;
  while (!at(closer) && !at(Token::kEnd)) {
    has_star = has_star || at(Token::kStar);
    add(sequence, star_or_pattern());
    if (!accept(Token::kComma)) break;
    has_comma = true;
  }
  if (closer == Token::kRightParen && has_star && !has_comma) refuse();
  expect(closer);
  return close(sequence);
}

NodeId Parser::mapping_pattern() {
  Open mapping = open(Kind::kOther, lexer_.begin());
  advance();
  while (!at(Token::kRightBrace) && !at(Token::kEnd)) {
    if (at(Token::kDoubleStar)) {
      Open star = open(Kind::kStar, lexer_.begin());
      advance();
      add(star, capture());
      add(mapping, close(star));
      accept(Token::kComma);
      break;  // nothing may follow
    }
    if (at(Token::kName)) {
      NodeId key = dotted_name();
      // A key is a value: a name without dots would be a capture.
      if (is_refused_ || syntax_.text(key) == syntax_.name(key)) refuse();
      add(mapping, key);
    } else {
      add(mapping, literal_pattern());
    }
    expect(Token::kColon);
    add(mapping, pattern());
    if (!accept(Token::kComma)) break;
  }
  expect(Token::kRightBrace);
  return close(mapping);
}

}  // namespace starbridge::port::python

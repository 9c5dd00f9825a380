// Atoms: names, constants and everything in brackets.
#include "port/python/parser.h"

namespace starbridge::port::python {

NodeId Parser::atom() {
  switch (token()) {
    case Token::kName:
      return leaf(Kind::kIdentifier);
    case Token::kNumber:
    case Token::kNone:
    case Token::kTrue:
    case Token::kFalse:
    case Token::kEllipsis:
      return leaf(Kind::kConstant);
    case Token::kString:
    case Token::kFormatString:
      return strings();
    case Token::kLeftParen:
      return parenthesized();
    case Token::kLeftBracket:
      return list();
    case Token::kLeftBrace:
      return braces();
    default:
      refuse();
      return leaf(Kind::kError);
  }
}

NodeId Parser::parenthesized() {
  Open made = open(Kind::kParenthesized, lexer_.begin());
  advance();
  if (at(Token::kRightParen)) {
    node(made.id).kind = Kind::kTuple;
  } else if (at(Token::kYield)) {
    add(made, yield_expression());
  } else {
    NodeId first = star_or_named_expression();
    add(made, first);
    if (at(Token::kComma)) {
      node(made.id).kind = Kind::kTuple;
      advance();
      elements(made, Token::kRightParen);
    } else if (kind(first) == Kind::kStar) {
      refuse();
    } else if (at_comprehension()) {
      node(made.id).kind = Kind::kGenerator;
      comprehension_clauses(made);
    }
  }
  expect(Token::kRightParen);
  return close(made);
}

NodeId Parser::list() {
  Open made = open(Kind::kList, lexer_.begin());
  advance();
  if (!at(Token::kRightBracket)) {
    NodeId first = star_or_named_expression();
    add(made, first);
    if (at_comprehension()) {
      if (kind(first) == Kind::kStar) refuse();
      node(made.id).kind = Kind::kComprehension;
      comprehension_clauses(made);
    } else if (accept(Token::kComma)) {
      elements(made, Token::kRightBracket);
    }
  }
  expect(Token::kRightBracket);
  return close(made);
}

// After the first comma; the closer stays.
void Parser::elements(Open& collection, Token closer) {
  while (!at(closer) && !at(Token::kEnd)) {
    add(collection, star_or_named_expression());
    if (!accept(Token::kComma)) return;
  }
}

NodeId Parser::braces() {
  Open made = open(Kind::kDictionary, lexer_.begin());
  advance();
  bool is_dictionary = true;
  for (bool is_first = true; !at(Token::kRightBrace) && !at(Token::kEnd); is_first = false) {
    if (at(Token::kDoubleStar)) {
      if (!is_dictionary) refuse();
      Open star = open(Kind::kStar, lexer_.begin());
      advance();
      add(star, binary_above_comparison());
      add(made, close(star));
    } else {
      NodeId key = star_or_named_expression();
      bool is_pair = at(Token::kColon) && kind(key) != Kind::kStar && kind(key) != Kind::kNamedExpression;
      if (!is_first && is_pair != is_dictionary) refuse();
      is_dictionary = is_pair;
      if (is_pair) {
        Open pair = wrap(Kind::kPair, key, Field::kKey);
        advance();
        add(pair, expression(), Field::kValue);
        key = close(pair);
      }
      add(made, key);
      if (is_first && at_comprehension()) {
        if (kind(key) == Kind::kStar) refuse();
        node(made.id).kind = Kind::kComprehension;
        comprehension_clauses(made);
        break;
      }
    }
    if (!accept(Token::kComma)) break;
  }
  if (!is_dictionary && kind(made.id) == Kind::kDictionary) node(made.id).kind = Kind::kSet;
  expect(Token::kRightBrace);
  return close(made);
}

void Parser::comprehension_clauses(Open& comprehension) {
  while (at_comprehension()) {
    accept(Token::kAsync);
    expect(Token::kFor);
    NodeId targets = star_targets();
    check_target(targets);
    add(comprehension, targets, Field::kLeft);
    expect(Token::kIn);
    add(comprehension, disjunction(), Field::kRight);
    while (accept(Token::kIf)) add(comprehension, disjunction());
  }
}

}  // namespace starbridge::port::python

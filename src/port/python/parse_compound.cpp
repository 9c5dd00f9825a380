// Compound statements: what holds blocks.
#include "port/python/parser.h"

namespace starbridge::port::python {

bool Parser::compound_statement(Open& block) {
  std::uint32_t begin = lexer_.begin();
  switch (token()) {
    case Token::kIf:
      return add(block, if_statement()), true;
    case Token::kWhile:
      return add(block, while_statement()), true;
    case Token::kFor:
      return add(block, for_statement(begin)), true;
    case Token::kTry:
      return add(block, try_statement()), true;
    case Token::kWith:
      return add(block, with_statement(begin)), true;
    case Token::kDef:
      return add(block, function(begin)), true;
    case Token::kClass:
      return add(block, class_definition()), true;
    case Token::kAt:
      return add(block, decorated()), true;
    case Token::kAsync:
      return add(block, async_statement()), true;
    case Token::kName:
      return lexer_.symbol() == kMatchSymbol && match_statement(block);
    default:
      return false;
  }
}

NodeId Parser::if_statement() {
  Open statement = open(Kind::kStatement, lexer_.begin());
  do {
    advance();
    add(statement, named_expression());
    expect(Token::kColon);
    add(statement, block());
  } while (at(Token::kElif));
  if (accept(Token::kElse)) {
    expect(Token::kColon);
    add(statement, block());
  }
  return close(statement);
}

NodeId Parser::while_statement() {
  Open statement = open(Kind::kStatement, lexer_.begin());
  advance();
  add(statement, named_expression());
  expect(Token::kColon);
  add(statement, block());
  if (accept(Token::kElse)) {
    expect(Token::kColon);
    add(statement, block());
  }
  return close(statement);
}

NodeId Parser::for_statement(std::uint32_t begin) {
  Open statement = open(Kind::kStatement, begin);
  expect(Token::kFor);
  NodeId targets = star_targets();
  check_target(targets);
  add(statement, targets, Field::kLeft);
  expect(Token::kIn);
  add(statement, star_expressions(), Field::kRight);
  expect(Token::kColon);
  add(statement, block());
  if (accept(Token::kElse)) {
    expect(Token::kColon);
    add(statement, block());
  }
  return close(statement);
}

NodeId Parser::try_statement() {
  Open statement = open(Kind::kStatement, lexer_.begin());
  advance();
  expect(Token::kColon);
  add(statement, block());
  bool has_handler = false;
  bool has_group = false;
  bool has_catch_all = false;
  while (accept(Token::kExcept)) {
    bool is_group = accept(Token::kStar);
    if ((has_handler && is_group != has_group) || has_catch_all) refuse();
    has_group = is_group;
    has_handler = true;
    if (!at(Token::kColon)) {
      add(statement, expression());
      if (accept(Token::kAs)) {
        if (!at(Token::kName)) refuse();
        add(statement, leaf(Kind::kIdentifier));
      }
    } else {
      has_catch_all = true;
      if (is_group) refuse();
    }
    expect(Token::kColon);
    add(statement, block());
  }
  if (has_handler && accept(Token::kElse)) {
    expect(Token::kColon);
    add(statement, block());
  }
  if (at(Token::kFinally)) {
    advance();
    expect(Token::kColon);
    add(statement, block());
  } else if (!has_handler) {
    refuse();
  }
  return close(statement);
}

NodeId Parser::with_statement(std::uint32_t begin) {
  Open statement = open(Kind::kStatement, begin);
  expect(Token::kWith);
  if (at(Token::kLeftParen)) {
    // The brackets belong to the statement when its colon follows them, else to the first expression.
    Saved saved = save();
    advance();
    Open items = open(Kind::kOther, lexer_.begin());
    while (!at(Token::kRightParen) && !at(Token::kEnd)) {
      with_item(items);
      if (!accept(Token::kComma)) break;
    }
    expect(Token::kRightParen);
    if (!is_refused_ && items.last != kNoNode && at(Token::kColon)) {
      add(statement, close(items));
    } else {
      restore(saved);
      with_items(statement);
    }
  } else {
    with_items(statement);
  }
  expect(Token::kColon);
  add(statement, block());
  return close(statement);
}

void Parser::with_items(Open& statement) {
  do {
    with_item(statement);
  } while (accept(Token::kComma));
}

void Parser::with_item(Open& statement) {
  add(statement, expression());
  if (!accept(Token::kAs)) return;
  NodeId target = star_target();
  check_target(target, false);
  add(statement, target);
}

NodeId Parser::decorated() {
  Open statement = open(Kind::kStatement, lexer_.begin());
  while (accept(Token::kAt)) {
    add(statement, named_expression());
    expect(Token::kNewline);
  }
  std::uint32_t begin = lexer_.begin();
  if (at(Token::kClass)) {
    add(statement, class_definition());
  } else {
    accept(Token::kAsync);
    add(statement, function(begin));
  }
  return close(statement);
}

NodeId Parser::async_statement() {
  std::uint32_t begin = lexer_.begin();
  advance();
  if (at(Token::kFor)) return for_statement(begin);
  if (at(Token::kWith)) return with_statement(begin);
  return function(begin);
}

NodeId Parser::function(std::uint32_t begin) {
  Open made = open(Kind::kFunction, begin);
  expect(Token::kDef);
  if (!at(Token::kName)) refuse();
  add(made, leaf(Kind::kIdentifier), Field::kName);
  if (at(Token::kLeftBracket)) type_parameters(made);
  std::uint32_t parameters_begin = lexer_.begin();
  expect(Token::kLeftParen);
  NodeId list = parameters(Token::kRightParen, false);
  expect(Token::kRightParen);
  node(list).begin = parameters_begin;
  node(list).end = last_end_;
  add(made, list, Field::kParameters);
  if (accept(Token::kArrow)) add(made, type_annotation());
  expect(Token::kColon);
  add(made, block(), Field::kBody);
  return close(made);
}

NodeId Parser::class_definition() {
  Open made = open(Kind::kClass, lexer_.begin());
  advance();
  if (!at(Token::kName)) refuse();
  add(made, leaf(Kind::kIdentifier), Field::kName);
  if (at(Token::kLeftBracket)) type_parameters(made);
  if (at(Token::kLeftParen)) {
    NodeId bases = arguments();
    if (kind(bases) != Kind::kArgumentList) refuse();
    add(made, bases);
  }
  expect(Token::kColon);
  add(made, block(), Field::kBody);
  return close(made);
}

// [T: int = str, *Ts, **P]
void Parser::type_parameters(Open& definition) {
  Open list = open(Kind::kOther, lexer_.begin());
  expect(Token::kLeftBracket);
  do {
    if (at(Token::kRightBracket) && list.last != kNoNode) break;
    bool is_star = at(Token::kStar) || at(Token::kDoubleStar);
    if (is_star) advance();
    if (!at(Token::kName)) refuse();
    add(list, leaf(Kind::kIdentifier));
    if (!is_star && accept(Token::kColon)) add(list, type_annotation());
    if (accept(Token::kAssign)) add(list, type_annotation(is_star));
  } while (accept(Token::kComma));
  expect(Token::kRightBracket);
  add(definition, close(list));
}

}  // namespace starbridge::port::python

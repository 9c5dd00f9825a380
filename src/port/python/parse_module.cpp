// Blocks and simple statements.
#include "base/check.h"
#include "port/python/parser.h"

namespace starbridge::port::python {

Parser::Parser(const std::string& source, Syntax& syntax) : syntax_(syntax), lexer_(source, syntax.symbols_) {
  syntax_.source_ = source;
  syntax_.nodes_.reserve(source.size() / 6 + 16);
}

bool Parser::run() {
  Open module = open(Kind::kModule, 0);
  SB_CHECK(module.id == 0);
  lexer_.advance();
  while (!at(Token::kEnd)) statement(module);
  node(0).end = static_cast<std::uint32_t>(syntax_.source_.size());
  return !is_refused_;
}

// --- tokens ---------------------------------------------------------------------------------------------------------

bool Parser::accept(Token token) {
  if (!at(token)) return false;
  advance();
  return true;
}

void Parser::expect(Token token) {
  if (!at(token)) return refuse();
  advance();
}

void Parser::refuse() {
  if (!is_refused_) refused_at_ = lexer_.begin();
  is_refused_ = true;
  lexer_.stop();
}

void Parser::restore(const Saved& saved) {
  lexer_ = saved.lexer;
  syntax_.nodes_.resize(saved.node_count);
  last_end_ = saved.last_end;
  is_refused_ = false;
}

// --- nodes ----------------------------------------------------------------------------------------------------------

NodeId Parser::leaf(Kind kind) {
  auto id = static_cast<NodeId>(syntax_.nodes_.size());
  bool has_name = kind == Kind::kIdentifier;
  syntax_.nodes_.push_back(
      {lexer_.begin(), lexer_.end(), kNoNode, kNoNode, kNoNode, has_name ? lexer_.symbol() : kNoSymbol, kind, Field::kNone});
  advance();
  return id;
}

Parser::Open Parser::open(Kind kind, std::uint32_t begin) {
  auto id = static_cast<NodeId>(syntax_.nodes_.size());
  syntax_.nodes_.push_back({begin, begin, kNoNode, kNoNode, kNoNode, kNoSymbol, kind, Field::kNone});
  return {id, kNoNode};
}

Parser::Open Parser::wrap(Kind kind, NodeId child, Field field) {
  auto id = static_cast<NodeId>(syntax_.nodes_.size());
  Node& inner = node(child);
  inner.parent = id;
  inner.field = field;
  std::uint32_t begin = inner.begin;
  syntax_.nodes_.push_back({begin, begin, kNoNode, child, kNoNode, kNoSymbol, kind, Field::kNone});
  return {id, child};
}

void Parser::add(Open& parent, NodeId child, Field field) {
  Node& added = node(child);
  added.parent = parent.id;
  added.field = field;
  if (parent.last == kNoNode) {
    node(parent.id).first_child = child;
  } else {
    node(parent.last).next_sibling = child;
  }
  parent.last = child;
}

NodeId Parser::close(const Open& parent) {
  node(parent.id).end = last_end_;
  return parent.id;
}

// --- statements -----------------------------------------------------------------------------------------------------

void Parser::statement(Open& block) {
  if (!compound_statement(block)) simple_statements(block);
}

void Parser::simple_statements(Open& block) {
  do {
    if (at(Token::kNewline)) break;  // after a last semicolon
    simple_statement(block);
  } while (accept(Token::kSemicolon));
  expect(Token::kNewline);
}

void Parser::simple_statement(Open& block) {
  switch (token()) {
    case Token::kReturn:
      return add(block, return_statement());
    case Token::kImport:
      return add(block, import_statement());
    case Token::kFrom:
      return add(block, import_from_statement());
    case Token::kPass:
    case Token::kBreak:
    case Token::kContinue:
      return advance();
    case Token::kRaise:
      return add(block, raise_statement());
    case Token::kGlobal:
    case Token::kNonlocal:
      return add(block, names_statement());
    case Token::kDel:
      return add(block, delete_statement());
    case Token::kAssert:
      return add(block, assert_statement());
    case Token::kSemicolon:
      return refuse();
    case Token::kName:
      if (lexer_.symbol() == kTypeSymbol) {
        Saved saved = save();
        advance();
        bool is_alias = at(Token::kName);
        restore(saved);
        if (is_alias) return add(block, type_statement());
      }
      return expression_statement(block);
    default:
      return expression_statement(block);
  }
}

void Parser::expression_statement(Open& block) {
  NodeId first = star_expressions_or_yield();
  switch (token()) {
    case Token::kAssign:
      return add(block, assignment(first));
    case Token::kColon:
      return add(block, annotated_assignment(first));
    case Token::kAugmentedAssign: {
      if (!is_single_target(first)) refuse();
      Open augmented = wrap(Kind::kAugmentedAssignment, first, Field::kLeft);
      advance();
      add(augmented, star_expressions_or_yield(), Field::kRight);
      return add(block, close(augmented));
    }
    default:
      return add(block, first);
  }
}

// a = b = value: the right side of the first is the second.
NodeId Parser::assignment(NodeId left) {
  Depth depth(*this);
  check_target(left);
  Open assigned = wrap(Kind::kAssignment, left, Field::kLeft);
  expect(Token::kAssign);
  NodeId right = star_expressions_or_yield();
  if (at(Token::kAssign)) right = assignment(right);
  add(assigned, right, Field::kRight);
  return close(assigned);
}

NodeId Parser::annotated_assignment(NodeId left) {
  if (!is_single_target(left)) refuse();
  Open assigned = wrap(Kind::kAssignment, left, Field::kLeft);
  expect(Token::kColon);
  add(assigned, type_annotation());
  if (accept(Token::kAssign)) add(assigned, star_expressions_or_yield(), Field::kRight);
  return close(assigned);
}

NodeId Parser::return_statement() {
  Open statement = open(Kind::kReturn, lexer_.begin());
  advance();
  if (!at(Token::kNewline) && !at(Token::kSemicolon)) add(statement, star_expressions());
  return close(statement);
}

NodeId Parser::raise_statement() {
  Open statement = open(Kind::kStatement, lexer_.begin());
  advance();
  if (!at(Token::kNewline) && !at(Token::kSemicolon)) {
    add(statement, expression());
    if (accept(Token::kFrom)) add(statement, expression());
  }
  return close(statement);
}

NodeId Parser::names_statement() {
  Open statement = open(Kind::kStatement, lexer_.begin());
  advance();
  do {
    if (!at(Token::kName)) refuse();
    add(statement, leaf(Kind::kIdentifier));
  } while (accept(Token::kComma));
  return close(statement);
}

NodeId Parser::delete_statement() {
  Open statement = open(Kind::kStatement, lexer_.begin());
  advance();
  NodeId targets = star_targets();
  check_delete_target(targets);
  add(statement, targets);
  return close(statement);
}

NodeId Parser::assert_statement() {
  Open statement = open(Kind::kStatement, lexer_.begin());
  advance();
  add(statement, expression());
  if (accept(Token::kComma)) add(statement, expression());
  return close(statement);
}

// type Name[T] = value
NodeId Parser::type_statement() {
  Open statement = open(Kind::kStatement, lexer_.begin());
  advance();
  add(statement, leaf(Kind::kIdentifier));
  if (at(Token::kLeftBracket)) type_parameters(statement);
  expect(Token::kAssign);
  add(statement, type_annotation());
  return close(statement);
}

NodeId Parser::block() {
  Open made = open(Kind::kBlock, lexer_.begin());
  if (!accept(Token::kNewline)) {
    simple_statements(made);
  } else {
    expect(Token::kIndent);
    node(made.id).begin = lexer_.begin();
    while (!at(Token::kDedent) && !at(Token::kEnd)) statement(made);
    expect(Token::kDedent);
  }
  return close(made);
}

}  // namespace starbridge::port::python

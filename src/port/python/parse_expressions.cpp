// Expressions by precedence, calls, subscripts and targets.
#include <array>

#include "port/python/parser.h"

namespace starbridge::port::python {
namespace {

constexpr int kOrLevel = 1;
constexpr int kAndLevel = 2;
constexpr int kNotLevel = 3;
constexpr int kComparisonLevel = 4;
constexpr int kPipeLevel = 5;

// How tightly a token binds its two sides; 0: it is no operator between two.
constexpr std::array<std::uint8_t, 128> make_levels() {
  std::array<std::uint8_t, 128> levels{};
  auto set = [&](Token token, int level) { levels[static_cast<std::size_t>(token)] = static_cast<std::uint8_t>(level); };
  set(Token::kOr, kOrLevel);
  set(Token::kAnd, kAndLevel);
  for (Token token : {Token::kEqual, Token::kNotEqual, Token::kLess, Token::kLessEqual, Token::kGreater, Token::kGreaterEqual,
                      Token::kIn, Token::kIs, Token::kNot}) {
    set(token, kComparisonLevel);
  }
  set(Token::kPipe, kPipeLevel);
  set(Token::kCaret, kPipeLevel + 1);
  set(Token::kAmpersand, kPipeLevel + 2);
  set(Token::kShift, kPipeLevel + 3);
  set(Token::kPlus, kPipeLevel + 4);
  set(Token::kMinus, kPipeLevel + 4);
  for (Token token : {Token::kStar, Token::kSlash, Token::kPercent, Token::kAt}) set(token, kPipeLevel + 5);
  return levels;
}

constexpr std::array<std::uint8_t, 128> kLevels = make_levels();

int level_of(Token token) { return kLevels[static_cast<std::size_t>(token)]; }

// Whether a list ends here, after a comma that may be its last.
bool ends_list(Token token) {
  switch (token) {
    case Token::kNewline:
    case Token::kSemicolon:
    case Token::kAssign:
    case Token::kAugmentedAssign:
    case Token::kColon:
    case Token::kRightParen:
    case Token::kRightBracket:
    case Token::kRightBrace:
    case Token::kExclamation:
    case Token::kIn:
    case Token::kEnd:
      return true;
    default:
      return false;
  }
}

}  // namespace

NodeId Parser::star_expressions() {
  // CPython's parser takes a lone `*x` too; its compiler does not.
  NodeId first = at(Token::kStar) ? star_or_named_expression() : expression();
  if (!at(Token::kComma)) return first;
  Open tuple = wrap(Kind::kTuple, first);
  while (accept(Token::kComma) && !ends_list(token())) add(tuple, at(Token::kStar) ? star_or_named_expression() : expression());
  return close(tuple);
}

NodeId Parser::star_expressions_or_yield() { return at(Token::kYield) ? yield_expression() : star_expressions(); }

NodeId Parser::yield_expression() {
  Open yielded = open(Kind::kYield, lexer_.begin());
  advance();
  if (accept(Token::kFrom)) {
    add(yielded, expression());
  } else if (!ends_list(token())) {
    add(yielded, star_expressions());
  }
  return close(yielded);
}

// `*x` takes what binds tighter than a comparison; the rest may be `name := value`.
NodeId Parser::star_or_named_expression() {
  if (!at(Token::kStar)) return named_expression();
  Open star = open(Kind::kStar, lexer_.begin());
  advance();
  add(star, binary(kPipeLevel));
  return close(star);
}

NodeId Parser::named_expression() {
  NodeId left = expression();
  if (!at(Token::kWalrus)) return left;
  if (kind(left) != Kind::kIdentifier) refuse();
  Open named = wrap(Kind::kNamedExpression, left, Field::kName);
  advance();
  add(named, expression(), Field::kValue);
  return close(named);
}

NodeId Parser::expression() {
  Depth depth(*this);
  if (at(Token::kLambda)) return lambda();
  NodeId left = binary(kOrLevel);
  if (!at(Token::kIf)) return left;
  Open conditional = wrap(Kind::kConditional, left);
  advance();
  add(conditional, binary(kOrLevel));
  expect(Token::kElse);
  add(conditional, expression());
  return close(conditional);
}

NodeId Parser::lambda() {
  Open made = open(Kind::kLambda, lexer_.begin());
  // The colon of a lambda would be taken for the one of the field's format.
  if (lexer_.is_at_field_level()) refuse();
  advance();
  if (!at(Token::kColon)) add(made, parameters(Token::kColon, true), Field::kParameters);
  expect(Token::kColon);
  add(made, expression(), Field::kBody);
  return close(made);
}

NodeId Parser::disjunction() { return binary(kOrLevel); }
NodeId Parser::binary_above_comparison() { return binary(kPipeLevel); }

// Operators of `level_min` and tighter, left to right.
NodeId Parser::binary(int level_min) {
  NodeId left = kNoNode;
  if (at(Token::kNot)) {
    Depth depth(*this);
    if (level_min > kNotLevel) refuse();
    Open negated = open(Kind::kUnary, lexer_.begin());
    advance();
    add(negated, binary(kNotLevel));
    left = close(negated);
  } else {
    left = factor();
  }
  for (;;) {
    int level = level_of(token());
    if (level == 0 || level < level_min) return left;
    if (level <= kAndLevel) {
      left = boolean(left, token(), level);
    } else if (level == kComparisonLevel) {
      left = comparison(left);
    } else {
      Open made = wrap(Kind::kBinary, left, Field::kLeft);
      advance();
      add(made, binary(level + 1), Field::kRight);
      left = close(made);
    }
  }
}

NodeId Parser::boolean(NodeId left, Token word, int level) {
  Open made = wrap(Kind::kBoolean, left);
  while (accept(word)) add(made, binary(level + 1));
  return close(made);
}

NodeId Parser::comparison(NodeId left) {
  Open made = wrap(Kind::kComparison, left);
  while (level_of(token()) == kComparisonLevel) {
    if (accept(Token::kNot)) {
      expect(Token::kIn);
    } else if (accept(Token::kIs)) {
      accept(Token::kNot);
    } else {
      advance();
    }
    add(made, binary(kPipeLevel));
  }
  return close(made);
}

NodeId Parser::factor() {
  if (at(Token::kPlus) || at(Token::kMinus) || at(Token::kTilde)) {
    Depth depth(*this);
    Open made = open(Kind::kUnary, lexer_.begin());
    advance();
    add(made, factor());
    return close(made);
  }
  NodeId base = kNoNode;
  if (at(Token::kAwait)) {
    Open made = open(Kind::kAwait, lexer_.begin());
    advance();
    add(made, primary());
    base = close(made);
  } else {
    base = primary();
  }
  if (!at(Token::kDoubleStar)) return base;
  Depth depth(*this);
  Open power = wrap(Kind::kBinary, base, Field::kLeft);
  advance();
  add(power, factor(), Field::kRight);
  return close(power);
}

NodeId Parser::primary() {
  NodeId left = atom();
  for (;;) {
    switch (token()) {
      case Token::kDot: {
        Open made = wrap(Kind::kAttribute, left, Field::kObject);
        advance();
        if (!at(Token::kName)) refuse();
        node(made.id).symbol = lexer_.symbol();
        advance();
        left = close(made);
        break;
      }
      case Token::kLeftParen:
        left = call(left);
        break;
      case Token::kLeftBracket:
        left = subscript(left);
        break;
      default:
        return left;
    }
  }
}

NodeId Parser::call(NodeId function) {
  Open made = wrap(Kind::kCall, function, Field::kFunction);
  add(made, arguments(), Field::kArguments);
  return close(made);
}

NodeId Parser::arguments() {
  Open list = open(Kind::kArgumentList, lexer_.begin());
  expect(Token::kLeftParen);
  bool has_keyword = false;
  bool has_double_star = false;
  while (!at(Token::kRightParen) && !at(Token::kEnd)) {
    NodeId made = argument(has_keyword, has_double_star);
    add(list, made);
    if (at_comprehension()) {
      // A generator without brackets of its own stands alone.
      if (node(list.id).first_child != made || kind(made) == Kind::kStar || kind(made) == Kind::kKeywordArgument) refuse();
      node(list.id).kind = Kind::kGenerator;
      comprehension_clauses(list);
      break;
    }
    if (!accept(Token::kComma)) break;
  }
  expect(Token::kRightParen);
  return close(list);
}

NodeId Parser::argument(bool& has_keyword, bool& has_double_star) {
  if (at(Token::kStar) || at(Token::kDoubleStar)) {
    bool is_double = at(Token::kDoubleStar);
    if (!is_double && has_double_star) refuse();
    has_double_star = has_double_star || is_double;
    Open star = open(Kind::kStar, lexer_.begin());
    advance();
    add(star, expression());
    return close(star);
  }
  bool is_name = at(Token::kName);
  NodeId value = named_expression();
  if (is_name && at(Token::kAssign) && kind(value) == Kind::kIdentifier) {
    has_keyword = true;
    node(value).kind = Kind::kKeywordArgument;
    Open keyword{value, kNoNode};
    advance();
    add(keyword, expression(), Field::kValue);
    return close(keyword);
  }
  if (has_keyword || has_double_star) refuse();  // a positional argument after named ones
  return value;
}

NodeId Parser::subscript(NodeId value) {
  Open made = wrap(Kind::kSubscript, value, Field::kValue);
  expect(Token::kLeftBracket);
  do {
    if (at(Token::kRightBracket) && made.last != value) break;
    add(made, subscript_item(), Field::kSubscript);
  } while (accept(Token::kComma));
  expect(Token::kRightBracket);
  return close(made);
}

NodeId Parser::subscript_item() {
  std::uint32_t begin = lexer_.begin();
  NodeId first = kNoNode;
  if (!at(Token::kColon)) {
    first = star_or_named_expression();
    if (!at(Token::kColon) || kind(first) == Kind::kStar || kind(first) == Kind::kNamedExpression) return first;
  }
  Open slice = open(Kind::kSlice, begin);
  if (first != kNoNode) add(slice, first);
  for (int part = 0; part < 2 && accept(Token::kColon); ++part) {
    if (!at(Token::kColon) && !at(Token::kComma) && !at(Token::kRightBracket)) add(slice, expression());
  }
  return close(slice);
}

// --- targets --------------------------------------------------------------------------------------------------------

// What stands before `in` of a loop: nothing that binds looser than |, or the `in` would be taken for a comparison.
NodeId Parser::star_targets() {
  NodeId first = star_target();
  if (!at(Token::kComma)) return first;
  Open tuple = wrap(Kind::kTuple, first);
  while (accept(Token::kComma) && !ends_list(token())) add(tuple, star_target());
  return close(tuple);
}

NodeId Parser::star_target() {
  if (at(Token::kStar)) return star_or_named_expression();
  return binary(kPipeLevel);
}

bool Parser::is_single_target(NodeId target) const {
  while (kind(target) == Kind::kParenthesized) {
    target = syntax_.node(target).first_child;
    // (a.b): 1 is fine, ((a, b)): 1 is not; brackets around anything else end here.
  }
  Kind found = kind(target);
  return found == Kind::kIdentifier || found == Kind::kAttribute || found == Kind::kSubscript;
}

void Parser::check_target(NodeId target, bool may_be_star) {
  switch (kind(target)) {
    case Kind::kIdentifier:
    case Kind::kAttribute:
    case Kind::kSubscript:
      return;
    case Kind::kParenthesized:
      return check_target(syntax_.node(target).first_child, false);
    case Kind::kTuple:
    case Kind::kList:
      for (NodeId part = syntax_.node(target).first_child; part != kNoNode; part = syntax_.node(part).next_sibling)
        check_target(part, true);
      return;
    case Kind::kStar:
      if (!may_be_star) return refuse();
      return check_target(syntax_.node(target).first_child, false);
    default:
      return refuse();
  }
}

void Parser::check_delete_target(NodeId target) {
  Kind found = kind(target);
  if (found == Kind::kIdentifier || found == Kind::kAttribute || found == Kind::kSubscript) return;
  if (found != Kind::kParenthesized && found != Kind::kTuple && found != Kind::kList) return refuse();
  for (NodeId part = syntax_.node(target).first_child; part != kNoNode; part = syntax_.node(part).next_sibling)
    check_delete_target(part);
}

}  // namespace starbridge::port::python

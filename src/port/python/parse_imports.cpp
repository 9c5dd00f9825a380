// Imports and parameters: names that stand for modules and arguments.
#include "port/python/parser.h"

namespace starbridge::port::python {

NodeId Parser::dotted_name() {
  if (!at(Token::kName)) refuse();
  Open name = open(Kind::kDottedName, lexer_.begin());
  node(name.id).symbol = lexer_.symbol();
  advance();
  while (accept(Token::kDot)) expect(Token::kName);
  return close(name);
}

// torch.nn as nn; in `from` statements only single words may be imported.
NodeId Parser::imported_name(bool is_dotted) {
  std::uint32_t begin = lexer_.begin();
  NodeId name = kNoNode;
  if (is_dotted) {
    name = dotted_name();
  } else {
    if (!at(Token::kName)) refuse();
    name = leaf(Kind::kDottedName);
    node(name).symbol = is_refused_ ? kNoSymbol : syntax_.symbols_.find(syntax_.text(name));
  }
  if (!at(Token::kAs)) return name;
  Open aliased = open(Kind::kAliasedImport, begin);
  add(aliased, name, Field::kName);
  advance();
  if (!at(Token::kName)) refuse();
  add(aliased, leaf(Kind::kIdentifier), Field::kAlias);
  return close(aliased);
}

NodeId Parser::import_statement() {
  Open statement = open(Kind::kImport, lexer_.begin());
  advance();
  do {
    add(statement, imported_name(true), Field::kName);
  } while (accept(Token::kComma));
  return close(statement);
}

NodeId Parser::import_from_statement() {
  Open statement = open(Kind::kImportFrom, lexer_.begin());
  advance();
  Open relative = open(Kind::kRelativeImport, lexer_.begin());
  bool is_relative = at(Token::kDot) || at(Token::kEllipsis);
  while (at(Token::kDot) || at(Token::kEllipsis)) advance();
  if (is_relative) {
    if (!at(Token::kImport)) add(relative, dotted_name());
    add(statement, close(relative), Field::kModuleName);
  } else {
    NodeId name = dotted_name();
    add(statement, name, Field::kModuleName);
    if (!is_refused_ && syntax_.text(name) == "__future__") node(statement.id).kind = Kind::kFutureImport;
  }
  expect(Token::kImport);
  if (at(Token::kStar)) {
    add(statement, leaf(Kind::kWildcardImport));
    return close(statement);
  }
  bool has_brackets = accept(Token::kLeftParen);
  NodeId module = statement.last;
  do {
    if (has_brackets && at(Token::kRightParen) && statement.last != module) break;  // after a last comma
    add(statement, imported_name(false), Field::kName);
  } while (accept(Token::kComma));
  if (has_brackets) expect(Token::kRightParen);
  return close(statement);
}

// --- parameters -----------------------------------------------------------------------------------------------------

// Up to the closer, which stays. Refuses what CPython's parser refuses: defaults in the middle, a lone * at the end, anything
// after **.
NodeId Parser::parameters(Token closer, bool is_lambda) {
  Open list = open(Kind::kParameters, lexer_.begin());
  bool must_default = false;
  bool is_after_star = false;
  bool is_after_slash = false;
  while (!at(closer) && !at(Token::kEnd)) {
    if (at(Token::kDoubleStar)) {
      add(list, star_parameter(is_lambda));
      accept(Token::kComma);
      if (!at(closer)) refuse();
      break;
    }
    if (at(Token::kSlash)) {
      if (is_after_slash || is_after_star || list.last == kNoNode) refuse();
      is_after_slash = true;
      add(list, leaf(Kind::kSeparator));
    } else if (at(Token::kStar)) {
      if (is_after_star) refuse();
      is_after_star = true;
      NodeId star = star_parameter(is_lambda);
      add(list, star);
      if (kind(star) == Kind::kSeparator) {
        expect(Token::kComma);
        if (!at(Token::kName)) refuse();  // a name must follow a lone *
        continue;
      }
    } else {
      bool has_default = false;
      add(list, parameter(is_lambda, has_default));
      if (!is_after_star && must_default && !has_default) refuse();
      must_default = must_default || (has_default && !is_after_star);
    }
    if (!accept(Token::kComma)) break;
  }
  return close(list);
}

NodeId Parser::parameter(bool is_lambda, bool& has_default) {
  if (!at(Token::kName)) refuse();
  NodeId name = leaf(Kind::kIdentifier);
  bool has_type = !is_lambda && at(Token::kColon);
  if (!has_type && !at(Token::kAssign)) return name;
  NodeId type = kNoNode;
  if (has_type) {
    advance();
    type = type_annotation();
  }
  has_default = at(Token::kAssign);
  Open made = wrap(!has_default ? Kind::kTypedParameter
                   : has_type   ? Kind::kTypedDefaultParameter
                                : Kind::kDefaultParameter,
                   name, has_default ? Field::kName : Field::kNone);
  if (has_type) add(made, type);
  if (has_default) {
    advance();
    add(made, expression(), Field::kValue);
  }
  return close(made);
}

// *args, **kwargs with their annotations; a lone * is a separator.
NodeId Parser::star_parameter(bool is_lambda) {
  Open star = open(Kind::kStar, lexer_.begin());
  bool is_double = at(Token::kDoubleStar);
  advance();
  if (!at(Token::kName)) {
    if (is_double) refuse();
    node(star.id).kind = Kind::kSeparator;
    return close(star);
  }
  add(star, leaf(Kind::kIdentifier));
  close(star);
  if (is_lambda || !at(Token::kColon)) return star.id;
  Open typed = wrap(Kind::kTypedParameter, star.id);
  advance();
  add(typed, type_annotation(!is_double));
  return close(typed);
}

NodeId Parser::type_annotation(bool may_be_star) {
  Open type = open(Kind::kType, lexer_.begin());
  add(type, may_be_star && at(Token::kStar) ? star_or_named_expression() : expression());
  return close(type);
}

}  // namespace starbridge::port::python

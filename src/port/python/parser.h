// Parser: recursive descent over the lexer's tokens into the array of a Syntax, for well-formed Python 3.8 to 3.13.
// It gives up at the first thing CPython would refuse, at names beyond ASCII and at nesting past kDepthMax; the caller then reads
// the file with the grammar. One object per file, one thread.
//
// Parts: parse_module.cpp (blocks, simple statements), parse_compound.cpp, parse_imports.cpp, parse_parameters.cpp,
// parse_match.cpp, parse_expressions.cpp, parse_atoms.cpp, parse_strings.cpp.
#pragma once

#include "port/python/lexer.h"
#include "port/python/syntax.h"

namespace starbridge::port::python {

class Parser {
 public:
  // Expressions inside each other. CPython allows 200 brackets; chains of unary operators and `else` count here too.
  static constexpr int kDepthMax = 600;

  Parser(const std::string& source, Syntax& syntax);
  // False when the text is refused; `syntax` is then of no use.
  bool run();
  // Where it gave up, when it did.
  std::size_t refused_at() const { return refused_at_; }

 private:
  // A node that is getting children.
  struct Open {
    NodeId id = kNoNode;
    NodeId last = kNoNode;
  };
  // A place to return to.
  struct Saved {
    Lexer lexer;
    std::size_t node_count;
    std::uint32_t last_end;
  };
  class Depth;  // counts recursion; refuses the text when it is too deep

  // --- tokens ---
  Token token() const { return lexer_.token(); }
  bool at(Token token) const { return lexer_.token() == token; }
  bool at_word(Symbol word) const { return at(Token::kName) && lexer_.symbol() == word; }
  void advance() {
    // Line ends and indentation are no part of what they end.
    if (token() < Token::kNewline || token() > Token::kEnd) last_end_ = lexer_.end();
    lexer_.advance();
  }
  bool accept(Token token);
  void expect(Token token);
  void refuse();  // the text is not for this parser; only kEnd follows, so that every loop ends
  Saved save() const { return {lexer_, syntax_.nodes_.size(), last_end_}; }
  void restore(const Saved& saved);

  // --- nodes ---
  Node& node(NodeId id) { return syntax_.nodes_[id]; }
  Kind kind(NodeId id) const { return syntax_.kind(id); }
  NodeId leaf(Kind kind);  // of the current token, which is consumed
  Open open(Kind kind, std::uint32_t begin);
  Open wrap(Kind kind, NodeId child, Field field = Field::kNone);  // begins where `child` begins
  void add(Open& parent, NodeId child, Field field = Field::kNone);
  NodeId close(const Open& parent);  // ends where the last consumed token ended

  // --- statements ---
  void statement(Open& block);
  void simple_statements(Open& block);
  void simple_statement(Open& block);
  void expression_statement(Open& block);
  NodeId assignment(NodeId left);
  NodeId annotated_assignment(NodeId left);
  NodeId return_statement();
  NodeId raise_statement();
  NodeId names_statement();  // global, nonlocal
  NodeId delete_statement();
  NodeId assert_statement();
  NodeId type_statement();
  NodeId block();
  bool compound_statement(Open& block);  // false: none begins here
  NodeId if_statement();
  NodeId while_statement();
  NodeId for_statement(std::uint32_t begin);
  NodeId try_statement();
  NodeId with_statement(std::uint32_t begin);
  void with_items(Open& statement);
  void with_item(Open& statement);
  NodeId decorated();
  NodeId async_statement();
  NodeId function(std::uint32_t begin);
  NodeId class_definition();
  void type_parameters(Open& definition);
  bool match_statement(Open& block);

  // --- imports ---
  NodeId import_statement();
  NodeId import_from_statement();
  NodeId dotted_name();
  NodeId imported_name(bool is_dotted);

  // --- match and the patterns of `case` ---
  NodeId star_subject();
  void case_clause(Open& statement);
  NodeId open_pattern();  // with commas and stars
  NodeId star_or_pattern();
  NodeId pattern();
  NodeId or_pattern();
  NodeId closed_pattern();
  NodeId literal_pattern();
  NodeId name_pattern();
  NodeId sequence_pattern(Token closer);
  NodeId mapping_pattern();
  void class_pattern_arguments(Open& class_pattern);
  NodeId capture();

  // --- parameters ---
  NodeId parameters(Token closer, bool is_lambda);
  NodeId parameter(bool is_lambda, bool& has_default);
  NodeId star_parameter(bool is_lambda);
  NodeId type_annotation(bool may_be_star = false);

  // --- expressions ---
  NodeId star_expressions();  // a, *b, c: a tuple when there is a comma
  NodeId star_expressions_or_yield();
  NodeId star_or_named_expression();
  NodeId named_expression();
  NodeId expression();
  NodeId disjunction();              // no lambda, no conditional
  NodeId binary_above_comparison();  // what a star may stand before
  NodeId binary(int level_min);
  NodeId boolean(NodeId left, Token word, int level);
  NodeId comparison(NodeId left);
  NodeId factor();
  NodeId primary();
  NodeId call(NodeId function);
  NodeId subscript(NodeId value);
  NodeId subscript_item();
  NodeId arguments();  // an argument list, or a generator that is the only argument
  NodeId argument(bool& has_keyword, bool& has_double_star);
  NodeId lambda();
  NodeId yield_expression();
  NodeId star_targets();  // before `in`
  NodeId star_target();
  void check_target(NodeId target, bool may_be_star = true);
  void check_delete_target(NodeId target);
  bool is_single_target(NodeId target) const;

  // --- atoms ---
  NodeId atom();
  NodeId parenthesized();
  NodeId list();
  NodeId braces();
  void elements(Open& collection, Token closer);
  void comprehension_clauses(Open& comprehension);
  bool at_comprehension() const { return at(Token::kFor) || at(Token::kAsync); }

  // --- strings ---
  NodeId strings();
  NodeId format_string();
  NodeId format_field(const FormatString& format);

  Syntax& syntax_;
  Lexer lexer_;
  std::uint32_t last_end_ = 0;
  int depth_ = 0;
  bool is_refused_ = false;
  std::size_t refused_at_ = 0;
};

class Parser::Depth {
 public:
  explicit Depth(Parser& parser) : parser_(parser) {
    if (++parser_.depth_ > kDepthMax) parser_.refuse();
  }
  ~Depth() { --parser_.depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

 private:
  Parser& parser_;
};

}  // namespace starbridge::port::python

// Lowering of one kernel from Clang's tree to ours: device functions are inlined, structures taken apart into their members,
// every pointer followed to the array it points into. What cannot be followed is refused with its place. One object per kernel.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "front/node.h"

namespace starbridge::front {

struct Refusal {
  clang::SourceLocation where;
  std::string reason;  // a word of src/kernel/port/refusals.def and, behind a colon, what it is about
};

// Where a pointer points: an array and an offset counted in units of `unit` bytes.
struct Pointer {
  std::string array;
  Tree offset;
  int unit = 1;
};

// A place: what a name or an lvalue stands for.
struct Place {
  enum Kind { kNone, kVariable, kPointer, kRecord, kMemory } kind = kNone;
  clang::QualType type;
  std::string name;            // variable; pointer: its offset's variable
  Pointer memory;              // kMemory, and the root of a pointer variable
  std::vector<Place> members;  // kRecord
};

struct Value {
  Tree tree;  // a number
  bool is_pointer = false;
  Pointer pointer;
  std::vector<Value> members;  // a record's
};

class Lowering {
 public:
  Lowering(clang::ASTContext& context, std::string& name) : context_(context), kernel_name_(name) {}
  // The kernel as a tree, or a refuse node.
  Tree run(const clang::FunctionDecl* kernel);
  bool fails() const { return fails_; }

 private:
  // Statements (lower_stmt.cpp).
  void statement(const clang::Stmt* stmt);
  void declare(const clang::VarDecl* var);
  void for_loop(const clang::Stmt* init, const clang::Expr* condition, const clang::Expr* step, const clang::Stmt* body);
  void do_loop(const clang::DoStmt* loop);
  void switch_statement(const clang::SwitchStmt* stmt);
  void body_of(const clang::Stmt* stmt, Tree& into);
  void bind_parameters(const clang::FunctionDecl* kernel, Tree& result);
  Place make_parameter(clang::QualType type, const std::string& name, const std::string& path, unsigned index, Tree& result);
  // Expressions (lower_expr.cpp).
  Value value(const clang::Expr* expr);
  Tree number(const clang::Expr* expr);
  Tree condition(const clang::Expr* expr);
  void effect(const clang::Expr* expr);
  Place place(const clang::Expr* expr);
  Value unary(const clang::UnaryOperator* expr);
  Value binary(const clang::BinaryOperator* expr);
  Value short_circuit(const clang::BinaryOperator* expr);
  Value conditional(const clang::AbstractConditionalOperator* expr);
  Value cast(const clang::CastExpr* expr);
  Value construct(const clang::CXXConstructExpr* expr);
  Value add_to_pointer(const Pointer& pointer, Tree count, clang::QualType pointee, bool is_minus);
  Place special_member(const clang::Expr* base, const std::string& field);
  // Calls (lower_call.cpp).
  Value call(const clang::CallExpr* expr);
  bool intrinsic(const clang::CallExpr* expr, const std::string& name, Value& result);
  bool atomic(const clang::CallExpr* expr, const std::string& name, Value& result);
  bool warp(const clang::CallExpr* expr, const std::string& name, Value& result);
  bool half_call(const clang::CallExpr* expr, const std::string& name, Value& result);
  Value inlined(const clang::FunctionDecl* callee, llvm::ArrayRef<const clang::Expr*> arguments, const Place* object,
                const clang::Expr* site);

  struct Leaf {
    std::string type;
    Place place;
  };
  void copy_value(const clang::CallExpr* expr);
  bool leaves(const Place& of, long long bytes, std::vector<Leaf>& all);
  Tree as_bits(const Tree& tree);
  Tree bits_of_brain(const Tree& tree);

  // Places and values.
  Value read_whole(const Place& place);
  void write_whole(const Place& place, const Value& value);
  Place make_place(clang::QualType type, const std::string& name);
  Value read(const Place& place);
  void write(const Place& place, const Value& value);
  Place member(const Place& place, const clang::FieldDecl* field);
  Place element(const Pointer& pointer, clang::QualType type);
  Tree index_of(const Pointer& pointer, int bytes);
  Value zero(clang::QualType type);
  Tree convert(Tree tree, const std::string& type);
  std::string type_of(clang::QualType type);
  int bytes_of(clang::QualType type);
  std::string fresh(const std::string& wanted);
  Tree emit(Tree statement);
  Tree fail(clang::SourceLocation where, const std::string& reason);
  Value fail_value(const clang::Expr* expr, const std::string& reason);
  Tree array_node(const std::string& name, const std::string& space, const std::string& type, long long count);

  clang::ASTContext& context_;
  std::string& kernel_name_;
  Tree kernel_;
  Tree here_;  // the sequence statements go to
  int line_ = 0;
  bool fails_ = false;
  Refusal refusal_;
  std::map<const clang::Decl*, Place> places_;
  std::map<const clang::Decl*, std::string> arrays_;
  std::set<std::string> names_;
  std::vector<const clang::FunctionDecl*> stack_;  // of inlined functions
  struct Frame {
    std::string label;
    Place result;
    const Place* object = nullptr;
    bool has_left = false;
  };
  std::vector<Frame> frames_;
  std::vector<std::string> switches_;  // labels of enclosing switches; empty: a loop, where break is a loop's
};

bool is_half(const clang::CXXRecordDecl* record, std::string& type);

}  // namespace starbridge::front

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
#include <memory>
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

// A pointer variable: all places that stand for it share what it points into.
struct Aim {
  Pointer memory;            // its unit; the offset is in the variable `name`, or in here while there is none
  std::string name;
  const Node* home = nullptr;  // the sequence it is declared in
  bool is_null = false;        // nullptr at this point of the text
};

// A place: what a name or an lvalue stands for.
struct Place {
  enum Kind { kNone, kVariable, kPointer, kRecord, kMemory } kind = kNone;
  clang::QualType type;
  std::string name;              // kVariable
  Pointer memory;                // kMemory
  std::shared_ptr<Aim> aim;      // kPointer
  std::vector<Place> members;    // kRecord
  const void* origin = nullptr;  // what declares it, for variables whose address may be asked for
};

struct Value {
  Tree tree;  // a number
  bool is_pointer = false;
  Pointer pointer;
  std::vector<Value> members;  // a record's
};

class Lowering {
 public:
  // `in_memory`: declarations of variables whose address is taken; they become arrays of one element.
  Lowering(clang::ASTContext& context, std::string& name, const std::set<const void*>& in_memory = {})
      : context_(context), kernel_name_(name), in_memory_(in_memory) {}
  // The kernel as a tree, or a refuse node.
  Tree run(const clang::FunctionDecl* kernel);
  bool fails() const { return fails_; }
  // The declaration whose address could not be given; with it in memory, another attempt may go further.
  const void* wanted_in_memory() const { return wanted_; }

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
  Value assign(const clang::CallExpr* expr);
  void initialise(const Place& object, const clang::CXXConstructorDecl* constructor, const clang::CXXCtorInitializer* init);
  Place text(const clang::StringLiteral* literal);
  bool intrinsic(const clang::CallExpr* expr, const std::string& name, Value& result);
  bool atomic(const clang::CallExpr* expr, const std::string& name, Value& result);
  bool warp(const clang::CallExpr* expr, const std::string& name, Value& result);
  Value reduce_by(const clang::CallExpr* expr, int width);
  void exchange(Value& value, int distance, int width, const clang::Expr* site);
  void match(const clang::CallExpr* expr, Value& result);
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
  clang::QualType as_pointer(clang::QualType type);
  Place make_place(clang::QualType type, const std::string& name, const void* origin = nullptr);
  bool make_in_memory(Place& place, const std::string& name);
  std::string word_of_record(clang::QualType type);
  void pin(Place& place);
  Place bound_to(const clang::Expr* expr);
  void keep_before(Tree& tree, std::size_t mark);
  void keep_before(Value& value, std::size_t mark);
  void stage(const Place& to, Value& value);
  Value fail_address(const clang::Expr* expr, const Place& place);
  Place returned(const Place& result, Place place);
  void return_pointer(const clang::ReturnStmt* given, const Pointer& pointer);
  void point(const Place& pointer, const Pointer& to);
  void write_pointer(const Place& place, const Pointer& to, clang::SourceLocation where);
  Tree offset_in(const Pointer& pointer, int unit, clang::SourceLocation where);
  Value read(const Place& place);
  void write(const Place& place, const Value& value);
  Place member(const Place& place, const clang::FieldDecl* field);
  Place element(const Pointer& pointer, clang::QualType type);
  const Place* argument_element(const Pointer& pointer, int bytes);
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
  std::map<std::string, std::vector<Place>> argument_arrays_;  // arrays inside arguments, element by element: accessors' sizes and strides
  std::set<std::string> names_;
  std::vector<const clang::FunctionDecl*> stack_;  // of inlined functions
  struct Frame {
    std::string label;
    Place result;
    const Place* object = nullptr;
    bool has_left = false;
    bool returns_place = false;  // a reference: what is returned is where, not what
  };
  std::vector<Frame> frames_;
  Place returned_;  // of the call last inlined, if it returns a reference
  std::set<const void*> in_memory_;
  const void* wanted_ = nullptr;
  std::vector<std::string> switches_;  // labels of enclosing switches; empty: a loop, where break is a loop's
};

bool is_half(const clang::CXXRecordDecl* record, std::string& type);

}  // namespace starbridge::front

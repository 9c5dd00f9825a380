// Shapes: how each value of a kernel differs from thread to thread along threadIdx.x, and which statements must run thread by
// thread. Pure; any thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "front/node.h"

namespace starbridge::kernel::port {

using front::Tree;

struct Shape {
  bool is_varying = false;       // differs without a rule
  Tree step;                     // null: the same in all threads; else grows by this from thread to thread
  bool may_be_negative = false;  // then it is not followed into unsigned arithmetic
  bool depends_on_row = false;   // on threadIdx.y or .z
  bool is_uniform() const { return !is_varying && step == nullptr; }
};

// A range of threads: what a condition leaves of [first, last).
struct Bound {
  std::string kind;  // "first", "last", "only"; "guard": `left` is a condition on all of them
  Tree left, right;  // lane * sign + (left - right) compared with 0, brought to this kind
  int sign = 1;
  int shift = 0;  // added to the bound: 1 where the comparison includes or excludes equality
};

// Threads meet in the statement: a barrier, a warp operation, or volatile elements that it both reads and stores (threads of a
// warp that count on going in step).
bool meets(const Tree& statement);

class Shapes {
 public:
  // Brings the kernel's variables to a fixed point.
  explicit Shapes(const Tree& kernel, const std::set<std::string>& forced = {});  // `forced`: taken as varying

  Shape of(const Tree& expression) const;
  Shape variable(const std::string& name) const;
  // The statement runs as a whole in a loop over threads.
  bool is_by_thread(const Tree& statement) const { return by_thread_.count(statement.get()) > 0; }
  // Control that lanes in step cannot follow.
  bool resists(const Tree& statement) const { return needs_thread_loop(statement); }
  // The variable lives only inside `statement`.
  bool is_inside(const std::string& variable, const Tree& statement) const;
  // The condition as bounds on the lane (all of them hold); false when it is none.
  bool bounds_of(const Tree& condition, std::vector<Bound>& bounds) const;
  const std::set<std::string>& variables() const { return all_; }
  std::string type_of(const std::string& name) const { return types_.at(name); }
  const std::vector<Tree>& uses_of(const std::string& name) const { return uses_.at(name); }
  bool has_rows() const { return has_rows_; }

 private:
  void index(const Tree& tree, const Tree& parent);
  bool walk(const Tree& statement, bool is_divided);
  bool needs_thread_loop(const Tree& statement) const;
  bool mark(const Tree& statement);
  bool join(const std::string& name, const Shape& shape);
  bool is_stepped_in(const Tree& loop, const std::string& name) const;

  std::map<std::string, Shape> shapes_;
  std::set<std::string> known_, forced_;
  std::map<const front::Node*, Tree> parents_;
  std::map<std::string, std::vector<Tree>> uses_;  // statements that name the variable
  std::map<std::string, std::string> types_;
  std::set<const front::Node*> by_thread_;
  std::set<std::string> all_;
  std::set<std::string> local_arrays_;
  std::vector<Tree> divisions_;  // open statements whose control differs between threads
  bool has_rows_ = false, is_warps_ = false;
};

}  // namespace starbridge::kernel::port

// BangEmitter: one kernel as BANG C. A task takes CUDA blocks one after the other; the threads of a block along x are the lanes
// of NRAM vectors, which go through each statement in step (so that barriers cost nothing); what cannot be a vector operation
// becomes a loop over the threads, and is counted. One object per kernel.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "front/node.h"
#include "kernel/port/choices.h"
#include "kernel/port/shapes.h"

namespace starbridge::kernel::port {

struct Fallback {
  int line = 0;
  std::string reason;
};

// A buffer of the core's memory.
struct Tile {
  std::string name, type;
  long long count = 0, bytes = 0;
};

// One argument of the kernel as it is emitted, and how it is got from the arguments argument_0, argument_1, ... of a CUDA launch.
struct EntryArgument {
  std::string type;  // "const float*", "int64_t"
  std::string name;
  std::string given;  // without a cast: "argument_0", "argument_1.stride"
  bool is_symbol = false;
};

// What became of a kernel, for the report.
struct Emitted {
  std::string text;         // device code and launcher
  std::string kernel_text;  // device code alone
  std::vector<EntryArgument> entry;
  std::string launch_prelude;       // before its launch: refuses those it was not made for, repeats it where rows need it
  std::vector<Fallback> fallbacks;  // statements that run thread by thread
  long long vector_operations = 0;  // arithmetic, weighted by the depth of loops
  long long thread_operations = 0;
  long long vector_bytes = 0;  // bytes moved per thread, weighted alike
  long long thread_bytes = 0;
  std::vector<Tile> tiles;
  long long nram_bytes = 0, nram_limit = 0;
  int threads_max = 0;
  bool narrows_double = false;
  bool holds_half = false, holds_brain = false;  // in memory that the host sees
  bool reorders = false;      // sums in another order, or without the contraction to fused multiply-add
  bool approximates = false;  // functions
  std::string refusal;        // not empty: why there is no port
  int refusal_line = 0;
};

class BangEmitter {
 public:
  BangEmitter(Tree kernel, long long nram_bytes, int threads_max, const Choices& choices);
  Emitted run();

 private:
  struct Range {
    std::string first = "0", last = "threads";
    bool is_whole = true;
  };
  struct Operand {
    bool is_tile = false;
    std::string text;
  };

  // Statements (bang_statements.cpp).
  void sequence(const Tree& seq, const Range& range);
  void statement(const Tree& tree, const Range& range);
  void choice(const Tree& tree, const Range& range);
  void loop(const Tree& tree, const Range& range);
  void by_thread(const Tree& tree, const Range& range, const std::string& reason);
  bool reads_what_it_stores(const Tree& store) const;
  void in_two_steps(const Tree& store, const Range& range, const std::string& reason);
  void note_fallback(const Tree& tree, const std::string& reason);
  void thread_statement(const Tree& tree);
  void thread_atomic(const Tree& tree);
  void warp(const Tree& tree, const Range& range);
  bool vector_statement(const Tree& tree, const Range& range);
  bool vector_atomic(const Tree& tree, const Range& range);
  void rows(const Tree& seq);
  void warp_of_block(const Tree& tree);
  void count_meeting(const Tree& tree, bool operand_is_vector);
  bool parts_regions(const Tree& tree) const;
  void scalar_set(const Tree& tree);
  Range narrowed(const std::vector<Bound>& bounds, const Range& range);

  // Vector expressions (bang_vectors.cpp): false when there is no built-in for something.
  bool vector(const Tree& tree, const Range& range, const std::string& to, Operand& result);
  bool vector_load(const Tree& tree, const Range& range, const std::string& to, Operand& result);
  bool vector_binary(const Tree& tree, const Range& range, const std::string& to, Operand& result);
  bool vector_call(const Tree& tree, const Range& range, const std::string& to, Operand& result);
  bool vector_mask(const Tree& tree, const Range& range, Operand& result);
  bool vector_select(const Tree& tree, const Range& range, const std::string& to, Operand& result);
  bool vector_cast(const Tree& tree, const Range& range, const std::string& to, Operand& result);
  std::string as_tile(const Operand& operand, const std::string& type, const Range& range);
  std::string scratch();
  std::string count(const Range& range) const;
  std::string tile_at(const std::string& name, const Range& range);

  // Scalar expressions (bang_scalars.cpp).
  std::string scalar(const Tree& tree);
  std::string scalar_call(const Tree& tree);
  std::string element(const std::string& array, const std::string& type, const std::string& index);
  std::string constant(const Tree& tree);
  std::string variable(const std::string& name);
  bool is_tile(const std::string& name) const;
  bool is_near(const std::string& array) const;  // in NRAM

  // Frame (bang_emitter.cpp).
  void declare_arrays();
  std::string signature() const;
  std::string launcher() const;
  std::vector<EntryArgument> entry() const;  // bang_entry.cpp
  std::string launch_prelude() const;
  void force_tiles();
  void line(const std::string& text);
  void origin(const Tree& tree);
  void refuse(int line, const std::string& reason);
  void tile(const std::string& name, const std::string& type, long long count);
  void count_work(const Tree& tree, bool is_vector);
  void tell_work(const Tree& tree);

  Tree kernel_;
  long long nram_limit_;
  int threads_max_;
  Choices choices_;
  Shapes shapes_;
  Emitted result_;
  std::map<std::string, Tree> arrays_;
  std::string body_;
  std::string tiles_;
  int indent_ = 2;
  int last_line_ = 0;
  int depth_ = 0;                // of loops
  std::string lane_;             // inside a loop over threads; else empty
  std::set<std::string> inner_;  // variables of that loop alone
  int scratch_next_ = 0, scratch_most_ = 0, range_next_ = 0;
  bool is_warps_ = false;  // rows are warps
  bool needs_lane_index_ = false, needs_wide_scratch_ = false, needs_line_of_threads_ = false, has_rows_ = false,
       is_in_row_ = false;
  std::string why_not_;  // the last reason a vector operation was not possible
  std::map<const front::Node*, int> regions_;
  std::set<const front::Node*> tops_;        // statements that stand by themselves in a region
  std::set<const front::Node*> block_wide_;  // assignments carried out once for the block
  std::set<std::string> used_tiles_, used_scalars_;
};

std::string bang_type(const std::string& type);

}  // namespace starbridge::kernel::port

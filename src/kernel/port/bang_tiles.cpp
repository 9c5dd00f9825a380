// How the threads of a launch are laid out on the cores: blocks row by row.
#include "kernel/port/bang_emitter.h"

namespace starbridge::kernel::port {

using front::has;

// Blocks of more than one row: what lies between barriers is carried out row by row.
void BangEmitter::rows(const Tree& seq) {
  std::vector<Tree> run;
  auto flush = [&] {
    if (run.empty()) return;
    line("for (unsigned int thread_z = 0; thread_z < block_z; ++thread_z) {");
    ++indent_;
    line("for (unsigned int thread_y = 0; thread_y < block_y; ++thread_y) {");
    ++indent_;
    line("const int row_at = (int)(thread_z * block_y + thread_y) * threads;");
    line("(void)row_at;");
    is_in_row_ = true;
    for (const Tree& each : run) statement(each, {});
    is_in_row_ = false;
    --indent_;
    line("}");
    --indent_;
    line("}");
    run.clear();
  };
  for (const Tree& each : seq->args) {
    const bool meets = has(each, {"barrier", "warp"});
    const bool is_block_wide = block_wide_.count(each.get()) > 0;
    if (!meets && !is_block_wide) {
      run.push_back(each);
      continue;
    }
    flush();
    if (each->op == "barrier") continue;
    if (is_block_wide) {
      scalar_set(each);
      continue;
    }
    origin(each);
    const Shape test = shapes_.of(each->args.empty() ? each : each->args[0]);
    if (each->op == "warp" || !test.is_uniform() || test.depends_on_row)
      return refuse(each->line, each->op == "warp" ? "warp_rows:" : "barrier_divergent:");
    line(std::string(each->op == "if" ? "if (" : "while (") + scalar(each->args[0]) + ") {");
    ++indent_;
    if (each->op == "loop") ++depth_;
    for (std::size_t i = 1; i < each->args.size(); ++i) {
      if (i == 2 && each->op == "if") {
        --indent_;
        line("} else {");
        ++indent_;
      }
      rows(each->args[i]);
    }
    if (each->op == "loop") --depth_;
    --indent_;
    line("}");
  }
  flush();
}

}  // namespace starbridge::kernel::port

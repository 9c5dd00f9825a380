// The kernel as host code sees it: what it takes, and where that comes from in a launch.
#include "kernel/port/bang_emitter.h"

namespace starbridge::kernel::port {

std::string BangEmitter::launch_prelude() const {
  const bool repeats = !has_rows_ && !needs_line_of_threads_ && !meets(kernel_->args.back());
  const std::string shape = kernel_->extra == "warps whole" ? "port::kRowsOfWarps"
                            : has_rows_ && !is_warps_       ? "port::kRows"
                            : repeats                       ? "port::kRows"
                                                            : "port::kLine";
  std::string text = "  port::check(at, \"" + kernel_->name + "\", " + kernel_->name + "_tuning::kThreads, " + shape + ", " +
                     (arrays_.count("dynamic_shared") > 0 ? kernel_->name + "_tuning::kDynamicShared" : "0x7fffffff") + ");\n";
  // Threads of other rows that never ask for their row do the same once more.
  if (repeats) text += "  for (unsigned int row = 0; row < at.block.y * at.block.z; ++row)\n  ";
  return text;
}

std::vector<EntryArgument> BangEmitter::entry() const {
  std::vector<EntryArgument> arguments;
  auto from = [](const Tree& argument) { return "argument_" + argument->args[0]->name + argument->name; };
  for (const Tree& child : kernel_->args) {
    const std::string type = bang_type(child->type);
    if (child->op == "array" && child->extra == "symbol")
      arguments.push_back({type + "*", child->name, child->args[1]->name, true});
    else if (child->op == "array" && child->extra.rfind("global", 0) == 0)
      arguments.push_back(
          {(child->extra == "global const" ? "const " : "") + type + "*", child->name, from(child->args[1]), false});
    else if (child->op == "parameter")
      arguments.push_back({type, child->name, from(child->args[0]), false});
  }
  return arguments;
}

}  // namespace starbridge::kernel::port

#include "kernel/port/bang_emitter.h"

#include <algorithm>
#include <functional>

#include "kernel/port/share_tiles.h"
#include "kernel/port/work.h"

namespace starbridge::kernel::port {

namespace {

constexpr int kLoopWeight = 10;  // how often a loop of unknown length is taken to run, for shares
constexpr int kDepthMax = 4;

}  // namespace

BangEmitter::BangEmitter(Tree kernel, long long nram_bytes, int threads_max, const Choices& choices)
    : kernel_(std::move(kernel)), nram_limit_(nram_bytes), threads_max_(threads_max), choices_(choices), shapes_(kernel_) {
  for (const Tree& child : kernel_->args) {
    if (child->op == "array") arrays_[child->name] = child;
  }
  has_rows_ = shapes_.has_rows();
  is_warps_ = kernel_->extra.rfind("warps", 0) == 0;
}

void BangEmitter::line(const std::string& text) {
  body_ += std::string(static_cast<std::size_t>(indent_) * 2, ' ') + text + "\n";
}

void BangEmitter::origin(const Tree& tree) {
  if (tree->line <= 0 || tree->line == last_line_) return;
  last_line_ = tree->line;
  line("// line " + std::to_string(tree->line));
}

void BangEmitter::refuse(int at, const std::string& reason) {
  if (!result_.refusal.empty()) return;
  result_.refusal = reason;
  result_.refusal_line = at > 0 ? at : kernel_->line;
}

void BangEmitter::tile(const std::string& name, const std::string& type, long long count) {
  const std::string word =
      type == "b" || type == "i8" || type == "u8" || type == "i16" || type == "u16" || type == "f16" || type == "bf16" ? type
                                                                                                                       : type;
  tiles_ += "  __nram__ " + bang_type(word) + " " + name + "[" +
            (count % threads_max_ == 0
                 ? (count == threads_max_ ? "" : std::to_string(count / threads_max_) + " * ") + std::string("kThreads")
                 : std::to_string(count)) +
            "];\n";
  const long long bytes = count * (word == "f64" ? 4 : front::type_bytes(word));
  result_.nram_bytes += (bytes + 127) / 128 * 128;
  result_.tiles.push_back({name, bang_type(word), count, bytes});
}

void BangEmitter::count_work(const Tree& tree, bool is_vector) {
  std::function<void(const Tree&, int)> walk = [&](const Tree& part, int depth) {
    long long weight = 1;
    for (int i = 0; i < std::min(depth, kDepthMax); ++i) weight *= kLoopWeight;
    static const std::set<std::string> arithmetic = {"add", "sub", "mul", "div", "rem", "neg",    "call",
                                                     "and", "or",  "xor", "shl", "shr", "select", "atomic"};
    if (part->op == "load" || part->op == "store" || part->op == "atomic")
      (is_vector ? result_.vector_bytes : result_.thread_bytes) += weight * front::type_bytes(part->type);
    // Arithmetic of addresses is no part of the work.
    if (arithmetic.count(part->op) > 0 && part->type != "i64")
      (is_vector ? result_.vector_operations : result_.thread_operations) += weight;
    for (std::size_t i = 0; i < part->args.size(); ++i) {
      if ((part->op == "load" || part->op == "store" || part->op == "atomic") && i == 0) continue;
      walk(part->args[i], depth + (part->op == "loop" ? 1 : 0));
    }
  };
  walk(tree, depth_);
}

// In a scalar port, the emulated chip is told what the original computes.
void BangEmitter::tell_work(const Tree& tree) {
  if (!choices_.is_scalar) return;
  const Work work = work_of(tree);
  if (work.plain + work.functions > 0)
    line("__sb_bang_work(" + std::to_string(work.plain) + ", " + std::to_string(work.functions) + ");");
}

void BangEmitter::declare_arrays() {
  for (const Tree& child : kernel_->args) {
    if (child->op != "array") continue;
    const long long count = std::stoll(child->args[0]->name);
    if (child->extra == "shared") tile(child->name, child->type, count);
    if (child->extra == "local") tile(child->name, child->type, count * threads_max_);
  }
  std::map<std::string, std::string> kept;  // variables with a tile, and their types there
  for (const std::string& name : used_tiles_) {
    if (shapes_.variables().count(name) > 0 && shapes_.variable(name).is_varying)
      kept[name] = shapes_.type_of(name) == "b" ? "i32" : shapes_.type_of(name);
  }
  std::map<std::string, std::string> owners;
  if (choices_.shares_tiles) {
    std::map<std::string, int> widths;
    for (const auto& [name, type] : kept) widths[name] = front::type_bytes(type);
    owners = share_tiles(kernel_->args.back(), widths);
  }
  for (const auto& [name, type] : kept) {
    if (owners.count(name) == 0) tile(name, type, threads_max_);
  }
  for (const auto& [name, owner] : owners)
    tiles_ += "  auto " + name + " = (" + bang_type(kept[name]) + "*)(" + owner + ");\n";
  for (int i = 0; i < scratch_most_; ++i) tile("scratch_" + std::to_string(i), "f32", threads_max_);
  if (needs_wide_scratch_) tile("scratch_wide", "i64", threads_max_);
  if (needs_lane_index_) tile("lane_index", "i32", threads_max_);
  if (arrays_.count("dynamic_shared") > 0) {
    tiles_ += "  __nram__ char dynamic_shared[kDynamicShared];\n";
    result_.nram_bytes += 48 * 1024;
    result_.tiles.push_back({"dynamic_shared", "char", 48 * 1024, 48 * 1024});
  }
}

std::string BangEmitter::signature() const {
  std::string list;
  auto add = [&](const std::string& text) { list += (list.empty() ? "" : ", ") + text; };
  for (const Tree& child : kernel_->args) {
    if (child->op == "array" && (child->extra.rfind("global", 0) == 0 || child->extra == "symbol"))
      add((child->extra == "global const" ? "const " : "") + bang_type(child->type) + "* " + child->name);
    if (child->op == "parameter") add(bang_type(child->type) + " " + child->name);
  }
  add("unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int "
      "block_z");
  return list;
}

std::string BangEmitter::launcher() const {
  const Tree& signature_node = kernel_->args[0];
  std::string parameters, given, head;
  int index = 0;
  std::vector<std::string> names;
  for (const Tree& each : signature_node->args) {
    if (each->op == "head") head = each->name;
    if (each->op != "argument") continue;
    names.push_back("argument_" + std::to_string(index++));
    std::string type = each->extra;
    const std::size_t array = type.find("(*)");
    parameters += ", " + (array == std::string::npos ? type + " " + names.back()
                                                     : type.substr(0, array + 2) + names.back() + type.substr(array + 2));
  }
  auto add = [&](const std::string& text) { given += (given.empty() ? "" : ", ") + text; };
  for (const Tree& child : kernel_->args) {
    if (child->op == "array" && child->extra == "symbol")
      add("(" + bang_type(child->type) + "*)port::address_of(" + child->args[1]->name + ")");
    if (child->op == "array" && child->extra.rfind("global", 0) == 0) {
      const Tree& argument = child->args[1];
      add(std::string("(") + (child->extra == "global const" ? "const " : "") + bang_type(child->type) + "*)" +
          names[static_cast<std::size_t>(std::stoi(argument->args[0]->name))] + argument->name);
    }
    if (child->op == "parameter") {
      const Tree& argument = child->args[0];
      add("(" + bang_type(child->type) + ")" + names[static_cast<std::size_t>(std::stoi(argument->args[0]->name))] +
          argument->name);
    }
  }
  add("at.grid.x, at.grid.y, at.grid.z, at.block.x, at.block.y, at.block.z");
  const bool is_template = !head.empty();
  std::string text = is_template ? "template <>\n" : "";
  text += "inline void launch_" + signature_node->name + (is_template ? "<" + signature_node->extra + ">" : "") +
          "(port::Launch at" + parameters + ") {\n";
  text += launch_prelude();
  text += "  " + kernel_->name + "<<<port::tasks(at), cnrtFuncTypeBlock, at.queue>>>(" + given + ");\n}\n";
  return text;
}

Emitted BangEmitter::run() {
  result_.threads_max = threads_max_;
  result_.nram_limit = nram_limit_;
  for (const Tree& child : kernel_->args) {
    if (child->op == "array" && child->extra.rfind("global", 0) == 0) {
      result_.holds_half |= child->type == "f16";
      result_.holds_brain |= child->type == "bf16";
    }
    const bool is_double = child->type == "f64" && (child->op == "array" || child->op == "parameter");
    if (is_double) refuse(child->line > 0 ? child->line : kernel_->line, "double:" + child->name);
  }
  front::each(kernel_->args.back(), [&](const Tree& tree) {
    const bool is_variable = tree->op == "set" && !choices_.narrows_double;
    if ((is_variable || tree->op == "warp" || tree->op == "atomic") && tree->type == "f64") refuse(tree->line, "double:" + tree->name);
  });
  if (!result_.refusal.empty()) return result_;
  if (has_rows_) force_tiles();
  if (has_rows_)
    rows(kernel_->args.back());
  else
    sequence(kernel_->args.back(), {});
  // Elements of a thread's own array lie apart by the number of threads: words of another width would overlap others.
  front::each(kernel_->args.back(), [&](const Tree& part) {
    if (part->op != "load" && part->op != "store" && part->op != "atomic") return;
    const Tree& array = arrays_.at(part->name);
    if (array->extra == "local" && front::type_bytes(array->type) != front::type_bytes(part->type))
      refuse(part->line, "mixed_local:" + part->name);
  });
  declare_arrays();
  if (result_.nram_bytes > nram_limit_) refuse(kernel_->line, "capacity:" + std::to_string(result_.nram_bytes));
  if (!result_.refusal.empty()) return result_;
  std::string scalars;
  for (const std::string& name : shapes_.variables()) {
    if (!shapes_.variable(name).is_varying && used_scalars_.count(name) > 0)
      scalars += "    " + bang_type(shapes_.type_of(name)) + " " + name + " = 0;\n";
  }
  std::string text;
  text += "namespace " + kernel_->name + "_tuning {\n";
  text += "constexpr int kThreads = " + std::to_string(threads_max_) +
          ";  // most threads of a block; 64 to 1024 while the tiles fit " + std::to_string(nram_limit_ / 1024) +
          " KiB of NRAM\n";
  if (arrays_.count("dynamic_shared") > 0)
    text += "constexpr int kDynamicShared = 48 * 1024;  // bytes of dynamic shared memory\n";
  text += "}  // namespace " + kernel_->name + "_tuning\n\n";
  text += "__mlu_entry__ void " + kernel_->name + "(" + signature() + ") {\n";
  text += "  using namespace " + kernel_->name + "_tuning;\n" + tiles_;
  const bool is_line = needs_line_of_threads_ || meets(kernel_->args.back());
  if (has_rows_) text += "  const int block_threads = block_x * block_y * block_z;\n  (void)block_threads;\n";
  if (!is_warps_)
    text += std::string("  const int threads = ") + (has_rows_ || !is_line ? "block_x" : "block_x * block_y * block_z") + ";\n";
  if (needs_lane_index_)
    text += std::string("  for (int lane = 0; lane < ") + (is_warps_ ? "32" : "threads") + "; ++lane) lane_index[lane] = lane;\n";
  // Copies of structures take along elements that nobody has set; in a thread's registers nothing would be seen of them.
  for (const Tree& child : kernel_->args) {
    if (child->op != "array" || child->extra != "local") continue;
    const long long words = (std::stoll(child->args[0]->name) * front::type_bytes(child->type) + 3) / 4;
    const bool is_whole = std::stoll(child->args[0]->name) * front::type_bytes(child->type) % 4 == 0;
    if (is_whole) text += "  __bang_write_value((int*)" + child->name + ", " + std::to_string(words) + " * kThreads, 0);\n";
  }
  text += "  for (int64_t block = taskId; block < (int64_t)grid_x * grid_y * grid_z; block += taskDim) {\n";
  text +=
      "    const unsigned int block_id_x = block % grid_x, block_id_y = block / grid_x % grid_y, block_id_z = block / grid_x / "
      "grid_y;\n";
  text += "    (void)block_id_x, (void)block_id_y, (void)block_id_z;\n";
  result_.kernel_text = text + scalars + body_ + "  }\n}\n";
  result_.text = result_.kernel_text + "\n" + launcher();
  result_.entry = entry();
  result_.launch_prelude = launch_prelude();
  return result_;
}

}  // namespace starbridge::kernel::port

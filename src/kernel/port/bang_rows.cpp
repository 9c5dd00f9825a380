// Operations of warps, and blocks of several rows (of threads or of warps): what lies between the places where all threads of the
// block meet is carried out row by row.
#include <functional>

#include "kernel/port/bang_emitter.h"
#include "kernel/port/harmless.h"

namespace starbridge::kernel::port {

void BangEmitter::warp(const Tree& tree, const Range& range) {
  needs_line_of_threads_ = true;
  used_tiles_.insert(tree->name);
  const std::string kind = tree->extra;
  const std::string target_tile = is_in_row_ ? "(" + tree->name + " + row_at)" : tree->name;
  const bool is_vote = kind == "ballot" || kind == "any" || kind == "all";
  if (front::type_bytes(tree->type) != 4) return refuse(tree->line, "warp_type:" + bang_type(tree->type));
  scratch_next_ = 0;
  const std::string type = tree->type == "u32" ? "unsigned int" : tree->type == "i32" ? "int" : "float";
  std::string given = scratch();
  const std::string given_type = is_vote ? "int" : type;
  Operand value;
  const std::string saved = body_;
  bool is_done = false;
  if (!is_vote) {
    const std::string target = tile_at(given, range);
    is_done = vector(tree->args[0], range, target, value);
    if (!is_done) body_ = saved;
    if (is_done && !value.is_tile)
      line("__bang_write_value((" + std::string(type == "float" ? "float" : "int") + "*)(" + target + "), " + count(range) +
           ", (" + (type == "float" ? "float" : "int") + ")" + value.text + ");");
    if (is_done && value.is_tile && value.text != target)
      line("__memcpy(" + target + ", " + value.text + ", (" + count(range) + ") * sizeof(float), NRAM2NRAM);");
  }
  auto fill = [&](const std::string& tile_name, const std::string& word, const Tree& from) {
    lane_ = "lane";
    line("for (int lane = " + range.first + "; lane < " + range.last + "; ++lane) ((" + word + "*)" + tile_name +
         ")[lane] = " + scalar(from) + ";");
    lane_.clear();
  };
  if (!is_done) fill(given, given_type, tree->args[0]);
  const std::string width = scalar(tree->args[2]);
  std::string call = "port::lanes_" + kind + "((" + type + "*)" + target_tile + ", (" + given_type + "*)" + given + ", ";
  if (kind == "index" && !shapes_.of(tree->args[1]).is_uniform()) {
    const std::string chosen = scratch();
    fill(chosen, "int", tree->args[1]);
    call += "(int*)" + chosen + ", ";
  } else if (kind == "index" || kind == "up" || kind == "down" || kind == "xor") {
    if (!shapes_.of(tree->args[1]).is_uniform()) return refuse(tree->line, "warp_lane:");
    call += scalar(tree->args[1]) + ", ";
  }
  line(call + width + ", " + range.first + ", " + range.last + ");");
  count_meeting(tree, is_done);
}

// What the support header does for a warp operation: shifts by one distance are copies, all else goes from lane to lane.
void BangEmitter::count_meeting(const Tree& tree, bool operand_is_vector) {
  const std::string& kind = tree->extra;
  if (kind == "sum" && tree->type == "f32") result_.reorders = true;
  bool is_copy = kind == "up" || kind == "down" || kind == "xor";
  if (const Tree& distance = tree->args[1]; kind == "xor" && distance->op == "const") {
    const long long bits = std::stoll(distance->name);
    is_copy = (bits & (bits - 1)) == 0;
  }
  const Tree work = front::make("call", tree->type, kind);  // one operation per lane
  count_work(work, is_copy);
  count_work(tree->args[0], operand_is_vector);
  if (!is_copy && (result_.fallbacks.empty() || result_.fallbacks.back().line != tree->line))
    result_.fallbacks.push_back({tree->line, "a warp operation (" + kind + ") from lane to lane"});
}

// A warp may span rows: the operation goes over all threads of the block; mask_meetings has made variables of its operands.
void BangEmitter::warp_of_block(const Tree& tree) {
  const std::string& kind = tree->extra;
  if (front::type_bytes(tree->type) != 4) return refuse(tree->line, "warp_type:" + bang_type(tree->type));
  const bool is_vote = kind == "ballot" || kind == "any" || kind == "all";
  const std::string type = tree->type == "u32" ? "unsigned int" : tree->type == "i32" ? "int" : "float";
  used_tiles_.insert(tree->name);
  auto is_kept = [&](const Tree& operand) { return operand->op == "var" && is_tile(operand->name); };
  std::string given = tree->args[0]->name;
  if (is_kept(tree->args[0])) {
    used_tiles_.insert(given);
  } else {
    given = scratch();
    line("for (int lane = 0; lane < block_threads; ++lane) ((" + (is_vote ? "int" : type) + "*)" + given +
         ")[lane] = " + scalar(tree->args[0]) + ";");
  }
  std::string call =
      "port::lanes_" + kind + "((" + type + "*)" + tree->name + ", (" + (is_vote ? "int" : type) + "*)" + given + ", ";
  if (kind == "index" && is_kept(tree->args[1])) {
    used_tiles_.insert(tree->args[1]->name);
    call += "(int*)" + tree->args[1]->name + ", ";
  } else if (kind == "index" || kind == "up" || kind == "down" || kind == "xor") {
    if (is_kept(tree->args[1])) return refuse(tree->line, "warp_lane:");
    call += scalar(tree->args[1]) + ", ";
  }
  line(call + scalar(tree->args[2]) + ", 0, block_threads);");
  count_meeting(tree, is_kept(tree->args[0]));
}

// Blocks of more than one row: what lies between barriers is carried out row by row.
void BangEmitter::rows(const Tree& seq) {
  std::vector<Tree> run;
  auto flush = [&] {
    if (run.empty()) return;
    if (is_warps_) {
      line("for (unsigned int warp_at = 0; (int)warp_at * 32 < block_threads; ++warp_at) {");
      ++indent_;
      line("const int row_at = (int)warp_at * 32, threads = port::least(32, block_threads - row_at);");
    } else {
      line("for (unsigned int thread_z = 0; thread_z < block_z; ++thread_z) {");
      ++indent_;
      line("for (unsigned int thread_y = 0; thread_y < block_y; ++thread_y) {");
      ++indent_;
      line("const int row_at = (int)(thread_z * block_y + thread_y) * threads;");
    }
    line("(void)row_at;");
    is_in_row_ = true;
    for (const Tree& each : run) statement(each, {});
    is_in_row_ = false;
    for (int loops = is_warps_ ? 1 : 2; loops > 0; --loops) {
      --indent_;
      line("}");
    }
    run.clear();
  };
  for (const Tree& each : seq->args) {
    const bool meets = parts_regions(each);
    const bool is_block_wide = block_wide_.count(each.get()) > 0;
    if (!meets && !is_block_wide) {
      run.push_back(each);
      continue;
    }
    flush();
    if (each->op == "barrier") continue;
    if (each->op == "break" || each->op == "continue") {
      line(each->op + ";");
      continue;
    }
    if (each->op == "warp") {
      origin(each);
      warp_of_block(each);
      continue;
    }
    if (is_block_wide) {
      scalar_set(each);
      continue;
    }
    origin(each);
    const Shape test = shapes_.of(each->args.empty() ? each : each->args[0]);
    if (!test.is_uniform() || test.depends_on_row) return refuse(each->line, "barrier_divergent:");
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

// In blocks of several rows, what lives longer than one region is kept per thread, unless it is the same for the whole block and
// set between regions.
void BangEmitter::force_tiles() {
  std::set<std::string> forced;
  for (bool changes = true; changes;) {
    changes = false;
    shapes_ = Shapes(kernel_, forced);
    regions_.clear();
    int region = 0;
    std::function<void(const Tree&)> walk = [&](const Tree& seq) {
      bool is_open = false;
      for (const Tree& each : seq->args) {
        if (parts_regions(each) || block_wide_.count(each.get()) > 0) {
          is_open = false;
          regions_[each.get()] = -1;
          for (const Tree& child : each->args) {
            if (child->op == "seq") walk(child);
          }
          continue;
        }
        if (!is_open) ++region;
        is_open = true;
        front::each(each, [&](const Tree& part) { regions_[part.get()] = region; });
        tops_.insert(each.get());
      }
    };
    tops_.clear();
    walk(kernel_->args.back());
    for (const std::string& name : shapes_.variables()) {
      const Shape shape = shapes_.variable(name);
      if (shape.is_varying) continue;
      std::set<int> seen;
      bool sets_are_plain = true;
      std::vector<const front::Node*> sets;
      for (const Tree& use : shapes_.uses_of(name)) {
        seen.insert(regions_[use.get()]);
        if (use->op == "set" && use->name == name) {
          sets.push_back(use.get());
          sets_are_plain &= tops_.count(use.get()) > 0 || block_wide_.count(use.get()) > 0;
        }
      }
      if (seen.size() == 1 && *seen.begin() > 0) continue;
      if (sets_are_plain && shape.is_uniform() && !shape.depends_on_row) {
        for (const front::Node* set : sets) changes |= block_wide_.insert(set).second;
      } else {
        changes |= forced.insert(name).second;
      }
    }
  }
}

// Rows are carried out one after the other between the places where all threads of the block meet.
bool BangEmitter::parts_regions(const Tree& tree) const {
  const bool jumps = tree->op == "break" || tree->op == "continue";
  return jumps || has_block_barrier(tree) || (!is_warps_ && meets(tree));
}

}  // namespace starbridge::kernel::port

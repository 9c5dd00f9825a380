// Statements: lanes in step where a vector built-in does the work, a loop over the threads elsewhere.
#include "kernel/port/bang_emitter.h"

namespace starbridge::kernel::port {

using front::has;

namespace {

std::string old_name(const Tree& atomic) { return atomic->extra.substr(atomic->extra.find(' ') + 1); }
std::string operation_of(const Tree& atomic) { return atomic->extra.substr(0, atomic->extra.find(' ')); }

}  // namespace

void BangEmitter::sequence(const Tree& seq, const Range& range) {
  for (const Tree& each : seq->args) statement(each, range);
}

void BangEmitter::scalar_set(const Tree& tree) {
  used_scalars_.insert(tree->name);
  line(tree->name + " = " + scalar(tree->args[0]) + ";");
}

void BangEmitter::statement(const Tree& tree, const Range& range) {
  if (!result_.refusal.empty()) return;
  if (tree->op == "seq") return sequence(tree, range);
  if (tree->op == "barrier") {
    if ((!range.is_whole || is_in_row_) && tree->extra != "warp") refuse(tree->line, "barrier_divergent:");
    return;  // the lanes are in step already
  }
  origin(tree);
  if (shapes_.is_by_thread(tree))
    return by_thread(tree, range,
                     tree->op == "if" ? "a condition that follows no rule along the threads"
                                      : "a loop whose length differs from thread to thread");
  if (tree->op == "if") return choice(tree, range);
  if (tree->op == "loop") return loop(tree, range);
  if (tree->op == "break" || tree->op == "continue") return line(tree->op + ";");
  if (tree->op == "warp") return warp(tree, range);
  if (tree->op == "set" && !is_tile(tree->name)) return scalar_set(tree);
  if (tree->op == "atomic" && vector_atomic(tree, range)) return;
  why_not_ = tree->op == "atomic" ? "an atomic operation" : "";
  if (tree->op != "atomic" && vector_statement(tree, range)) return count_work(tree, true);
  if (tree->op == "store" && reads_what_it_stores(tree)) return in_two_steps(tree, range, why_not_);
  by_thread(tree, range, why_not_);
}

// Threads of a warp that read one another's elements in the statement that changes them all read before any stores.
bool BangEmitter::reads_what_it_stores(const Tree& store) const {
  const std::string place = front::print(store->args[0]);
  bool reads = false;
  for (const Tree& side : store->args)
    front::each(side, [&](const Tree& part) {
      reads |= part->op == "load" && part->name == store->name && front::print(part->args[0]) != place;
    });
  return reads;
}

void BangEmitter::in_two_steps(const Tree& store, const Range& range, const std::string& reason) {
  scratch_next_ = 0;
  const std::string type = bang_type(store->type);
  std::string values;
  if (front::type_bytes(store->type) > 4) {
    needs_wide_scratch_ = true;
    values = "((" + type + "*)scratch_wide)";
  } else {
    values = "((" + type + "*)" + scratch() + ")";
  }
  auto each_lane = [&](const std::string& to, const std::string& from) {
    line("for (int lane = " + range.first + "; lane < " + range.last + "; ++lane) " + to + " = " + from +
         ";  // thread by thread: " + reason);
  };
  note_fallback(store, reason);
  const std::string saved = lane_;
  lane_ = "lane";
  bool moves = false;  // the place depends on what is stored
  front::each(store->args[0], [&](const Tree& part) { moves |= part->op == "load" && part->name == store->name; });
  std::string place = scalar(store->args[0]);
  if (moves) {
    const std::string places = "((int*)" + scratch() + ")[lane]";
    each_lane(places, "(int)" + place);
    place = places;
  }
  each_lane(values + "[lane]", scalar(store->args[1]));
  each_lane(element(store->name, store->type, place), values + "[lane]");
  lane_ = saved;
}

void BangEmitter::note_fallback(const Tree& tree, const std::string& reason) {
  if (result_.fallbacks.empty() || result_.fallbacks.back().line != tree->line || result_.fallbacks.back().reason != reason)
    result_.fallbacks.push_back({tree->line, reason});
  count_work(tree, false);
}

bool BangEmitter::vector_statement(const Tree& tree, const Range& range) {
  if (choices_.is_scalar) {
    why_not_ = "the scalar port";
    return false;
  }
  const std::string saved_body = body_;
  const int saved_next = scratch_next_, saved_most = scratch_most_;
  auto give_up = [&] {
    body_ = saved_body;
    scratch_next_ = saved_next;
    scratch_most_ = saved_most;
    return false;
  };
  scratch_next_ = 0;
  if (tree->type == "b" && tree->op == "set") {
    Operand mask;
    if (!vector_mask(tree->args[0], range, mask)) return give_up();
    line("__bang_float2int32_tz((int*)(" + tile_at(tree->name, range) + "), (float*)(" + mask.text + "), " + count(range) + ");");
    return true;
  }
  const std::string& type = tree->type;
  const bool is_half = tree->op == "store" && type == "f16";
  if (type != "f32" && type != "i32" && type != "u32" && !(type == "f64" && tree->op == "set") && !is_half) {
    why_not_ = "values of type " + bang_type(type);
    return false;
  }
  const std::string word = type == "i32" || type == "u32" ? "int" : "float", n = count(range);
  Operand value;
  if (tree->op == "set") {
    const std::string to = tile_at(tree->name, range);
    if (!vector(tree->args[0], range, to, value)) return give_up();
    if (!value.is_tile)
      line("__bang_write_value((" + word + "*)(" + to + "), " + n + ", (" + word + ")" + value.text + ");");
    else if (value.text != to)
      line("__memcpy(" + to + ", " + value.text + ", (" + n + ") * sizeof(float), NRAM2NRAM);");
    return true;
  }
  const Shape index = shapes_.of(tree->args[0]);
  const bool is_local = arrays_.at(tree->name)->extra == "local";
  if (index.is_varying || (is_local && !index.is_uniform())) {
    why_not_ = "an index of " + tree->name + " that follows no rule (scatter)";
    return false;
  }
  if (index.is_uniform() && !is_local) {
    why_not_ = "all threads store to one element of " + tree->name;
    return false;
  }
  Tree given = is_half && tree->args[1]->op == "cast" ? tree->args[1]->args[0] : tree->args[1];
  if (is_half && given->type != "f32") {
    why_not_ = "values of type half";
    return false;
  }
  if (!vector(given, range, "", value)) return give_up();
  std::string source = as_tile(value, is_half ? "f32" : type, range);
  const std::string at = scalar(tree->args[0]);
  if (is_local) {
    line("__memcpy(" + tree->name + " + (" + at + ") * kThreads" + (is_in_row_ ? " + row_at" : "") +
         (range.first != "0" ? " + " + range.first : "") + ", " + source + ", (" + n + ") * sizeof(float), NRAM2NRAM);");
    return true;
  }
  if (is_half) {
    const std::string narrow = scratch();
    line("__bang_float2half_rn((half*)(" + narrow + "), (float*)(" + source + "), " + n + ");");
    source = narrow;
  }
  const std::string element_type = bang_type(type), step = scalar(index.step);
  const std::string to = "((" + element_type + "*)" + tree->name + ") + " + at +
                         (range.first == "0" ? "" : " + " + range.first + (step == "1" ? "" : " * " + step));
  const std::string way = is_near(tree->name) ? "NRAM2NRAM" : "NRAM2GDRAM";
  // Values that came straight out of an array in NRAM might lie over the place they go to.
  if (is_near(tree->name) && given->op == "load") {
    const std::string kept = tile_at(scratch(), range);
    line("__memcpy(" + kept + ", " + source + ", (" + n + ") * sizeof(float), NRAM2NRAM);");
    source = kept;
  }
  if (step == "1")
    line("__memcpy(" + to + ", " + source + ", (" + n + ") * sizeof(" + element_type + "), " + way + ");");
  else
    line("port::store_strided(" + to + ", (" + element_type + "*)(" + source + "), " + step + ", " + n + ", " + way + ");");
  return true;
}

BangEmitter::Range BangEmitter::narrowed(const std::vector<Bound>& bounds, const Range& range) {
  Range result = range;
  result.is_whole = false;
  const std::string number = std::to_string(++range_next_);
  std::string first = range.first, last = range.last;
  for (const Bound& bound : bounds) {
    if (bound.kind == "guard") {
      last = "(" + scalar(bound.left) + " ? " + last + " : 0)";
      continue;
    }
    const std::string at =
        "(int64_t)" + scalar(bound.right) + " - (int64_t)" + scalar(bound.left) + (bound.shift != 0 ? " + 1" : "");
    if (bound.kind == "last") last = "port::least(" + last + ", " + at + ")";
    if (bound.kind == "first") first = "port::most(" + first + ", " + at + ")";
    if (bound.kind == "only") {
      first = "port::most(" + first + ", " + at + ")";
      last = "port::least(" + last + ", " + at + " + 1)";
    }
  }
  if (first != range.first) {
    line("const int first_" + number + " = " + first + ";");
    result.first = "first_" + number;
  }
  if (last != range.last) {
    line("const int last_" + number + " = " + last + ";");
    result.last = "last_" + number;
  }
  return result;
}

void BangEmitter::choice(const Tree& tree, const Range& range) {
  std::vector<Bound> bounds;
  if (shapes_.of(tree->args[0]).is_uniform()) {
    line("if (" + scalar(tree->args[0]) + ") {");
    ++indent_;
    sequence(tree->args[1], range);
    --indent_;
    if (tree->args.size() > 2) {
      line("} else {");
      ++indent_;
      sequence(tree->args[2], range);
      --indent_;
    }
    line("}");
    return;
  }
  if (!shapes_.bounds_of(tree->args[0], bounds)) return refuse(tree->line, "barrier_divergent:");
  line("{");
  ++indent_;
  const Range yes = narrowed(bounds, range);
  line("if (" + yes.first + " < " + yes.last + ") {");
  ++indent_;
  sequence(tree->args[1], yes);
  --indent_;
  line("}");
  if (tree->args.size() > 2) {
    if (bounds.size() != 1 || bounds[0].kind == "only") return refuse(tree->line, "barrier_divergent:");
    Range no = range;
    no.is_whole = false;
    const std::string number = std::to_string(++range_next_);
    if (bounds[0].kind == "last") {
      line("const int first_" + number + " = port::most(" + range.first + ", " + yes.last + ");");
      no.first = "first_" + number;
    } else {
      line("const int last_" + number + " = port::least(" + range.last + ", " + yes.first + ");");
      no.last = "last_" + number;
    }
    line("if (" + no.first + " < " + no.last + ") {");
    ++indent_;
    sequence(tree->args[2], no);
    --indent_;
    line("}");
  }
  --indent_;
  line("}");
}

void BangEmitter::loop(const Tree& tree, const Range& range) {
  ++depth_;
  std::vector<Bound> bounds;
  const bool is_uniform = shapes_.of(tree->args[0]).is_uniform();
  // A plain counting loop where there is no `continue` to be led past the step.
  const bool continues = has(tree->args[1], {"continue"});
  const std::string label = "next_" + std::to_string(++range_next_);
  line(is_uniform ? "while (" + scalar(tree->args[0]) + ") {" : "for (;;) {");
  ++indent_;
  Range inside = range;
  if (!is_uniform) {
    if (!shapes_.bounds_of(tree->args[0], bounds)) return refuse(tree->line, "barrier_divergent:");
    inside = narrowed(bounds, range);
    line("if (" + inside.first + " >= " + inside.last + ") break;");
  }
  if (continues) line("do {");
  sequence(tree->args[1], inside);
  if (continues) {
    if (has(tree->args[1], {"break"})) refuse(tree->line, "construct:break beside continue");
    line("} while (false);");
  }
  sequence(tree->args[2], range);
  --indent_;
  line("}");
  --depth_;
}

void BangEmitter::by_thread(const Tree& tree, const Range& range, const std::string& reason) {
  if ((tree->op == "if" || tree->op == "loop") && meets(tree)) return refuse(tree->line, "barrier_divergent:");
  note_fallback(tree, reason);
  const std::set<std::string> saved_inner = inner_;
  const std::string saved_lane = lane_;
  lane_ = "lane";
  line("for (int lane = " + range.first + "; lane < " + range.last + "; ++lane) {  // thread by thread: " + reason);
  ++indent_;
  for (const std::string& name : shapes_.variables()) {
    if (inner_.count(name) > 0 || !shapes_.is_inside(name, tree)) continue;
    inner_.insert(name);
    line(bang_type(shapes_.type_of(name)) + " " + name + " = 0;");
  }
  thread_statement(tree);
  --indent_;
  line("}");
  lane_ = saved_lane;
  inner_ = saved_inner;
}

void BangEmitter::thread_atomic(const Tree& tree) {
  const std::string operation = operation_of(tree), old = old_name(tree), type = bang_type(tree->type);
  const std::string place = element(tree->name, tree->type, scalar(tree->args[0]));
  bool is_used = false;
  front::each(kernel_->args.back(), [&](const Tree& part) { is_used |= part->op == "var" && part->name == old; });
  std::string value = scalar(tree->args[1]);
  if (is_near(tree->name)) {
    const std::string second = tree->args.size() > 2 ? ", (" + type + ")" + scalar(tree->args[2]) : "";
    line((is_used ? variable(old) + " = " : "") + std::string("port::") + operation + "_here(&" + place + ", (" + type + ")" +
         value + second + ");");
    return;
  }
  if (tree->type != "f32" && tree->type != "i32" && tree->type != "u32") return refuse(tree->line, "atomic_64:atomic on " + type);
  if (operation == "cas") {
    line("{ " + type + " seen; __bang_atomic_cas(&seen, &" + place + ", (" + type + ")" + value + ", (" + type + ")" +
         scalar(tree->args[2]) + "); " + (is_used ? variable(old) + " = seen; " : "") + "}");
  } else if (is_used) {
    line("{ " + type + " seen; __bang_atomic_" + operation + "(&seen, &" + place + ", (" + type + ")" + value + "); " +
         variable(old) + " = seen; }");
  } else {
    line("__bang_atomic_reduce_" + operation + "(&" + place + ", (" + type + ")" + value + ");");
  }
  if (tree->type == "f32") result_.reorders = true;
}

void BangEmitter::thread_statement(const Tree& tree) {
  if (!result_.refusal.empty()) return;
  if (tree->op == "seq") {
    for (const Tree& each : tree->args) thread_statement(each);
  } else if (tree->op == "set") {
    tell_work(tree);
    line(variable(tree->name) + " = " + scalar(tree->args[0]) + ";");
  } else if (tree->op == "store") {
    tell_work(tree);
    line(element(tree->name, tree->type, scalar(tree->args[0])) + " = " + scalar(tree->args[1]) + ";");
  } else if (tree->op == "if") {
    line("if (" + scalar(tree->args[0]) + ") {");
    ++indent_;
    thread_statement(tree->args[1]);
    --indent_;
    if (tree->args.size() > 2) {
      line("} else {");
      ++indent_;
      thread_statement(tree->args[2]);
      --indent_;
    }
    line("}");
  } else if (tree->op == "loop") {
    // The step stands in the head, so that `continue` reaches it; more than one statement becomes a lambda's body.
    std::string step;
    for (const Tree& each : tree->args[2]->args) {
      if (each->op != "set") {
        step.clear();
        break;
      }
      step += (step.empty() ? "" : ", ") + variable(each->name) + " = " + scalar(each->args[0]);
    }
    const bool is_in_head = step.size() > 0 || tree->args[2]->args.empty();
    if (!is_in_head && has(tree->args[1], {"continue"})) return refuse(tree->line, "construct:continue");
    line("for (; " + scalar(tree->args[0]) + "; " + step + ") {");
    ++indent_;
    thread_statement(tree->args[1]);
    if (!is_in_head) thread_statement(tree->args[2]);
    --indent_;
    line("}");
  } else if (tree->op == "break" || tree->op == "continue") {
    line(tree->op + ";");
  } else if (tree->op == "atomic") {
    tell_work(tree);
    thread_atomic(tree);
  } else if (tree->op != "barrier") {
    refuse(tree->line, "construct:" + tree->op);
  }
}

// One sum for all lanes, one atomic for the sum.
bool BangEmitter::vector_atomic(const Tree& tree, const Range& range) {
  const std::string old = old_name(tree);
  bool is_used = false;
  front::each(kernel_->args.back(), [&](const Tree& part) { is_used |= part->op == "var" && part->name == old; });
  if (choices_.is_scalar || is_used || operation_of(tree) != "add" || tree->type != "f32" || is_near(tree->name) ||
      !shapes_.of(tree->args[0]).is_uniform())
    return false;
  const std::string saved = body_;
  scratch_next_ = 0;
  Operand value;
  if (!vector(tree->args[1], range, "", value)) {
    body_ = saved;
    return false;
  }
  const std::string place = "&" + element(tree->name, tree->type, scalar(tree->args[0]));
  const std::string source = as_tile(value, "f32", range);
  line("__bang_atomic_reduce_add(" + place + ", __bang_sum((float*)(" + source + "), " + count(range) + "));");
  result_.reorders = true;
  count_work(tree, true);
  return true;
}

}  // namespace starbridge::kernel::port

#include "kernel/port/normalise.h"

#include <functional>
#include <map>
#include <set>

#include "kernel/port/harmless.h"

namespace starbridge::kernel::port {

using front::make;
using front::Tree;

namespace {

bool contains_leave(const Tree& tree, const std::string& label) {
  bool has = false;
  front::each(tree, [&](const Tree& part) { has |= part->op == "leave" && part->name == label; });
  return has;
}

// Every way through the sequence ends by leaving `label`, at its end and nowhere else.
bool ends_by_leaving(const Tree& seq, const std::string& label) {
  if (seq->args.empty() || seq->args.back()->op != "leave" || seq->args.back()->name != label) return false;
  for (std::size_t i = 0; i + 1 < seq->args.size(); ++i) {
    if (contains_leave(seq->args[i], label)) return false;
  }
  return true;
}

class Exits {
 public:
  Tree lower(const Tree& tree) {
    if (tree->op == "block") {
      Tree body = lower(tree->args[0]);
      const std::string flag = "left_" + tree->name;
      is_used_ = false;
      Tree result = make("seq", "", "", rest_of(body->args, 0, tree->name, flag, false));
      if (is_used_) {
        Tree set = make("set", "b", flag, {front::constant("b", 0)});
        set->line = tree->line;
        result->args.insert(result->args.begin(), set);
      }
      return result;
    }
    Tree result = std::make_shared<front::Node>(*tree);
    result->args.clear();
    for (const Tree& child : tree->args) {
      Tree next = lower(child);
      // A block inside a sequence becomes part of it.
      if (child->op == "block" && tree->op == "seq")
        result->args.insert(result->args.end(), next->args.begin(), next->args.end());
      else
        result->args.push_back(next);
    }
    return result;
  }

 private:
  std::vector<Tree> rest_of(const std::vector<Tree>& statements, std::size_t from, const std::string& label,
                            const std::string& flag, bool in_loop) {
    std::vector<Tree> result;
    for (std::size_t i = from; i < statements.size(); ++i) {
      const Tree& statement = statements[i];
      if (!contains_leave(statement, label)) {
        result.push_back(statement);
        continue;
      }
      if (statement->op == "leave") {
        if (in_loop) {
          push_flag(result, flag, statement->line);
          result.push_back(make("break", "", ""));
        } else if (needs_flag_) {
          push_flag(result, flag, statement->line);
        }
        return result;
      }
      if (statement->op == "if" && !in_loop && !needs_flag_) {
        const Tree yes = statement->args[1], no = statement->args.size() > 2 ? statement->args[2] : make("seq", "", "");
        const bool yes_ends = ends_by_leaving(yes, label), no_ends = ends_by_leaving(no, label);
        if ((yes_ends && !contains_leave(no, label)) || (no_ends && !contains_leave(yes, label))) {
          Tree node = std::make_shared<front::Node>(*statement);
          std::vector<Tree> rest = rest_of(statements, i + 1, label, flag, false);
          Tree stays = std::make_shared<front::Node>(yes_ends ? *no : *yes),
               goes = std::make_shared<front::Node>(yes_ends ? *yes : *no);
          stays->args.insert(stays->args.end(), rest.begin(), rest.end());
          goes->args.pop_back();
          Tree test = statement->args[0];
          if (!goes->args.empty() && label == "end" && has_block_barrier(stays) && !has_block_barrier(goes)) {
            part(statement, yes_ends, goes, stays, result);
            return result;
          }
          if (goes->args.empty() && label == "end") node->extra = "exit";
          if (yes_ends && goes->args.empty()) {
            node->args = {make("lnot", "b", "", {test}), stays};
            if (test->op == "lnot") node->args[0] = test->args[0];
          } else {
            node->args = {test, yes_ends ? goes : stays};
            if (const Tree& other = yes_ends ? stays : goes; !other->args.empty()) node->args.push_back(other);
          }
          result.push_back(node);
          return result;
        }
      }
      // Somewhere deeper: a flag says so, and what follows asks for it.
      Tree node = flagged(statement, label, flag, in_loop);
      result.push_back(node);
      if (in_loop) {
        if (statement->op == "loop") result.push_back(jump(flag));
      }
      std::vector<Tree> rest = rest_of(statements, i + 1, label, flag, in_loop);
      if (!rest.empty()) {
        Tree guard = make("if", "", "", {make("lnot", "b", "", {make("var", "b", flag)}), make("seq", "", "", rest)});
        guard->line = statement->line;
        if (label == "end" && !in_loop) guard->extra = "exit";
        result.push_back(guard);
      }
      return result;
    }
    return result;
  }
  // Threads that do something and return before barriers of the others: first what they do, then all that the others do.
  void part(const Tree& statement, bool yes_ends, const Tree& goes, const Tree& stays, std::vector<Tree>& to) {
    const std::string name = "goes_" + std::to_string(++number_);
    Tree test = statement->args[0];
    if (!yes_ends) test = make("lnot", "b", "", {test});
    Tree set = make("set", "b", name, {test}), first = make("if", "", "", {make("var", "b", name), goes}),
         then = make("if", "", "", {make("lnot", "b", "", {make("var", "b", name)}), stays});
    then->extra = "exit";
    for (const Tree& each : {set, first, then}) {
      each->line = statement->line;
      to.push_back(each);
    }
  }
  Tree flagged(const Tree& statement, const std::string& label, const std::string& flag, bool in_loop) {
    Tree node = std::make_shared<front::Node>(*statement);
    const bool saved = needs_flag_;
    needs_flag_ = true;
    for (Tree& child : node->args) {
      if (child->op == "seq")
        child = make("seq", "", "", rest_of(child->args, 0, label, flag, in_loop || statement->op == "loop"));
    }
    needs_flag_ = saved;
    is_used_ = true;
    return node;
  }
  Tree jump(const std::string& flag) {
    return make("if", "", "", {make("var", "b", flag), make("seq", "", "", {make("break", "", "")})});
  }
  void push_flag(std::vector<Tree>& to, const std::string& flag, int line) {
    Tree set = make("set", "b", flag, {front::constant("b", 1)});
    set->line = line;
    to.push_back(set);
    is_used_ = true;
  }
  bool is_used_ = false;
  bool needs_flag_ = false;
  int number_ = 0;
};

Tree fold(Tree tree) {
  if (tree->args.size() == 2 && (tree->op == "add" || tree->op == "mul" || tree->op == "sub") && !front::is_float(tree->type)) {
    const Tree &a = tree->args[0], &b = tree->args[1];
    auto is = [](const Tree& side, const char* digits) { return side->op == "const" && side->name == digits; };
    if ((tree->op == "add" || tree->op == "sub") && is(b, "0")) return a;
    if (tree->op == "add" && is(a, "0")) return b;
    if (tree->op == "mul" && is(b, "1")) return a;
    if (tree->op == "mul" && is(a, "1")) return b;
    if (tree->op == "mul" && (is(a, "0") || is(b, "0"))) return front::constant(tree->type, 0);
  }
  if (tree->op == "cast" && tree->args[0]->type == tree->type) return tree->args[0];
  if (tree->op == "cast" && tree->args[0]->op == "const" && !front::is_float(tree->type) &&
      !front::is_float(tree->args[0]->type) && front::type_bytes(tree->type) == 8)
    return make("const", tree->type, tree->args[0]->name);
  return tree;
}

Tree replace(const Tree& tree, const std::map<std::string, Tree>& by) {
  if (tree->op == "var") {
    auto found = by.find(tree->name);
    return found == by.end() ? tree : found->second;
  }
  Tree result = std::make_shared<front::Node>(*tree);
  for (Tree& child : result->args) child = replace(child, by);
  return fold(result);
}

}  // namespace

Tree lower_exits(const Tree& kernel) {
  Tree result = std::make_shared<front::Node>(*kernel);
  Exits exits;
  result->args.back() = exits.lower(result->args.back());
  return result;
}

// Values nobody asks for: masks that only named the lanes of a shuffle, among others.
Tree drop_unused(const Tree& kernel) {
  Tree result = std::make_shared<front::Node>(*kernel);
  for (bool changes = true; changes;) {
    changes = false;
    std::set<std::string> asked;
    front::each(result->args.back(), [&](const Tree& part) {
      if (part->op == "var") asked.insert(part->name);
    });
    std::function<Tree(const Tree&)> strip = [&](const Tree& tree) {
      Tree next = std::make_shared<front::Node>(*tree);
      next->args.clear();
      for (const Tree& child : tree->args) {
        if ((child->op == "set" || child->op == "warp") && asked.count(child->name) == 0) {
          changes = true;
          continue;
        }
        next->args.push_back(front::is_statement(child->op) ? strip(child) : child);
      }
      return next;
    };
    result->args.back() = strip(result->args.back());
  }
  return result;
}

Tree propagate(const Tree& kernel) {
  Tree result = std::make_shared<front::Node>(*kernel);
  for (int round = 0; round < 40; ++round) {
    Tree body = result->args.back();
    std::map<std::string, int> sets;
    std::map<std::string, Tree> pure;
    front::each(body, [&](const Tree& tree) {
      if (tree->op == "set" || tree->op == "warp") ++sets[tree->name];
      if (tree->op == "atomic") ++sets[tree->extra.substr(tree->extra.find(' ') + 1)];
    });
    front::each(body, [&](const Tree& tree) {
      if (tree->op != "set" || sets[tree->name] != 1) return;
      bool is_pure = true;
      int size = 0;
      front::each(tree->args[0], [&](const Tree& part) {
        ++size;
        // Division may trap where the original did not come by.
        is_pure &= part->op == "const" || part->op == "param" || part->op == "special" || part->op == "add" ||
                   part->op == "sub" || part->op == "mul" || part->op == "cast" || part->op == "neg" || part->op == "lt" ||
                   part->op == "gt" || part->op == "le" || part->op == "ge" || part->op == "and" || part->op == "shr" ||
                   part->op == "shl" || part->op == "eq" || part->op == "ne" ||
                   ((part->op == "div" || part->op == "rem") && part->args[1]->op == "const" && part->args[1]->name != "0");
      });
      if (is_pure && size < 40) pure[tree->name] = tree->args[0];
    });
    if (pure.empty()) break;
    // Only those that name no other of this round: the rest follows in the next.
    std::function<Tree(const Tree&)> strip = [&](const Tree& tree) {
      Tree next = std::make_shared<front::Node>(*tree);
      next->args.clear();
      for (const Tree& child : tree->args) {
        if (child->op == "set" && pure.count(child->name) > 0) continue;
        next->args.push_back(front::is_statement(child->op) ? strip(child) : fold(replace(child, pure)));
      }
      return next;
    };
    result->args.back() = strip(body);
  }
  return result;
}

std::string find_fault(const Tree& kernel) {
  static const std::map<std::string, std::size_t> operands = {
      {"add", 2},  {"sub", 2},   {"mul", 2},  {"div", 2},   {"rem", 2},     {"and", 2},  {"or", 2},  {"xor", 2},   {"shl", 2},
      {"shr", 2},  {"lt", 2},    {"le", 2},   {"gt", 2},    {"ge", 2},      {"eq", 2},   {"ne", 2},  {"land", 2},  {"lor", 2},
      {"neg", 1},  {"lnot", 1},  {"bnot", 1}, {"cast", 1},  {"select", 3},  {"load", 1}, {"set", 1}, {"store", 2}, {"loop", 3},
      {"warp", 3}, {"const", 0}, {"var", 0},  {"param", 0}, {"special", 0}, {"any", 1}};
  std::set<std::string> arrays;
  for (const Tree& child : kernel->args) {
    if (child->op == "array") arrays.insert(child->name);
  }
  std::string fault;
  front::each(kernel->args.back(), [&](const Tree& tree) {
    if (!fault.empty()) return;
    auto found = operands.find(tree->op);
    if (found != operands.end() && tree->args.size() != found->second)
      fault = tree->op + " has " + std::to_string(tree->args.size()) + " operands";
    if ((tree->op == "load" || tree->op == "store" || tree->op == "atomic") && arrays.count(tree->name) == 0)
      fault = "no array \"" + tree->name + "\"";
    if (found != operands.end() && tree->type.empty() && tree->op != "loop") fault = tree->op + " has no type";
  });
  return fault;
}

}  // namespace starbridge::kernel::port

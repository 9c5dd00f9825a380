// One name for several purposes: an assignment in the kernel's main sequence that follows a rule along the threads begins a new
// variable, when the old one follows none.
#include <map>
#include <set>

#include "kernel/port/normalise.h"
#include "kernel/port/shapes.h"

namespace starbridge::kernel::port {

using front::Tree;

namespace {

constexpr int kRoundsMax = 12;

void rename(const Tree& tree, const std::string& from, const std::string& to) {
  front::each(tree, [&](const Tree& part) {
    if ((part->op == "var" || part->op == "set" || part->op == "warp") && part->name == from) part->name = to;
    if (part->op == "atomic" && part->extra.size() > from.size() && part->extra.substr(part->extra.find(' ') + 1) == from)
      part->extra = part->extra.substr(0, part->extra.find(' ') + 1) + to;
  });
}

bool names(const Tree& tree, const std::string& name) {
  bool found = false;
  front::each(tree, [&](const Tree& part) { found |= (part->op == "var" || part->op == "set") && part->name == name; });
  return found;
}

class Renamer {
 public:
  explicit Renamer(const Tree& kernel) : shapes_(kernel) {}

  // Nothing after `seq` asks for what is set in it.
  bool walk(const Tree& seq, std::vector<Tree> before) {
    for (std::size_t i = 0; i < seq->args.size(); ++i) {
      const Tree statement = seq->args[i];
      if (statement->op == "if" && statement->extra == "exit" && i + 1 == seq->args.size() && statement->args.size() == 2)
        return walk(statement->args[1], before);
      if (statement->op == "set" && shapes_.variable(statement->name).is_varying && !shapes_.of(statement->args[0]).is_varying) {
        const std::string old = statement->name;
        bool was_used = false;
        for (const Tree& each : before) was_used |= names(each, old);
        if (was_used) {
          const std::string name =
              old + "_again" + (shapes_.variables().count(old + "_again") > 0 ? "_" + std::to_string(i) : "");
          if (shapes_.variables().count(name) > 0) return false;
          const Tree given = front::copy(statement->args[0]);
          for (std::size_t k = i; k < seq->args.size(); ++k) rename(seq->args[k], old, name);
          statement->args[0] = given;
          return true;
        }
      }
      before.push_back(statement);
    }
    return false;
  }

 private:
  Shapes shapes_;
};

}  // namespace

Tree split_lives(const Tree& kernel) {
  Tree result = std::make_shared<front::Node>(*kernel);
  result->args.back() = front::copy(kernel->args.back());  // expressions are shared between statements
  for (int round = 0; round < kRoundsMax; ++round) {
    if (!Renamer(result).walk(result->args.back(), {})) break;
  }
  return result;
}

}  // namespace starbridge::kernel::port

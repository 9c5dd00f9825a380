#include "kernel/port/share_tiles.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace starbridge::kernel::port {

using front::Tree;

namespace {

// A place in the tree: sequence and index in it, outermost first.
using Path = std::vector<std::pair<int, int>>;

struct Life {
  Path common;         // up to the innermost sequence that holds all
  int begin = 0, end;  // there
  bool begins_anew = false;
};

class Lives {
 public:
  explicit Lives(const std::map<std::string, int>& tiles) : tiles_(tiles) {}

  std::map<std::string, Life> run(const Tree& body) {
    sequence(body);
    return std::move(lives_);
  }

 private:
  void sequence(const Tree& seq) {
    const int id = ++sequences_;
    for (std::size_t i = 0; i < seq->args.size(); ++i) {
      here_.emplace_back(id, static_cast<int>(i));
      statement(seq->args[i]);
      here_.pop_back();
    }
  }
  void statement(const Tree& tree) {
    for (const Tree& child : tree->args) {
      if (child->op != "seq") front::each(child, [&](const Tree& part) {
          if (part->op == "var") meet(part->name, false);
        });
    }
    if (tree->op == "set" || tree->op == "warp") meet(tree->name, tree->op == "set");
    if (tree->op == "atomic") meet(tree->extra.substr(tree->extra.find(' ') + 1), false);
    for (const Tree& child : tree->args) {
      if (child->op == "seq") sequence(child);
    }
  }
  void meet(const std::string& name, bool is_set) {
    if (tiles_.count(name) == 0) return;
    const auto [at, is_first] = lives_.try_emplace(name);
    Life& life = at->second;
    if (is_first) {
      life.common = here_;
      life.begin = life.end = here_.back().second;
      life.begins_anew = is_set;
      return;
    }
    std::size_t same = 0;
    while (same < life.common.size() && same < here_.size() && life.common[same].first == here_[same].first) {
      ++same;
      if (life.common[same - 1].second != here_[same - 1].second) break;
    }
    // The assignment stands in the sequence itself, and before everything else.
    if (same < life.common.size()) {
      life.begins_anew = false;
      life.common.resize(same);
      life.begin = life.common.empty() ? 0 : life.common.back().second;
    }
    if (same > 0) life.end = std::max(life.end, here_[same - 1].second);
  }

  const std::map<std::string, int>& tiles_;
  std::map<std::string, Life> lives_;
  Path here_;
  int sequences_ = 0;
};

}  // namespace

std::map<std::string, std::string> share_tiles(const Tree& body, const std::map<std::string, int>& tiles) {
  // By sequence and width, in the order their lives begin.
  std::map<std::pair<int, int>, std::vector<std::pair<std::string, Life>>> groups;
  for (const auto& [name, life] : Lives(tiles).run(body)) {
    if (life.begins_anew) groups[{life.common.back().first, tiles.at(name)}].emplace_back(name, life);
  }
  std::map<std::string, std::string> owners;
  for (auto& [key, group] : groups) {
    std::stable_sort(group.begin(), group.end(),
                     [](const auto& a, const auto& b) { return a.second.begin < b.second.begin; });
    std::vector<std::pair<std::string, int>> taken;  // owner, until when
    for (const auto& [name, life] : group) {
      const auto free = std::find_if(taken.begin(), taken.end(), [&](const auto& each) { return each.second < life.begin; });
      if (free == taken.end()) {
        taken.emplace_back(name, life.end);
        continue;
      }
      owners[name] = free->first;
      free->second = life.end;
    }
  }
  return owners;
}

}  // namespace starbridge::kernel::port

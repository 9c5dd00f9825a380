// Reach: which files of a project its programs lead to, and which lines run once per step. Told from imports, from commands in
// scripts and from names; what a program loads by a name made at run time is not seen. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "port/python/outline.h"

namespace starbridge::port {

enum class Reach {
  kUnknown,  // not a file of Python, or a library without programs
  kProgram,  // a program, or imported by one
  kTest,     // only tests lead there
  kBuild,    // only the build does
  kNone,     // nothing in the tree does: what a library offers, or what nobody uses any more
};
std::string_view to_string(Reach reach);
base::Text describe(Reach reach);

struct Reached {
  Reach reach = Reach::kUnknown;
  std::string from;  // the program, test or build script that leads there first
  std::vector<std::pair<int, int>>
      hot_lines;  // first and last, that run once per step of training or inference; disjoint, sorted
  // 16 bit may come here: the file asks for it, or imports one that does, or one of these imports it, by whatever way.
  bool may_run_in_16_bit = false;
  bool is_hot(int line) const;
};

struct ReachInput {
  std::vector<std::string> paths;                // of the Python files
  std::vector<const python::Outline*> outlines;  // as paths
  // Words of scripts, settings and other files that may start a program: where they stand, "tools/train.py", "pkg.train".
  std::vector<std::pair<std::string, std::string>> commands;
  std::vector<bool> asks_for_16_bit;  // as paths; empty: none
};

// By the names that test runners go by.
bool is_test_path(const std::string& path);

// As input.paths.
std::vector<Reached> find_reach(const ReachInput& input);

// Words of a text that name a Python file or, after -m, a module: "tools/train.py", "torch.distributed.run"; also "pkg.cli" of
// the entry points "name = pkg.cli:main".
std::vector<std::string> command_words(std::string_view text);

}  // namespace starbridge::port

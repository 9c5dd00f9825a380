#include "port/reach.h"

#include <gtest/gtest.h>

#include <map>

#include "port/python/outline.h"

namespace starbridge::port {
namespace {

using python::Outline;
using python::read_outline;
using Files = std::map<std::string, std::string>;
using Commands = std::vector<std::pair<std::string, std::string>>;

Outline outline_of(const std::string& source) {
  Outline outline = read_outline(source);
  python::Syntax syntax = python::Syntax::parse(source);
  python::add_parts(outline, syntax, source);
  return outline;
}

std::map<std::string, Reached> reach(const Files& files, Commands commands = {}) {
  ReachInput input;
  std::vector<Outline> outlines;
  outlines.reserve(files.size());
  for (const auto& [path, source] : files) {
    input.paths.push_back(path);
    outlines.push_back(outline_of(source));
    input.outlines.push_back(&outlines.back());
  }
  for (const auto& [path, source] : files) input.asks_for_16_bit.push_back(source.find("float16") != std::string::npos);
  input.commands = std::move(commands);
  std::vector<Reached> found = find_reach(input);
  std::map<std::string, Reached> by_path;
  for (std::size_t index = 0; index < found.size(); ++index) by_path[input.paths[index]] = found[index];
  return by_path;
}

TEST(Outline, ReadsEveryFormOfImport) {
  EXPECT_EQ(read_outline("import a.b as c, d\n"
                         "from . import sibling\n"
                         "from ..pkg import (one,  # a remark\n"
                         "    two as three,\n"
                         ")\n"
                         "  from pkg.sub import *\r\n"
                         "from x \\\n import y\n"
                         "important = 1\nfrom_here = 2\nimport\nfrom\nfrom q\n")
                .imports,
            (std::vector<std::string>{"..pkg.one", "..pkg.two", ".sibling", "a.b", "d", "pkg.sub.*", "x.y"}));
}

TEST(Outline, KnowsProgramsByTheirTest) {
  EXPECT_TRUE(read_outline("x = 1\nif __name__ == '__main__':\n  main()\n").has_main);
  EXPECT_TRUE(read_outline("if '__main__' == __name__: main()").has_main);
  EXPECT_FALSE(read_outline("if __name__ == 'other':\n  pass\n").has_main);
}

TEST(Outline, DefinitionsAloneDoNothing) {
  EXPECT_FALSE(
      outline_of("'''text'''\nimport a\nX = 1\ndef f():\n  g()\nclass C:\n  x = f()\ntry:\n  import b\nexcept E:\n  pass\n")
          .does_something);
  EXPECT_TRUE(outline_of("import a\nfor x in a.y:\n  a.z(x)\n").does_something);
  EXPECT_TRUE(outline_of("import a\na.run()\n").does_something);
}

TEST(Reach, FollowsImportsFromPrograms) {
  auto files = reach({{"train.py", "from net import Net\nif __name__ == '__main__':\n  Net()\n"},
                      {"net.py", "from pkg.layers import Layer\n"},
                      {"pkg/__init__.py", ""},
                      {"pkg/layers.py", "import torch\n"},
                      {"pkg/unused.py", "import torch\n"},
                      {"setup.py", "import build_tools\n"},
                      {"build_tools.py", ""},
                      {"tests/test_net.py", "import net\nfrom tests import helper\n"},
                      {"tests/helper.py", ""}});
  EXPECT_EQ(files["train.py"].reach, Reach::kProgram);
  EXPECT_EQ(files["net.py"].reach, Reach::kProgram);
  EXPECT_EQ(files["pkg/layers.py"].from, "train.py");
  EXPECT_EQ(files["pkg/__init__.py"].reach, Reach::kProgram);
  EXPECT_EQ(files["pkg/unused.py"].reach, Reach::kNone);
  EXPECT_EQ(files["build_tools.py"].reach, Reach::kBuild);
  EXPECT_EQ(files["tests/helper.py"].reach, Reach::kTest);
}

TEST(Reach, SixteenBitGoesToWhatIsImportedAndOneStepUp) {
  auto files = reach({{"run.py", "import train\n"},
                      {"train.py", "import amp, net\n"},
                      {"amp.py", "import torch, cast\nd = torch.float16\n"},
                      {"cast.py", "x = 1\n"},
                      {"net.py", "import layers\n"},
                      {"layers.py", ""},
                      {"plots.py", "import style\n"},
                      {"style.py", ""}});
  for (const char* file : {"train.py", "amp.py", "cast.py", "net.py", "layers.py"})
    EXPECT_TRUE(files[file].may_run_in_16_bit) << file;
  for (const char* file : {"run.py", "plots.py", "style.py"}) EXPECT_FALSE(files[file].may_run_in_16_bit) << file;
}

TEST(Reach, ScriptsCommandsAndEntryPointsArePrograms) {
  auto files = reach({{"plain.py", "import helper\nhelper.run()\n"},
                      {"helper.py", "def run():\n  pass\n"},
                      {"tools/started.py", "def main():\n  pass\n"},
                      {"pkg/__init__.py", ""},
                      {"pkg/cli.py", "def main():\n  pass\n"},
                      {"pkg/mod.py", "def main():\n  pass\n"},
                      {"pkg/lib.py", "register(1)\n"}},
                     {{"tools/run.sh", "started.py"}, {"pyproject.toml", "pkg.cli"}, {"run.sh", "pkg.mod"}});
  for (const char* path : {"plain.py", "helper.py", "tools/started.py", "pkg/cli.py", "pkg/mod.py"})
    EXPECT_EQ(files[path].reach, Reach::kProgram) << path;
  EXPECT_EQ(files["pkg/lib.py"].reach, Reach::kNone);  // a package's module that acts when imported, but nobody imports it
}

TEST(Reach, FollowsFoldersPutOnThePath) {
  Files files = {{"train.py", "import sys\nsys.path.append('core')\nfrom raft import RAFT\nRAFT()\n"},
                 {"core/raft.py", "from update import Block\n"},
                 {"core/update.py", ""}};
  EXPECT_EQ(reach(files)["core/update.py"].reach, Reach::kProgram);
  files["train.py"] = "from raft import RAFT\nRAFT()\n";
  EXPECT_EQ(reach(files)["core/raft.py"].reach, Reach::kNone);  // may be an installed package of that name
}

TEST(Reach, IsNotKnownInALibraryWithoutPrograms) {
  auto files =
      reach({{"pkg/__init__.py", "from pkg.a import x\n"}, {"pkg/a.py", "x = 1\n"}, {"tests/test_a.py", "import pkg\n"}});
  EXPECT_EQ(files["pkg/a.py"].reach, Reach::kTest);
  files = reach({{"pkg/__init__.py", "from pkg.a import x\n"}, {"pkg/a.py", "x = 1\n"}});
  EXPECT_EQ(files["pkg/a.py"].reach, Reach::kUnknown);
}

TEST(Reach, CyclesEnd) {
  auto files = reach({{"a.py", "import b\nif __name__ == '__main__':\n  pass\n"}, {"b.py", "import a\n"}});
  EXPECT_EQ(files["b.py"].from, "a.py");
}

TEST(Reach, LinesThatRunOncePerStepAreHot) {
  auto files = reach({{"train.py",
                       "import net\n"            // 1
                       "def save(x):\n"          // 2
                       "  write(x)\n"            // 3
                       "def clip(x):\n"          // 4
                       "  return x.clamp(0)\n"   // 5
                       "x = net.Net()\n"         // 6
                       "for batch in loader:\n"  // 7
                       "  y = clip(x(batch))\n"  // 8
                       "for name in names:\n"    // 9
                       "  save(name)\n"          // 10
                       "while True:\n"           // 11
                       "  loss.backward()\n"},   // 12
                      {"net.py",
                       "class Net:\n"               // 1
                       "  def __init__(self):\n"    // 2
                       "    self.w = make()\n"      // 3
                       "  def forward(self, x):\n"  // 4
                       "    return helper(x)\n"     // 5
                       "def helper(x):\n"           // 6
                       "  return x\n"               // 7
                       "def make():\n"              // 8
                       "  return 1\n"}});
  const Reached& train = files["train.py"];
  for (int line : {4, 5, 7, 8, 11, 12}) EXPECT_TRUE(train.is_hot(line)) << line;
  for (int line : {0, 1, 2, 3, 6, 9, 10, 13}) EXPECT_FALSE(train.is_hot(line)) << line;
  const Reached& net = files["net.py"];
  for (int line : {4, 5, 6, 7}) EXPECT_TRUE(net.is_hot(line)) << line;
  for (int line : {1, 2, 3, 8, 9}) EXPECT_FALSE(net.is_hot(line)) << line;
}

TEST(Reach, NamesThatManyBearLeadNowhere) {
  Files files = {{"train.py", "for batch in loader:\n  update(batch)\n"}};
  for (char name : std::string("abcd")) files[std::string(1, name) + ".py"] = "def update(x):\n  pass\n";
  EXPECT_FALSE(reach(files)["a.py"].is_hot(1));
  files.erase("d.py");
  EXPECT_TRUE(reach(files)["a.py"].is_hot(1));
}

TEST(Reach, FindsTheWordsOfCommands) {
  EXPECT_EQ(command_words("python tools/train.py --x\ntorchrun ./a.py; python -m pkg.run\nrun.pyc"),
            (std::vector<std::string>{"tools/train.py", "./a.py", "pkg.run"}));
  EXPECT_EQ(command_words("[project.scripts]\ntool = \"pkg.cli:main\"\n"), std::vector<std::string>{"pkg.cli"});
}

}  // namespace
}  // namespace starbridge::port

// Devices that travel from file to file of a project, and words that must stay.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "port/project.h"

namespace starbridge::port {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

class ProjectFlow : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("starbridge-flow-" + std::to_string(::getpid()));
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  // The files that change, as they are after the port.
  Files port(const Files& files) {
    static const catalog::Catalog catalog = catalog::Catalog::load(SB_DATA_DIR).value();
    static const Tables tables = Tables::load(catalog).value();
    fs::remove_all(root_);
    for (const auto& [name, text] : files) {
      fs::create_directories((root_ / name).parent_path());
      EXPECT_TRUE(base::write_file_atomically((root_ / name).string(), text).ok());
    }
    Context context = make_context(tables, {make_target(*catalog.find_chip("ascend-910b3").value())});
    ProjectReport report = scan_project(root_.string(), context).value();
    findings_ = report.chips[0].findings;
    Files changed;
    for (const FileReport& file : report.files) {
      if (!file.results[0].edits.empty()) changed[file.path] = apply_edits(files.at(file.path), file.results[0].edits);
    }
    return changed;
  }

  // "file:line" of the last port's findings of a rule.
  std::vector<std::string> lines_of(const std::string& rule) const {
    std::vector<std::string> lines;
    for (const Finding& finding : findings_) {
      if (finding.rule == rule) lines.push_back(finding.place.file + ":" + std::to_string(finding.place.line));
    }
    return lines;
  }

  fs::path root_;
  std::vector<Finding> findings_;
};

TEST_F(ProjectFlow, ImportedNamesReachThroughReexportsStarsAndRelativeImports) {
  Files changed = port({{"pkg/__init__.py", "from .config import *\n"},
                        {"pkg/config.py", "DEV = \"cuda\"\nNAME = \"cuda\"\n"},
                        {"pkg/sub/use.py", "from ..config import DEV as where\nx.to(where)\n"},
                        {"train.py", "from pkg import DEV, NAME\nx.to(DEV)\nprint(NAME)\n"}});
  EXPECT_EQ(changed, (Files{{"pkg/config.py", "DEV = \"npu\"\nNAME = \"cuda\"\n"}}));
}

TEST_F(ProjectFlow, ArgumentsReachParametersOfOtherFilesUnderAnyAlias) {
  Files changed =
      port({{"lib/build.py",
             "def place(m, spot, title='cuda'):\n  return send(m, spot)\ndef send(m, target):\n  return m.to(target)\n"},
            {"lib/net.py", "class Net:\n  def __init__(self, size, spot):\n    self.x = make(size).to(spot)\n"},
            {"a.py", "from lib.build import place as put\nput(m, 'cuda', 'cuda')\nput(m, title='cuda', spot='cuda:1')\n"},
            {"b.py", "import lib.net as n\nn.Net('cuda', 'cuda')\n"},
            {"c.py", "def put(m, spot): pass\nput(m, 'cuda')\n"}});
  EXPECT_EQ(changed,
            (Files{{"a.py", "from lib.build import place as put\nput(m, 'npu', 'cuda')\nput(m, title='cuda', spot='npu:1')\n"},
                   {"b.py", "import lib.net as n\nn.Net('cuda', 'npu')\n"}}));
}

TEST_F(ProjectFlow, ReturnsFieldsOptionsAndSettingsAreFollowed) {
  Files changed = port({{"util.py", "def pick(flag):\n  return 'cuda' if flag else 'cpu'\ndef label():\n  return 'cuda'\n"},
                        {"conf.py", "class Settings:\n  where: str = 'cuda:0'\n  label: str = 'cuda'\n"},
                        {"opts.py", "p.add_argument('--run-on', default='cuda')\np.add_argument('--title', default='cuda')\n"},
                        {"train.py",
                         "from util import pick, label\nx.to(pick(1))\nx.to(c.where)\nx.to(args.run_on)\nx.to(cfg['spot'])\nif "
                         "a.run_on == 'cuda': print(label())\n"},
                        {"use.py", "Settings(where='cuda', label='cuda')\n"},
                        {"run.sh", "python train.py --run-on cuda --title cuda\n"},
                        {"conf.yaml", "spot: cuda\ntitle: cuda\n"}});
  EXPECT_EQ(changed,
            (Files{{"util.py", "def pick(flag):\n  return 'npu' if flag else 'cpu'\ndef label():\n  return 'cuda'\n"},
                   {"conf.py", "class Settings:\n  where: str = 'npu:0'\n  label: str = 'cuda'\n"},
                   {"opts.py", "p.add_argument('--run-on', default='npu')\np.add_argument('--title', default='cuda')\n"},
                   {"train.py",
                    "from util import pick, label\nx.to(pick(1))\nx.to(c.where)\nx.to(args.run_on)\nx.to(cfg['spot'])\nif "
                    "a.run_on == 'npu': print(label())\n"},
                   {"use.py", "Settings(where='npu', label='cuda')\n"},
                   {"run.sh", "python train.py --run-on npu --title cuda\n"},
                   {"conf.yaml", "spot: npu\ntitle: cuda\n"}}));
}

TEST_F(ProjectFlow, ObjectsOfOtherFilesMoveAndModulesStay) {
  Files changed = port({{"net.py", "import torch\nmodel = torch.nn.Linear(2, 2)\n"},
                        {"kernels/cuda.py", "def launch(): pass\n"},
                        {"train.py", "from net import model\nimport kernels.cuda\nmodel.cuda()\nkernels.cuda.launch()\n"}});
  EXPECT_EQ(changed, (Files{{"train.py", "from net import model\nimport kernels.cuda\nmodel.npu()\nkernels.cuda.launch()\n"}}));
}

TEST_F(ProjectFlow, FixturesComeFromConftestsOfTheFolderAndThoseAbove) {
  std::string fixtures =
      "import pytest\n@pytest.fixture(params=['cpu', 'cuda'])\ndef spot(request):\n  return request.param\n@pytest.fixture\ndef "
      "title():\n  return 'cuda'\n@pytest.fixture\ndef model(where):\n  return make().to(where)\n";
  std::string ported = fixtures;
  ported.replace(ported.find("'cuda'"), 6, "'npu'");
  Files changed = port({{"tests/conftest.py", fixtures},
                        {"tests/deep/conftest.py", "import pytest\n@pytest.fixture\ndef at():\n  yield 'cuda:1'\n"},
                        {"other/conftest.py", fixtures},
                        {"conftest.py", "import pytest\n@pytest.fixture\ndef where():\n  return 'cuda'\n"},
                        {"tests/deep/test_a.py", "def test_a(spot, title, at):\n  x.to(spot)\n  x.to(at)\n  print(title)\n"},
                        {"tests/test_b.py", "def help(title):\n  x.to(title)\n"}});
  EXPECT_EQ(changed, (Files{{"tests/conftest.py", ported},
                            {"tests/deep/conftest.py", "import pytest\n@pytest.fixture\ndef at():\n  yield 'npu:1'\n"},
                            {"conftest.py", "import pytest\n@pytest.fixture\ndef where():\n  return 'npu'\n"}}));
}

TEST_F(ProjectFlow, NumbersGivenToFunctionsThatTakeThemForDevicesAreTold) {
  Files files = {
      {"base.py",
       "class Runner:\n  def __init__(self, model, spot):\n    self.model = model.to(spot)\n  def go(self, n):\n    pass\n"
       "def place(x, spot, count):\n  return x.to(spot)\n"},
      {"main.py",
       "import os\nfrom base import Runner, place\nlocal = int(os.environ['LOCAL_RANK'])\nr = Runner(m, local)\n"
       "place(x, 0, 1)\nplace(x, spot=unknown, count=2)\nplace(x, 'cpu', 3)\nr.go(4)\n"}};
  EXPECT_TRUE(port(files).empty());
  EXPECT_EQ(lines_of("device-number-passed"), (std::vector<std::string>{"main.py:4", "main.py:5"}));
  files["requirements.txt"] = "torch==2.7.1\n";
  port(files);
  EXPECT_TRUE(lines_of("device-number-passed").empty());
}

TEST_F(ProjectFlow, TablesThatDevicesLookUpAreFollowedToTheirFile) {
  std::string tables = "FAST = dict(cuda='fast', cpu='slow')\nCOST = {'cuda': 2, 'cpu': 1}\nNAMES = dict(cuda=1)\n";
  Files changed = port({{"tables.py", tables},
                        {"more.py", "from tables import *\n"},
                        {"a.py", "from tables import FAST, NAMES\nprint(FAST[x.device.type], NAMES['cuda'])\n"},
                        {"b.py", "import more\nprint(more.COST.get(x.device.type))\n"},
                        {"c.py", "def dict(**k): pass\nT = dict(cuda=1)\nprint(T[x.device.type])\n"}});
  EXPECT_EQ(changed,
            (Files{{"tables.py", "FAST = dict(npu='fast', cpu='slow')\nCOST = {'npu': 2, 'cpu': 1}\nNAMES = dict(cuda=1)\n"}}));
}

TEST_F(ProjectFlow, CyclesOfImportsEnd) {
  Files changed = port({{"a.py", "from b import DEV\nfrom b import *\nx.to(DEV)\n"},
                        {"b.py", "from a import DEV\nfrom a import *\nx.to(DEV)\nS = 'cuda'\n"}});
  EXPECT_TRUE(changed.empty());
}

TEST_F(ProjectFlow, FoldersPutOnThePathAreSearched) {
  Files files = {{"core/conf.py", "DEV = 'cuda'\n"},
                 {"train.py", "import sys, torch\nsys.path.append('core')\nfrom conf import DEV\ntorch.device(DEV)\n"}};
  EXPECT_EQ(port(files), (Files{{"core/conf.py", "DEV = 'npu'\n"}}));
  files["train.py"] = "import torch\nfrom conf import DEV\ntorch.device(DEV)\n";
  EXPECT_TRUE(port(files).empty());  // may be an installed package
}

TEST_F(ProjectFlow, DamageInAFileThatChangesThePathIsNoCrash) {
  Files changed = port(
      {{"damaged.py", "import sys\nsys.path.append('core')\nimport torch\nx.cuda(\n"}, {"train.py", "import torch\nx.cuda()\n"}});
  EXPECT_EQ(changed.count("train.py"), 1U);
}

}  // namespace
}  // namespace starbridge::port

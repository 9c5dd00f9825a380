// Code that tells cards apart itself: what is left alone, what is said, and what must still be ported.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "port/project.h"
#include "port/python/branches.h"
#include "port/test_tables.h"

namespace starbridge::port {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

struct Ported {
  std::string text;
  std::vector<std::string> rules;
};

Ported port_python(const std::string& source, const std::string& chip) {
  Context context = make_context(tables(), {make_target(*catalogue().find_chip(chip).value())});
  FileReport report = analyze_file({"train.py", source}, FileKind::kPython, context);
  Ported ported{apply_edits(source, report.results[0].edits), {}};
  for (const Finding& finding : report.results[0].findings) ported.rules.push_back(finding.rule);
  return ported;
}

bool says(const Ported& ported, const std::string& rule) {
  return std::count(ported.rules.begin(), ported.rules.end(), rule) > 0;
}

struct Case {
  const char* name;
  const char* source;
  bool is_chain;  // lacks a branch for MLU
};

const Case kTellsApart[] = {
    {"if and elif",
     "import torch\nif is_npu_available():\n  d = torch.device('npu')\nelif torch.cuda.is_available():\n  d = "
     "torch.device('cuda')\nelse:\n  d = torch.device('cpu')\n",
     true},
    {"cuda first",
     "import torch\nif torch.cuda.is_available():\n  x.cuda()\nelif hasattr(torch, 'npu') and torch.npu.is_available():\n  "
     "x.npu()\n",
     true},
    {"else is cuda",
     "import torch\ndef where():\n  if args.use_npu:\n    device = 'npu'\n  else:\n    device = 'cuda'\n  return "
     "torch.device(device)\n",
     true},
    {"early returns",
     "import torch\ndef where():\n  if is_npu_available():\n    return torch.device('npu')\n  return torch.device('cuda')\n",
     true},
    {"tests in a row",
     "import torch\ndef seed(n):\n  if torch.cuda.is_available():\n    torch.cuda.manual_seed_all(n)\n  log(n)\n  if "
     "is_npu_available():\n    torch.npu.manual_seed_all(n)\n",
     true},
    {"cases of a match", "import torch\nmatch x.device.type:\n  case 'cuda': a()\n  case 'npu': b()\n", true},
    {"a table of keywords", "import torch\nn = dict(cuda=1, npu=2)[x.device.type]\n", false},
    {"a conditional", "import torch\nd = torch.device('npu' if is_npu_available() else 'cuda')\n", true},
    {"a membership", "import torch\nif x.device.type in ('cuda', 'npu'):\n  pass\n", false},
    {"an or", "import torch\nflag = x.device.type == 'cuda' or x.device.type == 'npu'\n", false},
    {"choices", "import torch\np.add_argument('--device', default='cuda', choices=['cuda', 'npu', 'cpu'])\n", false},
    {"cases of a test",
     "import torch, pytest\n@pytest.mark.parametrize('device', ['cpu', pytest.param('cuda', marks=m), pytest.param('npu', "
     "marks=n)])\ndef test_it(device):\n  x.to(device)\n",
     false},
    {"a list of devices", "import torch\nfor d in [torch.device('cuda'), torch.device('npu')]:\n  x.to(d)\n", false},
    {"a table",
     "import torch\nBACKEND = {'cuda': 'nccl', 'npu': 'hccl'}\ndist.init_process_group(backend={'cuda': 'nccl', 'npu': "
     "'hccl'}[kind])\n",
     false},
    {"functions named for families",
     "import torch\ndef is_cuda_available():\n  return torch.cuda.is_available()\ndef is_npu_available():\n  return "
     "torch.npu.is_available()\n",
     false},
    {"a default of getattr", "import torch\nm = getattr(torch, kind, torch.cuda)\n", false},
    {"a watched line", "import torch\nx = torch.cuda.device_count()  #ignore-cuda\n", false},
    {"a guarded plug-in", "import torch\ntry:\n  import torch_npu\nexcept ImportError:\n  torch_npu = None\n", false},
};

TEST(Branches, CodeThatTellsCardsApartIsLeftAlone) {
  for (const Case& each : kTellsApart) {
    for (const char* chip : {"ascend-910b3", "mlu370-x8", "nvidia-a100-80g"}) {
      EXPECT_EQ(port_python(each.source, chip).text, each.source) << each.name << " for " << chip;
    }
    EXPECT_EQ(says(port_python(each.source, "mlu370-x8"), "vendor-branch-missing"), each.is_chain) << each.name;
    EXPECT_FALSE(says(port_python(each.source, "ascend-910b3"), "vendor-branch-missing")) << each.name;
  }
}

TEST(Branches, TheReportSaysSo) { EXPECT_TRUE(says(port_python(kTellsApart[0].source, "ascend-910b3"), "already-portable")); }

TEST(Branches, WhatStandsBesideThemIsPorted) {
  EXPECT_EQ(
      port_python("import torch\nif is_npu_available():\n  x.npu()\nelse:\n  x.cuda()\ny.cuda()\nz.cuda()\n", "mlu370-x8").text,
      "import torch\nimport torch_mlu\nif is_npu_available():\n  x.npu()\nelse:\n  x.cuda()\ny.mlu()\nz.mlu()\n");
}

TEST(Branches, WordsThatOnlyLookLikeAFamilyDoNotCount) {
  for (const char* source : {"import torch\nif input.is_cuda:\n  x = inputs.cuda()\n",
                             "import torch\nif name == 'npu' and device.type == 'cuda':\n  x.cuda()\n",
                             "import torch\nprint('runs on npu and on cuda')\nx.cuda()\n"}) {
    EXPECT_NE(port_python(source, "mlu370-x8").text, source);
  }
}

TEST(Branches, BranchesForAThirdCardStayInAProjectForCuda) {
  std::string source = "import torch\nx.cuda()\ny.cuda()\nz.to('cuda')\nif w.device.type == 'npu':\n  w = w.npu()\n";
  EXPECT_EQ(port_python(source, "mlu370-x8").text,
            "import torch\nimport torch_mlu\nx.mlu()\ny.mlu()\nz.to('mlu')\nif w.device.type == 'npu':\n  w = w.npu()\n");
}

TEST(Branches, FilesThatExistOncePerFamilyAreFound) {
  EXPECT_EQ(python::files_of_families({"a/cuda_accelerator.py", "a/npu_accelerator.py", "a/cpu_accelerator.py",
                                       "a/real_accelerator.py", "b/cuda_util.py", "op/npu/fused.py", "op/mlu/fused.py",
                                       "op/fused.py", "op/other.py", "input/x.py"}),
            (std::set<std::string>{"a/cuda_accelerator.py", "a/npu_accelerator.py", "a/cpu_accelerator.py", "op/npu/fused.py",
                                   "op/mlu/fused.py", "op/fused.py"}));
}

class BranchesProject : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("starbridge-branches-" + std::to_string(::getpid()));
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  ChipReport scan(const Files& files, const std::string& chip, Style style = Style::kVendor) {
    fs::remove_all(root_);
    for (const auto& [name, bytes] : files) {
      fs::create_directories((root_ / name).parent_path());
      EXPECT_TRUE(base::write_file_atomically((root_ / name).string(), bytes).ok());
    }
    return scan_project(root_.string(), make_context(tables(), {make_target(*catalogue().find_chip(chip).value(), style)}))
        .value()
        .chips[0];
  }
  fs::path root_;
};

TEST_F(BranchesProject, AFilePerFamilyIsLeftAlone) {
  Files files = {
      {"acc/cuda_accelerator.py", "import torch\nclass Acc:\n  name = 'cuda'\n  def sync(self): torch.cuda.synchronize()\n"},
      {"acc/npu_accelerator.py", "import torch\nclass Acc:\n  def sync(self): torch.npu.synchronize()\n"},
      {"train.py", "import torch\nx.cuda()\ny.cuda()\n"}};
  EXPECT_EQ(scan(files, "mlu370-x8").edited_file_count, 1U);
  EXPECT_EQ(scan(files, "ascend-910b3").edited_file_count, 1U);
}

TEST_F(BranchesProject, AProjectThatSupportsTheChipIsLeftAlone) {
  Files files = {{"train.py", "import torch\nx.cuda()\ny.cuda()\nz.cuda()\ntorch.cuda.synchronize()\n"},
                 {"run.sh", "export CUDA_VISIBLE_DEVICES=0\n"}};
  for (int number = 0; number < 5; ++number) {
    files["util" + std::to_string(number) + ".py"] =
        "import torch\nif is_npu_available():\n  d = torch.device('npu')\nelse:\n  d = torch.device('cuda')\n";
  }
  ChipReport npu = scan(files, "ascend-910b3");
  EXPECT_EQ(npu.edit_count, 1U);  // the variable
  EXPECT_TRUE(std::any_of(npu.findings.begin(), npu.findings.end(),
                          [](const Finding& finding) { return finding.rule == "already-ported"; }));
  ChipReport portable = scan(files, "ascend-910b3", Style::kPortable);
  EXPECT_EQ(portable.edit_count, 1U);
  EXPECT_TRUE(portable.new_files.empty());
  files["late.py"] = "import os, torch\nx.cuda()\nn = os.environ.get('CUDA_VISIBLE_DEVICES')\n";
  files["requirements.txt"] = "torch==2.7.1\n";
  files[".ci/test.sh"] = "export CUDA_VISIBLE_DEVICES=0\n";
  files["optimizer.py"] = "import torch\nfrom apex.optimizers import FusedAdam\no = FusedAdam(p)\ns = torch.load('a.pt')\n";
  portable = scan(files, "ascend-910b3", Style::kPortable);
  EXPECT_EQ(portable.edit_count, 1U);  // the script's variable: code, requirements and tests of the project know their own ways
  EXPECT_TRUE(portable.new_files.empty());
  EXPECT_EQ(scan(files, "ascend-910b3").edit_count, 1U);
  files.erase(".ci/test.sh");
  files.erase("optimizer.py");
  files.erase("late.py");
  files.erase("requirements.txt");
  EXPECT_EQ(scan(files, "mlu370-x8").edit_count, 6U);  // that one is not known to it: four names, the plug-in, the variable
}

TEST_F(BranchesProject, AProjectThatOnlyBeganIsPorted) {
  Files files;
  for (int number = 0; number < 5; ++number) {
    files["util" + std::to_string(number) + ".py"] =
        "import torch\nif is_npu_available():\n  d = torch.device('npu')\nelse:\n  d = torch.device('cuda')\n";
  }
  auto names = [](int count) {
    std::string source = "import torch\n";
    for (int number = 0; number < count; ++number) source += "x.cuda()\n";
    return source;
  };
  files["train.py"] = names(99);  // and the plug-in
  EXPECT_EQ(scan(files, "ascend-910b3").edit_count, 0U);
  files["train.py"] = names(100);
  ChipReport npu = scan(files, "ascend-910b3");
  EXPECT_EQ(npu.edit_count, 101U);
  EXPECT_EQ(npu.edited_file_count, 1U);  // what tells cards apart itself stays as it is
}

TEST_F(BranchesProject, FilesThatAskTheProjectsOwnDeviceLayerCountAsPlaces) {
  Files files;
  files["pkg/utils/device.py"] = "import torch\n";
  for (int number = 0; number < 5; ++number) {
    std::string name = "kind" + std::to_string(number);
    files["pkg/utils/device.py"] +=
        "def " + name + "():\n  if is_npu:\n    return torch.device('npu')\n  return torch.device('cuda')\n";
  }
  auto add_files = [&](int count) {
    for (int number = 0; number < count; ++number)
      files["pkg/part" + std::to_string(number) + ".py"] = "from pkg.utils.device import kind0\nx = f().to(kind0())\n";
  };
  std::string names = "import torch\n";
  for (int number = 0; number < 149; ++number) names += "x.cuda()\n";
  files["tests/test_cuda.py"] = names;
  add_files(29);
  EXPECT_EQ(scan(files, "ascend-910b3").edit_count, 150U);  // and the plug-in: more than the files that ask stand for
  add_files(30);
  EXPECT_EQ(scan(files, "ascend-910b3").edit_count, 0U);
  EXPECT_GT(scan(files, "mlu370-x8").edit_count, 149U);
}

TEST_F(BranchesProject, TheVendorsInterceptionKeepsTheNamesOfCuda) {
  Files files = {{"main.py", "import torch\nimport torch_npu\nfrom torch_npu.contrib import transfer_to_npu\nimport net\n"},
                 {"net.py", "import torch\nimport os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nx.cuda()\ny.to('cuda')\n"}};
  ChipReport npu = scan(files, "ascend-910b3");
  EXPECT_EQ(npu.edit_count, 1U);  // the variable, which the interception does not see
  ASSERT_FALSE(npu.findings.empty());
  EXPECT_TRUE(std::any_of(npu.findings.begin(), npu.findings.end(),
                          [](const Finding& finding) { return finding.rule == "vendor-shim" && finding.place.line == 3; }));
  EXPECT_GT(scan(files, "mlu370-x8").edit_count, 2U);
}

}  // namespace
}  // namespace starbridge::port

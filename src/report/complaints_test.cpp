// Fifteen complaints that users of other chips made in public, A1 to A15: what a scan or port says or does about each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "port/apply.h"
#include "report/report.h"

namespace starbridge::report {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const catalog::Catalog& catalogue() {
  static const catalog::Catalog catalog = catalog::Catalog::load(SB_DATA_DIR).value();
  return catalog;
}

using Files = std::map<std::string, std::string>;

class Project {
 public:
  explicit Project(const Files& files, const std::string& chip = "ascend-910b3") {
    std::string pattern = (fs::temp_directory_path() / "complaint.XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    for (const auto& [path, bytes] : files) {
      fs::create_directories(fs::path(root_ + "/" + path).parent_path());
      std::ofstream(root_ + "/" + path) << bytes;
    }
    static const port::Tables tables = port::Tables::load(catalogue()).value();
    port::Context context = port::make_context(tables, {port::make_target(*catalogue().find_chip(chip).value())});
    report_ = port::scan_project(root_, context).value();
    originals_ = files;
  }
  ~Project() { fs::remove_all(root_); }
  Project(const Project&) = delete;
  Project& operator=(const Project&) = delete;

  // "file:line rule"
  std::vector<std::string> told() const {
    std::vector<std::string> all;
    for (const port::Finding& finding : report_.chips[0].findings)
      all.push_back(finding.place.file + ":" + std::to_string(finding.place.line) + " " + finding.rule);
    return all;
  }
  const port::Finding& finding(const std::string& rule) const {
    for (const port::Finding& each : report_.chips[0].findings) {
      if (each.rule == rule) return each;
    }
    throw std::out_of_range(rule);
  }
  std::string ported(const std::string& path) const {
    for (const port::FileReport& file : report_.files) {
      if (file.path == path) return port::apply_edits(originals_.at(path), file.results[0].edits);
    }
    return originals_.at(path);
  }
  const port::ProjectReport& report() const { return report_; }

 private:
  std::string root_;
  std::map<std::string, std::string> originals_;
  port::ProjectReport report_;
};

TEST(Complaints, A1ANumberIsNoDeviceOfCuda) {
  Project project(Files{{"t.py",
                         "import os\nimport torch\nimport torch.multiprocessing as mp\n"
                         "def main(rank, world):\n  a = x.to(3)\n  b = x.to(rank)\n  c = torch.ones(2, device=rank % 4)\n"
                         "  local = int(os.environ['LOCAL_RANK'])\n  d = x.to(local, non_blocking=True)\n  e = x.to(unknown)\n"
                         "  s = f'{x.to(local)}'\n  t = x.to(world)\n"
                         "mp.spawn(main, nprocs=2)\n"}});
  EXPECT_EQ(project.ported("t.py"),
            "import os\nimport torch\nimport torch_npu\nimport torch.multiprocessing as mp\n"
            "def main(rank, world):\n  a = x.to(\"npu:3\")\n  b = x.to(f\"npu:{rank}\")\n  c = torch.ones(2, device=f\"npu:{rank "
            "% 4}\")\n"
            "  local = int(os.environ['LOCAL_RANK'])\n  d = x.to(f\"npu:{local}\", non_blocking=True)\n  e = x.to(unknown)\n"
            "  s = f'{x.to(local)}'\n  t = x.to(world)\n"
            "mp.spawn(main, nprocs=2)\n");
}

TEST(Complaints, A2EverySiteInHelpersElseBranchesAndPackagesIsReached) {
  Project project(
      {{"train.py", "from pkg.helper import pick\nimport torch\nx = torch.ones(1).to(pick())\n"},
       {"pkg/__init__.py", ""},
       {"pkg/helper.py", "import torch\ndef pick(other=None):\n  if other:\n    return other\n  else:\n    return 'cuda:0'\n"},
       {"third_party/lib/memory.py", "import torch\ndef free():\n  try:\n    pass\n  finally:\n    torch.cuda.empty_cache()\n"}});
  EXPECT_THAT(project.ported("pkg/helper.py"), HasSubstr("return 'npu:0'"));
  EXPECT_THAT(project.ported("third_party/lib/memory.py"), HasSubstr("torch.npu.empty_cache()"));
}

TEST(Complaints, A3OperatorsThatFallBackAreNamedWhereTheyAreCalled) {
  Project project(Files{{"decode.py",
                         "import torch\nimport torchvision\nfor step in range(9):\n  a = torch.isin(x, y)\n"
                         "  b = torchvision.ops.nms(boxes, scores, 0.5)\n"}});
  EXPECT_THAT(project.told(), Contains("decode.py:4 api-limited"));
  EXPECT_THAT(project.told(), Contains("decode.py:5 vision-operator"));
  EXPECT_THAT(project.finding("vision-operator").message.en, HasSubstr("nms"));
}

TEST(Complaints, A4TheFusedPathOfTransformerLayersIsSwitchedOff) {
  Project project(Files{{"m.py", "import torch.nn as nn\nlayer = nn.TransformerEncoderLayer(64, 4)\n"}});
  EXPECT_THAT(project.told(), Contains("m.py:2 transformer-fast-path"));
  EXPECT_THAT(project.finding("transformer-fast-path").suggestion, HasSubstr("torch.backends.mha.set_fastpath_enabled(False)"));
}

TEST(Complaints, A5RotaryPositionsInDoubleOrComplexAreTold) {
  Project project(
      Files{{"rope.py",
             "import torch\nangles = torch.outer(torch.arange(9, dtype=torch.float64), f)\n"
             "table = torch.polar(torch.ones_like(angles), angles)\nx = torch.view_as_complex(x.reshape(2, -1, 2))\n"}});
  EXPECT_THAT(project.told(), Contains("rope.py:2 rope-double"));
  EXPECT_THAT(project.told(), Contains("rope.py:4 rope-complex"));
  EXPECT_THAT(project.finding("rope-complex").suggestion, HasSubstr("even * cos - odd * sin"));
}

TEST(Complaints, A6FlashAttentionIsReplacedOrItsLayoutTold) {
  Project project(Files{{"m.py",
                         "from transformers import AutoModelForCausalLM\nfrom flash_attn import flash_attn_func\n"
                         "m = AutoModelForCausalLM.from_pretrained(n, attn_implementation=\"flash_attention_2\")\n"
                         "y = flash_attn_func(q, k, v, causal=True)\n"}});
  EXPECT_THAT(project.ported("m.py"), HasSubstr("attn_implementation=\"sdpa\""));
  EXPECT_THAT(project.told(), Contains("m.py:4 flash-attention"));
  EXPECT_THAT(project.finding("flash-attention").suggestion, HasSubstr("q.transpose(1, 2)"));
  EXPECT_THAT(project.finding("flash-attention").advice.en, HasSubstr("layout"));
}

TEST(Complaints, A7AProbeBeforeAForkIsTold) {
  Project project(
      Files{{"t.py",
             "import torch\nimport multiprocessing\nHAS = torch.cuda.is_available()\n"
             "def go():\n  multiprocessing.Process(target=work).start()\n"},
            {"u.py", "import torch.multiprocessing as mp\nif __name__ == '__main__':\n  mp.set_start_method('fork')\n"}});
  EXPECT_THAT(project.told(), Contains("t.py:5 fork-after-probe"));
  EXPECT_THAT(project.ported("u.py"), HasSubstr("mp.set_start_method(\"spawn\")"));
}

TEST(Complaints, A8ShapesThatChangeAreToldForChipsThatCompileThem) {
  std::map<std::string, std::string> files = {
      {"t.py", "from torch.nn.utils.rnn import pad_sequence\ndef collate(b):\n  return pad_sequence(b)\n"}};
  Project old(files, "ascend-910a");
  EXPECT_THAT(old.told(), Contains("t.py:3 dynamic-shapes"));
  EXPECT_THAT(old.finding("dynamic-shapes").suggestion, HasSubstr("set_compile_mode(jit_compile=False)"));
  EXPECT_THAT(Project(files).told(), Not(Contains("t.py:3 dynamic-shapes")));
}

TEST(Complaints, A9TheListOfCardsIsRenamedInEveryKindOfFileAndItsOrderLookedAt) {
  Project project(Files{{"t.py", "import os\nimport torch\nos.environ['CUDA_VISIBLE_DEVICES'] = '1,0'\n"},
                        {"run.sh", "CUDA_VISIBLE_DEVICES=1,0 python t.py\n"},
                        {"job.yaml", "env:\n  - name: CUDA_VISIBLE_DEVICES\n    value: \"0-3\"\n"},
                        {"Dockerfile", "FROM python:3.10\nENV CUDA_VISIBLE_DEVICES=3,1\n"},
                        {"app.ini", "[run]\nCUDA_VISIBLE_DEVICES = 0,1\n"},
                        {"README.md", "```bash\nCUDA_VISIBLE_DEVICES=1,0 python t.py\n```\nCUDA_VISIBLE_DEVICES=1,0\n"}});
  for (const char* file : {"t.py", "run.sh", "job.yaml", "Dockerfile", "app.ini", "README.md"})
    EXPECT_THAT(project.ported(file), HasSubstr("ASCEND_RT_VISIBLE_DEVICES")) << file;
  EXPECT_THAT(project.ported("README.md"), HasSubstr("```\nCUDA_VISIBLE_DEVICES=1,0"));
  for (const char* place : {"t.py:3", "run.sh:1", "job.yaml:2", "Dockerfile:2", "README.md:2"})
    EXPECT_THAT(project.told(), Contains(std::string(place) + " visible-devices-order"));
  EXPECT_THAT(project.told(), Not(Contains("app.ini:2 visible-devices-order")));
  EXPECT_THAT(project.told(), Contains("t.py:3 visible-devices-late"));
}

TEST(Complaints, A10AComparedCapabilityIsTold) {
  Project project(Files{{"t.py", "import torch\nif torch.cuda.get_device_capability()[0] >= 8:\n  pass\n"}});
  EXPECT_THAT(project.told(), Contains("t.py:2 capability-compared"));
  EXPECT_THAT(project.finding("capability-compared").advice.en, HasSubstr("TORCH_NPU_DEVICE_CAPABILITY"));
}

TEST(Complaints, A11VersionsThatDoNotPairAreToldBeforeCodeIsTouched) {
  Project project(Files{{"requirements.txt", "torch==2.7.1\ntorch_npu==2.6.0\n"}, {"t.py", "import torch\n"}});
  EXPECT_THAT(project.told(), Contains("requirements.txt:2 plugin-version"));
}

TEST(Complaints, A12WhatMayDriftIsListedWithHowToCompare) {
  Project project(Files{{"t.py", "import torch\nwith torch.autocast('cuda'):\n  y = torch.softmax(x, 0)\n"}});
  static const catalog::PrecisionRules rules = catalog::PrecisionRules::load(SB_DATA_DIR).value();
  Report report = build_report(project.report(), &rules);
  ASSERT_FALSE(report.chips[0].precision.items.empty());
  EXPECT_FALSE(report.chips[0].precision.commands.empty());
  std::vector<std::string> ids;
  for (const PrecisionItem& item : report.chips[0].precision.items) ids.push_back(item.id);
  EXPECT_THAT(ids, Contains("softmax-low-precision"));
}

TEST(Complaints, A13ABackendIsFollowedFromItsDefaultAndNcclAsALibraryIsTold) {
  Project project(Files{{"args.py",
                         "import argparse\nfrom dataclasses import dataclass\n@dataclass\nclass Comm:\n  kind: str = 'nccl'\n"
                         "p = argparse.ArgumentParser()\np.add_argument('--comm', default='nccl')\nARGS = p.parse_args()\n"},
                        {"t.py",
                         "import torch.distributed as dist\nfrom args import ARGS, Comm\ndist.init_process_group(ARGS.comm)\n"
                         "dist.new_group(backend=Comm().kind)\n"},
                        {"pynccl.py", "import ctypes\nlib = ctypes.CDLL('libnccl.so.2')\n"}});
  EXPECT_THAT(project.ported("args.py"), HasSubstr("default='hccl'"));
  EXPECT_THAT(project.ported("args.py"), HasSubstr("kind: str = 'hccl'"));
  EXPECT_THAT(project.told(), Contains("pynccl.py:2 nccl-library"));
}

TEST(Complaints, A14CompilationHasASwitch) {
  Project project(Files{{"t.py", "import torch\nmodel = torch.compile(model)\n"}});
  EXPECT_THAT(project.told(), Contains("t.py:2 compile-switch"));
  EXPECT_THAT(project.finding("compile-switch").suggestion, HasSubstr("TORCHDYNAMO_DISABLE=1"));
}

TEST(Complaints, A15OldNamesPortedFilesAndOrderOfImports) {
  Project old(Files{{"t.py", "import torch\nimport torch_mlu.core.mlu_model as ct\ndevice = ct.mlu_device()\n"}}, "mlu370-x8");
  EXPECT_THAT(old.ported("t.py"), HasSubstr("device = torch.device(\"mlu\")"));
  std::string portable =
      "import torch\nif torch.cuda.is_available():\n  d = 'cuda'\nelif torch.mlu.is_available():\n  d = 'mlu'\n";
  EXPECT_EQ(Project(Files{{"t.py", portable}}, "mlu370-x8").ported("t.py"), portable);
  Project opened(
      {{"t.py",
        "import torch\nfrom safetensors import safe_open\nwith safe_open(p, framework='pt', device='cuda') as f:\n  pass\n"}},
      "mlu370-x8");
  EXPECT_EQ(opened.ported("t.py"),
            "import torch\nimport torch_mlu\nfrom safetensors import safe_open\nwith safe_open(p, framework='pt', device='mlu') "
            "as f:\n  pass\n");
  EXPECT_THAT(Project(Files{{"t.py", "import torch\nm = torch.nn.DataParallel(m)\n"}}, "mlu370-x8").told(),
              Contains("t.py:2 data-parallel"));
}

}  // namespace
}  // namespace starbridge::report

// The portable style: what it writes, that writing it twice changes nothing, that it comes back, and where the helper goes.
#include "port/portable.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <unordered_set>

#include "base/files.h"
#include "port/apply.h"
#include "port/project.h"
#include "port/test_tables.h"

namespace starbridge::port {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

struct Ported {
  std::string text;
  std::vector<Finding> findings;
};

Ported port_python(const std::string& source, const std::string& chip = "ascend-910b3", const std::string& torch_version = "") {
  Context context = make_context(tables(), {make_target(*catalogue().find_chip(chip).value(), Style::kPortable)});
  context.torch_version = torch_version;
  FileReport report = analyze_file({"train.py", source}, FileKind::kPython, context);
  return {apply_edits(source, report.results[0].edits), report.results[0].findings};
}

struct Case {
  const char* name;
  const char* source;
  const char* portable;
};

const Case kCases[] = {
    {"a text", "import torch\nx.to('cuda')\n", "import torch\nimport portable_device\nx.to(portable_device.name)\n"},
    {"a text with an index", "import torch\nx.to(\"cuda:1\")\n",
     "import torch\nimport portable_device\nx.to(f\"{portable_device.name}:1\")\n"},
    {"a format string", "import torch\nx.to(f'cuda:{i}')\n",
     "import torch\nimport portable_device\nx.to(f'{portable_device.name}:{i}')\n"},
    {"a template", "import torch\nx.to('cuda:{}'.format(i))\ny.to('cuda:%d' % i)\n",
     "import torch\nimport portable_device\nx.to(f'{portable_device.name}:{{}}'.format(i))\ny.to(f'{portable_device.name}:%d' % "
     "i)\n"},
    {"prefixes", "import torch\nx.to(u'cuda:0')\ny.to(r'cuda:0')\nz.to('''cuda''')\n",
     "import torch\nimport "
     "portable_device\nx.to(f'{portable_device.name}:0')\ny.to(fr'{portable_device.name}:0')\nz.to(portable_device.name)\n"},
    {"joined literals", "import torch\nx.to('cuda' ':0')\n",
     "import torch\nimport portable_device\nx.to(f'{portable_device.name}' ':0')\n"},
    {"words that touch", "import torch\ndef device():\n  return'cuda'if a else'cpu'\nx.to(device())\n",
     "import torch\nimport portable_device\ndef device():\n  return portable_device.name if a else'cpu'\nx.to(device())\n"},
    {"comparisons", "import torch\nif x.device.type == 'cuda' or str(device).startswith('cuda'): pass\n",
     "import torch\nimport portable_device\nif x.device.type == portable_device.name or "
     "str(device).startswith(portable_device.name): pass\n"},
    {"methods",
     "import torch\na.cuda()\nb.cuda(0)\nc.cuda(non_blocking=True)\nd.cuda(device=i, non_blocking=True)\ne.cuda('cuda:1')\n",
     "import torch\nimport portable_device\na.to(portable_device.name)\nb.to(portable_device.at(0))\nc.to(portable_device.name, "
     "non_blocking=True)\nd.to(device=portable_device.at(i), non_blocking=True)\n"
     "e.to(portable_device.at(f'{portable_device.name}:1'))\n"},
    {"flags", "import torch\nassert not x.is_cuda and self.net.weight.is_cuda\n",
     "import torch\nimport portable_device\nassert not portable_device.is_on(x) and portable_device.is_on(self.net.weight)\n"},
    {"numbers", "import torch\nx.to(0)\ntorch.device(1)\n",
     "import torch\nimport portable_device\nx.to(portable_device.at(0))\ntorch.device(portable_device.at(1))\n"},
    {"runtime names", "import torch\ntorch.cuda.manual_seed_all(1)\nwith torch.cuda.stream(s): pass\n",
     "import torch\nimport portable_device\nportable_device.runtime.manual_seed_all(1)\nwith portable_device.runtime.stream(s): "
     "pass\n"},
    {"imported names", "import torch\nfrom torch.cuda.amp import autocast, GradScaler as G\nautocast(); G()\n",
     "import torch\nfrom portable_device import autocast, GradScaler as G\nautocast(); G()\n"},
    {"imported modules", "import torch.cuda.amp as amp\nfrom torch import cuda\namp.autocast()\ncuda.synchronize()\n",
     "from portable_device import amp as amp\nfrom portable_device import runtime as "
     "cuda\namp.autocast()\n"
     "cuda.synchronize()\n"},
    {"collectives",
     "import torch\nimport torch.distributed as dist\ndist.init_process_group('cpu:gloo,cuda:nccl')\nassert dist.get_backend() "
     "== 'nccl'\n",
     "import torch\nimport portable_device\nimport torch.distributed as "
     "dist\ndist.init_process_group(f'cpu:gloo,{portable_device.name}:{portable_device.collective}')\n"
     "assert dist.get_backend() == portable_device.collective\n"},
    {"names outside torch.cuda", "import torch\nfrom torch.profiler import ProfilerActivity\nprint([ProfilerActivity.CUDA])\n",
     "import torch\nimport portable_device\nfrom torch.profiler import "
     "ProfilerActivity\nprint([portable_device.named(\"torch.profiler.ProfilerActivity.CUDA\")])\n"},
    {"variables", "import os, torch\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nn = os.environ.get('CUDA_VISIBLE_DEVICES', '')\n",
     "import os, torch\nimport portable_device\nos.environ['CUDA_VISIBLE_DEVICES'] = os.environ['ASCEND_RT_VISIBLE_DEVICES'] = "
     "'0'\n"
     "n = os.environ.get(portable_device.variable(\"CUDA_VISIBLE_DEVICES\"), '')\n"},
    {"tensor types", "import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n",
     "import torch\nimport portable_device\ntorch.set_default_tensor_type(f'torch.{portable_device.name}.FloatTensor')\n"},
    {"profiler keys", "import torch\np.key_averages().table(sort_by='self_cuda_time_total')\n",
     "import torch\nimport portable_device\np.key_averages().table(sort_by=f'self_{portable_device.name}_time_total')\n"},
    {"no import of torch", "\"\"\"doc\"\"\"\nfrom __future__ import annotations\nfrom m import build\nx = build(device='cuda')\n",
     "\"\"\"doc\"\"\"\nfrom __future__ import annotations\nimport portable_device\nfrom m import build\nx = "
     "build(device=portable_device.name)\n"},
    {"a use before the import of torch", "#!/usr/bin/env python\nimport os\ndef f(device='cuda'):\n  import x\nimport torch\n",
     "#!/usr/bin/env python\nimport portable_device\nimport os\ndef f(device=portable_device.name):\n  import x\nimport torch\n"},
    {"line ends and tabs", "import torch\r\nif a:\r\n\tx.to('cuda')\r\n",
     "import torch\r\nimport portable_device\r\nif a:\r\n\tx.to(portable_device.name)\r\n"},
    {"a case of a match", "import torch\nmatch x.device.type:\n  case 'cuda': f()\n",
     "import torch\nimport portable_device\nmatch x.device.type:\n  case portable_device.name: f()\n"},
    {"what is no device",
     "\"\"\"cuda\"\"\"\nimport torch\n# cuda\nprint('cuda')\npath = '/usr/local/cuda'\nkey = {'cuda': 1}\nlog.info(f'on "
     "cuda:{n}')\n",
     "\"\"\"cuda\"\"\"\nimport torch\n# cuda\nprint('cuda')\npath = '/usr/local/cuda'\nkey = {'cuda': 1}\nlog.info(f'on "
     "cuda:{n}')\n"},
    {"backends that do no harm", "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True\n",
     "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True\n"},
};

TEST(Portable, WritesWhatHoldsForEveryCard) {
  for (const Case& each : kCases) EXPECT_EQ(port_python(each.source).text, each.portable) << each.name;
}

TEST(Portable, WritingItTwiceChangesNothing) {
  for (const Case& each : kCases) EXPECT_EQ(port_python(each.portable).text, each.portable) << each.name;
}

TEST(Portable, TheSameForMluButForItsVariables) {
  for (const Case& each : kCases) {
    if (std::string(each.name) == "variables") continue;
    EXPECT_EQ(port_python(each.source, "mlu370-x8").text, each.portable) << each.name;
  }
}

TEST(Portable, ChipsThatKeepTheCudaNamesGetNoEdit) {
  for (const Case& each : kCases) EXPECT_EQ(port_python(each.source, "iluvatar-bi-v150").text, each.source) << each.name;
}

TEST(Portable, AProjectWrittenForAnotherChipBecomesPortableToo) {
  EXPECT_EQ(
      port_python("import torch\nimport torch_npu\nx = a.npu()\ntorch.npu.synchronize()\ny.to('npu:0')\n", "nvidia-a100-80g")
          .text,
      "import torch\nimport portable_device\nx = a.to(portable_device.name)\nportable_device.runtime.synchronize()\n"
      "y.to(f'{portable_device.name}:0')\n");
}

TEST(Portable, TorchAcceleratorIsUsedWhereItSaysTheSame) {
  std::string source = "import torch\ntorch.cuda.set_device(1)\ntorch.cuda.is_available()\ntorch.cuda.empty_cache()\n";
  EXPECT_EQ(port_python(source, "ascend-910b3", "2.7.1").text,
            "import torch\nimport portable_device\ntorch.accelerator.set_device_index(1)\ntorch.accelerator.is_available()\n"
            "portable_device.runtime.empty_cache()\n");
  EXPECT_EQ(
      port_python(source, "ascend-910b3", "2.5.1").text,
      "import torch\nimport portable_device\nportable_device.runtime.set_device(1)\nportable_device.runtime.is_available()\n"
      "portable_device.runtime.empty_cache()\n");
}

TEST(Portable, WhatHasNoCommonFormIsAFinding) {
  for (const char* source : {"import torch\nx.cuda(0, True)\n", "import torch\nx.cuda(*where)\n",
                             "import torch\nn = dict(cuda=1)[x.device.type]\n",
                             "match str(x.device):\n  case 'cuda:0': f()\n"}) {
    Ported ported = port_python(source);
    EXPECT_EQ(ported.text, source);
    ASSERT_EQ(ported.findings.size(), 1U) << source;
    EXPECT_EQ(ported.findings[0].rule, "portable-by-hand");
    EXPECT_EQ(ported.findings[0].place.line, 2);
  }
}

TEST(Portable, ANameOfTheFilesOwnIsNotHidden) {
  EXPECT_EQ(
      port_python("import torch\nportable_device = 3\nx.to('cuda')\n").text,
      "import torch\nimport portable_device as portable_device_here\nportable_device = 3\nx.to(portable_device_here.name)\n");
}

TEST(Portable, RandomTextNeverCrashesAndSettlesAtOnce) {
  std::mt19937 random(11);
  const std::vector<std::string> words = {"torch",
                                          ".",
                                          "cuda",
                                          "(",
                                          ")",
                                          "'cuda'",
                                          "'cuda:0'",
                                          "f'cuda:{",
                                          "}'",
                                          "=",
                                          "\n",
                                          " ",
                                          "x",
                                          ".to(",
                                          ".cuda(",
                                          ".is_cuda",
                                          ",",
                                          "{",
                                          "}",
                                          "if",
                                          "else",
                                          "==",
                                          "'nccl'",
                                          "device",
                                          "return",
                                          "import torch",
                                          "os.environ['CUDA_VISIBLE_DEVICES']",
                                          "[",
                                          "]",
                                          ":"};
  for (int round = 0; round < 3000; ++round) {
    std::string source = "import os, torch\n";
    for (std::size_t count = random() % 24; count > 0; --count) source += words[random() % words.size()];
    std::string once = port_python(source).text;
    EXPECT_EQ(port_python(once).text, once) << source;
  }
}

TEST(PortableLayout, TheHelperLiesWhereTheFileCanImportIt) {
  PortableLayout layout({"train.py", "tools/run.py", "pkg/__init__.py", "pkg/net.py", "pkg/sub/__init__.py", "pkg/sub/x.py",
                         "src/lib/__init__.py", "src/lib/y.py"});
  EXPECT_EQ(layout.import_for("train.py").path, "portable_device.py");
  EXPECT_EQ(layout.import_for("tools/run.py").path, "tools/portable_device.py");
  EXPECT_EQ(layout.import_for("tools/run.py").statement, "import portable_device");
  EXPECT_EQ(layout.import_for("pkg/sub/x.py").path, "pkg/portable_device.py");
  EXPECT_EQ(layout.import_for("pkg/sub/x.py").statement, "from pkg import portable_device");
  EXPECT_EQ(layout.import_for("src/lib/y.py").statement, "from lib import portable_device");
}

TEST(PortableLayout, ItsNameCollidesWithNothing) {
  EXPECT_EQ(PortableLayout({"a.py", "portable_device.py"}).name(), "portable_device_2");
  EXPECT_EQ(PortableLayout({"a.py", "portable_device/x.py", "lib/portable_device_2.py"}).name(), "portable_device_3");
  EXPECT_EQ(PortableLayout({"a.py", "portable_device.py"}, {"portable_device.py"}).name(), "portable_device");
}

// Whole trees, written out and reversed.
class PortableProject : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("starbridge-portable-" + std::to_string(::getpid()));
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path write(const Files& files) {
    fs::path folder = root_ / "in";
    fs::remove_all(root_);
    for (const auto& [name, bytes] : files) {
      fs::create_directories((folder / name).parent_path());
      EXPECT_TRUE(base::write_file_atomically((folder / name).string(), bytes).ok());
    }
    return folder;
  }
  static ProjectReport scan(const fs::path& folder, const std::string& chip = "ascend-910b3", Style style = Style::kPortable) {
    return scan_project(folder.string(), make_context(tables(), {make_target(*catalogue().find_chip(chip).value(), style)}))
        .value();
  }
  static Files read(const fs::path& folder) {
    Files files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file())
        files[fs::relative(entry.path(), folder).string()] = base::read_file(entry.path().string()).value();
    }
    return files;
  }

  fs::path root_;
};

const Files kProject = {
    {"train.py", "import torch\nfrom pkg.net import Net\nNet().to('cuda')\n"},
    {"pkg/__init__.py", ""},
    {"pkg/net.py", "import torch\nclass Net(torch.nn.Module):\n  def where(self): return torch.cuda.current_device()\n"},
    {"run.sh", "export CUDA_VISIBLE_DEVICES=0,1\nCUDA_LAUNCH_BLOCKING=1 python train.py --device cuda --name 'cuda'\n"},
    {"requirements.txt", "torch==2.7.1\n"},
    {"conf.yaml", "device: cuda\n"}};

TEST_F(PortableProject, IsWrittenOncePerImportRootAndComesBack) {
  fs::path folder = write(kProject);
  ProjectReport report = scan(folder);
  fs::path copy = root_ / "out";
  ASSERT_TRUE(write_copy(report, copy.string()).ok());
  Files files = read(copy);
  EXPECT_EQ(files["portable_device.py"], tables().portable_helper);
  EXPECT_EQ(files["pkg/portable_device.py"], tables().portable_helper);
  EXPECT_EQ(files["requirements-npu.txt"].substr(0, 20), "-r requirements.txt\n");
  EXPECT_EQ(files["requirements.txt"], kProject.at("requirements.txt"));
  EXPECT_EQ(files["conf.yaml"], kProject.at("conf.yaml"));
  EXPECT_EQ(
      files["run.sh"],
      "export CUDA_VISIBLE_DEVICES=0,1 ASCEND_RT_VISIBLE_DEVICES=0,1\nCUDA_LAUNCH_BLOCKING=1 ASCEND_LAUNCH_BLOCKING=1 python "
      "train.py --device $(python3 -m portable_device name) --name 'cuda'\n");
  ProjectReport again = scan(copy);
  EXPECT_EQ(again.chips[0].edit_count, 0U);
  EXPECT_TRUE(again.chips[0].new_files.empty());
  EXPECT_EQ(scan(copy, "ascend-910b3", Style::kVendor).chips[0].findings.empty(), false);  // conf.yaml is edited there
  ASSERT_TRUE(reverse_port(copy.string()).ok());
  EXPECT_EQ(read(copy), kProject);
}

TEST_F(PortableProject, AHelperThatWasChangedStopsTheReversal) {
  fs::path folder = write(kProject);
  fs::path copy = root_ / "out";
  ASSERT_TRUE(write_copy(scan(folder), copy.string()).ok());
  ASSERT_TRUE(base::write_file_atomically((copy / "portable_device.py").string(), "changed = 1\n").ok());
  base::Result<Reversal> reversal = reverse_port(copy.string());
  ASSERT_FALSE(reversal.ok());
  EXPECT_EQ(reversal.error().code(), "port.manifest_mismatch");
}

TEST_F(PortableProject, BranchesForAThirdCardStayWhenItIsPortedAgain) {
  fs::path folder = write({{"a.py", "import torch\nx.cuda()\ny.cuda()\nz.cuda()\n"},
                           {"b.py", "import torch\nif w.device.type == 'npu':\n  w = w.npu()\n"}});
  fs::path copy = root_ / "out";
  ASSERT_TRUE(write_copy(scan(folder, "mlu370-x8"), copy.string()).ok());
  EXPECT_EQ(read(copy)["b.py"], read(folder)["b.py"]);
  EXPECT_EQ(scan(copy, "mlu370-x8").chips[0].edit_count, 0U);
}

TEST_F(PortableProject, EveryApprovedCaseSettlesAndComesBack) {
  for (const auto& entry : fs::directory_iterator(fs::path(SB_SOURCE_DIR) / "tests/port_files")) {
    Files before = read(entry.path() / "in");
    fs::path folder = write(before);
    fs::path copy = root_ / "out";
    ASSERT_TRUE(write_copy(scan(folder), copy.string()).ok());
    EXPECT_EQ(scan(copy).chips[0].edit_count, 0U) << entry.path();
    ASSERT_TRUE(reverse_port(copy.string()).ok());
    EXPECT_EQ(read(copy), before) << entry.path();
  }
}

}  // namespace
}  // namespace starbridge::port

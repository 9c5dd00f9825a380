// Ten traps that other vendors' tools fall into, T1 to T10 (docs/port-traps.md): what a port does in each. The plug-in's side of
// them is in tests/device/test_plugin.py.
#include <gtest/gtest.h>

#include <algorithm>

#include "port/edit.h"
#include "port/test_files.h"

namespace starbridge::port {
namespace {

bool has_rule(const std::string& path, const std::string& bytes, const std::string& rule) {
  std::vector<std::string> names = rules(path, bytes);
  return std::find(names.begin(), names.end(), rule) != names.end();
}

// The port of a program behind "import torch".
std::string port_of(const std::string& code) {
  std::string head = "import torch\n";
  std::string result = ported("t.py", head + code);
  std::string new_head = head + "import torch_npu\n";
  return result.substr(result.rfind(new_head, 0) == 0 ? new_head.size() : head.size());
}

TEST(Traps, T1FileNamesThatHoldTheWordStay) {
  EXPECT_EQ(
      port_of("s = torch.load(\"cuda_ckpt.pt\", map_location='cpu')\nt = torch.load(\"cuda:0/m.pt\", map_location=\"cuda:0\")\n"
              "torch.save(t, 'cuda.pt')\nnp.save('cuda', x)\nopen('cuda')\n"),
      "s = torch.load(\"cuda_ckpt.pt\", map_location='cpu')\nt = torch.load(\"cuda:0/m.pt\", map_location=\"npu:0\")\n"
      "torch.save(t, 'cuda.pt')\nnp.save('cuda', x)\nopen('cuda')\n");
}

TEST(Traps, T2ComparisonsMoveWithTheDevicesTheyAreAbout) {
  EXPECT_EQ(
      port_of("dev = torch.device(\"cuda\")\nif x.device == dev or x.device.type == \"cuda\":\n  a = {'cuda': 1}[x.device.type]\n"
              "if str(x.device).startswith('cuda') or x.is_cuda:\n  pass\nif name == 'cuda':\n  pass\n"),
      "dev = torch.device(\"npu\")\nif x.device == dev or x.device.type == \"npu\":\n  a = {'npu': 1}[x.device.type]\n"
      "if str(x.device).startswith('npu') or x.is_npu:\n  pass\nif name == 'cuda':\n  pass\n");
}

TEST(Traps, T3TestsOfTheBackendMoveWithTheBackend) {
  EXPECT_EQ(port_of("import torch.distributed as dist\nassert dist.get_backend() in (\"nccl\", \"gloo\")\n"
                    "if dist.get_backend() == dist.Backend.NCCL:\n  pass\n"),
            "import torch.distributed as dist\nassert dist.get_backend() in (\"hccl\", \"gloo\")\n"
            "if dist.get_backend() == dist.Backend.HCCL:\n  pass\n");
}

TEST(Traps, T4ScriptedModulesStayScripted) {
  std::string code = "m = torch.jit.script(net)\nm.save('net.pt')\nassert isinstance(m, torch.jit.ScriptModule)\n";
  EXPECT_EQ(port_of(code), code);
}

TEST(Traps, T5DoubleTensorsStayDoubleAndAreTold) {
  std::string code = "y = torch.cuda.DoubleTensor(2)\n";
  EXPECT_EQ(port_of(code), "y = torch.npu.DoubleTensor(2)\n");
  EXPECT_TRUE(has_rule("t.py", "import torch\n" + code, "name-changed"));
}

TEST(Traps, T6AvailabilityIsAskedOfTheChipByName) {
  // Nothing is swapped while the program runs: each thread sees the same answer.
  EXPECT_EQ(port_of("if torch.cuda.is_available():\n  x = f()\n"), "if torch.npu.is_available():\n  x = f()\n");
}

TEST(Traps, T7NumbersBecomeDevicesWhereADeviceStands) {
  EXPECT_EQ(
      port_of("a = x.to(0)\nb = torch.ones(2, device=1)\nfor i in range(2):\n  c = x.to(i)\nd = x.sum(0)\ne = x.to(dtype)\n"),
      "a = x.to(\"npu:0\")\nb = torch.ones(2, device=\"npu:1\")\nfor i in range(2):\n  c = x.to(f\"npu:{i}\")\nd = x.sum(0)\ne = "
      "x.to(dtype)\n");
}

TEST(Traps, T8VariablesToolsAndBuildsAreSeenInEveryKindOfFile) {
  EXPECT_TRUE(has_rule("t.py", "import subprocess\nimport torch\nsubprocess.run(['nvidia-smi'])\n", "cuda-tool"));
  EXPECT_TRUE(has_rule("t.py", "import pynvml\npynvml.nvmlInit()\n", "package-replaced"));
  EXPECT_TRUE(has_rule("run.sh", "nvidia-smi -L\n", "cuda-tool"));
  EXPECT_NE(
      ported("setup.py", "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('a', ['a.cpp'])\n").find("Npu"),
      std::string::npos);
  EXPECT_EQ(ported("run.sh", "export CUDA_VISIBLE_DEVICES=0\n"), "export ASCEND_RT_VISIBLE_DEVICES=0\n");
  EXPECT_EQ(ported("job.yaml", "env:\n  CUDA_VISIBLE_DEVICES: \"0\"\n"), "env:\n  ASCEND_RT_VISIBLE_DEVICES: \"0\"\n");
}

TEST(Traps, T9LibrariesPathsPackagesAndAddressesStay) {
  std::string code =
      "lib = ctypes.CDLL('libcudart.so')\nsrc = ['csrc/cuda/add.cu', 'torch.cuda.h']\nurl = "
      "'https://example.org/cuda/torch.cuda.whl'\n"
      "pin = 'cudatoolkit==11.8'\ncudaXis = 3\n# torch.cuda is meant\nprint('torch.cuda.is_available()')\n";
  EXPECT_EQ(port_of(code), code);
  std::string script =
      "# CUDA_VISIBLE_DEVICES picks cards\necho \"see torch.cuda\"\ncp build/cuda/x.cu .\nconda install cudatoolkit=11.8\n";
  EXPECT_EQ(ported("run.sh", script), script);
}

TEST(Traps, T10ASecondPortAddsNothing) {
  std::string once = ported("t.py", "import torch\nx = y.cuda()\ntorch.cuda.synchronize()\n");
  EXPECT_EQ(once, "import torch\nimport torch_npu\nx = y.npu()\ntorch.npu.synchronize()\n");
  EXPECT_EQ(ported("t.py", once), once);
}

}  // namespace
}  // namespace starbridge::port

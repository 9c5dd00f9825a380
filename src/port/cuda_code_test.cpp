// Places that mean CUDA and not whatever card there is: left, and said so; what only looks like them is ported.
#include <gtest/gtest.h>

#include "port/test_files.h"

namespace starbridge::port {
namespace {

struct Case {
  const char* name;
  const char* source;
  const char* port;  // nullptr: as it is
  const char* rule;  // that tells; "" for none
};

const Case kCases[] = {
    {"a version compared", "import torch\nok = torch.version.cuda and parse(torch.version.cuda) >= (11, 0)\n", nullptr,
     "cuda-version"},
    {"a version beside another maker's",
     "import torch\nIS_HIP = torch.version.hip is not None\nIS_CUDA = torch.version.cuda is not None\n", nullptr, "cuda-version"},
    {"a version that is there or not", "import torch\nif torch.version.cuda is not None:\n    run()\n",
     "import torch\nimport torch_npu\nif torch.version.cann is not None:\n    run()\n", ""},
    {"a guard before a compiled module",
     "import torch\ndef f(x):\n    if not x.is_cuda:\n        if big(x):\n            raise ValueError()\n        return "
     "plain(x)\n    "
     "else:\n        return _C.f(x)\n",
     nullptr, "cuda-kernel-guard"},
    {"a guard that returns",
     "import torch\nclass A:\n    def f(self, x):\n        if self.ok and x.is_cuda:\n            return self.forward_cuda(x)\n  "
     "      "
     "return self.forward_native(x)\n",
     nullptr, "cuda-kernel-guard"},
    {"a guard without another way",
     "import torch\ndef f(x):\n    if x.is_cuda:\n        return _C.f(x)\n    else:\n        raise NotImplementedError\n",
     "import torch\nimport torch_npu\ndef f(x):\n    if x.is_npu:\n        return _C.f(x)\n    else:\n        raise "
     "NotImplementedError\n",
     ""},
    {"a test that only brings things to the card",
     "import torch\ndef f(x):\n    if x.is_cuda:\n        return move_to_cuda(x)\n    return x.cpu()\n",
     "import torch\nimport torch_npu\ndef f(x):\n    if x.is_npu:\n        return move_to_cuda(x)\n    return x.cpu()\n", ""},
    {"a package of CUDA alone",
     "import torch\n@unittest.skipIf(device != 'cuda' or not is_xformers_available(), reason='r')\ndef test():\n    pass\n",
     nullptr, ""},
    {"a package for every card",
     "import torch\n@unittest.skipIf(device != 'cuda' or not is_triton_available(), reason='r')\ndef test():\n    pass\n",
     "import torch\nimport torch_npu\n@unittest.skipIf(device != 'npu' or not is_triton_available(), reason='r')\ndef test():\n  "
     "  "
     "pass\n",
     ""},
    {"a branch that imports what is for CUDA alone",
     "import torch\nif engine:\n    import tensorrt as trt\n    if device.type == 'cpu':\n        device = "
     "torch.device('cuda:0')\nelse:\n    device = 'cpu'\n",
     nullptr, "cuda-only-block"},
    {"a package tried and not needed",
     "import torch\ntry:\n    import tensorrt\nexcept ImportError:\n    tensorrt = None\nx.cuda()\n",
     "import torch\nimport torch_npu\ntry:\n    import tensorrt\nexcept ImportError:\n    tensorrt = None\nx.npu()\n", ""},
    {"flags for makers",
     "import torch\nif IS_CUDA_SYSTEM or IS_ROCM_SYSTEM:\n    device = 'cuda'\nelif IS_XPU_SYSTEM:\n    device = 'xpu'\n",
     nullptr, "cuda-maker-test"},
    {"one flag of the user", "import torch\nif use_cuda:\n    device = 'cuda'\nelse:\n    device = 'cpu'\n",
     "import torch\nimport torch_npu\nif use_cuda:\n    device = 'npu'\nelse:\n    device = 'cpu'\n", ""},
    {"the runtime's own functions", "import torch\ntorch.cuda.cudart().cudaProfilerStart()\n", nullptr,
     "name-without-counterpart"},
    {"the profiler by its full name",
     "import torch\nwith torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA], "
     "schedule=torch.profiler.schedule(wait=1)):\n    run()\n",
     "import torch\nimport torch_npu\nwith torch_npu.profiler.profile(activities=[torch_npu.profiler.ProfilerActivity.NPU], "
     "schedule=torch_npu.profiler.schedule(wait=1)):\n    run()\n",
     "name-changed"},
};

TEST(CudaCode, WhatMeansCudaIsLeftAndSaidSo) {
  for (const Case& each : kCases) {
    EXPECT_EQ(ported("code.py", each.source), each.port != nullptr ? each.port : each.source) << each.name;
    std::vector<std::string> said = rules("code.py", each.source);
    if (*each.rule != '\0') {
      EXPECT_EQ(std::count(said.begin(), said.end(), each.rule), 1) << each.name;
    }
  }
}

TEST(CudaCode, ASecondPortChangesNothing) {
  for (const Case& each : kCases) {
    std::string once = ported("code.py", each.source);
    EXPECT_EQ(ported("code.py", once), once) << each.name;
  }
}

TEST(CudaCode, ABuildThatMakesCudaExtensionsAsksForCuda) {
  std::string build =
      "import torch\nfrom setuptools import setup\nfrom torch.utils.cpp_extension import CUDA_HOME, CUDAExtension\nwith_cuda = "
      "torch.cuda.is_available() and CUDA_HOME is not None\nsetup(name='a')\n";
  std::string asks = "with_cuda = torch.cuda.is_available() and CUDA_HOME is not None\n";
  EXPECT_NE(ported("setup.py", build).find(asks), std::string::npos);
  EXPECT_EQ(ported("train.py", build).find(asks), std::string::npos);
}

}  // namespace
}  // namespace starbridge::port

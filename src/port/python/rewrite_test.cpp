#include "port/python/rewrite.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "port/analyze.h"
#include "port/test_tables.h"

namespace starbridge::port {
namespace {

Context context_for(const std::string& chip) {
  return make_context(tables(), {make_target(*catalogue().find_chip(chip).value())});
}

struct Ported {
  std::string text;
  std::vector<Finding> findings;
};

Ported port_python(const std::string& source, const std::string& chip = "ascend-910b3") {
  TargetResult result = analyze_python({"t.py", source}, context_for(chip))[0];
  std::vector<Edit> edits = normalize_edits(result.edits, source.size()).value();
  return {apply_edits(source, edits), result.findings};
}

struct Case {
  const char* name;
  const char* source;
  const char* npu;
};

const Case kCases[] = {
    {"device call", "import torch\nd = torch.device('cuda:1')\n", "import torch\nimport torch_npu\nd = torch.device('npu:1')\n"},
    {"keyword", "import torch\nx = torch.ones(2, device=\"cuda\")\n",
     "import torch\nimport torch_npu\nx = torch.ones(2, device=\"npu\")\n"},
    {"through a variable", "import torch\nname = 'cuda'\nother = 'cuda'\nx.to(name)\n",
     "import torch\nimport torch_npu\nname = 'npu'\nother = 'cuda'\nx.to(name)\n"},
    {"conditional", "import torch\nd = 'cuda' if torch.cuda.is_available() else 'cpu'\nm.to(d)\n",
     "import torch\nimport torch_npu\nd = 'npu' if torch.npu.is_available() else 'cpu'\nm.to(d)\n"},
    {"f-string", "import torch\nx.to(f'cuda:{rank}')\n", "import torch\nimport torch_npu\nx.to(f'npu:{rank}')\n"},
    {"format and percent", "import torch\nx.to('cuda:{}'.format(i)); y.to('cuda:%d' % i); z.to('cuda:' + str(i))\n",
     "import torch\nimport torch_npu\nx.to('npu:{}'.format(i)); y.to('npu:%d' % i); z.to('npu:' + str(i))\n"},
    {"default and call site", "import torch\ndef f(m, where='cuda'):\n    m.to(where)\nf(m, 'cuda:0')\nf(m, where='cuda:1')\n",
     "import torch\nimport torch_npu\ndef f(m, where='npu'):\n    m.to(where)\nf(m, 'npu:0')\nf(m, where='npu:1')\n"},
    {"attribute",
     "import torch\nclass A:\n    def __init__(self):\n        self.where = 'cuda'\n    def go(self, x):\n        return "
     "x.to(self.where)\n",
     "import torch\nimport torch_npu\nclass A:\n    def __init__(self):\n        self.where = 'npu'\n    def go(self, x):\n      "
     "  return x.to(self.where)\n"},
    {"return value", "import torch\ndef pick():\n    return 'cuda'\nx.to(pick())\n",
     "import torch\nimport torch_npu\ndef pick():\n    return 'npu'\nx.to(pick())\n"},
    {"dictionary", "import torch\ncfg = {'where': 'cuda', 'tag': 'cuda'}\nx.to(cfg['where'])\n",
     "import torch\nimport torch_npu\ncfg = {'where': 'npu', 'tag': 'cuda'}\nx.to(cfg['where'])\n"},
    {"keywords that a device looks up", "import torch\nn = dict(cuda=1, cpu=2)[x.device.type]\nkey = dict(cuda=1)\n",
     "import torch\nimport torch_npu\nn = dict(npu=1, cpu=2)[x.device.type]\nkey = dict(cuda=1)\n"},
    {"cases of a match",
     "import torch\nmatch x.device.type:\n  case 'cuda' | 'mps': f()\n  case {'device': 'cuda'} as d: g()\n"
     "match title:\n  case 'cuda': h()\n",
     "import torch\nimport torch_npu\nmatch x.device.type:\n  case 'npu' | 'mps': f()\n  case {'device': 'npu'} as d: g()\n"
     "match title:\n  case 'cuda': h()\n"},
    {"loop over a list", "import torch\nfor d in ['cpu'] + (['cuda'] if torch.cuda.is_available() else []):\n    x.to(d)\n",
     "import torch\nimport torch_npu\nfor d in ['cpu'] + (['npu'] if torch.npu.is_available() else []):\n    x.to(d)\n"},
    {"loops over pairs",
     "import torch\nds = ('cuda:1', 'cuda:0')\nfor a, b in product(ds, ['cuda']):\n    x.to(a)\nfor i, (c, n) in "
     "enumerate([('cuda:2', 'b')]):\n    x.to(c)\n",
     "import torch\nimport torch_npu\nds = ('npu:1', 'npu:0')\nfor a, b in product(ds, ['cuda']):\n    x.to(a)\nfor i, (c, n) in "
     "enumerate([('npu:2', 'b')]):\n    x.to(c)\n"},
    {"loop over names that are no devices", "import torch\nfor n in ['cuda', 'cpu']:\n    print(n)\nx.cuda()\n",
     "import torch\nimport torch_npu\nfor n in ['cuda', 'cpu']:\n    print(n)\nx.npu()\n"},
    {"comprehensions", "import torch\nx = [y.to(d) for d in ('cuda:0',)]\nwhere = [f'cuda:{i}' for i in r]\ny.to(where[0])\n",
     "import torch\nimport torch_npu\nx = [y.to(d) for d in ('npu:0',)]\nwhere = [f'npu:{i}' for i in r]\ny.to(where[0])\n"},
    {"parametrized test",
     "import torch, pytest\n@pytest.mark.parametrize('where', ['cpu', pytest.param('cuda', marks=m)])\n@pytest.mark.parametrize("
     "'name, at', [('b', 'cuda:1')])\ndef test_a(where, name, at):\n    x.to(where)\n    x.to(at)\n",
     "import torch, pytest\nimport torch_npu\n@pytest.mark.parametrize('where', ['cpu', pytest.param('npu', marks=m)])\n"
     "@pytest.mark.parametrize('name, at', [('b', 'npu:1')])\ndef test_a(where, name, at):\n    x.to(where)\n    x.to(at)\n"},
    {"parametrized class",
     "import torch\n@pytest.mark.parametrize(('where',), ['cuda'])\nclass A:\n    def test(self, where):\n        x.to(where)\n",
     "import torch\nimport torch_npu\n@pytest.mark.parametrize(('where',), ['npu'])\nclass A:\n    def test(self, where):\n      "
     "  x.to(where)\n"},
    {"parameterized cases",
     "import torch\nclass A(T):\n    @parameterized.expand([('a', 'cuda'), ('cuda', 'cpu')])\n    def test(self, name, where):\n "
     "       "
     "x.to(where)\n    @parameterized.expand(['cuda'])\n    def test_one(self, where):\n        x.to(where)\n",
     "import torch\nimport torch_npu\nclass A(T):\n    @parameterized.expand([('a', 'npu'), ('cuda', 'cpu')])\n    def "
     "test(self, name, "
     "where):\n        x.to(where)\n    @parameterized.expand(['npu'])\n    def test_one(self, where):\n        x.to(where)\n"},
    {"fixtures",
     "import torch, pytest\n@pytest.fixture(params=['cpu', 'cuda'])\ndef spot(request):\n    return "
     "request.param\n@pytest.fixture\n"
     "def other():\n    yield 'cuda:1'\ndef title():\n    return 'cuda'\ndef test(spot, other, title):\n    x.to(spot)\n    "
     "y.to(other)\n    z.to(title)\n",
     "import torch, pytest\nimport torch_npu\n@pytest.fixture(params=['cpu', 'npu'])\ndef spot(request):\n    return "
     "request.param\n@pytest.fixture\ndef other():\n    yield 'npu:1'\ndef title():\n    return 'cuda'\ndef test(spot, other, "
     "title):\n    x.to(spot)\n    y.to(other)\n    z.to(title)\n"},
    {"lists that grow",
     "import torch\nspots = ['cpu']\nif torch.cuda.is_available():\n    spots.append('cuda')\nfor s in spots:\n    x.to(s)\nmore "
     "= "
     "[]\nmore.extend(['cuda:1'])\ny.to(more[0])\nwords.append('cuda')\n",
     "import torch\nimport torch_npu\nspots = ['cpu']\nif torch.npu.is_available():\n    spots.append('npu')\nfor s in spots:\n  "
     "  "
     "x.to(s)\nmore = []\nmore.extend(['npu:1'])\ny.to(more[0])\nwords.append('cuda')\n"},
    {"entries of a dictionary",
     "import torch\nspots = {'cuda': 'cuda:0'}\nfor name, spot in spots.items():\n    x.to(spot)\nfor spot in {'a': "
     "'cuda:1'}.values():\n    y.to(spot)\nfor name, n in {'b': 'cuda'}.items():\n    print(n)\n",
     "import torch\nimport torch_npu\nspots = {'cuda': 'npu:0'}\nfor name, spot in spots.items():\n    x.to(spot)\nfor spot in "
     "{'a': "
     "'npu:1'}.values():\n    y.to(spot)\nfor name, n in {'b': 'cuda'}.items():\n    print(n)\n"},
    {"tables that devices look up",
     "import torch\nK = {'cuda': 1, 'cpu': 2}\nNAMES = {'cuda': 'NVIDIA'}\nB = {'cuda': 'nccl', 'cpu': 'gloo'}\nclass A:\n    "
     "def __init__(self):\n        self.k = {'cuda': f}\n    def f(self, x, word):\n        self.k.get(x.device.type)\n        "
     "K[torch.device(d).type]\n        NAMES[word]\n        torch.distributed.init_process_group(B[x.device.type])\n",
     "import torch\nimport torch_npu\nK = {'npu': 1, 'cpu': 2}\nNAMES = {'cuda': 'NVIDIA'}\nB = {'npu': 'hccl', 'cpu': "
     "'gloo'}\nclass A:\n    def __init__(self):\n        self.k = {'npu': f}\n    def f(self, x, word):\n        "
     "self.k.get(x.device.type)\n        K[torch.device(d).type]\n        NAMES[word]\n        "
     "torch.distributed.init_process_group(B[x.device.type])\n"},
    {"names that hold devices",
     "import torch\nd = x.device\ne = torch.device(n)\nw = x.maker\nif d.type == 'cuda' or {'cuda': 1}[e.type] or w == 'cuda':\n "
     "   "
     "pass\n",
     "import torch\nimport torch_npu\nd = x.device\ne = torch.device(n)\nw = x.maker\nif d.type == 'npu' or {'npu': 1}[e.type] "
     "or w "
     "== 'cuda':\n    pass\n"},
    {"backend as a constant",
     "import torch.distributed as dist\nfrom torch.distributed import Backend\nif dist.get_backend() in (dist.Backend.NCCL, "
     "Backend.GLOO):\n    b = Backend.NCCL\n",
     "import torch.distributed as dist\nimport torch_npu\nfrom torch.distributed import Backend\nif dist.get_backend() in "
     "(dist.Backend.HCCL, Backend.GLOO):\n    b = Backend.HCCL\n"},
    {"backend in capitals", "import torch\ntorch.distributed.init_process_group(backend='NCCL')\n",
     "import torch\nimport torch_npu\ntorch.distributed.init_process_group(backend='HCCL')\n"},
    {"comparison", "import torch\nif device.type == 'cuda' and 'cuda' in str(device) and name == 'cuda':\n    pass\n",
     "import torch\nimport torch_npu\nif device.type == 'npu' and 'npu' in str(device) and name == 'cuda':\n    pass\n"},
    {"method and flag", "import torch\nx = y.cuda(non_blocking=True)\nz = x.is_cuda\n",
     "import torch\nimport torch_npu\nx = y.npu(non_blocking=True)\nz = x.is_npu\n"},
    {"a method of one's own stays", "import torch\nclass T:\n    def cuda(self):\n        return self\nT().cuda()\n",
     "import torch\nclass T:\n    def cuda(self):\n        return self\nT().cuda()\n"},
    {"alias of torch", "import torch as th\nth.cuda.synchronize()\n",
     "import torch as th\nimport torch_npu\nth.npu.synchronize()\n"},
    {"torch by a star import", "from helpers import *\nd = torch.device('cuda:0' if torch.cuda.is_available() else 'cpu')\n",
     "from helpers import *\nd = torch.device('npu:0' if torch.npu.is_available() else 'cpu')\n"},
    {"profiler keys", "import torch\np.key_averages().table(sort_by='self_cuda_time_total')\ndf.table(sort_by='cuda_version')\n",
     "import torch\nimport torch_npu\np.key_averages().table(sort_by='self_npu_time_total')\ndf.table(sort_by='cuda_version')\n"},
    {"from torch import cuda", "from torch import cuda\ncuda.empty_cache()\n",
     "from torch import npu as cuda\nimport torch_npu\ncuda.empty_cache()\n"},
    {"chain over lines", "import torch\nx = (torch\n     .cuda  # the device\n     .device_count())\n",
     "import torch\nimport torch_npu\nx = (torch\n     .npu  # the device\n     .device_count())\n"},
    {"backend", "import torch\nimport torch.distributed as dist\ndist.init_process_group('nccl')\n",
     "import torch\nimport torch_npu\nimport torch.distributed as dist\ndist.init_process_group('hccl')\n"},
    {"map_location dict", "import torch\ntorch.load(f, map_location={'cuda:0': 'cuda:1'})\n",
     "import torch\nimport torch_npu\ntorch.load(f, map_location={'npu:0': 'npu:1'})\n"},
    {"environment", "import os, torch\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n",
     "import os, torch\nimport torch_npu\nos.environ['ASCEND_RT_VISIBLE_DEVICES'] = '0'\n"},
    {"nothing else is touched",
     "\"\"\"uses cuda\"\"\"\nimport torch\n# cuda\nprint('cuda is used')\npath = '/usr/local/cuda'\ncuda = 3\nlog.info(f'on "
     "cuda:{n}')\nkey = {'cuda': 1}\n",
     "\"\"\"uses cuda\"\"\"\nimport torch\n# cuda\nprint('cuda is used')\npath = '/usr/local/cuda'\ncuda = 3\nlog.info(f'on "
     "cuda:{n}')\nkey = {'cuda': 1}\n"},
    {"line ends and tabs stay", "import torch\r\nif a:\r\n\tx.to('cuda')\r\n",
     "import torch\r\nimport torch_npu\r\nif a:\r\n\tx.to('npu')\r\n"},
    {"portable code stays", "import torch\nx.to(torch.accelerator.current_accelerator())\n",
     "import torch\nx.to(torch.accelerator.current_accelerator())\n"},
};

TEST(Rewrite, EditsExactlyWhatReachesADevice) {
  for (const Case& c : kCases) EXPECT_EQ(port_python(c.source).text, c.npu) << c.name;
}

TEST(Rewrite, PortingTwiceChangesNothingAndPortingBackRestores) {
  for (const Case& c : kCases) {
    EXPECT_EQ(port_python(c.npu).text, c.npu) << c.name;
    // "npu as cuda" comes back as "cuda as cuda", which means the same.
    if (std::string(c.name) == "from torch import cuda") continue;
    EXPECT_EQ(port_python(c.npu, "nvidia-a100-80g").text, c.source) << c.name;
  }
}

TEST(Rewrite, PortsBetweenTwoOtherFamilies) {
  EXPECT_EQ(port_python("import torch\nimport torch_npu\ntorch.npu.synchronize()\nx.to('npu:0')\n", "mlu370-x8").text,
            "import torch\nimport torch_mlu\ntorch.mlu.synchronize()\nx.to('mlu:0')\n");
}

TEST(Rewrite, FilesThatNeverNameTorchArePortedToo) {
  EXPECT_EQ(port_python("from m import build\nx = build(device='npu:0')\n", "nvidia-a100-80g").text,
            "from m import build\nx = build(device='cuda:0')\n");
  EXPECT_EQ(port_python("def f(x):\n  return x.mlu()\n", "ascend-910b3").text, "def f(x):\n  return x.npu()\n");
  EXPECT_EQ(port_python("def f(inputs, npus):\n  return inputs, npus\n", "mlu370-x8").text,
            "def f(inputs, npus):\n  return inputs, npus\n");
  for (const char* source :
       {"import os, flash_attn\n", "import os; import flash_attn\n", "import os, \\\r\n  flash_attn as f\r\n",
        "if a: import flash_attn.x as y\n", "try:\n  from flash_attn.x import z\nexcept ImportError:\n  pass\n"}) {
    EXPECT_EQ(port_python(source).findings.size(), 1U) << source;
  }
  EXPECT_TRUE(port_python("import os, sys\n").findings.empty());
}

TEST(Rewrite, ChipsThatKeepTheCudaNamesGetNoDeviceEdit) {
  for (const Case& c : kCases) EXPECT_EQ(port_python(c.source, "iluvatar-bi-v150").text, c.source) << c.name;
}

TEST(Rewrite, NamesWithoutCounterpartBecomeFindings) {
  Ported ported = port_python("import torch\ntorch.cuda.no_such_name()\n");
  ASSERT_EQ(ported.findings.size(), 1U);
  EXPECT_EQ(ported.findings[0].rule, "name-unknown");
  EXPECT_EQ(ported.findings[0].place.line, 2);
  EXPECT_EQ(ported.text, "import torch\ntorch.cuda.no_such_name()\n");
}

TEST(Rewrite, BrokenFilesAreLeftAloneAndSaidSo) {
  for (const char* source : {"import torch\nx = torch.cuda.(\n", "import torch\ndef f(:\n  x.cuda()\n"}) {
    Ported ported = port_python(source);
    EXPECT_EQ(ported.text, source);
    ASSERT_FALSE(ported.findings.empty());
    EXPECT_EQ(ported.findings[0].rule, "python-unparsable");
  }
}

TEST(Rewrite, OtherEncodingsKeepTheirBytes) {
  std::string source = "# -*- coding: latin-1 -*-\nimport torch\nname = 'caf\xE9'\nx.to('cuda')  # \xFC\n";
  std::string ported = port_python(source).text;
  EXPECT_EQ(ported, "# -*- coding: latin-1 -*-\nimport torch\nimport torch_npu\nname = 'caf\xE9'\nx.to('npu')  # \xFC\n");
}

TEST(Rewrite, DeepNestingAndRandomTextNeverCrash) {
  std::string deep = "import torch\nx = " + std::string(20'000, '(') + "'cuda'" + std::string(20'000, ')') + "\nx.to(x)\n";
  static_cast<void>(port_python(deep));
  std::mt19937 random(9);
  const std::vector<std::string> words = {"torch",     ".",
                                          "cuda",      "(",
                                          ")",         "'cuda'",
                                          "=",         "\n",
                                          " ",         "def f(device='cuda'):",
                                          "    ",      "import torch",
                                          "x",         ".to(",
                                          ",",         "{",
                                          "}",         "f'cuda:{",
                                          "}'",        "if",
                                          "==",        "#",
                                          "\"",        "\xFF",
                                          "lambda x:", "[",
                                          "]",         ":"};
  for (int round = 0; round < 3000; ++round) {
    std::string source = "import torch\n";
    for (std::size_t count = random() % 30; count > 0; --count) source += words[random() % words.size()];
    Ported once = port_python(source);
    EXPECT_EQ(port_python(once.text).text, once.text) << source;
  }
}

// Each was quadratic, or deeper than the stack, in some version: minutes, or the end.
TEST(Rewrite, HostileFilesTakeSeconds) {
  auto repeat = [](const std::string& piece, int count) {
    std::string all;
    for (int time = 0; time < count; ++time) all += piece;
    return all;
  };
  std::string methods = "class A:\n";
  for (int index = 0; index < 30'000; ++index) {
    methods += "  def f" + std::to_string(index) + "(self, device='cuda'):\n    self.device = device\n    x.to(self.device)\n";
  }
  const std::string cases[] = {
      "x = torch" + repeat(".a", 300'000) + "\n",
      "if x" + repeat(".type", 300'000) + " == 'cuda': pass\n",
      "if " + repeat("str(", 150) + "device" + repeat(")", 150) + " == 'cuda': pass\n",
      "if " + repeat("(", 100'000) + "device" + repeat(")", 100'000) + " == 'cuda': pass\n",
      methods,
      repeat("device = device\nx.to(device)\n", 60'000),
      repeat("def f(): return f()\nx.to(f())\n", 60'000),
      repeat("x = = 1\n", 30'000),
      repeat("x = 'a\n", 30'000),
      "f'{" + repeat("f'{", 20'000) + "\n",
  };
  for (const std::string& source : cases) {
    auto begin = std::chrono::steady_clock::now();
    static_cast<void>(port_python("import torch\n" + source));
    auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took, std::chrono::seconds(30)) << source.substr(0, 60);
  }
}

TEST(Rewrite, AWordThatGoesTakesItsDotAlong) {
  EXPECT_EQ(
      port_python(
          "import torch\ntry:\n  pass\nexcept torch.cuda.OutOfMemoryError:\n  raise torch . cuda . OutOfMemoryError('x')\n")
          .text,
      "import torch\nimport torch_npu\ntry:\n  pass\nexcept torch.OutOfMemoryError:\n  raise torch . OutOfMemoryError('x')\n");
}

TEST(Rewrite, ImportedNamesThatPartWaysAreImportedFromWhereEachIs) {
  const std::string names =
      "from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension as Made, CppExtension";
  EXPECT_EQ(port_python("import torch\nif True:\n    " + names + "  # build\n", "mlu370-x8").text,
            "import torch\nimport torch_mlu\nif True:\n    from torch.utils.cpp_extension import CUDA_HOME, CppExtension\n"
            "    from torch_mlu.utils.cpp_extension import BuildExtension, MLUExtension as Made  # build\n");
  // Over several lines, as it was where it is long; a remark inside belongs to a name that nobody can tell.
  EXPECT_EQ(port_python("from torch.utils.cpp_extension import (\n  CUDA_HOME,\n  CUDAExtension,\n)\n", "mlu370-x8").text,
            "from torch.utils.cpp_extension import CUDA_HOME\nfrom torch_mlu.utils.cpp_extension import MLUExtension as "
            "CUDAExtension\nimport torch_mlu\n");
  Ported left = port_python("from torch.utils.cpp_extension import (\n  CUDA_HOME,  # set\n  CUDAExtension,\n)\n", "mlu370-x8");
  EXPECT_NE(left.text.find("CUDA_HOME,  # set\n  CUDAExtension"), std::string::npos);
  EXPECT_TRUE(
      std::any_of(left.findings.begin(), left.findings.end(), [](const Finding& each) { return each.rule == "import-split"; }));
}

TEST(Rewrite, BareIndicesBecomeDevicesOfTheTarget) {
  std::string source =
      "import torch\nx.to(0)\ny.to(0, torch.float)\ntorch.device(1)\ntorch.load(f, map_location=0)\nz.to(3.5)\nf(device=0)\n";
  EXPECT_EQ(port_python(source).text,
            "import torch\nimport torch_npu\nx.to(\"npu:0\")\ny.to(0, torch.float)\ntorch.device(\"npu:1\")\n"
            "torch.load(f, map_location=\"npu:0\")\nz.to(3.5)\nf(device=0)\n");
  EXPECT_EQ(port_python(source, "iluvatar-bi-v150").text, source);
}

TEST(Rewrite, ConstructsThatFailElsewhereAreFindings) {
  auto rules = [](const std::string& source, const std::string& chip = "ascend-910b3") {
    std::vector<std::string> found;
    for (const Finding& finding : port_python(source, chip).findings) found.push_back(finding.rule);
    return found;
  };
  using Rules = std::vector<std::string>;
  EXPECT_EQ(rules("import torch\nc = torch.load('a.pt')\n"), Rules{"load-device-tags"});
  EXPECT_EQ(rules("import torch\nc = torch.load('a.pt', 'cpu')\nd = torch.load('a.pt', map_location='cpu')\n"), Rules{});
  EXPECT_EQ(rules("import torch.multiprocessing as mp\nmp.set_start_method('fork')\nmp.set_start_method('spawn')\n"),
            Rules{"fork-start"});
  EXPECT_EQ(rules("import torch, subprocess\nsubprocess.run(['/usr/bin/nvidia-smi', '-q'])\nsubprocess.run('nvidia-smi "
                  "-L')\nsubprocess.run('ls')\n"),
            (Rules{"cuda-tool", "cuda-tool"}));
  EXPECT_EQ(rules("import torch\ntorch.load('a.pt')\n", "iluvatar-bi-v150"), Rules{});
  EXPECT_EQ(rules("import torch\nm = torch.nn.DataParallel(m)\n"), Rules{"data-parallel"});
}

}  // namespace
}  // namespace starbridge::port

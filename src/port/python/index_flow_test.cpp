#include "port/python/index_flow.h"

#include <gtest/gtest.h>

#include "port/analyze.h"
#include "port/test_tables.h"

namespace starbridge::port {
namespace {

// Whether a name at a device position became one of the target.
bool names_card(const std::string& source, const std::string& torch = "") {
  Context context = make_context(tables(), {make_target(*catalogue().find_chip("ascend-910b3").value())});
  context.torch_version = torch;
  SourceFile file{"t.py", "import torch, os\n" + source};
  std::string text = apply_edits(file.bytes, analyze_file(file, FileKind::kPython, context).results[0].edits);
  return text.find("f\"npu:{") != std::string::npos;
}

TEST(IndexFlow, NamesThatHoldNumbersAreDevices) {
  const char* const numbers[] = {
      "r = int(os.environ['LOCAL_RANK'])\nx.to(r)\n",
      "import torch.distributed as dist\nr = dist.get_rank()\nx.to(r)\n",
      "r = 1\nx.to(r)\n",
      "r = 3\nx.to(r % 2)\n",
      "for i in range(4):\n  x.to(i)\n",
      "def f(r: int):\n  x.to(r)\n",
      "def f(r: int = 0):\n  x.to(r, non_blocking=True)\n",
      "import torch.multiprocessing as mp\ndef f(r, n):\n  x.to(r)\nmp.spawn(f, nprocs=2)\n",
      "p.add_argument('--local-rank', type=int)\nargs = p.parse_args()\nx.to(args.local_rank)\n",
      "class A:\n  def __init__(self):\n    self.r = int(os.environ['R'])\n  def f(self):\n    x.to(self.r)\n",
      "r = torch.cuda.current_device()\ny = torch.zeros(2, device=r)\n",
  };
  for (const char* source : numbers) EXPECT_TRUE(names_card(source)) << source;
}

TEST(IndexFlow, WhatMayBeSomethingElseStays) {
  const char* const others[] = {
      "x.to(r)\n",
      "def f(r):\n  x.to(r)\n",
      "r = 1\nif a:\n  r = 'cpu'\nx.to(r)\n",
      "r = torch.float16\nx.to(r)\n",
      "r = 1 / 2\nx.to(r)\n",
      "for i in items:\n  x.to(i)\n",
      "r = 1\nprint(f'{x.to(r)}')\n",
      "r = 1\nx.to(r, torch.float16)\n",
      "p.add_argument('--device', type=int)\ny = torch.zeros(2, device=x.device)\n",
      "class A:\n  def f(self):\n    self.device = torch.cuda.current_device()\n    y = torch.zeros(2, device=x.device)\n",
      "class A:\n  def f(self):\n    self.d = 0\n    self.d = 'cpu'\n    x.to(self.d)\n",
      "p.add_argument('--gpu', type=int)\np.add_argument('--gpu')\nargs = p.parse_args()\nx.to(args.gpu)\n",
      "r = r\nx.to(r)\n",
  };
  for (const char* source : others) EXPECT_FALSE(names_card(source)) << source;
}

TEST(IndexFlow, PyTorchThatTakesNumbersNeedsNoName) {
  EXPECT_TRUE(names_card("r = 1\nx.to(r)\n", "2.4.0"));
  EXPECT_FALSE(names_card("r = 1\nx.to(r)\n", "2.6.0"));
  EXPECT_FALSE(names_card("r = 1\nx.to(r)\n", "2.11"));
}

}  // namespace
}  // namespace starbridge::port

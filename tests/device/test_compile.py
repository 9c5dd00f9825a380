"""torch.compile on the emulated device: the numbers, refusals and gradients of uncompiled code, by every name of a backend that is there."""
from __future__ import annotations

import unittest

from tests.device.support import BACKENDS, profile, result_of, run

TRAIN = """
import json, sys, warnings, torch
from torch import nn
device, names = sys.argv[1], sys.argv[2].split(",")

def train(compiled):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Dropout(0.5), nn.Linear(16, 4)).to(device)
    step, optimizer = compiled(model), torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        loss = step(torch.randn(5, 8, device=device)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return loss.item()

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    losses = [train(lambda model: model)] + [train(lambda model: torch.compile(model, backend=name)) for name in names]
    warned = [str(one.message) for one in said if str(one.message).startswith("torch.compile:")]
made = torch.compile(lambda count: torch.ones(count, device=device) * 2, fullgraph=True)(3).sum().item()
print(json.dumps({"losses": losses, "warned": warned, "made": made}))
"""


class Compile(unittest.TestCase):
    def test_training_gives_the_losses_of_uncompiled_code(self) -> None:
        for backend, names in (("npu", "inductor,npu,npugraph_ex,npugraphs"), ("mlu", "inductor")):
            with self.subTest(backend):
                got = result_of(TRAIN, profile(backend), backend, names)
                for loss in got["losses"][1:]:
                    self.assertAlmostEqual(loss, got["losses"][0], places=6)
                self.assertEqual(len(got["warned"]), 1, got["warned"])
                self.assertIn(f"the emulated {BACKENDS[backend][1]} runs captured graphs operator by operator", got["warned"][0])
                self.assertEqual(got["made"], 6.0)

    def test_operators_the_chip_lacks_are_refused_in_compiled_code_too(self) -> None:
        rules = {"aten::gelu": {"status": "unsupported", "source": "a test"}}
        done = run("import torch; torch.compile(lambda x: torch.nn.functional.gelu(x) + 1)(torch.ones(3, device='npu'))", profile(ops=rules))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("gelu", done.stderr)
        self.assertIn("a test", done.stderr)

    def test_a_graph_on_the_cpu_is_left_to_pytorch_and_packages_are_refused(self) -> None:
        got = result_of("""
        import json, torch, torch._inductor.compile_fx as compiler
        inner, calls = compiler.compile_fx_inner, []
        on_cpu = torch.export.export(torch.nn.Linear(3, 3), (torch.ones(2, 3),)).module()
        compiler.compile_fx(on_cpu, [torch.ones(2, 3)], inner_compile=lambda graph, *_, **__: calls.append("cpu") or graph)
        packed = torch.export.export(torch.nn.Linear(3, 3).to("npu"), (torch.ones(2, 3, device="npu"),))
        try:
            torch._inductor.aoti_compile_and_package(packed)
        except RuntimeError as error:
            calls.append(str(error))
        print(json.dumps(calls))
        """, profile())
        self.assertEqual(got[0], "cpu")
        self.assertIn("cannot compile ahead of time", got[1])

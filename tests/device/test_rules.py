"""The code that rules of the port suggest or write, taken from a scan and executed on the emulated device beside what it replaces."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import tempfile
import textwrap
import unittest
from typing import Any

from .support import profile, result_of

BINARY = os.environ["STARBRIDGE_BIN"]


def scan(source: str, chip: str = "ascend-910b3") -> dict[str, str]:
    """The suggestion of each rule for a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "example.py"
        path.write_text(textwrap.dedent(source))
        done = subprocess.run([BINARY, "scan", folder, "--to", chip, "--no-cache", "--format", "json"], capture_output=True, text=True,
                              check=True)
    findings = json.loads(done.stdout)["chips"][0]["findings"]
    return {finding["rule"]: finding["suggestion"] for finding in findings if "suggestion" in finding}


def port(source: str, chip: str = "ascend-910b3") -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "example.py"
        path.write_text(textwrap.dedent(source))
        subprocess.run([BINARY, "port", folder, "--to", chip, "--in-place", "-q"], capture_output=True, text=True, check=True)
        return path.read_text()


class Suggestions(unittest.TestCase):
    def test_attention_is_that_of_flash_attn(self) -> None:
        for causal in (False, True):
            text = scan(f"""
                from flash_attn import flash_attn_func
                out = flash_attn_func(q, k, v, softmax_scale=0.3, causal={causal})
                """)["flash-attention"]
            answer = result_of(f"""
                import json, math, torch, torch_npu
                torch.manual_seed(0)
                q = torch.randn(2, 5, 4, 8)                   # batch, length, heads, size
                k, v = torch.randn(2, 2, 5, 2, 8).unbind(0)   # half the heads
                scores = torch.einsum("bqhd,bkhd->bhqk", q, k.repeat_interleave(2, 2)) * 0.3
                if {causal}:
                    scores = scores + torch.full((5, 5), -math.inf).triu(1)
                wanted = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v.repeat_interleave(2, 2))
                q, k, v = q.npu(), k.npu(), v.npu()
                found = {' '.join(text.split())}
                print(json.dumps([list(found.shape), str(found.device), (found.cpu() - wanted).abs().max().item()]))
                """, profile())
            self.assertEqual(answer[:2], [[2, 5, 4, 8], "npu:0"])
            self.assertLess(answer[2], 1e-5)

    def test_real_rotation_is_the_complex_one(self) -> None:
        text = scan("""
            import torch
            y = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
            """)["rope-complex"]
        program = "import json, torch, torch_npu\n" + text + textwrap.dedent("""
            torch.manual_seed(0)
            x, angles = torch.randn(2, 7, 8), torch.randn(7, 4)
            pairs = torch.view_as_complex(x.reshape(2, 7, 4, 2)) * torch.polar(torch.ones_like(angles), angles)
            wanted = torch.view_as_real(pairs).flatten(-2)
            found = rotate(x.npu(), angles.npu())
            print(json.dumps([str(found.device), (found.cpu() - wanted).abs().max().item()]))
            """)
        answer = result_of(program, profile())
        self.assertEqual(answer[0], "npu:0")
        self.assertLess(answer[1], 1e-6)

    def test_the_fast_path_of_transformers_is_off(self) -> None:
        text = scan("""
            import torch.nn as nn
            layer = nn.TransformerEncoderLayer(8, 2, batch_first=True)
            """)["transformer-fast-path"]
        for switch, is_used in (("", True), (text, False)):
            answer = result_of(f"""
                import json, torch, torch_npu
                from torch.utils._python_dispatch import TorchDispatchMode
                names = []
                class Watch(TorchDispatchMode):
                    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                        names.append(str(func))
                        return func(*args, **(kwargs or {{}}))
                {switch}
                layer = torch.nn.TransformerEncoderLayer(8, 2, batch_first=True).eval()
                with torch.no_grad(), Watch():
                    layer(torch.randn(1, 3, 8))
                print(json.dumps(any("_transformer_encoder_layer_fwd" in name for name in names)))
                """, profile())
            self.assertEqual(answer, is_used, switch)

    def test_memory_and_count_are_asked_of_the_framework(self) -> None:
        texts = scan("""
            import pynvml
            info = pynvml.nvmlDeviceGetMemoryInfo(handle)
            count = pynvml.nvmlDeviceGetCount()
            name = pynvml.nvmlDeviceGetName(handle)
            """)
        answer = result_of(f"""
            import json, torch, torch_npu
            {texts["nvml-memory"]}
            print(json.dumps([free <= total, {texts["nvml-count"]}, {texts["nvml-name"]}]))
            """, profile())
        self.assertEqual(answer, [True, 2, "Ascend910B3"])


class Edits(unittest.TestCase):
    def train(self, source: str, optimizer: str) -> Any:
        program = textwrap.dedent(source) + textwrap.dedent(f"""
            import json
            torch.manual_seed(0)
            net = torch.nn.Linear(4, 2).npu()
            optimizer = {optimizer}
            for _ in range(5):
                net.zero_grad()
                (net(torch.ones(3, 4).npu()) ** 2).mean().backward()
                optimizer.step()
            print(json.dumps([str(net.weight.device), net.weight.cpu().flatten().tolist()]))
            """)
        return result_of(program, profile())

    def test_the_optimizer_in_apex_place_steps_as_apex_defaults_say(self) -> None:
        ported = port("""
            import torch
            from apex.optimizers import FusedAdam
            def make(net):
                return FusedAdam(net.parameters(), lr=0.1)
            """)
        self.assertNotIn("apex", ported)
        written = self.train(ported + "\nimport torch_npu\n", "make(net)")
        # No weight decay is what apex does by default; PyTorch's AdamW would decay.
        plain = self.train("import torch, torch_npu", "torch.optim.Adam(net.parameters(), lr=0.1)")
        decayed = self.train("import torch, torch_npu", "torch.optim.AdamW(net.parameters(), lr=0.1)")
        for left, right in zip(written[1], plain[1], strict=True):
            self.assertAlmostEqual(left, right, places=6)
        self.assertNotEqual(written[1], decayed[1])

    def test_a_number_that_is_a_rank_becomes_a_device(self) -> None:
        ported = port("""
            import json, os
            import torch
            rank = int(os.environ["LOCAL_RANK"])
            x = torch.ones(2).to(rank)
            y = torch.zeros(2, device=rank)
            print(json.dumps([str(x.device), str(y.device)]))
            """)
        self.assertEqual(result_of(ported, profile(), LOCAL_RANK="1"), ["npu:1", "npu:1"])

    def test_a_checkpoint_of_cuda_loads_into_a_model(self) -> None:
        ported = port("""
            import json
            import torch
            net = torch.nn.Linear(2, 1)
            torch.save(net.state_dict(), "net.pt")
            other = torch.nn.Linear(2, 1).cuda()
            other.load_state_dict(torch.load("net.pt"))
            print(json.dumps(torch.equal(other.weight.cpu(), net.weight)))
            """)
        self.assertIn('map_location="cpu"', ported)
        self.assertTrue(result_of(ported, profile()))


if __name__ == "__main__":
    unittest.main()

"""The reference run (python/reference): programs written for CUDA answered on the CPU."""
from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import textwrap
import unittest
from typing import Any

from tests.device.support import ROOT, environment


def on_reference(program: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        found = environment(None, folder, {"STARBRIDGE_REFERENCE": "1", "STARBRIDGE_REFERENCE_DEVICE_COUNT": "2", "PYTHONPATH": str(ROOT / "python/reference")})
        text = "import json, torch\n" + textwrap.dedent(program)
        done = subprocess.run([sys.executable, "-c", text], cwd=folder, env=found, capture_output=True, text=True, timeout=200)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return json.loads(done.stdout.strip().splitlines()[-1])


class Reference(unittest.TestCase):
    def test_data_parallel_computes_on_the_one_cpu(self) -> None:
        got = on_reference("""
        model = torch.nn.Linear(3, 2)
        both = torch.nn.DataParallel(model, device_ids=[0, 1]).cuda()
        x = torch.ones(4, 3, device="cuda")
        plain = model(x)
        function = torch.nn.parallel.data_parallel(model, x, device_ids=[0, 1])
        print(json.dumps([torch.equal(both(x), plain), torch.equal(function, plain), both.module is model, list(both.state_dict())[0]]))
        """)
        self.assertEqual(got, [True, True, True, "module.weight"])

    def test_memory_follows_the_tensors_that_live(self) -> None:
        got = on_reference("""
        before = torch.cuda.memory_allocated()
        x = torch.ones(1 << 20, device="cuda")
        view = x[5:]
        during = torch.cuda.memory_allocated()
        del x, view
        torch.cuda.empty_cache()
        after, peak = torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        free, total = torch.cuda.mem_get_info()
        print(json.dumps([during - before, after - before, peak - before, torch.cuda.max_memory_allocated() - before, total - free - after]))
        """)
        self.assertEqual(got, [4 << 20, 0, 4 << 20, 0, 0])

    def test_generators_keep_their_type(self) -> None:
        got = on_reference("""
        made = [torch.Generator(), torch.Generator("cuda"), torch.Generator(device=0)]
        print(json.dumps([isinstance(g, torch.Generator) for g in made] + [isinstance(1, torch.Generator)]))
        """)
        self.assertEqual(got, [True, True, True, False])

    def test_compiled_functions_run_without_a_driver(self) -> None:
        got = on_reference("""
        double = torch.compile(lambda x: torch.relu(x) * 2)
        print(json.dumps([torch.cuda.is_available(), double(torch.tensor([-1.0, 3.0], device="cuda")).tolist()]))
        """)
        self.assertEqual(got, [True, [0.0, 6.0]])

    def test_types_of_tensors_are_told_apart(self) -> None:
        got = on_reference("""
        import typing
        both = typing.Union[torch.BoolTensor, torch.cuda.BoolTensor]
        x = torch.ones(2, device="cuda")
        made = torch.cuda.FloatTensor([1, 2])
        torch.set_default_tensor_type(torch.cuda.DoubleTensor)
        print(json.dumps([len(both.__args__), isinstance(x, torch.cuda.FloatTensor), isinstance(x, torch.cuda.LongTensor), torch.equal(made, torch.tensor([1.0, 2.0]).float()),
                          str(x.type(torch.cuda.LongTensor).dtype), str(x.type("torch.cuda.HalfTensor").dtype), str(torch.ones(1).dtype)]))
        """)
        self.assertEqual(got, [2, True, False, True, "torch.int64", "torch.float16", "torch.float64"])


if __name__ == "__main__":
    unittest.main()

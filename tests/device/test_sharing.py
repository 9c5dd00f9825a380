"""Device tensors between processes, what DTensor draws, and the toolkit's version."""
from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest
from typing import Any

from tests.device.support import environment, profile

PREFACE = "import json, os, sys, torch\nimport torch.multiprocessing as mp\nB = os.environ['B']\n"


def run_file(program: str, backend: str, *arguments: str, launcher: tuple[str, ...] = (), **changes: Any) -> subprocess.CompletedProcess[str]:
    """Processes that spawn import their program again, so it is a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "main.py"
        path.write_text(PREFACE + textwrap.dedent(program))
        chosen = None if backend == "cpu" else profile(backend, **changes)
        return subprocess.run([sys.executable, *launcher, str(path), *arguments], capture_output=True, text=True,
                              env=environment(chosen, folder, {"B": backend}), cwd=folder, timeout=200)


def lines_of(done: subprocess.CompletedProcess[str]) -> list[Any]:
    if done.returncode != 0:
        raise AssertionError(done.stdout[-2000:] + done.stderr[-4000:])
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]


class Sharing(unittest.TestCase):
    def test_children_train_the_parents_model(self) -> None:
        program = """
        def train(rank, model, seen, other):
            view, whole, empty = other
            view.fill_(7)
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter += 1
            seen.put([str(model.weight.device), whole[2].item(), list(empty.shape), torch.npu.memory_allocated(1) if B == "npu" else torch.mlu.memory_allocated(1)])

        if __name__ == "__main__":
            model = torch.nn.Linear(3, 2).to(B + ":1")
            before = model.weight.detach().clone()
            model.share_memory()
            whole = torch.zeros(6, device=B)
            context = mp.get_context("spawn")
            seen = context.SimpleQueue()
            for rank in range(2):
                child = context.Process(target=train, args=(rank, model, seen, (whole[2:4], whole, torch.empty(0, 4, device=B))))
                child.start(); child.join()
                assert child.exitcode == 0
            difference = (model.weight - before).unique().tolist()
            print(json.dumps([difference, whole.tolist(), seen.get()]))
        """
        for backend in ("npu", "mlu"):
            with self.subTest(backend=backend):
                difference, whole, (device, value, shape, allocated) = lines_of(run_file(program, backend))[0]
                self.assertEqual({round(number, 4) for number in difference}, {2.0})
                self.assertEqual(whole, [0, 0, 7, 7, 0, 0])
                self.assertEqual((device, value, shape), (f"{backend}:1", 7.0, [0, 4]))
                self.assertGreater(allocated, 0)

    def test_shared_memory_is_given_back_and_must_fit(self) -> None:
        done = run_file("""
        from starbridge_emulated import _C
        x = torch.ones(1 << 18, device=B)
        alone = _C.memory(0)["allocated_bytes"]
        file, size, device = _C.share_memory(x)
        shared = _C.memory(0)["allocated_bytes"]
        twin = _C.map_shared_memory(file, size, 1)
        twin.view(torch.float32)[0] = 5
        try:
            _C.map_shared_memory(file, 1 << 30, 0); refused = ""
        except RuntimeError as error:
            refused = str(error)
        value = x[0].item()
        files = len(os.listdir("/proc/self/fd"))
        del x, twin
        print(json.dumps([shared - alone, value, "smaller than" in refused, _C.memory(0)["allocated_bytes"], _C.memory(1)["allocated_bytes"],
                          files - len(os.listdir("/proc/self/fd"))]))
        """, "npu")
        self.assertEqual(lines_of(done), [[0, 5.0, True, 0, 0, 2]])


class Drawing(unittest.TestCase):
    def test_distributed_tensors_draw_as_on_cpus(self) -> None:
        program = """
        import torch.distributed as dist
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.tensor import Shard, distribute_tensor
        dist.init_process_group({"npu": "hccl", "mlu": "cncl", "cpu": "gloo"}[B])
        mesh = init_device_mesh(B, (2,))
        torch.manual_seed(4)
        weight = torch.nn.Parameter(distribute_tensor(torch.zeros(4, 2, device=B), mesh, [Shard(0)]))
        torch.nn.init.normal_(weight)
        drawn = torch.nn.functional.dropout(weight.detach() * 0 + 1, 0.5)
        values = weight.full_tensor().detach().cpu().tolist() + drawn.full_tensor().cpu().tolist()
        if dist.get_rank() == 0:
            print(json.dumps([values]))
        dist.destroy_process_group()
        """
        launcher = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
        expected = lines_of(run_file(program, "cpu", launcher=launcher))
        self.assertEqual(len(expected), 1)
        for backend in ("npu", "mlu"):
            self.assertEqual(lines_of(run_file(program, backend, launcher=launcher)), expected)


class Versions(unittest.TestCase):
    def test_the_toolkits_version_stands_beside_cudas(self) -> None:
        program = "print(json.dumps([torch.version.cuda, getattr(torch.version, 'cann', '-'), getattr(torch.version, 'mlu', '-')]))"
        self.assertEqual(lines_of(run_file(program, "npu", toolkit_version="9.1.0")), [[None, "9.1.0", "-"]])
        self.assertEqual(lines_of(run_file(program, "mlu", toolkit_version="3.13.5-1")), [[None, "-", "3.13.5-1"]])
        self.assertEqual(lines_of(run_file(program, "npu")), [[None, None, "-"]])


if __name__ == "__main__":
    unittest.main()

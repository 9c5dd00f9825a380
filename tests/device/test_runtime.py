"""Streams, events, random numbers, views, saving, reports and processes of the emulated device."""
from __future__ import annotations

import glob
import json
import os
import tempfile
import unittest

from tests.device.support import profile, run
from tests.device.test_device import on


class Streams(unittest.TestCase):
    def test_streams_of_other_libraries(self) -> None:
        got = on("mlu", """
        outside = torch.mlu.ExternalStream(4096, device=1)
        with torch.mlu.stream(outside):
            outside.record_event().synchronize()
        print(json.dumps([outside.stream_ptr, str(outside.device), isinstance(outside, torch.mlu.Stream)]))
        """)
        self.assertEqual(got, [4096, "mlu:1", True])

    def test_streams_and_events(self) -> None:
        got = on("npu", """
        stream, other = module.Stream(), module.Stream()
        start, end = module.Event(enable_timing=True), module.Event(enable_timing=True)
        with module.stream(stream):
            inside = module.current_stream() == stream
            start.record()
            y = torch.ones(64, 64, device=B) @ torch.ones(64, 64, device=B)
            end.record()
        other.wait_stream(stream)
        other.wait_event(end)
        y.record_stream(other)
        module.synchronize()
        event = stream.record_event()
        event.synchronize()
        print(json.dumps([inside, module.current_stream() == module.default_stream(), start.elapsed_time(end) > 0, event.query(),
                          stream.query(), stream != other, caught(lambda: module.Event().elapsed_time(end))[0]]))
        """)
        self.assertEqual(got, [True, True, True, True, True, True, "RuntimeError"])


class RandomNumbers(unittest.TestCase):
    def test_the_streams_are_the_cpus(self) -> None:
        got = on("mlu", """
        def draw(device):
            torch.manual_seed(7)
            return [torch.rand(5, device=device), torch.randn(1000, device=device), torch.randperm(9, device=device),
                    torch.nn.functional.dropout(torch.ones(50, device=device), 0.3), torch.empty(3, device=device).exponential_(),
                    torch.multinomial(torch.ones(6, device=device), 4)]
        same = [torch.allclose(a.float(), b.cpu().float()) for a, b in zip(draw("cpu"), draw(B))]
        g = torch.Generator(device=B); g.manual_seed(11)
        c = torch.Generator(); c.manual_seed(11)
        own = torch.equal(torch.rand(4, device=B, generator=g).cpu(), torch.rand(4, generator=c))
        state = module.get_rng_state(); a = torch.rand(3, device=B); module.set_rng_state(state); b = torch.rand(3, device=B)
        print(json.dumps([all(same), own, torch.equal(a, b), str(g.device), len(module.get_rng_state_all())]))
        """)
        self.assertEqual(got, [True, True, True, "mlu:0", 2])

    def test_own_streams_do_not_move_the_cpus(self) -> None:
        got = on("npu", """
        torch.manual_seed(3); expected = torch.rand(4)
        torch.manual_seed(3)
        first = torch.rand(4, device=B)
        torch.nn.functional.dropout(torch.ones(9, device=B), 0.5)
        print(json.dumps([torch.equal(torch.rand(4), expected), torch.equal(first.cpu(), expected)]))
        """, STARBRIDGE_DEVICE_RANDOM="own")
        self.assertEqual(got, [True, True])


class Tensors(unittest.TestCase):
    def test_views_in_place_and_out_results_stay_tied(self) -> None:
        got = on("npu", """
        x = torch.zeros(4, 4, device=B)
        x[1].add_(1); x[:, 2] = 5; x.view(-1)[0] = 9; x.t()[3].fill_(7)
        out = torch.empty(0, device=B); r = torch.add(x, 1, out=out)
        s = torch.ones(4, device=B); s.resize_(6); s[4:] = 2
        parts = torch.arange(6., device=B).split(2); parts[1].zero_()
        m = torch.ones(3, device=B); m += m; m.masked_fill_(m > 1, 4); m.copy_(torch.arange(3))
        values, order = torch.sort(torch.tensor([3., 1., 2.], device=B))
        u = torch.ones(2, 3, device=B).untyped_storage(); u.resize_(48)
        print(json.dumps([x.cpu().tolist(), r is out, list(out.shape), s.tolist(), parts[1].tolist(), m.tolist(), order.tolist(), u.nbytes()]))
        """)
        rows = [[9, 0, 5, 7], [1, 1, 5, 7], [0, 0, 5, 7], [0, 0, 5, 7]]
        self.assertEqual(got, [rows, True, [4, 4], [1, 1, 1, 1, 2, 2], [0, 0], [0, 1, 2], [1, 2, 0], 48])

    def test_types_of_tensors_are_types(self) -> None:
        got = on("npu", """
        import typing
        both = typing.Union[torch.BoolTensor, torch.npu.BoolTensor].__args__
        made = torch.npu.BoolTensor([True, False])
        print(json.dumps([len(both), isinstance(made, both), isinstance(made, torch.BoolTensor), isinstance(made.long(), both), list(torch.npu.HalfTensor(2, 3).shape)]))
        """)
        self.assertEqual(got, [2, True, False, False, [2, 3]])
        # The plug-in has the type of what a chip does not compute in.
        chosen = profile("mlu", dtypes_unsupported=["bfloat16", "float64"])
        self.assertEqual(on("mlu", "print(json.dumps(isinstance(torch.ones(1, device=B), torch.mlu.BFloat16Tensor)))", chosen), False)

    def test_allocators_of_programs_can_be_named_but_not_used(self) -> None:
        got = on("npu", """
        from torch.npu.memory import NPUPluggableAllocator
        allocator = NPUPluggableAllocator("libc.so.6", "malloc", "free")
        try:
            torch.npu.memory.change_current_allocator(allocator)
        except RuntimeError as error:
            print(json.dumps(str(error)))
        """)
        self.assertIn("its own allocator", str(got))

    def test_second_derivatives_and_hooks(self) -> None:
        got = on("npu", """
        x = torch.tensor([2.0], device=B, requires_grad=True)
        (g,) = torch.autograd.grad(x ** 3, x, create_graph=True)
        seen = []
        x.register_hook(lambda grad: seen.append(grad.device.type))
        g.backward()
        print(json.dumps([g.item(), x.grad.item(), seen]))
        """)
        self.assertEqual(got, [12.0, 12.0, ["npu"]])

    def test_saving_and_copying(self) -> None:
        got = on("npu", """
        import copy
        model = torch.nn.Linear(3, 2).to(B)
        torch.save(model.state_dict(), "m.pt")
        back, host = torch.load("m.pt"), torch.load("m.pt", map_location="cpu")
        moved = torch.load("m.pt", map_location=B + ":1")
        twin = copy.deepcopy(model)
        twin.load_state_dict(host)
        print(json.dumps([str(back["weight"].device), str(host["weight"].device), str(moved["weight"].device),
                          torch.equal(twin.weight.cpu(), host["weight"]), str(twin.weight.device)]))
        """)
        self.assertEqual(got, ["npu:0", "cpu", "npu:1", True, "npu:0"])

    def test_an_optimizer_made_before_the_move_still_holds_the_parameters(self) -> None:
        got = on("mlu", """
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        model.mlu()
        before = model.weight.detach().clone()
        model(torch.ones(1, 2, device=B)).sum().backward()
        optimizer.step()
        print(json.dumps([model.weight.device.type, [round(v, 5) for v in (before - model.weight).detach().cpu().flatten().tolist()]]))
        """)
        self.assertEqual(got, ["mlu", [0.5, 0.5]])

    def test_optimizers_in_their_variants(self) -> None:
        got = on("npu", """
        results = []
        for kind in (torch.optim.Adam, torch.optim.AdamW, torch.optim.SGD, torch.optim.Adagrad):
            for flags in ({"foreach": True}, {"foreach": False}, {"fused": True}):
                weights = []
                for device in ("cpu", B):
                    p = torch.nn.Parameter(torch.linspace(1, 2, 5, device=device))
                    optimizer = kind([p], lr=0.1, **flags)
                    for _ in range(3):
                        p.grad = p.detach() * 0.3
                        optimizer.step()
                    weights.append(p.detach().cpu())
                results.append(torch.allclose(*weights, atol=1e-6))
        print(json.dumps(results))
        """)
        self.assertEqual(got, [True] * 12)


class Reports(unittest.TestCase):
    PROGRAM = """
    import sys, torch
    x = torch.ones(1000, device="npu:1")
    for _ in range(3):
        x = x + x
    if "child" in sys.argv:
        import subprocess
        subprocess.run([sys.executable, "-c", "import torch; torch.ones(3, device='npu')*2"], check=True)
    """

    def test_the_report_counts_operators_and_memory(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.json")
            done = run(self.PROGRAM, profile(), "child", STARBRIDGE_DEVICE_REPORT=path)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
            children = glob.glob(path + ".*")
        self.assertEqual((report["schema"], report["emulated"], report["chip"]), ("starbridge.device_report/1", True, "ascend-910b3"))
        self.assertEqual(report["operators"]["aten::add.Tensor"]["dtypes"]["float32"], {"executed": 3, "fell_back": 0, "refused": 0})
        self.assertEqual(report["devices"][1]["peak_bytes"], 8192)
        self.assertEqual(report["devices"][0]["peak_bytes"], 0)
        self.assertEqual(len(children), 1)


class Processes(unittest.TestCase):
    def test_a_forked_child_may_not_use_the_device(self) -> None:
        got = on("npu", """
        import os
        torch.ones(1, device=B)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(write, caught(lambda: torch.ones(1, device=B))[1].encode())
            os._exit(0)
        os.waitpid(child, 0)
        print(json.dumps(os.read(read, 4000).decode()))
        """)
        self.assertIn("Cannot re-initialize NPU in forked subprocess", got)

    def test_collectives(self) -> None:
        for backend, name in (("npu", "hccl"), ("mlu", "cncl")):
            with self.subTest(backend=backend):
                done = run(COLLECTIVES, profile(backend), backend, name)
                self.assertEqual(done.returncode, 0, done.stderr[-4000:])
                self.assertEqual("".join(done.stdout.split()), "okok")  # the two may write into each other's line


COLLECTIVES = """
import os, subprocess, sys, tempfile
import torch, torch.distributed as dist
B, NAME = sys.argv[1], sys.argv[2]
PROGRAM = '''
import sys, torch, torch.distributed as dist
B, NAME, RANK, FILE = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
dist.init_process_group(NAME, init_method="file://" + FILE, rank=RANK, world_size=2)
assert dist.get_backend() == NAME
torch.get_device_module(B).set_device(RANK)
def t(*v): return torch.tensor(v, dtype=torch.float32, device=B)
x = t(1 + RANK); dist.all_reduce(x); assert x.item() == 3 and x.device.index == RANK
x = t(1 + RANK); dist.all_reduce(x, op=dist.ReduceOp.AVG); assert x.item() == 1.5
x = t(1 + RANK).half(); dist.all_reduce(x, op=dist.ReduceOp.MAX); assert x.item() == 2
x = t(RANK); dist.broadcast(x, 1); assert x.item() == 1
parts = [t(0), t(0)]; dist.all_gather(parts, t(RANK)); assert [p.item() for p in parts] == [0, 1]
out = t(0, 0); dist.all_gather_into_tensor(out, t(RANK)); assert out.tolist() == [0, 1]
out = t(0); dist.reduce_scatter(out, [t(1 + RANK), t(5 + RANK)]); assert out.item() == [3, 11][RANK]
out = t(0); dist.reduce_scatter_tensor(out, t(1 + RANK, 5 + RANK)); assert out.item() == [3, 11][RANK]
out = t(0, 0); dist.all_to_all_single(out, t(RANK * 10, RANK * 10 + 1)); assert out.tolist() == [RANK, 10 + RANK]
outs = [t(0), t(0)]; dist.all_to_all(outs, [t(RANK * 10), t(RANK * 10 + 1)]); assert [o.item() for o in outs] == [RANK, 10 + RANK]
x = t(2); dist.reduce(x, 0); assert RANK == 1 or x.item() == 4
if RANK == 0: dist.send(t(42), 1)
else:
    x = t(0); dist.recv(x, 0); assert x.item() == 42
requests = dist.batch_isend_irecv([dist.P2POp(dist.isend, t(RANK), 1 - RANK), dist.P2POp(dist.irecv, y := t(9), 1 - RANK)])
[r.wait() for r in requests]; assert y.item() == 1 - RANK
objects = [None, None]; dist.all_gather_object(objects, {"rank": RANK}); assert objects[1]["rank"] == 1
work = dist.all_reduce(x := t(1), async_op=True); work.wait(); assert x.item() == 2
dist.barrier()
dist.destroy_process_group()
print("ok", flush=True)
'''
with tempfile.TemporaryDirectory() as folder:
    children = [subprocess.Popen([sys.executable, "-c", PROGRAM, B, NAME, str(rank), folder + "/meet"]) for rank in range(2)]
    codes = [child.wait() for child in children]
sys.exit(max(codes))
"""


if __name__ == "__main__":
    unittest.main()

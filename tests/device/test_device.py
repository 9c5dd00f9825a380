"""What a program sees of the emulated device: names, memory, refusals, streams, random numbers, saving."""
from __future__ import annotations

import unittest

from tests.device.support import BACKENDS, profile, result_of, run

HEADER = """
import json, sys, warnings
import torch
B = sys.argv[1]
module = torch.get_device_module(B)
def caught(function):
    try:
        function()
    except BaseException as error:
        return [type(error).__name__, str(error)]
    return ["none", ""]
"""


def on(backend: str, body: str, chosen: object = "default", **extra: str) -> object:
    import textwrap

    return result_of(HEADER + textwrap.dedent(body), profile(backend) if chosen == "default" else chosen, backend, **extra)


class Names(unittest.TestCase):
    def test_the_device_appears_without_an_import(self) -> None:
        for backend, (_, name, *_rest) in BACKENDS.items():
            with self.subTest(backend=backend):
                got = on(backend, """
                x = torch.ones(2, device=B)
                p = module.get_device_properties(0)
                print(json.dumps([str(x.device), getattr(x, "is_" + B), str(getattr(torch.ones(1), B)().device), module.device_count(),
                                  module.is_available(), module.current_device(), module.get_device_name(), p.total_memory,
                                  p.emulated, str(torch.accelerator.current_accelerator())]))
                """)
                self.assertEqual(got, [f"{backend}:0", True, f"{backend}:0", 2, True, 0, name, 1 << 30, True, backend])

    def test_the_plug_in_of_the_other_vendor_is_absent(self) -> None:
        got = on("npu", "import importlib.util; print(json.dumps([importlib.util.find_spec('torch_mlu') is None, "
                        "importlib.util.find_spec('torch_npu') is None]))")
        self.assertEqual(got, [True, False])

    def test_current_device_and_guards(self) -> None:
        got = on("mlu", """
        with module.device(1):
            inside = torch.empty(1, device=B).device.index
        module.set_device(1)
        outside = torch.empty(1, device=B).device.index
        print(json.dumps([inside, outside, caught(lambda: module.set_device(7))[0], caught(lambda: torch.empty(1, device=B + ":5"))[0]]))
        """)
        self.assertEqual(got, [1, 1, "RuntimeError", "RuntimeError"])

    def test_visible_devices_are_remapped(self) -> None:
        body = "print(json.dumps([module.device_count(), [module.get_device_properties(i).physical_index for i in range(module.device_count())]]))"
        table = (("npu", "1", [1, [1]]), ("npu", "1,0", [2, [1, 0]]), ("mlu", "", [0, []]), ("npu", "0,9,1", [1, [0]]))
        for backend, value, expected in table:
            with self.subTest(backend=backend, value=value):
                self.assertEqual(on(backend, body, **{BACKENDS[backend][3]: value}), expected)

    def test_none_visible_means_not_available(self) -> None:
        got = on("npu", "print(json.dumps([module.is_available(), caught(lambda: torch.ones(1, device=B))[0]]))",
                 ASCEND_RT_VISIBLE_DEVICES="")
        self.assertEqual(got, [False, "RuntimeError"])

    def test_cuda_answers_as_in_a_cpu_build(self) -> None:
        got = on("npu", """
        print(json.dumps([torch.cuda.is_available(), torch.cuda.device_count(), torch.version.cuda,
                          caught(lambda: torch.tensor(1).cuda()), caught(lambda: torch.zeros(1, device="cuda")),
                          caught(lambda: torch.nn.Linear(1, 1).to("cuda")), caught(torch.cuda.current_device)]))
        """)
        refusal = ["AssertionError", "Torch not compiled with CUDA enabled"]
        self.assertEqual(got, [False, 0, None, refusal, refusal, refusal, refusal])


class Memory(unittest.TestCase):
    def test_capacity_ends_in_the_vendors_error_and_freeing_recovers(self) -> None:
        for backend in BACKENDS:
            with self.subTest(backend=backend):
                kind, text, recovered, count = on(backend, """
                held = [torch.empty(1 << 28, dtype=torch.uint8, device=B) for _ in range(3)]
                error = caught(lambda: torch.empty(1 << 29, dtype=torch.uint8, device=B))
                held.clear()
                again = torch.empty(1 << 29, dtype=torch.uint8, device=B)
                print(json.dumps([*error, again.numel() == 1 << 29, module.memory_stats()["num_ooms"]]))
                """)
                self.assertEqual((kind, recovered, count), ("OutOfMemoryError", True, 1))
                self.assertIn(f"{backend.upper()} out of memory. Tried to allocate 512.00 MiB ({backend.upper()} 0; 1.00 GiB total", text)

    def test_results_of_kernels_count_too(self) -> None:
        kind, _ = on("npu", """
        x = torch.ones(1 << 26, device=B)
        keep = []
        print(json.dumps(caught(lambda: [keep.append(x + 1) for _ in range(8)])))
        """)
        self.assertEqual(kind, "OutOfMemoryError")

    def test_accounting(self) -> None:
        got = on("npu", """
        a = module.memory_allocated()
        x = torch.ones(1000, device=B)
        b = module.memory_allocated()
        y = x.neg()
        del y
        c, peak = module.memory_allocated(), module.max_memory_allocated()
        module.reset_peak_memory_stats()
        free, total = module.mem_get_info()
        module.empty_cache()
        print(json.dumps([a, b, c, peak, module.max_memory_allocated(), total, module.mem_get_info()[0], module.memory_allocated(1)]))
        """)
        self.assertEqual(got, [0, 4096, 4096, 8192, 4096, 1 << 30, (1 << 30) - 4096, 0])

    def test_pinned_memory_and_loaders(self) -> None:
        got = on("mlu", """
        from torch.utils.data import DataLoader, TensorDataset
        data = DataLoader(TensorDataset(torch.arange(8.)), batch_size=4, pin_memory=True, num_workers=2)
        batches = [batch[0] for batch in data]
        print(json.dumps([torch.ones(2).pin_memory().is_pinned(), torch.ones(2).is_pinned(), batches[0].is_pinned(),
                          sum(b.to(B, non_blocking=True).sum().item() for b in batches)]))
        """)
        self.assertEqual(got, [True, False, True, 28.0])


class Refusals(unittest.TestCase):
    OPS = {"aten::lgamma": {"status": "unsupported", "source": "list A"}, "aten::erfinv": {"status": "cpu_fallback", "source": "list B"}}

    def test_unsupported_operator_names_operator_dtype_chip_and_source(self) -> None:
        kind, text = on("npu", "print(json.dumps(caught(lambda: torch.lgamma(torch.ones(2, device=B)))))", profile("npu", ops=self.OPS))
        self.assertEqual(kind, "RuntimeError")
        for part in ("aten::lgamma", "float32", "NPU backend", "Ascend910B3", "list A"):
            self.assertIn(part, text)

    def test_fallback_warns_once_runs_and_is_counted(self) -> None:
        body = """
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            for _ in range(3):
                value = torch.erfinv(torch.full((2,), 0.5, device=B))
        from starbridge_emulated import _C
        rows = [row for row in _C.counts() if "erfinv" in row[0]]
        print(json.dumps([len([w for w in seen if "fall back to run on the CPU" in str(w.message)]), round(value[0].item(), 4), rows]))
        """
        self.assertEqual(on("mlu", body, profile("mlu", ops=self.OPS)), [1, 0.4769, [["aten::erfinv", "float32", 0, 3, 0]]])

    def test_policy_refuse_turns_fallback_into_an_error(self) -> None:
        chosen = profile("npu", ops=self.OPS, policy={"fallback": "refuse"})
        self.assertEqual(on("npu", "print(json.dumps(caught(lambda: torch.erfinv(torch.ones(1, device=B)))[0]))", chosen), "RuntimeError")

    def test_the_vendors_switch_refuses_fallback(self) -> None:
        got = on("npu", "print(json.dumps(caught(lambda: torch.erfinv(torch.ones(1, device=B)))[0]))", profile("npu", ops=self.OPS),
                 TORCH_NPU_FALLBACK_CPU_DISABLE="1")
        self.assertEqual(got, "RuntimeError")

    def test_an_unsupported_dtype_is_held_and_moved_but_not_computed_in(self) -> None:
        chosen = profile("mlu", dtypes_unsupported=["float64", "bfloat16"])
        got = on("mlu", """
        x = torch.ones(2, device=B)
        tries = (lambda: torch.ones(2, dtype=torch.float64).to(B) * 2, lambda: x.double().exp(), lambda: x.sum(dtype=torch.float64))
        held = torch.ones(2, dtype=torch.float64).to(B).float().sum().item()
        print(json.dumps([held, [caught(t)[0] for t in tries], "float64" in caught(tries[0])[1], module.is_bf16_supported(), (x * 2.5).sum().item()]))
        """, chosen)
        self.assertEqual(got, [2.0, ["RuntimeError"] * 3, True, False, 5.0])

    def test_documented_dtypes_only_warn(self) -> None:
        chosen = profile("npu", dtype_limits={"aten::abs": {"dtypes_ok": ["float16", "float32", "int32"], "source": "page"}})
        got = on("npu", """
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            value = torch.abs(torch.tensor([-2], dtype=torch.int64, device=B)).item()
        print(json.dumps([value, len(seen)]))
        """, chosen)
        self.assertEqual(got, [2, 1])

    def test_tensors_on_two_devices_do_not_mix(self) -> None:
        kind, text = on("npu", "print(json.dumps(caught(lambda: torch.ones(2, device=B) + torch.ones(2))))")
        self.assertEqual(kind, "RuntimeError")
        self.assertIn("Expected all tensors to be on the same device, but found at least two devices, npu:0 and cpu!", text)

    def test_nccl_is_absent(self) -> None:
        kind, text = on("npu", """
        import torch.distributed as dist
        print(json.dumps(caught(lambda: dist.init_process_group("nccl", init_method="tcp://127.0.0.1:0", rank=0, world_size=1))))
        """)
        self.assertEqual(kind, "RuntimeError")
        self.assertIn("Distributed package doesn't have NCCL built in", text)


class Profiles(unittest.TestCase):
    def test_import_without_a_profile_says_what_to_do(self) -> None:
        for backend in BACKENDS:
            done = run(f"import torch_{backend}", None)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("ImportError" if "ImportError" in done.stderr else "ProfileError", done.stderr)
            self.assertIn("STARBRIDGE_DEVICE_PROFILE", done.stderr)
            self.assertIn("starbridge verify", done.stderr)

    def test_torch_alone_is_untouched_without_a_profile(self) -> None:
        self.assertEqual(result_of("import json, torch; print(json.dumps(hasattr(torch, 'npu')))", None), False)

    def test_bad_profiles_name_the_field(self) -> None:
        table = (("{", "profile.json:1:2"), ("[]", "the document: must be an object"), (profile(schema="x/1"), "schema"),
                 (profile(memory_bytes=0), "memory_bytes"), (profile(memory_bytes="64G"), "memory_bytes"), (profile(chip=None), "chip: is missing"),
                 ({**profile(), "backend": "gpu"}, "backend"), (profile(device_count=65), "device_count"), (profile(dist_backend="cncl"), "dist_backend"),
                 (profile(ops={"aten::x": {"status": "maybe"}}), "ops.aten::x.status"), (profile(ops={"x": {"status": "unsupported"}}), "ops.x"),
                 (profile(dtypes_unsupported=[64]), "dtypes_unsupported[0]"), (profile(policy={"fallback": "ask"}), "policy.fallback"))
        for chosen, field in table:
            with self.subTest(field=field):
                done = run("import torch", chosen)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(field, done.stderr)


if __name__ == "__main__":
    unittest.main()

"""starbridge_torch: programs written for CUDA, unedited, on the emulated device. T1 to T10 are the traps interceptions of this kind fall into."""
from __future__ import annotations

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest
from typing import Any

from tests.device import support

PACKAGE = support.ROOT / "python" / "starbridge_torch"


def path_with_package() -> str:
    return os.pathsep.join([support.extension_folder(), str(PACKAGE)])


def result_of(program: str, backend: str = "npu", **changes: Any) -> Any:
    extra = changes.pop("extra", {})
    return support.result_of("import json, starbridge_torch, torch\n" + textwrap.dedent(program), support.profile(backend, **changes),
                             PYTHONPATH=path_with_package(), **extra)


def run(program: str, *, extra: dict[str, str] | None = None, **changes: Any) -> subprocess.CompletedProcess[str]:
    return support.run("import json, starbridge_torch, torch\n" + textwrap.dedent(program), support.profile(**changes), PYTHONPATH=path_with_package(), **(extra or {}))


class Traps(unittest.TestCase):
    def test_t1_file_names_are_not_devices(self) -> None:
        got = result_of("""
            import os
            torch.save(torch.ones(2).cuda(), "cuda:0")
            torch.save({"w": torch.ones(2)}, "cuda_ckpt.pt")
            a = torch.load("cuda:0", map_location="cuda:1")
            b = torch.load(f="cuda_ckpt.pt", map_location={"cuda:0": "cuda:1"})
            open("cuda", "w").write("cuda")
            print(json.dumps([sorted(n for n in os.listdir(".") if "json" not in n), a.device.index, a.is_cuda, b["w"].device.type, open("cuda").read()]))
        """)
        self.assertEqual(got, [["cuda", "cuda:0", "cuda_ckpt.pt"], 1, True, "cpu", "cuda"])

    def test_t2_devices_compare_and_answer_as_on_cuda(self) -> None:
        for backend in support.BACKENDS:
            with self.subTest(backend=backend):
                got = result_of("""
                    x = torch.zeros(2, device="cuda:1")
                    d = torch.device("cuda", 1)
                    kinds = {"cuda": "card", "cpu": "host"}
                    types = {}
                    exec(compile("answer = device.type", "torch_file", "exec"), types | {"__name__": "torch.somewhere", "device": d}, types)
                    print(json.dumps([x.device == d, d.type == "cuda", kinds[x.device.type], str(d), f"{d}", x.is_cuda, isinstance(d, torch.device),
                                      torch.nn.Linear(2, 2).cuda().weight.is_cuda, torch.nn.Linear(2, 2).is_cuda if hasattr(torch.nn.Linear, "is_cuda") else None,
                                      torch.zeros(1).is_cuda, types["answer"], repr(d), d in {d: 1}, torch.empty(1, device=d).get_device()]))
                """, backend)
                self.assertEqual(got, [True, True, "card", "cuda:1", "cuda:1", True, True, True, None, False, backend,
                                       f"device(type='{backend}', index=1)", True, 1])

    def test_t3_the_backend_is_told_as_it_was_asked_for(self) -> None:
        for backend, (_, _, collective, _) in support.BACKENDS.items():
            with self.subTest(backend=backend):
                got = result_of("""
                    import os, torch.distributed as dist
                    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="0", RANK="0", WORLD_SIZE="1")
                    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
                    x = torch.ones(2, device="cuda")
                    dist.all_reduce(x)
                    assert dist.get_backend() in ("nccl", "gloo")
                    inner = {}
                    exec("import torch.distributed as d\\nanswer = d.get_backend()", inner | {"__name__": "torch.x"}, inner)
                    gloo = dist.new_group(backend="gloo")
                    print(json.dumps([dist.get_backend(), dist.is_nccl_available(), inner["answer"], dist.get_backend(gloo), x.tolist()]))
                """, backend)
                self.assertEqual(got, ["nccl", True, collective, "gloo", [1.0, 1.0]])

    def test_t4_scripted_functions_stay_scripted(self) -> None:
        got = result_of("""
            import tempfile, os
            open("scripted.py", "w").write('''import torch
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layer = torch.nn.Linear(3, 2)
                def forward(self, x):
                    return self.layer(x) + torch.zeros(2, device=x.device) + torch.ones_like(x[:, :2])
            @torch.jit.script
            def double(x):
                return x + torch.full_like(x, 2.0)
            '''.replace("\\n            ", "\\n"))
            import sys; sys.path.insert(0, ".")
            import scripted
            net = torch.jit.script(scripted.Net().cuda())
            x = torch.ones(4, 3, device="cuda")
            net.save("net.pt")
            back = torch.jit.load("net.pt", map_location="cuda")
            same = torch.allclose(net(x), back(x))
            traced = torch.jit.trace(scripted.Net().cuda(), x)
            print(json.dumps([isinstance(net, torch.jit.ScriptModule), "aten::" in str(net.graph), same, net(x).is_cuda, scripted.double(x).sum().item(),
                              isinstance(scripted.double, torch.jit.ScriptFunction), isinstance(traced, torch.jit.ScriptModule)]))
        """)
        self.assertEqual(got, [True, True, True, True, 36.0, True, True])

    def test_t5_double_tensors_stay_double_or_are_refused(self) -> None:
        got = result_of("""
            made = torch.cuda.DoubleTensor([1.0, 1e-300])
            cast = torch.ones(2).type("torch.cuda.DoubleTensor")
            print(json.dumps([str(made.dtype), made.is_cuda, made[1].item() > 0, str(cast.dtype), cast.is_cuda, made.type(),
                              isinstance(made, torch.cuda.DoubleTensor), isinstance(made, torch.cuda.FloatTensor), str(torch.cuda.FloatTensor(2, 3).dtype),
                              torch.ones(1).type(torch.cuda.LongTensor).type()]))
        """)
        self.assertEqual(got, ["torch.float64", True, True, "torch.float64", True, "torch.cuda.DoubleTensor", True, False, "torch.float32", "torch.cuda.LongTensor"])
        refused = run("x = torch.cuda.DoubleTensor([1.0])\nprint((x + x).dtype)", dtypes_unsupported=["float64"])
        self.assertNotEqual(refused.returncode, 0)
        self.assertNotIn("float32", refused.stdout)
        self.assertIn("float64", refused.stderr)

    def test_t6_threads_get_their_own_answers_at_the_same_time(self) -> None:
        got = result_of("""
            import threading, types
            source = "def ask(torch, n):\\n    return [torch.cuda.is_available() for _ in range(n)]"
            answers = {}
            def module(name):
                made = types.ModuleType(name)
                exec(source, made.__dict__)
                return made
            starbridge_torch.exclude("knows_npu")
            asked = {name: module(name) for name in ("program", "knows_npu", "knows_npu.part", "torch.fake", "other")}
            def work(key, name):
                answers[key] = (name, set(asked[name].ask(torch, 4000)))
            threads = [threading.Thread(target=work, args=(n, name)) for n, name in enumerate(list(asked) * 4)]
            [t.start() for t in threads]; [t.join() for t in threads]
            print(json.dumps(sorted({(name, tuple(values)) for name, values in answers.values()})))
        """)
        self.assertEqual(got, [["knows_npu", [False]], ["knows_npu.part", [False]], ["other", [True]], ["program", [True]], ["torch.fake", [False]]])

    def test_t7_numbers_are_devices_where_a_device_stands(self) -> None:
        got = result_of("""
            x = torch.ones(2)
            m = torch.nn.Linear(2, 2)
            torch.cuda.set_device(1)
            here = torch.cuda.current_device()
            torch.cuda.set_device("cuda:0")
            with torch.cuda.device(1):
                inside = torch.zeros(1, device="cuda").device.index
            print(json.dumps([str(x.to(0).device), str(x.cuda(1).device), str(torch.zeros(2, device=1).device), str(m.to(1).weight.device), here, inside,
                              torch.full((2,), 7).tolist(), x.to(torch.float16).dtype == torch.float16, str(torch.device(1)), str(x.to(device=0).device),
                              torch.zeros(2, 1).shape[1], torch.arange(0, 3).tolist(), torch.randint(0, 2, (1,)).device.type]))
        """)
        self.assertEqual(got, ["cuda:0", "cuda:1", "cuda:1", "cuda:1", 1, 1, [7, 7], True, "cuda:1", "cuda:0", 1, [0, 1, 2], "cpu"])

    def test_t8_variables_nvidia_smi_and_pynvml(self) -> None:
        got = result_of("""
            import os, shutil, subprocess, sys
            import pynvml
            start = [os.environ.get("ASCEND_RT_VISIBLE_DEVICES"), torch.cuda.device_count()]
            os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"
            child = subprocess.run([sys.executable, "-c", "import os; print(os.environ.get('ASCEND_RT_VISIBLE_DEVICES'))"], capture_output=True, text=True).stdout.strip()
            del os.environ["CUDA_VISIBLE_DEVICES"]
            os.environ["NCCL_SOCKET_IFNAME"] = "eth0"
            smi = subprocess.run(["nvidia-smi", "--query-gpu=index,name,memory.total", "--format=csv,noheader,nounits"], capture_output=True, text=True)
            table = subprocess.run("nvidia-smi", shell=True, capture_output=True, text=True)
            pynvml.nvmlInit()
            handle = pynvml.nvmlDeviceGetHandleByIndex(0)
            try:
                pynvml.nvmlDeviceGetTemperature(handle, 0)
            except pynvml.NVMLError as error:
                refused = [type(error).__name__, error.value]
            memory = pynvml.nvmlDeviceGetMemoryInfo(handle)
            try:
                os.environ["CUDA_VISIBLE_DEVICES"] = "1,0"
            except ValueError as error:
                order = str(error)
            print(json.dumps([start, child, "ASCEND_RT_VISIBLE_DEVICES" in os.environ, os.environ["HCCL_SOCKET_IFNAME"], smi.stdout.split("\\n")[:-1], table.returncode,
                              "npu-smi" in table.stderr, pynvml.nvmlDeviceGetCount(), pynvml.nvmlDeviceGetName(handle), memory.total, refused, "0,1" in order]))
        """, extra={"CUDA_VISIBLE_DEVICES": "1"})
        self.assertEqual(got, [["1", 1], "0,1", False, "eth0", ["0, Ascend910B3, 1024", "1, Ascend910B3, 1024"], 2, True, 1, "Ascend910B3", 1 << 30,
                               ["NVMLError_NotSupported", 3], True])

    def test_t8_a_list_of_cards_that_would_be_misread_is_refused(self) -> None:
        done = run("print('went on')", extra={"CUDA_VISIBLE_DEVICES": "1,0"})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("ascending", done.stderr)
        self.assertNotIn("went on", done.stdout)

    def test_t8_the_table_says_what_the_data_say(self) -> None:
        sys.path.insert(0, str(PACKAGE))
        try:
            from starbridge_torch_start import environment
        finally:
            sys.path.remove(str(PACKAGE))
        with open(support.ROOT / "data/compat/env.tsv", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        known = {(row["backend"], row["name"]): (row["status"], row["target"]) for row in rows}
        for backend, table in environment.COUNTERPARTS.items():
            self.assertIn("CUDA_VISIBLE_DEVICES", table)
            self.assertIn("PYTORCH_CUDA_ALLOC_CONF", table)
            for name, target in table.items():
                status, expected = known[(backend, name)]
                self.assertEqual(target, expected)
                self.assertTrue(status == "renamed" or "VISIBLE_DEVICES" in name, name)

    def test_t9_texts_are_never_touched(self) -> None:
        got = result_of("""
            import ctypes, os
            texts = ["libcudart.so", "kernels/cuda/op.cu", "cudatoolkit==11.8", "https://download.example/whl/cu121/cuda", "cuda"]
            os.makedirs("kernels/cuda"); open("kernels/cuda/op.cu", "w").write("cuda")
            try:
                ctypes.CDLL("libcudart.so.starbridge")
            except OSError as error:
                message = str(error)
            class Thing:
                device = "cuda"
                def to(self, where): return where
                def cuda(self): return "own"
            print(json.dumps([texts, os.listdir("kernels"), "libcudart" in message, Thing().to("cuda"), Thing().cuda(), Thing.device, "cuda".upper(), {"cuda": 1}["cuda"]]))
        """)
        self.assertEqual(got, [["libcudart.so", "kernels/cuda/op.cu", "cudatoolkit==11.8", "https://download.example/whl/cu121/cuda", "cuda"], ["cuda"], True,
                               "cuda", "own", "cuda", "CUDA", 1])

    def test_t10_activating_again_changes_nothing(self) -> None:
        got = result_of("""
            import importlib, os
            names = lambda: [id(torch.zeros), id(torch.Tensor.to), id(torch.load), id(torch.device), id(type(torch.cuda)), id(torch.nn.Module.to),
                             id(type(os.environ)), id(torch.device.__new__), id(torch.distributed.get_backend), os.environ["PATH"]]
            before = names()
            again = [starbridge_torch.activate(), starbridge_torch.activate()]
            importlib.reload(starbridge_torch)
            print(json.dumps([again, before == names(), str(torch.zeros(1).cuda().device)]))
        """)
        self.assertEqual(got, [["npu", "npu"], True, "cuda:0"])


class Use(unittest.TestCase):
    def test_a_module_can_opt_out(self) -> None:
        got = result_of("""
            import types
            source = "def ask(torch, d):\\n    return [torch.cuda.is_available(), d.type]\\ndef move(x):\\n    return x.cuda()"
            made = types.ModuleType("native"); made.__starbridge_torch__ = False
            exec(source, made.__dict__)
            try:
                made.move(torch.zeros(1)); moved = "moved"
            except (AssertionError, RuntimeError) as error:
                moved = str(error)
            print(json.dumps([made.ask(torch, torch.device("cuda")), moved, "accelerate" in starbridge_torch.excluded()]))
        """)
        self.assertEqual(got[0], [False, "npu"])
        self.assertIn("CUDA", got[1])
        self.assertTrue(got[2])

    def test_names_without_counterpart_say_so_when_called(self) -> None:
        got = result_of("""
            has = hasattr(torch.cuda, "get_gencode_flags")
            try:
                torch.cuda.get_gencode_flags()
            except NotImplementedError as error:
                print(json.dumps([has, str(error)]))
        """)
        self.assertTrue(got[0])
        self.assertIn("torch.cuda.get_gencode_flags has no counterpart", got[1])

    def test_mixed_precision_random_numbers_streams_and_memory(self) -> None:
        for backend in support.BACKENDS:
            with self.subTest(backend=backend):
                got = result_of("""
                    from torch.cuda.amp import GradScaler
                    scaler = GradScaler(); other = torch.amp.GradScaler("cuda", init_scale=2.0)
                    with torch.autocast("cuda", dtype=torch.float16), torch.cuda.stream(torch.cuda.Stream()):
                        y = torch.ones(2, 2, device="cuda") @ torch.ones(2, 2, device="cuda")
                        on = torch.is_autocast_enabled("cuda")
                    g = torch.Generator("cuda").manual_seed(3)
                    torch.cuda.manual_seed_all(5); a = torch.rand(2, device="cuda")
                    with torch.random.fork_rng():
                        torch.rand(9, device="cuda")
                    e = torch.cuda.Event(enable_timing=True); e.record(); torch.cuda.synchronize()
                    z = torch.zeros(1000).pin_memory().cuda(non_blocking=True)
                    print(json.dumps([str(y.dtype), on, torch.cuda.memory_allocated() > 4000, g.device.type, isinstance(scaler, torch.amp.GradScaler), y.is_cuda,
                                      torch.cuda.get_device_name("cuda:0") != "", torch.cuda.mem_get_info()[1]]))
                """, backend)
                self.assertEqual(got, ["torch.float16", True, True, "cuda", True, True, True, 1 << 30])

    def test_checkpoints_from_cuda_load_without_map_location(self) -> None:
        got = result_of("""
            import zipfile
            torch.save({"w": torch.arange(3.0).cuda()}, "here.pt")
            with zipfile.ZipFile("here.pt") as old, zipfile.ZipFile("cuda.pt", "w") as new:
                for name in old.namelist():
                    data = old.read(name)
                    if name.endswith("data.pkl"):
                        data = data.replace(b"X\\x05\\x00\\x00\\x00npu:0", b"X\\x06\\x00\\x00\\x00cuda:0")
                    new.writestr(name, data)
            back = torch.load("cuda.pt")
            print(json.dumps([str(back["w"].device), back["w"].tolist()]))
        """)
        self.assertEqual(got, ["cuda:0", [0.0, 1.0, 2.0]])

    def test_without_a_plug_in_nothing_changes(self) -> None:
        done = support.run("import torch\nbefore = torch.zeros\nimport starbridge_torch\nprint(starbridge_torch.activate(), torch.zeros is before)", None,
                           PYTHONPATH=str(PACKAGE))
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "None True"), done.stderr)

    def test_installed_by_pip_it_covers_children_and_counts_calls(self) -> None:
        program = textwrap.dedent("""
            import subprocess, sys, torch
            x = torch.zeros(2, device="cuda")
            for _ in range(3):
                x.cuda()
            if len(sys.argv) > 1:
                print(x.device, flush=True)
            else:
                sys.exit(subprocess.run([sys.executable, __file__, "child"]).returncode)
        """).lstrip()
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder) / "site"
            installed = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index",
                                        "--disable-pip-version-check", "--target", str(site), str(self.copy_of_package(folder))], capture_output=True, text=True)
            self.assertEqual(installed.returncode, 0, installed.stderr)
            script = pathlib.Path(folder) / "program.py"
            script.write_text(program)
            calls = pathlib.Path(folder) / "calls.json"
            env = support.environment(support.profile(), folder, {"PYTHONPATH": os.pathsep.join([str(site), support.extension_folder()])})
            done = subprocess.run([sys.executable, "-m", "starbridge_torch", "--telemetry", str(calls), str(script)], capture_output=True, text=True, env=env,
                                  cwd=folder, timeout=120)
            self.assertEqual((done.returncode, done.stdout.strip(), done.stderr), (0, "cuda:0", ""), done.stderr)
            record = json.loads(calls.read_text())
            self.assertEqual(record["schema"], "starbridge.torch_telemetry/1")
            self.assertEqual([(pathlib.Path(call["file"]).name, call["line"], call["name"], call["count"]) for call in record["calls"]],
                             [("program.py", 2, "torch.zeros", 1), ("program.py", 4, "Tensor.cuda", 3)])
            children = [path for path in calls.parent.glob("calls.json.*")]
            self.assertEqual(len(children), 1)
            bad = subprocess.run([sys.executable, "-m", "starbridge_torch", "--backend", "musa", str(script)], capture_output=True, text=True, env=env, cwd=folder)
            self.assertNotEqual(bad.returncode, 0)
            self.assertIn("starbridge_torch:", bad.stderr)

    def test_children_are_covered_without_pip_too(self) -> None:
        program = textwrap.dedent("""
            import subprocess, sys, torch
            import torch.multiprocessing as mp

            def work(rank, x):
                x[rank] += 1
                print(torch.zeros(1, device=f"cuda:{rank}").device, x.is_cuda, flush=True)

            if __name__ == "__main__":
                if len(sys.argv) > 1:
                    work(0, torch.zeros(1).cuda())
                else:
                    x = torch.zeros(3, device="cuda")
                    mp.spawn(work, args=(x,), nprocs=2)
                    print(x.tolist(), flush=True)
                    sys.exit(subprocess.run([sys.executable, __file__, "child"]).returncode)
        """).lstrip()
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "program.py"
            script.write_text(program)
            env = support.environment(support.profile(), folder, {"PYTHONPATH": path_with_package()})
            done = subprocess.run([sys.executable, "-m", "starbridge_torch", str(script)], capture_output=True, text=True, env=env, cwd=folder, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual((sorted(lines[:2]), lines[2:]), (["cuda:0 True", "cuda:1 True"], ["[1.0, 1.0, 0.0]", "cuda:0 True"]))

    @staticmethod
    def copy_of_package(folder: str) -> pathlib.Path:
        import shutil

        # pip builds in the tree it is given.
        return pathlib.Path(shutil.copytree(PACKAGE, pathlib.Path(folder) / "package", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info")))


if __name__ == "__main__":
    unittest.main()

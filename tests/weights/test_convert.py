"""`weights convert`: what torch reads from the new file, against what it would have computed itself."""

import json
import os
import shutil
import subprocess
import unittest
import zipfile
from argparse import Namespace

import numpy as np
import torch

import support
from support import COMPLEX, FLOATS, WeightsCase, bytes_of, random_tensor, read_safetensors, run, run_json

REFUSED_BY_SAFETENSORS = (torch.complex32, torch.complex128)


def with_tags(source, target, tag):
    """The same file with every device tag renamed, as a CUDA machine would have written it."""
    with zipfile.ZipFile(source) as archive, zipfile.ZipFile(target, "w") as out:
        for name in archive.namelist():
            content = archive.read(name)
            if name.endswith("data.pkl"):
                content = content.replace(b"X\x03\x00\x00\x00cpu", b"X" + len(tag).to_bytes(4, "little") + tag.encode())
            out.writestr(name, content)


class Convert(WeightsCase):
    def convert(self, *arguments, expect=0):
        return run_json("weights", "convert", *arguments, expect=expect)

    def expect_equal(self, found, wanted):
        self.assertEqual(list(found), list(wanted))
        for name, tensor in wanted.items():
            self.assertEqual((found[name].dtype, found[name].shape), (tensor.dtype, tensor.shape), name)
            self.assertEqual(bytes_of(found[name]), bytes_of(tensor), name)

    def test_torch_to_safetensors_and_back_is_the_same_to_the_bit(self):
        tensors = self.some_tensors(list(support.SAFETENSORS))
        tensors["view"] = torch.randn(6, 8).t()
        for legacy in (False, True):
            torch.save(tensors, self.path("a.pt"), _use_new_zipfile_serialization=not legacy)
            self.convert(self.path("a.pt"), self.path("a.safetensors"), "--force")
            found, metadata = read_safetensors(self.path("a.safetensors"))
            self.expect_equal(dict(sorted(found.items())), dict(sorted(tensors.items())))
            self.assertEqual(metadata["format"], "pt")
            self.convert(self.path("a.safetensors"), self.path("b.pt"), "--force")
            back = torch.load(self.path("b.pt"), weights_only=True)
            self.expect_equal(dict(sorted(back.items())), dict(sorted(tensors.items())))
            run("weights", "check", self.path("a.pt"), self.path("b.pt"), "--exact", expect=0)

    def test_numpy_to_torch(self):
        np.savez(self.path("a.npz"), x=np.arange(6.0).reshape(2, 3), y=np.asfortranarray(np.arange(6, dtype=">i4").reshape(3, 2)))
        self.convert(self.path("a.npz"), self.path("a.pt"))
        found = torch.load(self.path("a.pt"), weights_only=True)
        self.expect_equal(found, {"x": torch.arange(6.0, dtype=torch.float64).reshape(2, 3), "y": torch.arange(6, dtype=torch.int32).reshape(3, 2)})

    def test_a_rewritten_file_keeps_everything_but_tags(self):
        weight = torch.nn.Parameter(torch.randn(4, 5))
        content = {"model": {"w": weight, "tied": weight, "view": weight.detach()[1:, ::2]}, "epoch": 3, "name": "cpu", "where": ["cpu", "cuda:0"],
                   "u16": torch.arange(4).to(torch.uint16), "f8": torch.randn(5).to(torch.float8_e5m2), "long": torch.arange(3)}
        torch.save(content, self.path("cpu.pt"))
        with_tags(self.path("cpu.pt"), self.path("gpu.pt"), "cuda:1")
        for source in ("cpu.pt", "gpu.pt"):
            answer = self.convert(self.path(source), self.path("npu.pt"), "--device", "npu:0", "--force")
            self.assertTrue(answer["keeps_other_values"])
            self.assertEqual({row["device"] for row in run_json("weights", "show", self.path("npu.pt"))["tensors"]}, {"npu:0"})
            self.convert(self.path("npu.pt"), self.path("back.pt"), "--device", "cpu", "--force")
            found = torch.load(self.path("back.pt"), weights_only=True)
            if source == "cpu.pt":
                self.assertEqual((found["epoch"], found["name"], found["where"]), (3, "cpu", ["cpu", "cuda:0"]))
            self.assertIs(type(found["model"]["w"]), torch.nn.Parameter)
            self.assertEqual(found["model"]["w"].data_ptr(), found["model"]["tied"].data_ptr())
            self.assertEqual(found["model"]["view"].stride(), (5, 2))
            for name in ("u16", "f8", "long"):
                self.assertEqual(bytes_of(found[name]), bytes_of(content[name]))
        run("weights", "check", self.path("cpu.pt"), self.path("back.pt"), "--exact", expect=0)

    def test_the_same_word_as_tag_and_as_value_is_told_apart(self):
        """Python interns "cpu", so that the pickle fetches tag and values from one memo entry."""
        word = "".join(["c", "pu"])
        import sys
        word = sys.intern(word)
        for content in ({"first": word, "t": torch.ones(2), "after": word}, {"t": torch.ones(2), "after": word, "u": torch.zeros(2), "last": [word, word]}):
            for protocol in (2, 3, 4, 5):
                torch.save(content, self.path("a.pt"), pickle_protocol=protocol)
                self.convert(self.path("a.pt"), self.path("b.pt"), "--device", "npu:3", "--force")
                self.convert(self.path("b.pt"), self.path("c.pt"), "--device", "npu:3=cpu", "--force")
                self.assertEqual({row["device"] for row in run_json("weights", "show", self.path("b.pt"))["tensors"]}, {"npu:3"})
                found = torch.load(self.path("c.pt"), weights_only=False)
                self.assertEqual([value for value in found.values() if not isinstance(value, torch.Tensor)], [value for value in content.values() if not isinstance(value, torch.Tensor)])

    def test_legacy_and_module_files_are_rewritten(self):
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
        for legacy in (False, True):
            torch.save({"net": net, "args": Namespace(device="cuda")}, self.path("a.pt"), _use_new_zipfile_serialization=not legacy)
            self.convert(self.path("a.pt"), self.path("b.pt"), "--dtype", "float32=float64", "--force")
            found = torch.load(self.path("b.pt"), weights_only=False)
            self.assertEqual(found["args"].device, "cuda")
            self.assertEqual(found["net"](torch.ones(2, 3).double()).dtype, torch.float64)
            self.assertEqual(found["net"][0].weight.float().tolist(), net[0].weight.tolist())
            self.assertEqual(found["net"][1].num_batches_tracked.dtype, torch.int64)

    def test_device_maps(self):
        torch.save({"a": torch.ones(2)}, self.path("cpu.pt"))
        with_tags(self.path("cpu.pt"), self.path("gpu.pt"), "cuda:5")
        for source, word, wanted in (("gpu.pt", "npu", "npu:5"), ("gpu.pt", "mlu:2", "mlu:2"), ("gpu.pt", "cuda=npu", "npu:5"), ("gpu.pt", "cuda=npu,cuda:5=cpu", "cpu"),
                                     ("gpu.pt", "cuda:4=cpu", "cuda:5"), ("gpu.pt", "cuda=npu:1", "npu:1"), ("cpu.pt", "npu", "cpu"), ("cpu.pt", "npu:0", "npu:0")):
            self.convert(self.path(source), self.path("out.pt"), "--device", word, "--force")
            self.assertEqual(run_json("weights", "show", self.path("out.pt"))["tensors"][0]["device"], wanted, word)

    def test_floats_are_rounded_as_torch_rounds_them(self):
        values = torch.cat([torch.randn(40_000, generator=self.generator) * 10.0 ** torch.randint(-12, 8, (40_000,), generator=self.generator),
                            torch.tensor([0.0, -0.0, float("inf"), float("-inf"), float("nan"), 65504.0, 65519.9, 65520.0, 448.0, 463.9, 464.0, 464.1, 57344.0, 61439.0, 61440.0,
                                          3.3895314e38, 3.4e38, 1e-45, 5.9e-8, 2.9e-8, 2.98e-8, 240.0, 248.0, 256.0])])
        bits = torch.randint(-(1 << 31), 1 << 31, (40_000,), generator=self.generator).to(torch.int32).view(torch.float32)
        values = torch.cat([values, bits])
        for source in (torch.float32, torch.float16, torch.bfloat16):
            tensor = values.to(source)
            torch.save({"a": tensor}, self.path("a.pt"))
            for target in FLOATS:
                if target == source:
                    continue
                name = str(target).split(".")[1]
                answer = self.convert(self.path("a.pt"), self.path("b.safetensors"), "--dtype", f"{str(source).split('.')[1]}={name}", "--force")
                found = read_safetensors(self.path("b.safetensors"))[0]["a"]
                wanted = tensor.to(target)
                same = (found.double() == wanted.double()) | (found.double().isnan() & wanted.double().isnan())
                self.assertTrue(bool(same.all()), f"{source} {target} {tensor[~same][:5]} {found[~same][:5]} {wanted[~same][:5]}")
                counts = answer["conversions"][0]
                over = ~wanted.double().isfinite() if target != torch.float8_e4m3fn else tensor.double().abs() > 464  # torch makes 448 of these
                self.assertEqual(counts["overflow_count"], int((tensor.isfinite() & over).sum()), target)
                self.assertEqual(counts["underflow_count"], int(((tensor != 0) & (wanted.double() == 0)).sum()), target)

    def test_doubles_are_rounded_once(self):
        """torch rounds float64 to float first; the nearest half is numpy's, the nearest float is everyone's."""
        values = torch.randn(20_000, dtype=torch.float64, generator=self.generator)
        tricky = torch.tensor([1 + 2**-11 + 2**-40, 1 + 2**-11 - 2**-40, 1 + 2**-8 + 2**-30, 1 + 2**-8 - 2**-40], dtype=torch.float64)
        values = torch.cat([values, tricky])
        torch.save({"a": values}, self.path("a.pt"))
        self.convert(self.path("a.pt"), self.path("b.safetensors"), "--dtype", "f16")
        self.assertEqual(read_safetensors(self.path("b.safetensors"))[0]["a"].numpy().tobytes(), values.numpy().astype(np.float16).tobytes())
        self.convert(self.path("a.pt"), self.path("c.safetensors"), "--dtype", "f32")
        self.assertEqual(read_safetensors(self.path("c.safetensors"))[0]["a"].numpy().tobytes(), values.numpy().astype(np.float32).tobytes())
        self.convert(self.path("a.pt"), self.path("d.safetensors"), "--dtype", "bf16")
        self.assertEqual(read_safetensors(self.path("d.safetensors"))[0]["a"][-2:].tolist(), [1 + 2**-7, 1.0])

    def test_complex_and_whole_numbers(self):
        torch.save({"z": torch.randn(5, dtype=torch.complex128), "i": torch.tensor([1, -2, 3])}, self.path("a.pt"))
        self.convert(self.path("a.pt"), self.path("b.pt"), "--dtype", "complex128=complex64,int64=int16")
        a, b = torch.load(self.path("a.pt")), torch.load(self.path("b.pt"))
        self.assertTrue(torch.equal(b["z"], a["z"].to(torch.complex64)))
        self.assertEqual((b["i"].dtype, b["i"].tolist()), (torch.int16, [1, -2, 3]))
        torch.save({"i": torch.tensor([1, 40_000])}, self.path("c.pt"))
        done = run("weights", "convert", self.path("c.pt"), self.path("d.pt"), "--dtype", "int64=int16", expect=3)
        self.assertIn("weights.lossy_conversion", done.stderr)
        self.assertFalse(self.path("d.pt").exists())
        big = torch.tensor([2**53 + 1, 2**62 + 2**38 + 1, -(2**53) - 1, 7])
        torch.save({"i": big}, self.path("e.pt"))
        self.convert(self.path("e.pt"), self.path("f.pt"), "--dtype", "int64=float32")
        self.assertEqual(torch.load(self.path("f.pt"))["i"].tolist(), np.array(big.tolist(), np.int64).astype(np.float32).tolist())

    def test_overflow_may_be_refused(self):
        torch.save({"a": torch.tensor([1.0, 1e30])}, self.path("a.pt"))
        self.assertEqual(self.convert(self.path("a.pt"), self.path("b.pt"), "--dtype", "f16")["conversions"][0]["overflow_count"], 1)
        for target in ("c.pt", "c.safetensors"):
            run("weights", "convert", self.path("a.pt"), self.path(target), "--dtype", "f16", "--refuse-overflow", expect=3)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.pt", "b.pt"])

    def test_shards_hold_everything_once(self):
        tensors = {f"layers.{index}.weight": torch.randn(self.rng.randint(1, 400), generator=self.generator) for index in range(60)}
        torch.save(tensors, self.path("a.pt"))
        for kind, suffix in (("safetensors", "safetensors"), ("torch", "bin")):
            folder = self.path(f"shards-{kind}")
            answer = self.convert(self.path("a.pt"), folder, "--shard", "4KB", "--format", kind)
            names = sorted(os.listdir(folder))
            self.assertEqual(len(answer["files"]), len(names))
            index = json.loads(next(folder.glob("*.index.json")).read_text())
            self.assertEqual(set(index["weight_map"]), set(tensors))
            self.assertEqual(index["metadata"]["total_size"], sum(tensor.nbytes for tensor in tensors.values()))
            self.assertEqual(set(index["weight_map"].values()), {name for name in names if not name.endswith(".json")})
            for name in set(index["weight_map"].values()):
                found = read_safetensors(folder / name)[0] if kind == "safetensors" else torch.load(folder / name, weights_only=True)
                self.assertLessEqual(sum(tensor.nbytes for tensor in found.values()), 4000)
                for key, tensor in found.items():
                    self.assertTrue(torch.equal(tensor, tensors[key]))
            run("weights", "check", self.path("a.pt"), folder, "--exact", expect=0)
            run("weights", "convert", self.path("a.pt"), folder, "--shard", "4KB", expect=3)
            self.convert(folder, self.path(f"one-{kind}.safetensors"))
            run("weights", "check", self.path("a.pt"), self.path(f"one-{kind}.safetensors"), "--exact", expect=0)

    def test_tied_tensors(self):
        weight = torch.randn(100)
        torch.save({"embed": weight, "head": weight}, self.path("a.pt"))
        self.convert(self.path("a.pt"), self.path("b.safetensors"))
        self.assertEqual(set(read_safetensors(self.path("b.safetensors"))[0]), {"embed", "head"})
        self.convert(self.path("a.pt"), self.path("c.safetensors"), "--drop-tied")
        found, metadata = read_safetensors(self.path("c.safetensors"))
        self.assertEqual((set(found), metadata["head"]), ({"embed"}, "embed"))

    def test_what_has_no_place_is_said(self):
        torch.save({"a": torch.ones(2), "epoch": 5, "z": torch.ones(2, dtype=torch.complex128)}, self.path("a.pt"))
        done = run("weights", "convert", self.path("a.pt"), self.path("b.safetensors"), expect=3)
        self.assertIn("complex128", done.stderr)
        answer = self.convert(self.path("a.pt"), self.path("b.safetensors"), "--dtype", "complex128=complex64")
        self.assertEqual(answer["dropped_values"], ["epoch"])
        done = run("weights", "convert", self.path("a.pt"), self.path("c.pt"), "--dtype", "float32=float8_e4m3fn", expect=3)
        self.assertIn("--format safetensors", done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.pt", "b.safetensors"])

    def test_nothing_is_half_written(self):
        torch.save({"a": torch.randn(200_000)}, self.path("a.pt"))
        self.write("there.safetensors", b"precious")
        run("weights", "convert", self.path("a.pt"), self.path("there.safetensors"), expect=3)
        self.assertEqual(self.path("there.safetensors").read_bytes(), b"precious")
        run("weights", "convert", self.path("a.pt"), self.path("none/b.pt"), expect=3)
        run("weights", "convert", self.path("a.pt"), self.path("a.pt"), "--force", expect=2)
        # A file that ends in the middle of its data, and a disk that is full (a limit on the size of files).
        damaged = bytearray(self.path("a.pt").read_bytes())
        self.write("cut.pt", bytes(damaged[:400_000]))
        run("weights", "convert", self.path("cut.pt"), self.path("b.pt"), expect=3)
        limited = subprocess.run(["bash", "-c", f"trap '' XFSZ; ulimit -f 300; exec {support.BINARY} weights convert {self.path('a.pt')} {self.path('there.safetensors')} --force"],
                                 capture_output=True, text=True)
        self.assertEqual(limited.returncode, 5, limited.stderr)
        self.assertEqual(self.path("there.safetensors").read_bytes(), b"precious")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.pt", "cut.pt", "there.safetensors"])

    def test_wrong_use_is_refused(self):
        torch.save({"a": torch.ones(2)}, self.path("a.pt"))
        for words in (["--dtype", "f99"], ["--dtype", "int8"], ["--dtype", "float32=int8"], ["--dtype", "float8_e8m0fnu"], ["--device", "NPU!"], ["--device", "npu,cpu"], ["--shard", "lots"],
                      ["--shard", "-1GB"], ["--format", "onnx"]):
            run("weights", "convert", self.path("a.pt"), self.path("b.pt"), *words, expect=2)
        run("weights", "convert", self.path("none.pt"), self.path("b.pt"), expect=3)
        self.assertEqual(os.listdir(self.folder), ["a.pt"])


if __name__ == "__main__":
    unittest.main()

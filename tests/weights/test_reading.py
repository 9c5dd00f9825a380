"""What `weights show` and the hashes of `weights check` say, against what torch and numpy read from the same files."""

import collections
import os
import pickle
import unittest
import warnings
import zipfile

import numpy as np
import torch

import support
from support import WeightsCase, bytes_of, run, run_json, xxh64


class Attack:
    """Runs a command when it is unpickled by pickle."""

    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return (os.system, (self.command,))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(5, 7)
        self.blocks = torch.nn.ModuleList([torch.nn.Sequential(torch.nn.Linear(7, 7), torch.nn.BatchNorm1d(7)) for _ in range(3)])
        self.head = torch.nn.Linear(7, 2)
        self.head.weight = torch.nn.Parameter(self.blocks[0][0].weight[:2])
        self.register_buffer("steps", torch.tensor(3))


def views_of(tensor, rng):
    """The tensor seen through other strides."""
    yield "whole", tensor
    if tensor.dim() >= 2:
        yield "transposed", tensor.transpose(0, -1)
        yield "column", tensor[:, : max(1, tensor.shape[1] // 2)]
    if tensor.dim() >= 1 and tensor.shape[0] > 2:
        yield "stepped", tensor[1:: 2]
        yield "narrowed", tensor[1:]
    if tensor.dim() >= 1 and tensor.shape[0] == 1 and tensor.numel() > 0:
        yield "expanded", tensor.expand(5, *tensor.shape[1:])
    if tensor.is_complex():
        yield "conjugated", tensor.conj()
        if tensor.dtype != torch.complex32:
            yield "negated", tensor.clone().conj().imag  # torch refuses to save one storage under two types


class Reading(WeightsCase):
    def expect_tensors(self, path, wanted):
        """`wanted`: name -> tensor. Names, types, shapes, strides and offsets as torch says; content by hash."""
        shown = run_json("weights", "show", path)
        self.assertEqual([row["name"] for row in shown["tensors"]], list(wanted))
        for row in shown["tensors"]:
            tensor = wanted[row["name"]]
            self.assertEqual(row["dtype"], str(tensor.dtype).split(".")[1], row["name"])
            self.assertEqual(row["shape"], list(tensor.shape), row["name"])
            if shown["format"].startswith("torch"):
                self.assertEqual(row["strides"], list(tensor.stride()), row["name"])
                self.assertEqual(row["offset"], tensor.storage_offset(), row["name"])
                self.assertEqual(row["storage_bytes"], tensor.untyped_storage().nbytes(), row["name"])
        checked = run_json("weights", "check", path, path)
        for row in checked["tensors"]:
            self.assertEqual(row["outcome"], "identical")
            self.assertEqual(row["first"]["xxh64"], xxh64(bytes_of(wanted[row["name"]])), row["name"])

    def views(self):
        found = {}
        for name, tensor in self.some_tensors(count=3).items():
            for kind, view in views_of(tensor, self.rng):
                found[f"{name}.{kind}"] = view
        self.assertGreater(len(found), 150)
        return found

    def test_zip_files_of_every_protocol(self):
        tensors = self.views()
        for protocol in (2, 3, 4, 5):
            torch.save(tensors, self.path("a.pt"), pickle_protocol=protocol)
            self.expect_tensors(self.path("a.pt"), tensors)

    def test_legacy_files(self):
        tensors = self.views()
        torch.save(tensors, self.path("a.pt"), _use_new_zipfile_serialization=False)
        self.expect_tensors(self.path("a.pt"), tensors)
        self.assertEqual(run_json("weights", "show", self.path("a.pt"))["format"], "torch-legacy")

    def test_deflated_zip_files(self):
        tensors = self.views()
        torch.save(tensors, self.path("a.pt"))
        with zipfile.ZipFile(self.path("a.pt")) as source, zipfile.ZipFile(self.path("b.pt"), "w", zipfile.ZIP_DEFLATED) as target:
            for name in source.namelist():
                target.writestr(name, source.read(name))
        self.expect_tensors(self.path("b.pt"), tensors)

    def test_big_endian_files(self):
        """A file as a big-endian machine would write it: the same records with their bytes turned."""
        tensors = {name: tensor for name, tensor in self.some_tensors([torch.float32, torch.int64, torch.float16, torch.complex64]).items() if tensor.numel()}
        torch.save(tensors, self.path("a.pt"))
        widths = {}
        for row in run_json("weights", "show", self.path("a.pt"))["tensors"]:
            tensor = tensors[row["name"]]
            widths[str(row["storage"])] = tensor.element_size() // (2 if tensor.is_complex() else 1)
        with zipfile.ZipFile(self.path("a.pt")) as source, zipfile.ZipFile(self.path("b.pt"), "w") as target:
            for name in source.namelist():
                content = source.read(name)
                if name.endswith("/byteorder"):
                    content = b"big"
                elif "/data/" in name:
                    content = np.frombuffer(content, dtype=f"u{widths[name.rsplit('/', 1)[1]]}").byteswap().tobytes()
                target.writestr(name, content)
        self.expect_tensors(self.path("b.pt"), tensors)

    def test_safetensors(self):
        tensors = self.some_tensors(list(support.SAFETENSORS))
        self.write("a.safetensors", support.safetensors_bytes(tensors, {"format": "pt"}))
        self.expect_tensors(self.path("a.safetensors"), tensors)

    def test_numpy_files(self):
        for dtype in ("<f4", ">f8", "<i2", ">u4", "|b1", "|i1", "<c8", ">c16", "<f2"):
            for order in "CF":
                array = np.asarray(np.random.default_rng(3).integers(0, 100, (3, 5)).astype(dtype), order=order)
                np.save(self.path("a.npy"), array)
                checked = run_json("weights", "check", self.path("a.npy"), self.path("a.npy"))
                self.assertEqual(checked["tensors"][0]["first"]["xxh64"], xxh64(array.astype(array.dtype.newbyteorder("<")).tobytes("C")), f"{dtype} {order}")
        np.savez(self.path("a.npz"), x=np.arange(5.0), y=np.zeros((2, 2), np.int8))
        np.savez_compressed(self.path("b.npz"), x=np.arange(5.0), y=np.zeros((2, 2), np.int8))
        self.assertEqual(run_json("weights", "check", self.path("a.npz"), self.path("b.npz"))["counts"], {"identical": 2})

    def test_numpy_arrays_in_pickles_of_every_protocol(self):
        content = {"a": np.arange(6.0).reshape(2, 3), "b": [np.arange(4, dtype=">i4"), np.float32(1)], "f": np.asfortranarray(np.arange(6).reshape(2, 3))}
        for protocol in range(6):
            self.path("a.pkl").write_bytes(pickle.dumps(content, protocol=protocol))
            checked = run_json("weights", "check", self.path("a.pkl"), self.path("a.pkl"))
            self.assertEqual({row["name"]: row["first"]["xxh64"] for row in checked["tensors"]},
                             {"a": xxh64(content["a"].tobytes()), "b.0": xxh64(content["b"][0].astype("<i4").tobytes()), "f": xxh64(content["f"].tobytes("C"))}, protocol)

    def test_whole_modules_have_the_names_of_their_state_dict(self):
        net = Net()
        for legacy in (False, True):
            torch.save(net, self.path("a.pt"), _use_new_zipfile_serialization=not legacy)
            shown = run_json("weights", "show", self.path("a.pt"))
            self.assertEqual({row["name"] for row in shown["tensors"]}, set(net.state_dict()))
            self.assertIn(f"{__name__}.Net", shown["closed_objects"])
        torch.jit.save(torch.jit.script(torch.nn.Sequential(torch.nn.Linear(3, 2))), self.path("script.pt"))
        self.assertEqual({row["name"] for row in run_json("weights", "show", self.path("script.pt"))["tensors"]}, {"0.weight", "0.bias"})

    def test_training_checkpoints(self):
        net = Net()
        optimiser = torch.optim.AdamW(net.parameters())
        net.head(net.first(torch.randn(4, 5))).sum().backward()
        optimiser.step()
        torch.save({"epoch": 3, "model": net.state_dict(), "optimizer": optimiser.state_dict(), "best": collections.defaultdict(float, a=1.0),
                    "rng": torch.get_rng_state(), "device": torch.device("cuda:0")}, self.path("a.pt"))
        shown = run_json("weights", "show", self.path("a.pt"))
        names = [row["name"] for row in shown["tensors"]]
        self.assertEqual([name[6:] for name in names if name.startswith("model.")], list(net.state_dict()))
        self.assertIn("optimizer.state.0.exp_avg", names)
        self.assertIn("epoch", shown["other_values"])
        self.assertEqual(shown["closed_objects"], {})
        self.assertTrue(shown["order_is_kept"])

    def test_tied_weights_and_parameters_are_marked(self):
        weight = torch.nn.Parameter(torch.randn(3, 4))
        torch.save({"embed": weight, "head": weight, "other": weight.detach().clone()}, self.path("a.pt"))
        rows = {row["name"]: row for row in run_json("weights", "show", self.path("a.pt"))["tensors"]}
        self.assertEqual(rows["head"]["tied_to"], "embed")
        self.assertNotIn("tied_to", rows["other"])
        self.assertTrue(rows["embed"]["is_parameter"] and rows["embed"]["requires_grad"])

    def test_other_layouts(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            quantized = torch.quantize_per_channel(torch.randn(2, 3), torch.tensor([0.1, 0.2]), torch.tensor([0, 1]), 0, torch.qint8)
            torch.save({"coo": torch.eye(3).to_sparse(), "csr": torch.eye(3).to_sparse_csr(), "q": quantized, "meta": torch.empty(3, 4, device="meta"),
                        "bare": torch.ones(3).untyped_storage()}, self.path("a.pt"))
        rows = {row["name"]: row for row in run_json("weights", "show", self.path("a.pt"))["tensors"]}
        self.assertLessEqual({"coo.indices", "coo.values", "csr.compressed_indices", "csr.plain_indices", "csr.values", "q", "meta", "bare"}, set(rows))
        self.assertEqual((rows["q"]["dtype"], rows["meta"]["device"], rows["bare"]["bytes"]), ("qint8", "meta", 12))

    def test_device_tags_are_listed(self):
        """A file from a CUDA machine, made by renaming the tag in the pickle of a CPU file."""
        torch.save({"a": torch.ones(2), "b": torch.zeros(3)}, self.path("cpu.pt"), pickle_protocol=2)
        with zipfile.ZipFile(self.path("cpu.pt")) as source, zipfile.ZipFile(self.path("cuda.pt"), "w") as target:
            for name in source.namelist():
                target.writestr(name, source.read(name).replace(b"X\x03\x00\x00\x00cpu", b"X\x06\x00\x00\x00cuda:0"))
        self.assertEqual({row["device"] for row in run_json("weights", "show", self.path("cuda.pt"))["tensors"]}, {"cuda:0"})
        self.assertIn("device tags: cuda:0 x 2", run("weights", "show", self.path("cuda.pt"), expect=0).stdout)

    def test_an_attack_is_named_and_never_run(self):
        mark = self.path("run")
        for legacy in (False, True):
            torch.save({"weight": torch.ones(2), "x": Attack(f"touch {mark}")}, self.path("a.pt"), _use_new_zipfile_serialization=not legacy)
            done = run("weights", "show", self.path("a.pt"), expect=0)
            self.assertIn("posix.system", done.stdout)
            self.assertIn("warning", done.stdout)
            run("weights", "check", self.path("a.pt"), self.path("a.pt"), expect=0)
        self.path("plain.pkl").write_bytes(pickle.dumps([Attack(f"touch {mark}")]))
        self.assertEqual(run_json("weights", "show", self.path("plain.pkl"))["dangerous"], ["posix.system"])
        self.assertFalse(mark.exists())
        with open(self.path("plain.pkl"), "rb") as file:
            pickle.load(file)
        self.assertTrue(mark.exists(), "the attack itself must work, or this test proves nothing")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Runs operators of a public collection of Ascend C kernels, unmodified, on the emulated core and compares with their PyTorch references.

    bench/ascend_trials/run.py COLLECTION --work FOLDER [--verb run|check] [--only NAME,...] [--minutes N] [--starbridge BIN]
    bench/ascend_trials/table.py FOLDER

COLLECTION is the fetched folder of EvoKernel (ops-*-910b and pytorch-references); nothing is fetched here. Needs torch. Each operator is
compiled as it is, called through its own tiling function with the inputs and weights of the reference (sizes cut down where they are
large), and what it wrote is compared with what the reference computes on the CPU. Results go to FOLDER/VERB.jsonl, one line per operator;
those already there are not run again. Outputs start as NaN, so that what was not written
is seen; where only some blocks ran, the reference computes the rows that were written.
"""
from __future__ import annotations

import argparse
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import torch

import parts
import reference

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ACL_TYPES = {torch.float32: 0, torch.float16: 1, torch.int8: 2, torch.int32: 3, torch.uint8: 4, torch.int16: 6, torch.int64: 9,
             torch.float64: 11, torch.bool: 12, torch.bfloat16: 27}
TOLERANCES = {torch.bfloat16: 1.6e-2}  # |got - wanted| / max(1, |wanted|); other types: 1e-2, as KernelBench judges


class Failed(Exception):
    def __init__(self, kind, why):
        super().__init__(why)
        self.kind = kind


def operators(collection):
    """name -> folder; the set whose operators are whole references first."""
    found = {}
    for folder in sorted(glob.glob(f"{collection}/ops-*-910b/*/"), key=lambda path: ("kernelbench" not in path, path)):
        found[pathlib.Path(folder).name] = pathlib.Path(folder)
    return found


def description(folder):
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text())
        if isinstance(content, list) and content and "input_desc" in content[0]:
            return content[0]
    raise Failed("no description", folder.name)


def prepared(folder, work):
    """The operator's two halves, linked into a folder of their own: the extension beside them is for PyTorch on the device.

    Where the host half includes the tiling header by the name CANN's generator gives it and the header has another one, a second
    name is laid beside it."""
    to = work / "operators" / folder.name
    shutil.rmtree(to, ignore_errors=True)
    for half in ("op_host", "op_kernel"):
        shutil.copytree(folder / half, to / half)
    for source in (to / "op_host").glob("*.cpp"):
        for header in re.findall(r'#include\s*"(\w+_tiling\.h)"', source.read_text()):
            there = sorted((to / "op_host").glob("*.h"))
            if there and not (to / "op_host" / header).exists():
                (to / "op_host" / header).symlink_to(there[0].name)
    return to


def raw(tensor):
    tensor = tensor.contiguous()
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy().tobytes()


class Job:
    """The job file of one call, and its tensors."""

    def __init__(self, folder, name):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder, self.lines, self.tensors = folder, [name], 0

    def tensor(self, value):
        if value is None:
            self.lines.append("null")
            return None
        path = self.folder / f"t{self.tensors}"
        self.tensors += 1
        path.write_bytes(raw(value))
        extents = list(value.shape) or [1]
        self.lines.append(f"tensor {ACL_TYPES[value.dtype]} {len(extents)} {' '.join(map(str, extents))} {path}")
        return path

    def result(self, kind, extents):
        path = self.folder / f"t{self.tensors}"
        self.tensors += 1
        self.lines.append(f"result {ACL_TYPES[kind]} {len(extents)} {' '.join(map(str, extents))} {path}")
        return path

    def attribute(self, kind, value):
        word = "float" if "float" in kind else "bool" if "bool" in kind else "int"
        self.lines.append(f"{word} {float(value) if word == 'float' else int(value)}")

    def write(self):
        (self.folder / "job").write_text("\n".join(self.lines) + "\n")
        return self.folder / "job"


def type_of(wanted, declared):
    return reference.TYPES.get(declared[0], torch.float32) if len(set(declared)) == 1 else wanted.dtype


def read_result(path, kind, shape):
    got = torch.from_file(str(path), dtype=kind, size=max(1, shape.numel())).reshape(shape or (1,))
    return got, (~got.isnan() if got.is_floating_point() else got.ne(torch.full((1,), -1, dtype=torch.int64).to(kind)))


def compared(called, results):
    """The largest difference among what was written, whether all are close, and the share that was written."""
    read = [read_result(*result) for result in results]
    rows = [torch.nonzero(written.reshape(written.shape[0], -1).any(1)) for _, written in read]
    touched = torch.cat(rows) if sum(len(row) for row in rows) else torch.zeros(1, dtype=torch.int64)
    values, first, last = called.compute(int(touched.min()), int(touched.max()) + 1)
    worst, is_close, shares = 0.0, True, []
    for (got, written), wanted in zip(read, values):
        shares.append(float(written.float().mean()))
        got, written = got[first:last], written[first:last]
        wanted = wanted.reshape(got.shape)
        written = written | (wanted.isnan() if wanted.is_floating_point() else written)
        got, wanted = got[written].double(), wanted[written].double()
        off = (got - wanted).abs() / wanted.abs().clamp(min=1)
        off = torch.where((got == wanted) | (got.isnan() & wanted.isnan()), torch.zeros_like(off), off)
        largest = float(off.nan_to_num(nan=9e9).max()) if off.numel() else 0.0
        worst, is_close = max(worst, largest), is_close and largest <= TOLERANCES.get(read[0][0].dtype, 1e-2)
    return worst, is_close, min(shares)


def attempt(name, folder, options, limit, sample, seconds):
    described = description(folder)
    called = parts.call(name, described) or reference.call(reference.find(options.collection, name), described, limit)
    job = Job(options.work / "jobs" / name, described["op"])
    for value in called.inputs:
        job.tensor(value)
    for kind, value in called.attributes:
        job.attribute(kind, value)
    results = []
    for wanted, declared in zip(called.outputs, described["output_desc"]):
        kind = type_of(wanted, declared["type"])
        results.append((job.result(kind, list(wanted.shape) or [1]), kind, wanted.shape))
    command = [options.starbridge, "kernel", options.verb, str(prepared(folder, options.work)), "--with", str(HERE / "driver.cpp"),
               "--time-limit", str(seconds), "--json"]
    if sample:
        command += ["--sample", str(sample)]
    done = subprocess.run([*command, "--", str(job.write())], capture_output=True, text=True, timeout=seconds + 120,
                          env={**os.environ, "STARBRIDGE_ROOT": str(ROOT)})
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise Failed("failed", f"no report: {(done.stdout + done.stderr)[:300]}") from error
    if "findings" not in report:
        raise Failed("does not compile", json.dumps(report)[:400])
    findings = [[found["severity"], found["rule"], found.get("at", {}).get("file", "").rsplit("/", 1)[-1], found.get("at", {}).get("line", 0),
                 found.get("message", "")[:200]] for found in report["findings"]]
    if "done" not in report["output"]:
        rules = {found[1] for found in findings}
        kind = "time limit" if "time-limit" in rules else "refuses sizes" if "tiling function" in report["output"] else "failed"
        raise Failed(kind, f"exit {report['exit_code']}, {sorted(rules)}: {report['output'][-300:]}")
    off, is_close, share = compared(called, results)
    shutil.rmtree(job.folder, ignore_errors=True)
    return {"off": off, "written": share, "findings": findings, "compile_ms": report["compile_ms"], "run_ms": report["run_ms"],
            "elements": sum(value.numel() for value in called.inputs if value is not None), "cut_down": called.is_cut_down,
            "type": str(called.outputs[0].dtype).removeprefix("torch."), "part": called.is_whole, "sample": sample, "close": is_close}


def trial(name, folder, options):
    if name.removesuffix("Custom") not in parts.PARTS and reference.find(options.collection, name) is None:
        return {"status": "no reference"}
    last = {"status": "failed"}
    # Sizes cut down and every block; then the operator's own sizes and some of its blocks, for those that know only their own.
    plans = {"cut-down": (options.elements, 0, 60), "own": (None, 1, 60)}
    for plan in plans if options.sizes == "both" else [options.sizes]:
        limit, sample, seconds = plans[plan]
        try:
            result = attempt(name, folder, options, limit, sample, seconds)
        except (Failed, reference.Skip) as error:
            result = {"status": getattr(error, "kind", "not called"), "why": str(error)}
        except Exception as error:  # whatever a reference does at other sizes
            result = {"status": "not called", "why": f"{type(error).__name__}: {error}"[:300]}
        else:
            agrees = result.pop("close") and result["written"] > 0
            whole = result["written"] > 0.999
            result["status"] = ("agrees" if whole else "agrees in a sample" if sample else "differs") if agrees else "differs"
        if result["status"].startswith("agrees"):
            return result
        # That an operator made for its own sizes is wrong at others says nothing of it.
        if plan == "cut-down" and result["status"] in ("differs", "failed") and reference.is_tied_to_sizes(folder):
            result = {"status": "own sizes only", "why": f"at sizes cut down: {result['status']} {result.get('off', '')} {result.get('why', '')}"}
        last = result if last["status"] == "failed" or result["status"] not in ("not called", "time limit") else last
    return last


def in_own_process(name, folder, options, seconds):
    """A child that shares the torch already loaded; it may die of memory or time without ending the rest."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        began = time.time()
        result = trial(name, folder, options)
        with os.fdopen(writer, "w") as to:
            json.dump({"op": name, "set": folder.parent.name, **result, "seconds": round(time.time() - began, 1)}, to)
        os._exit(0)
    os.close(writer)
    end = time.time() + seconds
    while time.time() < end and os.waitpid(child, os.WNOHANG)[0] == 0:
        time.sleep(0.05)
    else:
        if time.time() >= end:
            os.kill(child, 9)
            os.waitpid(child, 0)
    with os.fdopen(reader) as come:
        text = come.read()
    return json.loads(text) if text else {"op": name, "set": folder.parent.name, "status": "time limit", "why": "reference and program together"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--verb", choices=("run", "check"), default="run")
    parser.add_argument("--only", default="")
    parser.add_argument("--minutes", type=float, default=600, help="begin no further operator after this time")
    parser.add_argument("--sizes", choices=("both", "cut-down", "own"), default="both")
    parser.add_argument("--again", action="store_true", help="also those that were run and do not agree")
    parser.add_argument("--elements", type=int, default=0, help="of all inputs together, when sizes are cut down")
    parser.add_argument("--starbridge", default=str(ROOT / "build/dev/src/cli/starbridge"))
    options = parser.parse_args()
    options.elements = options.elements or (1 << 18 if options.verb == "run" else 1 << 13)
    options.collection, options.work = options.collection.resolve(), options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    results = options.work / f"{options.verb}.jsonl"
    rows = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    known = {row["op"] for row in rows if row["status"].startswith("agrees") or not options.again}
    chosen = operators(options.collection)
    if not chosen:
        sys.exit(f"no ops-*-910b in {options.collection}")
    only = [name for name in options.only.split(",") if name]
    quick = [name for name in chosen if not reference.is_tied_to_sizes(chosen[name])]
    order = quick + [name for name in chosen if name not in set(quick)]
    end = time.time() + 60 * options.minutes
    for name in only or order:
        if name not in chosen:
            sys.exit(f"no operator {name} in {options.collection}")
        if name in known and not only:
            continue
        if time.time() > end:
            break
        result = in_own_process(name, chosen[name], options, 240)
        with open(results, "a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
        print(f"{name}: {result['status']}, {result.get('seconds', 0)} s", flush=True)


if __name__ == "__main__":
    main()

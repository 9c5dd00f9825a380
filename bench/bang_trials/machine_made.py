#!/usr/bin/env python3
"""Checks XpilerBench's BANG C kernels, which a machine wrote: which give right results, and which does the checker report.

  bench/bang_trials/machine_made.py --xpiler DIR --output DIR [--starbridge FILE] [OPERATOR...]

Every kernel that has a body is launched as its text asks (by clusterId: 4 clusters or 8; by coreId: one; by neither: one task) with
buffers of exactly the size of its shape, in `run` for its numbers and in `check` for its findings. OUTPUT/OPERATOR.json has each one."""

import argparse
import json
import math
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CHIP = "mlu590"  # the one with eight clusters
KERNEL = re.compile(r"__mlu_(?:global|entry)__\s+void\s+(\w+)\s*\(([^)]*)\)")
UNKNOWN = 1 << 21  # elements, where the shape does not tell


def buffer_sizes(operator, s, count):
    """Elements of each buffer of a kernel, inputs first."""
    if operator in ("add", "sub", "relu", "sigmoid", "sign", "sin", "gelu", "softmax", "rmsnorm"):
        return [math.prod(s)] * count
    if operator.endswith("pool"):
        n, h, w, c, kh, kw, sh, sw = s
        return [n * h * w * c, n * ((h - kh) // sh + 1) * ((w - kw) // sw + 1) * c]
    if operator == "layernorm":
        return [math.prod(s), s[-1], s[-1], math.prod(s)]
    if operator == "gemv":
        return [s[0] * s[1], s[1], s[0]]
    if operator == "gemm":
        return [s[0] * s[1], s[1] * s[2], s[0] * s[2]]
    if operator == "bmm":
        return [s[0] * s[1] * s[2], s[0] * s[2] * s[3], s[0] * s[1] * s[3]]
    if operator in ("conv2d", "conv2dnchw"):
        n, h, w, c, outputs, kh, kw = (s[0], s[1], s[2], s[3], s[4], s[5], s[6]) if operator == "conv2d" else (s[0], s[2], s[3], s[1], s[4], s[6], s[7])
        return [n * h * w * c, outputs * kh * kw * c, n * ((h - kh) // s[8] + 1) * ((w - kw) // s[8] + 1) * outputs]
    if operator == "conv1d":
        return [s[1], s[1] - s[0] + 1, s[0]]
    if operator == "depthwiseconv":
        return [s[0] * s[0] * s[2], s[1] * s[1] * s[2], (s[0] - s[1] + 1) ** 2 * s[2]]
    return [UNKNOWN] * count


def kernels(folder):
    """operator -> [(file, name, parameters)] of the files that have a kernel."""
    found = {}
    for file in sorted(folder.glob("*.mlu")):
        match = KERNEL.search(file.read_text())
        if match:
            found.setdefault(re.sub(r"_\d.*", "", file.stem), []).append((file, match[1], [p.strip() for p in match[2].split(",")]))
    return found


def program_of(operator, rows):
    lines = ["#include <bang.h>", '#include "machine_made.h"']
    body = []
    for index, (file, name, parameters) in rows:
        lines += [f"#define {name} kernel_{index}", f'#include "{file}"', f"#undef {name}"]
        shape = [int(n) for n in re.findall(r"\d+", file.stem.split("_", 1)[1])]
        types = [re.sub(r"const|__restrict__", "", p.rpartition("*")[0]).strip() for p in parameters]
        sizes = buffer_sizes(operator, shape, len(types))
        made = ", ".join(f"trial::make<{t}>({n}, {i})" for i, (t, n) in enumerate(zip(types, sizes, strict=True)))
        given = ", ".join(f"({t}*)b[{i}].memory" for i, t in enumerate(types))
        body += [
            f"if (index == {index}) {{ std::vector<trial::Buffer> b = {{{made}}}; kernel_{index}<<<launch.dim, launch.type, queue>>>({given});",
            f'cnrtQueueSync(queue); trial::judge<{types[-1]}>({index}, "{operator}", {{{", ".join(map(str, shape))}}}, b); }}',
        ]
    lines += [
        "int main(int count, char** words) { cnrtQueue_t queue; cnrtQueueCreate(&queue);",
        "const trial::Launch launch = trial::launch_named(words[1]);",
        "for (int i = 2; i < count; ++i) { const int index = std::atoi(words[i]);",
        *body,
        "} cnrtQueueDestroy(queue); }",
    ]
    return "\n".join(lines) + "\n"


class Trial:
    def __init__(self, options):
        self.options = options

    def starbridge(self, verb, program, launch, indices, seconds):
        words = [self.options.starbridge, "kernel", verb, "--json", program, "--chip", CHIP, "-I", HERE, "--time-limit", seconds, "--", launch, *indices]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, env={**os.environ, "STARBRIDGE_ROOT": str(ROOT)})
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError:
            return {"message": (done.stdout + done.stderr)[-400:]}

    def write(self, operator, rows, suffix=""):
        program = self.options.output / f"{operator}{suffix}.mlu"
        program.write_text(program_of(operator, rows))
        return program

    def run(self, operator, rows):
        """file stem -> {"launch", "result", "rules"} or {"refused"}."""
        rows = list(enumerate(rows))
        results, compiled = {}, []
        program = self.write(operator, rows)
        if self.starbridge("run", program, "none", [], 20).get("exit_code") == 0:
            compiled = rows
        else:  # each alone
            for index, row in rows:
                report = self.starbridge("run", self.write(operator, [(index, row)], f"_{index}"), "none", [], 20)
                if report.get("exit_code") == 0:
                    compiled.append((index, row))
                else:
                    results[row[0].stem] = {"refused": report.get("message"), "line": report.get("place", {}).get("line")}
            program = self.write(operator, compiled)
        for launch, group in self.groups(compiled).items():
            right, tried = self.numbers(program, launch, group)
            for name, indices in tried.items():
                report = self.starbridge("check", program, name, indices, 120)
                if "findings" not in report or "time-limit" in {f["rule"] for f in report["findings"]} or report.get("exit_code") != 0:
                    reports = {i: self.starbridge("check", program, name, [i], 20) for i in indices}
                else:
                    reports = dict.fromkeys(indices, report)
                for index in indices:
                    file = compiled_file(compiled, index)
                    rules = Counter()
                    for finding in reports[index].get("findings", []):
                        places = [finding.get(side, {}).get("file", "") for side in ("at", "other")]
                        if finding["severity"] == "error" and (str(file) in places or len(set(map(id, reports.values()))) > 1):
                            rules[f"{finding['rule']}: {re.sub(r'[0-9]+', 'N', finding['message'])}"] += 1
                    results[file.stem] = {"launch": name, "result": right.get(index, "no end"), "rules": rules}
        return results

    @staticmethod
    def groups(rows):
        """How the text asks to be launched -> rows."""
        found = {}
        for index, row in rows:
            text = row[0].read_text()
            names = ("union4", "union8") if "clusterId" in text else ("union1",) if "coreId" in text else ("block",)
            found.setdefault(names, []).append((index, row))
        return found

    def numbers(self, program, launches, group):
        """index -> "right", "wrong", "unknown"; and launch -> indices, each under the first that makes it right, else under the first."""
        right, tried = {}, {}
        left = [index for index, _ in group]
        for launch in launches:
            output = self.starbridge("run", program, launch, left, 60).get("output", "")
            seen = dict(re.findall(r"^(\d+) (\w+)", output, re.MULTILINE))
            for index in [i for i in left if str(i) not in seen]:
                output = self.starbridge("run", program, launch, [index], 20).get("output", "")
                seen.update(re.findall(r"^(\d+) (\w+)", output, re.MULTILINE))
            for index in left:
                right[index] = seen.get(str(index), "no end")
            good = [i for i in left if right[i] == "right"]
            if good:
                tried[launch] = good
            left = [i for i in left if right[i] != "right"]
        if left:
            tried[launches[0]] = tried.get(launches[0], []) + left
        return right, tried


def compiled_file(compiled, index):
    return next(row[0] for each, row in compiled if each == index)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--xpiler", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--starbridge", default=str(ROOT / "build/dev/src/cli/starbridge"))
    parser.add_argument("operators", nargs="*", metavar="OPERATOR")
    options = parser.parse_args()
    options.output = options.output.resolve()
    options.output.mkdir(parents=True, exist_ok=True)
    print("| operator | kernels | refused | right | of them with errors | wrong | of them with errors | unknown | of them with errors | rules |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for operator, rows in kernels(options.xpiler.resolve() / "XpilerBench/MLU").items():
        if options.operators and operator not in options.operators:
            continue
        results = Trial(options).run(operator, rows)
        (options.output / f"{operator}.json").write_text(json.dumps(results, indent=1))
        cells = [operator, len(rows), sum("refused" in each for each in results.values())]
        ran = [each for each in results.values() if "refused" not in each]
        for wanted in (("right",), ("wrong", "no end"), ("unknown",)):
            these = [each for each in ran if each["result"] in wanted]
            cells += [len(these), sum(bool(each["rules"]) for each in these)]
        rules = Counter(rule.split(":")[0] for each in ran for rule in each["rules"])
        cells.append(", ".join(f"{rule} {count}" for rule, count in rules.most_common()) or "-")
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

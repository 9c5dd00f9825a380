#!/usr/bin/env python3
"""Measures what starbridge_torch costs per intercepted call and per training step, against the same program in the vendor's names.

    PYTHONPATH=$(PY python/emulated/build.py --print-path):python/starbridge_torch STARBRIDGE_DEVICE_PROFILE=npu.json PY bench/plugin_overhead.py

Both run in processes of their own, one after the other in every round, on the emulated device. The calls are small, so that what a call
costs is Python's share; a card's own time would only make the ratios smaller. Prints the median of the rounds and the spread.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

CALLS = {
    "torch.device(...)": ("torch.device('npu', 0)", "torch.device('cuda', 0)"),
    "torch.zeros(2, device=...)": ("torch.zeros(2, device='npu')", "torch.zeros(2, device='cuda')"),
    "torch.zeros(2), no device": ("torch.zeros(2)", "torch.zeros(2)"),
    "x.to(text), there already": ("x.to('npu')", "x.to('cuda')"),
    "x.to(dtype)": ("x.to(torch.float32)", "x.to(torch.float32)"),
    "x.npu() / x.cuda()": ("x.npu()", "x.cuda()"),
    "x.device.type == ...": ("x.device.type == 'npu'", "x.device.type == 'cuda'"),
    "x.is_npu / x.is_cuda": ("x.is_npu", "x.is_cuda"),
    "torch.X.current_device()": ("torch.npu.current_device()", "torch.cuda.current_device()"),
}
STEP = """
model = torch.nn.Sequential(*[torch.nn.Linear(64, 64) for _ in range(8)]).to(DEVICE)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
def step():
    inputs = torch.ones(16, 64, device=DEVICE)
    loss = model(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def measure(is_plugin):
    import torch  # noqa: F401

    if is_plugin:
        import starbridge_torch  # noqa: F401
    else:
        import torch_npu  # noqa: F401
    device = "cuda" if is_plugin else "npu"
    space = {"torch": torch, "x": torch.ones(2).to(device), "DEVICE": device}
    results = {}
    for name, pair in CALLS.items():
        call = eval(f"lambda count: [({pair[is_plugin]}) for _ in range(count)]", space)
        call(200)
        begin = time.perf_counter()
        call(4000)
        results[name] = (time.perf_counter() - begin) / 4000 * 1e6
    exec(STEP, space)
    for _ in range(5):
        space["step"]()
    begin = time.perf_counter()
    for _ in range(40):
        space["step"]()
    results["training step, 8 linear layers"] = (time.perf_counter() - begin) / 40 * 1e6
    print(json.dumps(results))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--measure", choices=["vendor", "plug-in", "counted"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        return measure(options.measure != "vendor")
    rounds = {"vendor": [], "plug-in": [], "counted": []}
    for _ in range(options.rounds):
        for side, results in rounds.items():
            env = dict(os.environ, OMP_NUM_THREADS="1")
            if side == "counted":
                env["STARBRIDGE_TORCH_TELEMETRY"] = os.path.join(tempfile.gettempdir(), "starbridge-overhead.json")
            done = subprocess.run([sys.executable, __file__, "--measure", side], check=True, capture_output=True, text=True, env=env)
            results.append(json.loads(done.stdout.strip().splitlines()[-1]))
    print(f"{'microseconds':34} {'vendor':>9} {'plug-in':>9} {'counted':>9} {'added':>8}   spread of added")
    for name in rounds["vendor"][0]:
        middle = {side: statistics.median(result[name] for result in results) for side, results in rounds.items()}
        added = [plug[name] - vendor[name] for plug, vendor in zip(rounds["plug-in"], rounds["vendor"])]
        print(f"{name:34} {middle['vendor']:9.2f} {middle['plug-in']:9.2f} {middle['counted']:9.2f} {middle['plug-in'] - middle['vendor']:8.2f}   "
              f"{min(added):.2f} to {max(added):.2f}")


if __name__ == "__main__":
    main()

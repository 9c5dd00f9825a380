#!/usr/bin/env python3
"""Measures the server: submission to first process (against starting the same command alone), answers per second, memory and CPU at rest.

Usage: bench/server_latency.py BINARY   (prints one JSON object; all numbers are measured on this machine)
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROUNDS = 20


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main():
    binary = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="starbridge-bench-") as home:
        environment = {**os.environ, "STARBRIDGE_HOME": home}
        subprocess.run([binary, "up", "--listen", "127.0.0.1:0"], env=environment, check=True, capture_output=True)
        record = json.loads(Path(home, "server.json").read_text())
        headers = {"Authorization": "Bearer " + record["token"]}

        def call(method, path, body=None):
            data = None if body is None else json.dumps(body).encode()
            with urllib.request.urlopen(urllib.request.Request(record["address"] + path, data, headers, method=method), timeout=30) as answer:
                return json.loads(answer.read())

        def cpu_ticks():
            fields = Path(f"/proc/{record['pid']}/stat").read_text().rsplit(")", 1)[1].split()
            return int(fields[11]) + int(fields[12])

        begun, answered, alone = {"nvidia-a100-80g": [], "mlu370-x8": []}, [], []
        for round_number in range(2 * ROUNDS):
            chip = sorted(begun)[round_number % 2]
            mark = Path(home, f"mark-{round_number}")
            script = f"date +%s%N > {mark}.new; mv {mark}.new {mark}"
            start = time.time_ns()
            call("POST", "/api/v1/jobs", {"job": {"name": "bench", "script": script, "chips": [chip]}})
            answered.append((time.time_ns() - start) / 1e6)
            while not mark.exists():
                time.sleep(0.001)
            begun[chip].append((int(mark.read_text()) - start) / 1e6)
            mark.unlink()
            start = time.time_ns()
            subprocess.run(["/bin/sh", "-c", script], check=True)
            alone.append((int(mark.read_text()) - start) / 1e6)
        start = time.monotonic()
        for _ in range(200):
            call("GET", "/api/v1/health")
        health_per_s = 200 / (time.monotonic() - start)
        before, start = cpu_ticks(), time.monotonic()
        time.sleep(5)
        cpu_percent = (cpu_ticks() - before) / os.sysconf("SC_CLK_TCK") / (time.monotonic() - start) * 100
        resident_kb = int(Path(f"/proc/{record['pid']}/status").read_text().split("VmRSS:")[1].split()[0])
        subprocess.run([binary, "down"], env=environment, capture_output=True)
    print(json.dumps({
        # An emulated MLU or NPU needs its profile and extension looked up first; the reference device and real cards do not.
        "submit_to_process_ms": {chip: {"median": round(statistics.median(times), 1), "p90": round(percentile(times, 0.9), 1)}
                                 for chip, times in begun.items()},
        "submit_answered_ms": {"median": round(statistics.median(answered), 1), "p90": round(percentile(answered, 0.9), 1)},
        "same_command_alone_ms": {"median": round(statistics.median(alone), 1), "p90": round(percentile(alone, 0.9), 1)},
        "health_answers_per_s": round(health_per_s),
        "idle_resident_mb": round(resident_kb / 1024, 1),
        "idle_cpu_percent": round(cpu_percent, 2),
        "rounds": ROUNDS,
    }, indent=2))


if __name__ == "__main__":
    main()

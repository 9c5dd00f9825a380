"""A server of its own for each test: own folder, any free port, killed at the end."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

BINARY = os.environ["STARBRIDGE_BIN"]
PATIENCE_S = 30


class ServerCase(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="starbridge-test-")
        self.environment = {**os.environ, "STARBRIDGE_HOME": self.home, "LANG": "C.UTF-8"}
        self.environment.pop("LC_ALL", None)

    def tearDown(self):
        self.run_command("down")
        for job in Path(self.home, "jobs").glob("*/start.json") if Path(self.home, "jobs").is_dir() else []:
            try:
                os.kill(json.loads(job.read_text())["supervisor_pid"], signal.SIGTERM)
            except (OSError, ValueError, KeyError):
                pass
        shutil.rmtree(self.home, ignore_errors=True)

    def run_command(self, *arguments, cwd=None):
        return subprocess.run([BINARY, *arguments], env=self.environment, capture_output=True, text=True, timeout=60, cwd=cwd)

    def command_json(self, *arguments):
        done = self.run_command("--json", *arguments)
        return json.loads(done.stdout)

    def up(self, *arguments):
        answer = self.command_json("up", "--listen", "127.0.0.1:0", *arguments)
        self.address = answer["address"]
        return answer

    def record(self):
        return json.loads(Path(self.home, "server.json").read_text())

    def kill_server(self):
        pid = self.record()["pid"]
        os.kill(pid, signal.SIGKILL)
        self.wait_for(lambda: not Path(f"/proc/{pid}/exe").exists())

    def submit(self, script, **fields):
        path = Path(self.home, "job.json.yaml")
        path.write_text(json.dumps({"name": "test", "command": script, "resources": {"cards": 1}, **fields}))
        done = self.run_command("--json", "submit", str(path))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)["id"]

    def job(self, job_id):
        return self.command_json("job", job_id)

    def wait_for(self, claim):
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            value = claim()
            if value:
                return value
            time.sleep(0.02)
        self.fail("the awaited state did not come")

    def wait_for_state(self, job_id, *states):
        return self.wait_for(lambda: (lambda job: job if job.get("state") in states else None)(self.job(job_id)))

    def request(self, method, path, body=None, headers=None):
        request = urllib.request.Request(self.address + path, method=method, data=body, headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

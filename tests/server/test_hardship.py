"""The server in bad company: ports held by orphans, cancels that come too early, slow clients, storms, full and read-only disks."""

import json
import os
import random
import socket
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from server_case import BINARY, ServerCase


def can_mount():
    script = "d=$(mktemp -d) && mount -t tmpfs -o size=1m none $d && umount $d && rmdir $d"
    return os.geteuid() == 0 and subprocess.run(["sh", "-c", script], capture_output=True).returncode == 0


class Restart(ServerCase):
    def test_a_running_job_does_not_hold_the_port_of_a_killed_server(self):
        self.up()
        job_id = self.submit("sleep 60")
        self.wait_for_state(job_id, "running")
        listen = self.address[len("http://"):]
        self.kill_server()
        answer = self.command_json("up", "--listen", listen)
        self.assertEqual(answer["address"], self.address)
        self.assertEqual(self.job(job_id)["state"], "running")
        self.run_command("cancel", job_id)

    def test_jobs_inherit_no_descriptor_of_the_server(self):
        self.up()
        job_id = self.submit("ls -l /proc/self/fd | grep -c socket: ; true")
        self.wait_for_state(job_id, "finished")
        self.assertEqual(self.run_command("logs", job_id).stdout.split()[-1], "0")

    def test_several_ups_at_once_give_one_server(self):
        command = [BINARY, "--json", "up", "--listen", "127.0.0.1:0"]
        running = [subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
        addresses = set()
        for process in running:
            out, err = process.communicate(timeout=60)
            if process.returncode == 0:
                addresses.add(json.loads(out)["address"])
            else:
                self.assertIn("api.server_runs", out + err)
        self.assertEqual(len(addresses), 1)
        self.assertEqual(self.record()["address"], addresses.pop())

    def test_a_stale_record_does_not_name_a_server(self):
        Path(self.home, "server.json").write_text(json.dumps({"address": "http://127.0.0.1:1", "pid": os.getpid(), "token": "x"}))
        self.assertEqual(self.run_command("jobs").returncode, 5)
        self.assertFalse(self.command_json("down")["was_running"])
        self.assertFalse(self.up()["was_running"])

    def test_what_a_lost_job_left_running_is_killed(self):
        self.up()
        pids = Path(self.home, "pids")
        job_id = self.submit(f"setsid sh -c 'echo $$ >> {pids}; exec sleep 600' & echo $$ >> {pids}; wait")
        self.wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 2)
        start = json.loads(Path(self.home, "jobs", job_id, "start.json").read_text())
        os.kill(start["supervisor_pid"], 9)
        self.wait_for_state(job_id, "lost")
        for pid in pids.read_text().split():
            self.wait_for(lambda: not Path(f"/proc/{pid}/exe").exists())


class Hurry(ServerCase):
    def headers(self, **more):
        return {"Authorization": "Bearer " + self.record()["token"], **more}

    def post_job(self, script, key=None):
        body = json.dumps({"job": {"name": "hurry", "script": script}}).encode()
        headers = self.headers(**({"Idempotency-Key": key} if key else {}))
        status, text = self.request("POST", "/api/v1/jobs", body, headers)
        self.assertEqual(status, 200, text)
        return json.loads(text)["id"]

    def test_a_cancel_right_after_the_submission_is_not_forgotten(self):
        self.up()
        for _ in range(8):
            job_id = self.post_job("sleep 300")
            self.assertEqual(self.request("POST", f"/api/v1/jobs/{job_id}/cancel", b"", self.headers())[0], 200)
            self.wait_for_state(job_id, "cancelled")

    def test_kill_9_amid_parallel_submissions_loses_and_doubles_nothing(self):
        self.up()
        acknowledged, lock = {}, threading.Lock()

        def storm(worker):
            for number in range(15):
                key = f"{worker}-{number}"
                try:
                    job_id = self.post_job(f"echo {key}", key)
                except Exception:  # the server dies under us
                    return
                with lock:
                    acknowledged[key] = job_id

        threads = [threading.Thread(target=storm, args=(worker,)) for worker in range(4)]
        for thread in threads:
            thread.start()
        self.wait_for(lambda: len(acknowledged) >= 10)
        self.kill_server()
        for thread in threads:
            thread.join()
        self.up()
        for key, job_id in acknowledged.items():
            self.assertEqual(self.post_job(f"echo {key}", key), job_id)
        ids = [job["id"] for job in self.command_json("jobs")["items"]]
        self.assertEqual(len(ids), len(set(ids)))
        for job_id in ids:
            job = self.wait_for_state(job_id, "finished")
            self.assertEqual(len(job["leases"]), 1)
            log = [line for line in self.run_command("logs", job_id).stdout.splitlines() if not line.startswith("[starbridge]")]
            self.assertEqual(len(log), 1, log)

    def test_slow_clients_neither_block_the_others_nor_stay(self):
        self.up()
        host, port = self.address[len("http://"):].split(":")
        slow = [socket.create_connection((host, int(port)), timeout=40) for _ in range(40)]
        for connection in slow:
            connection.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: local")
        self.assertEqual(self.request("GET", "/api/v1/health")[0], 200)
        for connection in slow:
            with connection:
                self.assertEqual(connection.recv(10), b"")

    def test_random_bytes_do_not_stop_the_server(self):
        self.up()
        host, port = self.address[len("http://"):].split(":")
        pid = self.record()["pid"]
        generator = random.Random(7)
        token = self.record()["token"].encode()
        valid = b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + b"\r\nContent-Length: 44\r\n\r\n" + b'{"job": {"name": "x", "script": 7, "a": [1]}}'
        for _ in range(300):
            junk = bytearray(valid)
            for _ in range(generator.randrange(1, 12)):
                junk[generator.randrange(len(junk))] = generator.randrange(256)
            with socket.create_connection((host, int(port)), timeout=5) as connection:
                try:
                    connection.sendall(bytes(junk))
                    connection.shutdown(socket.SHUT_WR)
                    connection.recv(4096)
                except OSError:
                    pass
        self.assertEqual(self.request("GET", "/api/v1/health")[0], 200)
        self.assertEqual(self.record()["pid"], pid)

    def test_odd_bodies_are_refused_in_words(self):
        self.up()
        job = {"name": "x", "script": "true"}
        bodies = [{"job": {**job, "script": "echo a\0b"}}, {"job": {**job, "environment": {"A=B": "c"}}}, {"job": {**job, "card_count": 0}},
                  {"job": {**job, "card_count": 2**63}}, {"job": {**job, "time_limit_ms": -1}}, {"job": {**job, "chips": [1]}},
                  {"job": job, "verdicts": []}, {"job": job, "verdicts": {"mlu370-x8": 1}}, {"job": {**job, "name": "x\u0000y"}}]
        wrong = []
        for body in bodies:
            status, text = self.request("POST", "/api/v1/jobs", json.dumps(body).encode(), self.headers())
            if not 400 <= status < 500:
                wrong.append((body, status, text[:300]))
        self.assertEqual(wrong, [])
        deep = b'{"job":' + b"[" * 5000 + b"]" * 5000 + b"}"
        self.assertEqual(self.request("POST", "/api/v1/jobs", deep, self.headers())[0], 422)


@unittest.skipUnless(can_mount(), "needs the right to mount a small file system")
class Disks(ServerCase):
    def setUp(self):
        super().setUp()
        self.small = tempfile.mkdtemp(prefix="starbridge-disk-")

    def tearDown(self):
        super().tearDown()
        subprocess.run(["umount", "-l", self.small])
        os.rmdir(self.small)

    def mount(self, options):
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", self.small], check=True)
        self.environment["STARBRIDGE_HOME"] = self.home = self.small

    def test_a_read_only_folder_is_named(self):
        self.mount("ro")
        done = self.run_command("up", "--listen", "127.0.0.1:0")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Read-only", done.stderr)
        self.assertIn(self.small, done.stderr)

    def test_a_disk_that_fills_up_refuses_jobs_and_recovers(self):
        self.mount("size=4m")
        self.up()
        job_id = self.submit("echo first")
        self.wait_for_state(job_id, "finished")
        filler = Path(self.small, "filler")
        with filler.open("wb", buffering=0) as out:
            try:
                while True:
                    out.write(b"x" * 4096)
            except OSError:
                pass
        token = self.record()["token"]
        body = json.dumps({"job": {"name": "x", "script": "#" + "y" * 300_000}}).encode()
        status, text = self.request("POST", "/api/v1/jobs", body, {"Authorization": "Bearer " + token})
        self.assertEqual((status, json.loads(text)["code"]), (507, "base.disk_full"))
        self.assertEqual(len(self.command_json("jobs")["items"]), 1)
        filler.unlink()
        self.wait_for_state(self.submit("echo second"), "finished")


if __name__ == "__main__":
    unittest.main()

"""The server as users meet it: jobs run, survive its death, and are billed to the millisecond."""

import json
import os
import signal
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from server_case import BINARY, ServerCase


class Journey(ServerCase):
    def test_a_job_runs_is_logged_and_billed(self):
        self.up()
        job_id = self.submit("echo begin; sleep 0.3; echo end")
        followed = self.run_command("logs", "-f", job_id)
        self.assertEqual(followed.returncode, 0, followed.stderr)
        self.assertIn("begin\nend\n", followed.stdout)
        job = self.job(job_id)
        self.assertEqual(job["state"], "finished")
        line = self.command_json("bill", "--job", job_id)["lines"][0]
        lease = job["leases"][0]
        self.assertEqual(line["duration_ms"], lease["close_ms"] - lease["open_ms"])
        self.assertGreaterEqual(line["duration_ms"], 300)
        self.assertEqual(lease["close_ms"], job["ended_ms"])

    def test_a_failing_job_says_so(self):
        self.up()
        job_id = self.submit("echo oops >&2; exit 7")
        self.assertEqual(self.run_command("logs", "-f", job_id).returncode, 1)
        job = self.job(job_id)
        self.assertEqual((job["state"], job["exit_code"], job["reason"]), ("failed", 7, "exit code 7"))

    def test_cards_are_shared_out_and_given_back(self):
        self.up()
        first = self.submit("sleep 30", resources={"cards": 8, "chips": "mlu370-x8"})
        second = self.submit("echo second", resources={"cards": 8, "chips": "mlu370-x8"})
        self.wait_for_state(first, "running")
        self.assertEqual(self.job(second)["state"], "waiting")
        self.assertIn("0 of 8", self.job(second)["reason"])
        self.run_command("cancel", first)
        self.wait_for_state(first, "cancelled")
        self.wait_for_state(second, "finished")

    def test_a_job_that_can_never_fit_is_refused_with_every_reason(self):
        self.up()
        path = Path(self.home, "big.yaml")
        path.write_text("name: big\ncommand: 'true'\nresources: {cards: 9, chips: mlu370-x8}\n")
        done = self.run_command("submit", str(path))
        self.assertEqual(done.returncode, 1)
        self.assertIn("[sched.no_fit]", done.stderr)
        self.assertIn("the pool has 8 of them, the job needs 9", done.stderr)

    def test_the_time_limit_ends_a_job(self):
        self.up()
        job_id = self.submit("sleep 60", time_limit="1s")
        job = self.wait_for_state(job_id, "timed_out")
        self.assertLess(job["ended_ms"] - job["started_ms"], 10_000)


class Survival(ServerCase):
    def test_kill_9_of_the_server_loses_no_job_no_log_and_no_millisecond(self):
        self.up()
        mark = Path(self.home, "go")
        job_id = self.submit(f"echo before; until [ -e {mark} ]; do sleep 0.02; done; echo after")
        self.wait_for_state(job_id, "running")
        self.kill_server()
        mark.touch()
        # The job ends while no server is there.
        self.wait_for(lambda: Path(self.home, "jobs", job_id, "exit.json").exists())
        self.up()
        job = self.wait_for_state(job_id, "finished")
        self.assertIn("before\nafter\n", self.run_command("logs", job_id).stdout)
        ended = json.loads(Path(self.home, "jobs", job_id, "exit.json").read_text())["ended_ms"]
        lease = job["leases"][0]
        self.assertEqual(lease["close_ms"], ended)
        self.assertEqual(len(job["leases"]), 1)
        self.assertEqual(self.command_json("bill", "--job", job_id)["lines"][0]["duration_ms"], ended - lease["open_ms"])

    def test_a_running_job_is_found_again_and_can_be_cancelled(self):
        self.up()
        job_id = self.submit("sleep 60")
        self.wait_for_state(job_id, "running")
        self.kill_server()
        self.up()
        self.assertEqual(self.job(job_id)["state"], "running")
        self.run_command("cancel", job_id)
        self.wait_for_state(job_id, "cancelled")

    def test_kill_9_in_a_storm_of_submissions_keeps_every_acknowledged_job_once(self):
        self.up()
        acknowledged = [self.submit("echo hi") for _ in range(6)]
        self.kill_server()
        self.up()
        for job_id in acknowledged:
            job = self.wait_for_state(job_id, "finished")
            self.assertEqual(len(job["leases"]), 1)
            self.assertEqual(self.run_command("logs", job_id).stdout.count("hi\n"), 1)

    def test_a_killed_supervisor_leaves_a_lost_job_with_a_closed_lease(self):
        self.up()
        job_id = self.submit("sleep 60")
        self.wait_for_state(job_id, "running")
        start = json.loads(Path(self.home, "jobs", job_id, "start.json").read_text())
        os.kill(start["supervisor_pid"], signal.SIGKILL)
        job = self.wait_for_state(job_id, "lost")
        self.assertIn("close_ms", job["leases"][0])
        self.wait_for(lambda: not Path(f"/proc/{start['process_pid']}/exe").exists())

    def test_two_servers_on_one_folder_are_refused(self):
        self.up()
        pid = self.record()["pid"]
        second = self.run_command("up", "--foreground", "--listen", "127.0.0.1:0")
        self.assertEqual(second.returncode, 3)
        self.assertIn("[api.server_runs]", second.stderr)
        self.assertIn(str(pid), second.stderr)

    def test_a_damaged_database_is_left_alone(self):
        self.up()
        self.run_command("down")
        database = Path(self.home, "starbridge.db")
        for path in Path(self.home).glob("starbridge.db*"):
            path.unlink()
        database.write_bytes(b"this is no database" * 100)
        done = self.run_command("up", "--foreground", "--listen", "127.0.0.1:0")
        self.assertEqual(done.returncode, 5)
        self.assertIn("[store.damaged]", done.stderr)
        self.assertEqual(database.read_bytes(), b"this is no database" * 100)

    @unittest.skipUnless(os.geteuid() == 0 and subprocess.run(["sh", "-c", "d=$(mktemp -d) && mount -t tmpfs -o size=1m none $d && umount $d"], capture_output=True).returncode == 0,
                         "needs the right to mount a small file system")
    def test_a_full_disk_is_named_and_nothing_is_half_written(self):
        small = tempfile.mkdtemp()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", small], check=True)
        try:
            Path(small, "filler").write_bytes(b"x" * 1_030_000)
            self.environment["STARBRIDGE_HOME"] = small
            done = self.run_command("up", "--listen", "127.0.0.1:0")
            self.assertIn(done.returncode, (3, 5))
            self.assertIn("No space left", done.stdout + done.stderr)
        finally:
            self.environment["STARBRIDGE_HOME"] = self.home
            subprocess.run(["umount", "-l", small])


class Cancel(ServerCase):
    def test_the_whole_tree_dies_even_when_it_ignores_term_or_leaves_the_session(self):
        self.up()
        pids = Path(self.home, "pids")
        script = f"""trap '' TERM
sh -c "trap '' TERM; echo \\$\\$ >> {pids}; while true; do sleep 1; done" &
setsid sh -c "trap '' TERM; echo \\$\\$ >> {pids}; while true; do sleep 1; done" &
echo $$ >> {pids}
while true; do sleep 1; done"""
        job_id = self.submit(script)
        self.wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 3)
        self.run_command("cancel", job_id)
        self.wait_for_state(job_id, "cancelled")
        for pid in pids.read_text().split():
            self.assertFalse(Path(f"/proc/{pid}/exe").exists(), f"process {pid} lives on")

    def test_a_waiting_job_is_cancelled_without_a_lease(self):
        self.up()
        self.submit("sleep 30", resources={"cards": 8, "chips": "mlu370-x8"})
        waiting = self.submit("echo never", resources={"cards": 8, "chips": "mlu370-x8"})
        self.run_command("cancel", waiting)
        job = self.job(waiting)
        self.assertEqual((job["state"], job["leases"]), ("cancelled", []))


class Http(ServerCase):
    def token(self):
        return {"Authorization": "Bearer " + self.record()["token"]}

    def test_writes_need_the_token(self):
        self.up()
        self.assertEqual(self.request("POST", "/api/v1/jobs", b"{}")[0], 401)
        self.assertEqual(self.request("POST", "/api/v1/jobs", b"{}", {"Authorization": "Bearer no"})[0], 401)
        self.assertEqual(os.stat(Path(self.home, "server.json")).st_mode & 0o777, 0o600)

    def test_wrong_bodies_get_problem_details(self):
        self.up()
        for body, status in ((b"{", 400), (b"[]", 422), (b'{"job": {}}', 422), (b'{"job": {"name": "x", "script": "true", "policy": "magic"}}', 422)):
            code, text = self.request("POST", "/api/v1/jobs", body, self.token())
            self.assertEqual(code, status, text)
            self.assertIn("code", json.loads(text))
        host, port = self.address[7:].split(":")
        with socket.create_connection((host, int(port)), timeout=5) as connection:
            connection.sendall(b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n")
            self.assertIn(b"413", connection.recv(4096))
        self.assertEqual(self.request("GET", "/api/v1/jobs/none")[0], 404)
        self.assertEqual(self.request("GET", "/no/such/route")[0], 404)

    def test_foreign_host_names_are_refused(self):
        self.up()
        self.assertEqual(self.request("GET", "/api/v1/pool", headers={"Host": "evil.example"})[0], 400)

    def test_the_same_key_gives_the_same_job(self):
        self.up()
        body = json.dumps({"job": {"name": "x", "script": "true", "working_directory": "/tmp"}}).encode()
        headers = {**self.token(), "Idempotency-Key": "k1"}
        first = json.loads(self.request("POST", "/api/v1/jobs", body, headers)[1])["id"]
        self.assertEqual(json.loads(self.request("POST", "/api/v1/jobs", body, headers)[1])["id"], first)
        other = json.dumps({"job": {"name": "y", "script": "true", "working_directory": "/tmp"}}).encode()
        self.assertEqual(self.request("POST", "/api/v1/jobs", other, headers)[0], 422)

    def test_malformed_requests_do_not_harm_the_server(self):
        self.up()
        host, port = self.address[7:].split(":")
        for junk in (b"\x00\xff\xfe", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"POST /api/v1/jobs HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                     b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5000 + b"\r\n"):
            with socket.create_connection((host, int(port)), timeout=5) as connection:
                try:
                    connection.sendall(junk)
                    connection.shutdown(socket.SHUT_WR)
                    connection.recv(4096)
                except OSError:
                    pass
        self.assertEqual(self.request("GET", "/api/v1/health")[0], 200)

    def test_no_server_is_exit_code_five(self):
        done = self.run_command("jobs")
        self.assertEqual(done.returncode, 5)
        self.assertIn("starbridge up", done.stderr)

    def test_idle_memory_stays_below_sixty_megabytes(self):
        self.up()
        status = Path(f"/proc/{self.record()['pid']}/status").read_text()
        resident_kb = int(status.split("VmRSS:")[1].split()[0])
        self.assertLess(resident_kb, 60_000)


def find_browser():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if subprocess.run(["sh", "-c", f"command -v {name}"], capture_output=True).returncode == 0:
            return name
    return None


class Page(ServerCase):
    @unittest.skipUnless(find_browser(), "needs chromium; ./check installs it")
    def test_the_page_shows_pool_jobs_and_bill_in_both_languages(self):
        self.up()
        job_id = self.submit("echo hello")
        self.wait_for_state(job_id, "finished")
        for language, words in (("en", ("Pool", "emulated cards", "finished")), ("zh", ("算力池", "仿真卡", "完成"))):
            with tempfile.TemporaryDirectory() as profile:
                dump = subprocess.run([find_browser(), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--virtual-time-budget=4000", "--dump-dom",
                                       f"{self.address}/?lang={language}"], capture_output=True, text=True, timeout=60)
            for word in (*words, job_id, "mlu370-x8"):
                self.assertIn(word, dump.stdout)


if __name__ == "__main__":
    unittest.main()

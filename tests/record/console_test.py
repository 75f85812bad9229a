# SPDX-License-Identifier: Apache-2.0
"""console.log keeps the beginning and the end within its budget, whole lines of
them, and secrets are masked in it; the user's own output is untouched."""

import sys
import time

from harness import *

MOST = 80_000  # bytes: 20,000 of the beginning, at least 30,000 of the end
LINES = [b"line %07d of the output\n" % i for i in range(40_000)]
WHOLE = b"".join(LINES)
PRINT = ("import sys\n"
         "for i in range(40000): print('line %07d of the output' % i)\n"
         "sys.stdout.flush()\n")
TOKEN = "ghp_" "16C7e42F292c6912E7710c838347Ae178B4a"


class Budget(RecordTest):
    def split(self, kept):
        """(beginning, bytes left out, end)"""
        begin, _, rest = kept.partition(b"[inquest: ")
        number, _, end = rest.partition(
            b" bytes of output are left out here]\n")
        return begin, int(number), end

    def assert_kept(self, kept, whole=WHOLE):
        begin, left_out, end = self.split(kept)
        self.assertTrue(whole.startswith(begin))
        self.assertTrue(whole.endswith(end))
        self.assertTrue(begin.endswith(b"\n"))
        self.assertTrue(end.startswith(b"line "))
        self.assertEqual(len(begin) + left_out + len(end), len(whole))
        self.assertGreater(len(begin), MOST // 4 - 100)
        self.assertGreater(len(end), MOST * 3 // 8 - 100)
        self.assertLess(len(kept), MOST + 200)
        return left_out

    def size(self):
        size = 0
        for name in os.listdir(self.run_dir):
            if name.startswith("console.log"):
                try:
                    size += os.path.getsize(self.path(name))
                except FileNotFoundError:
                    pass  # the oldest part has just made room
        return size

    def test_head_and_tail(self):
        done = self.record(sys.executable, "-c", PRINT,
                           options=["--console-bytes", str(MOST)])
        self.assertEqual(done.stdout, WHOLE)
        left_out = self.assert_kept(self.console())
        console = self.info()["console"]
        self.assertEqual(console["left_out"], left_out)
        self.assertEqual(console["bytes"], len(WHOLE) - left_out)
        self.assertEqual([n for n in os.listdir(self.run_dir)
                          if n.startswith("console")], ["console.log"])

    def test_the_budget_of_traces_counts(self):
        self.record(sys.executable, "-c", PRINT,
                    env={**os.environ, "INQUEST_MAX_DISK": str(MOST)})
        self.assert_kept(self.console())

    def test_one_endless_line(self):
        self.record("head", "-c", "1000000", "/dev/zero",
                    options=["--console-bytes", str(MOST)])
        self.assertLess(self.size(), MOST + 200)
        self.assertGreater(self.info()["console"]["left_out"], 900_000)

    def test_killed_with_everything_at_any_time(self):
        script = PRINT + "print('CUDA error: an illegal memory access was "\
            "encountered', flush=True)\nimport time\ntime.sleep(600)\n"
        process = self.start(sys.executable, "-c", script,
                             options=["--console-bytes", str(MOST)],
                             stdout=subprocess.PIPE, start_new_session=True)
        while b"illegal" not in process.stdout.readline():
            self.assertLess(self.size(), MOST + 70_000)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.assertLess(len(self.console()), MOST // 4 + 100)
        self.assertLess(self.size(), MOST + 200)
        done = subprocess.run(
            [os.environ["INQUEST"], "query", self.run_dir, "--format", "csv",
             "SELECT text FROM log_event WHERE role = 'cause'"],
            capture_output=True, timeout=DEADLINE)
        self.assertIn(b"an illegal memory access", done.stdout + done.stderr)

    def kept(self, folder):
        """Bytes of the console; parts come and go meanwhile."""
        try:
            return sum(os.path.getsize(os.path.join(folder, name))
                       for name in os.listdir(folder) if "console" in name)
        except FileNotFoundError:
            return 0

    def test_killed_in_the_middle(self):
        for delay in (0.05, 0.1, 0.2, 0.3):
            folder = f"{self.run_dir}{delay}"
            process = self.start("sh", "-c", "while :; do seq 100000; done",
                                 options=["-o", folder, "--no-collector",
                                          "--console-bytes", str(MOST)],
                                 stdout=subprocess.DEVNULL,
                                 start_new_session=True)
            self.wait_for(lambda: self.kept(folder) > MOST // 2, "a part")
            time.sleep(delay)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            done = subprocess.run(
                [os.environ["INQUEST"], "query", folder, "--format", "csv",
                 "SELECT bytes FROM log_source"],
                capture_output=True, timeout=DEADLINE)
            self.assertEqual(done.returncode, 0, done.stderr)
            bytes_read = int(done.stdout.split()[-1])
            self.assertTrue(30_000 < bytes_read < MOST + 200, bytes_read)


class Masked(RecordTest):
    def test_only_the_copy(self):
        done = self.record("echo", "token", TOKEN)
        self.assertEqual(done.stdout.decode(), f"token {TOKEN}\n")
        self.assertEqual(self.console(), b"token ghp_[masked]\n")
        self.assertEqual(self.info()["command"],
                         ["echo", "token", "ghp_[masked]"])

    def test_one_that_comes_in_pieces(self):
        script = ("import os, time\n"
                  f"for piece in ('token {TOKEN[:15]}', '{TOKEN[15:25]}',\n"
                  f"              '{TOKEN[25:]}'):\n"
                  "    os.write(1, piece.encode())\n"
                  "    time.sleep(0.5)\n")
        done = self.record(sys.executable, "-c", script)
        self.assertEqual(done.stdout.decode(), f"token {TOKEN}")
        self.assertEqual(self.console(), b"token ghp_[masked]")

    def test_a_line_without_end_is_kept_before_it_ends(self):
        script = "printf 'waiting for the node '; read x"
        process = self.start("sh", "-c", script, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
        self.wait_for_console(b"waiting for the node ")
        process.stdin.close()
        process.stdin = None
        process.wait(DEADLINE)

    def test_a_private_key_in_lines(self):
        key = ("-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\nabcdef\n"
               "-----END RSA PRIVATE KEY-----\nafter\n")
        self.record("sh", "-c", f"printf '%s' '{key}' | while read -r x; do "
                    "echo \"$x\"; sleep 0.05; done")
        self.assertEqual(self.console().decode(), key.replace(
            "MIIEowIBAAKCAQEA7", "[masked]").replace("abcdef", "[masked]"))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Death at any moment, kill -9 in the middle of a training loop
above all: every allocation and free that the program has acknowledged is in the
trace. INQUEST_KILLS says how often."""

import os
import random
import subprocess
import time
import unittest

import kill_matrix
from harness import BUILD, HERE, CollectorTest

KILLS = int(os.environ.get("INQUEST_KILLS", "8"))
SAMPLE = os.path.join(BUILD, "samples/leaking_loop")


@unittest.skipUnless(os.path.exists(SAMPLE), "samples are not built")
class KilledSample(CollectorTest):
    def kill_once(self, threads, **extra):
        ack = os.path.join(self.scratch, f"ack-{random.random()}")
        process = subprocess.Popen(
            [SAMPLE, "--ack", ack, "--leak", "4096", "--threads", str(threads)],
            env=self.environment(**extra), cwd=self.scratch,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while time.monotonic() < end:  # not before it has begun
            if os.path.exists(ack) and os.path.getsize(ack) > 200:
                break
            time.sleep(0.002)
        time.sleep(random.random() * 0.3)
        process.kill()
        process.wait()
        with open(ack) as file:
            lines = file.read().splitlines()
        return [(line.split()[1], int(line.split()[2], 16))
                for line in lines if len(line.split()) == 4]

    def check(self, acknowledged):
        result = self.finish()
        self.assertEqual(result["had_journal"], 1)
        self.assertEqual(result["clean_end"], 0)
        recorded = {}
        for op, address, count in self.query(
                "SELECT op, address, count(*) FROM memory_event "
                "WHERE result = 0 GROUP BY op, address"):
            recorded[op, address] = count
        wanted = {}
        for operation, address in acknowledged:
            key = (1 if operation == "alloc" else 2, address)
            wanted[key] = wanted.get(key, 0) + 1
        missing = {key: count - recorded.get(key, 0)
                   for key, count in wanted.items()
                   if count > recorded.get(key, 0)}
        self.assertEqual(missing, {})
        # A record may be torn that was being written, and in a very small ring
        # others give way; of memory events none may be dropped.
        lost = {row[0] for row in self.query("SELECT kind FROM loss")}
        self.assertFalse(lost & {"memory_event", "stack", "api_error"}, lost)
        # And it is done: a second call finds a finished trace.
        self.assertEqual(self.finish()["had_journal"], 0)
        for file in self.files():
            os.unlink(file)

    def test_kills(self):
        total = 0
        for number in range(KILLS):
            acknowledged = self.kill_once(threads=1 + number % 3)
            total += len(acknowledged)
            self.check(acknowledged)
        print(f"{KILLS} kills, {total} acknowledged events, none missing")

    def test_kills_with_a_small_journal(self):
        for _ in range(max(1, KILLS // 4)):
            self.check(self.kill_once(threads=2, INQUEST_JOURNAL_SIZE="1"))


class KilledAtTheEnd(CollectorTest):
    """A process that ends soon writes its whole trace as it ends."""

    def test_kills(self):
        program = os.path.join(HERE, "collector_endings")
        killed = 0
        for number in range(12 * KILLS):
            self.run_dir = os.path.join(self.scratch, str(number))
            with subprocess.Popen([program, "return", "0"], text=True,
                                  env=self.environment(), cwd=self.scratch,
                                  stdout=subprocess.PIPE) as process:
                self.assertEqual(process.stdout.readline(), "ready\n")
                time.sleep(random.random() * 0.008)
                process.kill()
            killed += process.returncode != 0
            result = self.finish()
            self.assertEqual(self.value(
                "SELECT count(*) FROM memory_event WHERE bytes > 0"), 1)
            # What the collector's own thread was just noting may be torn.
            self.assertLessEqual(
                set(self.query("SELECT kind FROM loss")), {("torn",)})
            if result["had_journal"]:
                self.assertEqual(self.files(".new"), [])
        print(f"{12 * KILLS} ends, {killed} of them killed, none missing")
        self.assertGreater(killed, 0)


@unittest.skipIf(os.environ.get("INQUEST_SANITIZE"),
                 "a sanitizer's handlers end the process in their own way")
class Matrix(CollectorTest):
    """Every ending of kill_matrix.py; bench/kill has the long version."""

    def test_matrix(self):
        sums = kill_matrix.matrix(max(1, KILLS // 2), self.scratch,
                                  self.environment())
        for name, total in sums.items():
            print(name, dict(total))
            with self.subTest(name=name):
                self.assertGreater(total["acknowledged"], 0)
                self.assertEqual(total["missing"], 0)
                self.assertEqual(total["unreadable"], 0)
                self.assertEqual(total["other status"], 0)
        self.assertGreater(sums["SIGKILL"]["recorded"], 0)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""kill -9 in the middle: what the program had acknowledged is in the trace."""
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

from scenario import INQUEST, Recorded, ScenarioTest


class KillTest(ScenarioTest):
    def killed(self, seed, threads):
        run = Recorded("leaking_loop")
        ack = run.folder / "ack"
        run.folder.mkdir(exist_ok=True)
        command = [*run.command, "--leak", "4096", "--threads", str(threads),
                   "--ack", str(ack)]
        process = subprocess.Popen(
            [INQUEST, "record", "-o", str(run.directory), "--", *command],
            env=run.environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        self.wait_for(ack)
        time.sleep(random.Random(seed).uniform(0.0, 0.3))
        os.kill(self.child_of(process.pid), signal.SIGKILL)
        stderr = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, -signal.SIGKILL, stderr)
        return run, ack

    def wait_for(self, ack):
        deadline = time.monotonic() + 60
        while not (ack.exists() and ack.stat().st_size > 5000):
            self.assertLess(time.monotonic(), deadline, "the sample is idle")
            time.sleep(0.002)

    def child_of(self, pid):
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return int(children.split()[0])

    def acknowledged(self, ack):
        events = []
        for line in ack.read_text().splitlines(keepends=True):
            if not line.endswith("\n"):
                break  # the line that the kill cut off
            _, operation, address, size = line.split()
            events.append((operation, int(address, 16), int(size)))
        return events

    def recorded(self, run):
        rows = run.query("SELECT op, address, bytes FROM memory_event WHERE "
                         "op IN ('alloc', 'free') AND result = 0 ORDER BY id")
        return [(r["op"], r["address"], r["bytes"]) for r in rows]

    def test_nothing_acknowledged_is_missing(self):
        for seed, threads in ((1, 1), (2, 1), (3, 4), (4, 4)):
            with self.subTest(seed=seed, threads=threads):
                run, ack = self.killed(seed, threads)
                made = self.acknowledged(ack)
                kept = self.recorded(run)
                for operation in ("alloc", "free"):
                    count = lambda events: sorted(
                        address for op, address, _ in events if op == operation)
                    missing = self.missing(count(made), count(kept))
                    self.assertEqual(missing, [], f"{len(made)} events made")
                print(f"killed after {len(made)} acknowledged events, "
                      f"{len(kept)} recorded, 0 missing")

    def missing(self, made, kept):
        left = {}
        for address in kept:
            left[address] = left.get(address, 0) + 1
        lost = []
        for address in made:
            if left.get(address, 0) == 0:
                lost.append(address)
            else:
                left[address] -= 1
        return lost

    def test_the_verdict_names_the_kill(self):
        run, _ = self.killed(9, 1)
        answer = run.diagnose()
        self.assert_cause(answer, "process/killed")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""A run that outgrows its disk budget: the files stay within it, and what the
analyzer finds is what it finds in an unlimited recording of the same program."""

import glob
import json
import os
import subprocess
import unittest

import harness
from harness import CollectorTest

INQUEST = os.environ.get("INQUEST", "")
HEALTHY = os.path.join(harness.BUILD, "samples/healthy")
LEAKING = os.path.join(harness.BUILD, "samples/leaking_loop")
BUDGET = 2 << 20


@unittest.skipUnless(os.path.exists(INQUEST) and os.path.exists(LEAKING),
                     "inquest or the samples are not built")
class Budget(CollectorTest):
    def record(self, name, *command, **extra):
        """The run directory, and the most that ever lay in it."""
        run_dir = os.path.join(self.scratch, name)
        process = subprocess.Popen(
            command, env=self.environment(INQUEST_DIR=run_dir,
                                          INQUEST_SAMPLE_SECONDS="0", **extra),
            cwd=self.scratch, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        most = 0
        while process.poll() is None:
            most = max(most, self.bytes(run_dir))
            try:
                process.wait(0.02)
            except subprocess.TimeoutExpired:
                pass
        self.assertEqual((process.returncode, process.stderr.read()), (0, ""))
        process.stderr.close()
        return run_dir, max(most, self.bytes(run_dir))

    def ask(self, run_dir, sql):
        """Without the times: they differ from run to run."""
        trace, = glob.glob(os.path.join(run_dir, "*.trace.sqlite"))
        done = subprocess.run([INQUEST, "query", "--format", "ndjson", trace,
                               sql], capture_output=True, text=True,
                              check=False, timeout=harness.DEADLINE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def bytes(self, run_dir):
        total = 0
        for path in glob.glob(os.path.join(run_dir, "*")):
            try:
                total += os.path.getsize(path)
            except OSError:
                pass  # gone between the list and the look
        return total

    def test_what_is_found_is_the_same(self):
        command = (HEALTHY, "--steps", "12000")
        whole, without = self.record("whole", *command)
        small, most = self.record("small", *command,
                                  INQUEST_MAX_DISK=str(BUDGET))
        print(f"{self.bytes(whole):,} bytes without a limit, at most {most:,} "
              f"within {BUDGET:,}")
        self.assertGreater(self.bytes(whole), 2 * BUDGET)
        self.assertGreater(without, 2 * BUDGET)
        self.assertLessEqual(most, BUDGET)
        for sql in ("SELECT device, allocations, frees, failed, peak_bytes, "
                    "live_bytes, unknown_frees, overlaps FROM device_usage "
                    "ORDER BY device",
                    "SELECT chain, device, allocations, frees, failures, "
                    "allocated_bytes, live_bytes, peak_bytes "
                    "FROM allocation_site ORDER BY chain, device",
                    "SELECT kind, count FROM loss WHERE kind LIKE 'memory_%'"):
            self.assertEqual(self.ask(small, sql), self.ask(whole, sql), sql)
        self.assertEqual(
            [row["state"] for row in self.ask(
                small, "SELECT state FROM coverage WHERE "
                       "source='memory_event' ORDER BY from_time")],
            ["off", "on"])
        folded, = self.ask(small, "SELECT count(*) AS n FROM memory_event")
        kept, = self.ask(whole, "SELECT count(*) AS n FROM memory_event")
        self.assertLess(folded["n"], kept["n"] // 2)

    def test_more_is_live_than_the_budget_holds(self):
        # Nothing can be folded any more: what is lost is counted.
        steps = 60_000
        run_dir, most = self.record(
            "run", LEAKING, "--leak", "4096", "--steps", str(steps),
            INQUEST_MAX_DISK=str(BUDGET))
        print(f"{steps:,} blocks leaked, at most {most:,} bytes")
        self.assertLessEqual(most, BUDGET)
        trace, = glob.glob(os.path.join(run_dir, "*.trace.sqlite"))
        # Some may have found the journal full already.
        lost = self.value("SELECT sum(count) FROM loss WHERE kind IN "
                          "('memory_event', 'memory_event (disk budget)')",
                          trace)
        known = self.value(
            "SELECT (SELECT folded FROM checkpoint) + (SELECT count(*) FROM "
            "memory_event, checkpoint WHERE id > event)", trace)
        self.assertGreater(lost, 0)
        # Five a step, and the context's end.
        self.assertLessEqual(abs(known + lost - 5 * steps), 2)


if __name__ == "__main__":
    unittest.main()

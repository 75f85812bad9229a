# SPDX-License-Identifier: Apache-2.0
"""Readers of a live run that cannot see its process: from another PID namespace
or from another machine (another boot id, another clock). They change nothing,
and what they take for a dead process's trace is whole."""

import fcntl
import os
import subprocess
import unittest

import harness
import kill_beside
from harness import CollectorTest

INQUEST = os.environ["INQUEST"]
MINUTES = 180_000  # milliseconds; more than a process may seem alive
SHIFTS = (0, 500, -500, MINUTES, -MINUTES)


@unittest.skipIf(os.environ.get("INQUEST_SANITIZE"),
                 "readers get a library that knows no sanitizer")
class Elsewhere(CollectorTest):
    def setUp(self):
        super().setUp()
        self.running = subprocess.Popen(
            [os.path.join(harness.HERE, "collector_files_host")],
            env=self.environment(), cwd=self.scratch, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for clean in (self.running.wait, self.running.kill,
                      self.running.stdout.close, self.running.stdin.close):
            self.addCleanup(clean)
        self.made = 0
        self.allocate(1000)

    def allocate(self, count):
        print(f"allocate {count}", file=self.running.stdin, flush=True)
        self.assertEqual(self.running.stdout.readline(), "done\n")
        self.made += count

    def on_another_node(self, shift):
        return {**os.environ, "LD_PRELOAD": kill_beside.OTHER_NODE,
                "INQUEST_TEST_CLOCK_SHIFT_MS": str(shift)}

    def read(self, prefix=(), environment=None):
        """Whether the reader takes the process for alive, and the copy that it
        read, if any."""
        copy = os.path.join(self.scratch, "copy.sqlite")
        if os.path.exists(copy):
            os.unlink(copy)
        done = subprocess.run([*prefix, harness.FINISH, self.trace(), copy],
                              env=environment, capture_output=True, text=True,
                              timeout=harness.DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return ("process_alive 1" in done.stdout,
                copy if os.path.exists(copy) else None)

    def allocations(self, path):
        return self.value("SELECT count(*) FROM memory_event WHERE op=1 AND "
                          "bytes=1024", path)

    def whole(self, path):
        self.assertEqual(self.value("PRAGMA integrity_check", path), "ok")
        self.assertEqual(self.allocations(path), self.made)

    def end(self):
        self.running.stdin.close()
        self.assertEqual(self.running.wait(harness.DEADLINE), 0)
        self.assert_clean()
        self.assert_nothing_lost()
        self.whole(self.trace())

    def kill(self):
        self.running.kill()
        self.running.wait()

    def test_a_live_run_on_another_node(self):
        for shift in SHIFTS:
            with self.subTest(shift=shift):
                self.allocate(500)
                alive, copy = self.read(environment=self.on_another_node(shift))
                self.assertEqual(alive, abs(shift) < MINUTES)
                if not alive:
                    self.whole(copy)
                self.assertTrue(self.files(".journal"))
        self.end()

    def test_a_killed_run_on_another_node(self):
        self.kill()
        before = kill_beside.contents(self.scratch)
        for shift in SHIFTS:
            with self.subTest(shift=shift):
                alive, copy = self.read(environment=self.on_another_node(shift))
                self.assertEqual(alive, abs(shift) < MINUTES)
                if not alive:
                    self.whole(copy)
                self.assertEqual(kill_beside.contents(self.scratch), before)
        self.assertEqual(self.finish()["had_journal"], 1)
        self.whole(self.trace())

    def test_copies_that_dead_readers_left_are_removed(self):
        self.kill()
        temporary = os.path.join(self.scratch, "tmp")
        for name in ("run-left", "run-held", "run-young", "other"):
            folder = os.path.join(temporary, "inquest-" + name)
            os.makedirs(folder)
            with open(os.path.join(folder, "copy"), "w") as file:
                file.write("x")
            if name != "run-young":
                os.utime(folder, (0, 0))
        held = os.open(os.path.join(temporary, "inquest-run-held"), os.O_RDONLY)
        self.addCleanup(os.close, held)
        fcntl.flock(held, fcntl.LOCK_EX)
        alive, copy = self.read(environment={
            **self.on_another_node(MINUTES), "TMPDIR": temporary})
        self.assertFalse(alive)
        self.whole(copy)
        self.assertEqual(sorted(os.listdir(temporary)), [
            "inquest-other", "inquest-run-held", "inquest-run-young"])

    @unittest.skipIf(kill_beside.OtherNamespace.cannot(),
                     kill_beside.OtherNamespace.cannot())
    def test_in_another_pid_namespace(self):
        self.assertEqual(self.read(kill_beside.NAMESPACE), (True, None))
        self.allocate(500)
        self.kill()
        before = kill_beside.contents(self.scratch)
        self.read(kill_beside.NAMESPACE)
        self.assertEqual(kill_beside.contents(self.scratch), before)
        self.finish()
        self.whole(self.trace())

    def test_diagnose_on_another_node(self):
        for shift in SHIFTS:
            done = subprocess.run([INQUEST, "diagnose", self.run_dir],
                                  env=self.on_another_node(shift),
                                  capture_output=True, text=True, check=False)
            begun = done.returncode == 4 and "has only begun" in done.stderr
            self.assertTrue(done.returncode == 0 or begun, done.stderr)
        self.end()


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Files in one process with the host's: the host copies its run directory,
closes descriptors that it does not know, or finds links planted where the trace
will be; somebody cuts our files. Nobody is harmed, and nothing is lost."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
import unittest

import harness
from harness import CollectorTest


SANITIZED = bool(os.environ.get("INQUEST_SANITIZE"))
THREADS = "thread" in os.environ.get("INQUEST_SANITIZE", "")
RACE = "what this host does with descriptors is a race, and meant to be one"


class Files(CollectorTest):
    def start(self, **extra):
        host = subprocess.Popen(
            [os.path.join(harness.HERE, "collector_files_host")],
            env=self.environment(**extra), cwd=self.scratch, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(host.wait)
        self.addCleanup(host.kill)
        self.addCleanup(host.stdout.close)
        self.addCleanup(host.stdin.close)
        self.ask(host, "allocate 1000")
        return host

    def ask(self, host, what):
        print(what, file=host.stdin, flush=True)
        self.assertEqual(host.stdout.readline(), "done\n", what)

    def end(self, host):
        host.stdin.close()
        self.assertEqual(host.wait(harness.DEADLINE), 0)

    def wait_for_rows(self, count):
        deadline = time.monotonic() + harness.DEADLINE
        while time.monotonic() < deadline:
            traces = self.files(".trace.sqlite")
            if traces and os.path.getsize(traces[0]) and self.value(
                    "SELECT count(*) FROM sqlite_schema "
                    "WHERE name='memory_event'") and self.value(
                    "SELECT count(*) FROM memory_event WHERE op=1") >= count:
                return
            time.sleep(0.05)
        self.fail("the drain stores nothing")

    def assert_allocations(self, count):
        self.assert_clean()
        self.assert_nothing_lost()
        self.assertEqual(self.value("PRAGMA integrity_check"), "ok")
        self.assertEqual(self.value("SELECT count(*) FROM memory_event "
                                    "WHERE op=1 AND bytes=1024"), count)

    def test_a_copied_run_directory_is_read_while_it_grows(self):
        host = self.start()
        self.wait_for_rows(1000)
        self.ask(host, "copy")
        # A reader that may write: alone, it would empty the shared memory.
        reader = sqlite3.connect(self.trace())
        self.assertEqual(reader.execute(
            "SELECT count(*) FROM memory_event WHERE bytes=1024").fetchone(),
            (1000,))
        reader.close()
        self.ask(host, "allocate 1000")
        self.wait_for_rows(2000)
        self.end(host)
        self.assert_allocations(2000)

    @unittest.skipIf(THREADS, RACE)
    def test_the_host_closes_and_reuses_our_descriptors(self):
        host = self.start()
        self.wait_for_rows(1000)
        for round_number in (2, 3):
            self.ask(host, "close")
            self.ask(host, "allocate 1000")
            self.wait_for_rows(1000 * round_number)
            self.ask(host, "check")
        self.end(host)
        self.assert_allocations(3000)
        for name in os.listdir(self.scratch):
            if name.startswith("own-"):
                with open(os.path.join(self.scratch, name)) as file:
                    self.assertEqual(file.read(), "written by the host\n")

    @unittest.skipIf(THREADS, RACE)
    def test_the_host_closes_our_descriptors_and_is_killed(self):
        host = self.start()
        self.wait_for_rows(1000)
        self.ask(host, "close")
        self.ask(host, "allocate 1000")
        host.kill()
        host.wait()
        self.finish()
        self.assert_nothing_lost()
        self.assertEqual(self.value("SELECT count(*) FROM memory_event "
                                    "WHERE op=1 AND bytes=1024"), 2000)

    def cut(self, suffix, size):
        host = self.start()
        self.wait_for_rows(1000)
        os.truncate(self.files(suffix)[0], size)
        self.ask(host, "allocate 20000")
        self.wait_for_rows(2000)
        self.end(host)
        self.assertEqual(self.value("PRAGMA integrity_check"), "ok")
        kept = self.value("SELECT count(*) FROM memory_event "
                          "WHERE op=1 AND bytes=1024")
        lost = self.value("SELECT total(count) FROM loss "
                          "WHERE kind='memory_event'")
        self.assertEqual(kept + lost, 21_000)
        self.assert_clean()

    @unittest.skipIf(SANITIZED, "the sanitizer ends the process")
    def test_somebody_cuts_the_journal(self):
        for size in (4096, 0):
            with self.subTest(size=size):
                self.cut(".journal", size)
                self.assertIn("its file was cut", self.value(
                    "SELECT note FROM coverage WHERE source='journal' AND "
                    "state='failed'"))
                shutil.rmtree(self.run_dir)

    @unittest.skipIf(SANITIZED, "the sanitizer ends the process")
    def test_somebody_cuts_what_readers_share(self):
        self.cut(".trace.sqlite-shm", 0)

    @unittest.skipIf(SANITIZED, "the sanitizer ends the process")
    def test_readers_see_what_comes_after_the_cut(self):
        host = self.start()
        self.wait_for_rows(1000)
        os.truncate(self.files(".trace.sqlite-shm")[0], 0)
        self.ask(host, "allocate 500")
        time.sleep(1)  # the drain meets it first, and no reader
        self.wait_for_rows(1500)
        self.ask(host, "allocate 500")
        self.wait_for_rows(2000)
        self.end(host)
        self.assert_allocations(2000)

    def test_a_file_of_the_hosts_in_the_place_of_stderr(self):
        own = os.path.join(self.scratch, "own")
        program = ("import ctypes, os\n"
                   "os.close(2)\n"
                   f"own = os.open({own!r}, os.O_RDWR | os.O_CREAT)\n"
                   "assert own == 2\n"
                   "os.write(own, b'kept')\n"
                   "ctypes.CDLL('libcuda.so.1').cuInit(0)\n")
        # What cannot be recorded would be said on stderr.
        done = self.host(sys.executable, "-c", program,
                         INQUEST_DIR=os.path.join(own, "no folder"))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(own, encoding="utf-8") as file:
            self.assertEqual(file.read(), "kept")

    def test_links_planted_in_the_run_directory(self):
        victims = os.path.join(self.scratch, "home")
        os.makedirs(victims)
        os.makedirs(self.run_dir)
        with open(os.path.join(victims, "keys"), "w") as file:
            file.write("kept\n")
        # The number is not known beforehand: those that may come.
        with subprocess.Popen(["true"]) as probe:
            first = probe.pid
        for pid in range(first, first + 300):
            stem = os.path.join(self.run_dir, f"collector_files_host-{pid}")
            for suffix, target in ((".trace.sqlite", "keys"),
                                   (".trace.sqlite-wal", "new-wal"),
                                   (".trace.sqlite-shm", "new-shm"),
                                   (".journal", "new-journal")):
                os.symlink(os.path.join(victims, target), stem + suffix)
        planted = set(os.listdir(self.run_dir))
        host = self.start()
        self.end(host)
        self.assertEqual(os.listdir(victims), ["keys"])
        with open(os.path.join(victims, "keys")) as file:
            self.assertEqual(file.read(), "kept\n")
        ours, = set(os.listdir(self.run_dir)) - planted
        self.assertTrue(ours.endswith(".trace.sqlite"), ours)


if __name__ == "__main__":
    unittest.main()

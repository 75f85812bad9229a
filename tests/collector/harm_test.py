# SPDX-License-Identifier: Apache-2.0
"""The host-harm matrix: each thing that the collector does can fail, and the
host must not notice. One call after the other is made to fail (fault_injector.c
and the simulated libraries' own faults); the host's output and exit status are
those of a run without the collector, and what is lost is said in the trace or
on stderr."""

import collections
import glob
import os
import shutil
import subprocess
import unittest

import harness
import kill_checks
from harness import CollectorTest

INJECTOR = os.path.join(harness.HERE, "libcollector_fault_injector.so")
ENOENT, EIO, ENOMEM, EACCES, ENODEV, ENOSPC, EROFS = 2, 5, 12, 13, 19, 28, 30

# What fails, with which errno. A name may appear often: each is a case.
FAILURES = {
    "open": (ENOSPC, EACCES, EROFS),  # files that we make ourselves, maps
    "open64": (EACCES,),
    "mmap": (ENODEV, ENOMEM),         # no shared mapping on this file system
    "mmap64": (ENODEV,),
    "posix_fallocate": (ENOSPC, EIO),
    "pthread_create": (11,),
    "mkdir": (EACCES, EROFS),
    "rename": (EIO,),
    "pwrite64": (ENOSPC, EIO),        # SQLite's writes
    "pread64": (EIO,),
    "fdatasync": (EIO,),
    "ftruncate64": (ENOSPC,),
    "fstat64": (EIO,),
    "access": (EROFS,),
    "unlink": (EACCES,),
    "dlopen": (0,),                   # libcupti, NVML, …
    "realpath": (ENOENT,),
    "opendir": (ENOMEM,),
}


@unittest.skipIf(os.environ.get("INQUEST_SANITIZE"),
                 "a sanitizer's own calls go through the same functions")
class HostHarm(CollectorTest):
    def setUp(self):
        super().setUp()
        self.log = os.path.join(self.scratch, "calls")

    def run_with(self, fault, command=("endings", "exit", "4"), **extra):
        return self.host(*command, LD_PRELOAD=INJECTOR + ":" + harness.PRELOAD,
                         INQUEST_TEST_FAULT=fault,
                         INQUEST_TEST_FAULT_LOG=self.log, **extra)

    def calls(self):
        counted = collections.Counter()
        with open(self.log) as file:
            for line in file:
                name, count = line.split()
                counted[name] += int(count)
        os.unlink(self.log)
        return counted

    def check(self, done):
        """The host is as ever; and what there is of a trace can be read."""
        self.assertEqual((done.returncode, done.stdout), (4, "ready\n"),
                         done.stderr)
        said = done.stderr.splitlines()
        for line in said:
            self.assertTrue(line.startswith("inquest: "), done.stderr)
        self.assertLessEqual(len(said), 2, done.stderr)
        journals = self.files(".journal")
        for trace in self.traces():
            self.finish(trace)
            self.assertEqual(self.value("PRAGMA integrity_check", trace), "ok")
        return said, journals

    def clear(self):
        for path in glob.glob(os.path.join(self.run_dir, "*")):
            os.unlink(path)

    def recorded(self):
        traces = self.traces()
        return bool(traces) and self.value(
            "SELECT count(*) FROM memory_event WHERE op=1 AND bytes=1<<20",
            traces[0]) == 1

    def said_in_trace(self):
        rows = self.query("SELECT source FROM coverage WHERE state='failed'")
        return {source for source, in rows}

    def test_nothing_fails(self):
        self.assertEqual(self.check(self.run_with("")), ([], []))
        self.assertTrue(self.recorded())

    def test_the_injector_reaches_the_collector(self):
        self.run_with("")
        counted = self.calls()
        # Not SQLite's writes: they may come after the account is closed.
        for name in ("open", "mmap", "posix_fallocate", "pthread_create",
                     "mkdir", "rename", "dlopen", "malloc"):
            self.assertGreater(counted[name], 0, name)

    def test_each_call_fails(self):
        for name, errors in FAILURES.items():
            for error in errors:
                for numbers in ("1:999999", "1:1", "2:1", "3:1", "2:999999"):
                    with self.subTest(name=name, errno=error, calls=numbers):
                        done = self.run_with(f"{name}:{numbers}:{error}")
                        said, _ = self.check(done)
                        if not self.recorded():
                            self.assertTrue(said or self.said_in_trace(),
                                            "lost without a word")
                        self.clear()

    def test_no_memory_for_us(self):
        self.run_with("")
        total = self.calls()["malloc"]
        for first in sorted({1, 2, 3, 5, 10, 20, total // 2, total - 1}
                            | set(range(1, total, max(1, total // 40)))):
            for count in (1, 999999):
                with self.subTest(first=first, count=count):
                    self.check(self.run_with(f"malloc:{first}:{count}:12"))
                    self.clear()

    def test_no_shared_mapping(self):
        said, journals = self.check(self.run_with("mmap:1:3:19"))
        self.assertEqual((said, journals), ([], []))
        self.assertTrue(self.recorded())
        self.assertEqual(
            self.query("SELECT state, note FROM coverage "
                       "WHERE source='journal'"),
            [("failed",
              "No such device: kept in memory, a kill loses it")])

    def test_disk_full_for_the_trace(self):
        said, journals = self.check(self.run_with("pwrite64:1:999999:28"))
        self.assertEqual(len(journals), 1)
        self.assertTrue(self.recorded())  # moved from the journal
        self.assertEqual(self.value("SELECT value FROM meta WHERE "
                                    "key='clean_end'"), "1")

    def test_no_thread(self):
        said, _ = self.check(self.run_with("pthread_create:1:1:11"))
        self.assertEqual(said, ["inquest: recording switched off: "
                                "cannot start a thread"])
        self.assertIn("collector", self.said_in_trace())


class Cupti(CollectorTest):
    def check(self, rows, **extra):
        done = self.host("endings", "exit", "4", **extra)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (4, "ready\n", ""))
        self.assert_clean()
        self.assertEqual(self.query("SELECT state, note FROM coverage "
                                    "WHERE source='cupti'")[-1][0], rows)
        os.unlink(self.trace())

    def test_each_call_fails(self):
        broken = os.path.join(harness.HERE, "libcollector_broken_cupti.so")
        for call in ("cuptiSubscribe", "cuptiSubscribe_v2", "all"):
            with self.subTest(call=call):
                self.check("failed", INQUEST_CUPTI=broken, BROKEN_CUPTI=call)
        for call in ("cuptiEnableCallback", "cuptiEnableDomain",
                     "cuptiGetVersion", "cuptiGetDeviceId"):
            with self.subTest(call=call):
                self.check("on", INQUEST_CUPTI=broken, BROKEN_CUPTI=call)

    def test_a_library_that_is_none(self):
        for path in (os.path.join(harness.SIMGPU, "libcuda.so.1"), "/dev/null"):
            with self.subTest(path=path):
                done = self.host("endings", "exit", "4", INQUEST_CUPTI=path)
                self.assertEqual((done.returncode, done.stderr), (4, ""))
                self.assertEqual(self.query("SELECT state FROM coverage "
                                            "WHERE source='cupti'"),
                                 [("failed",)])
                os.unlink(self.trace())


class Places(CollectorTest):
    """Where processes live that were not made for us."""

    def check(self, done):
        self.assertEqual((done.returncode, done.stdout), (4, "ready\n"),
                         done.stderr)

    @unittest.skipIf(os.environ.get("INQUEST_SANITIZE"),
                     "its settings are part of the environment")
    def test_no_home_and_no_environment(self):
        done = subprocess.run(
            [os.path.join(harness.HERE, "collector_endings"), "exit", "4"],
            env={"LD_PRELOAD": harness.PRELOAD, "INQUEST_DIR": self.run_dir,
                 "LD_LIBRARY_PATH": harness.SIMGPU},
            cwd=self.scratch, capture_output=True, text=True,
            timeout=harness.DEADLINE)
        self.check(done)
        self.assert_clean()

    def test_working_directory_that_is_gone(self):
        gone = os.path.join(self.scratch, "gone")
        os.mkdir(gone)
        done = self.host("sh", "-c", f'cd {gone}; rmdir {gone}; '
                         f'exec {harness.HERE}/collector_endings exit 4',
                         INQUEST_DIR=None)
        self.check(done)

    def test_few_descriptors(self):
        done = self.host("sh", "-c", "ulimit -n 16; exec "
                         f"{harness.HERE}/collector_endings exit 4")
        self.check(done)
        self.finish()

    @unittest.skipIf(os.environ.get("INQUEST_SANITIZE"),
                     "a sanitizer takes terabytes of it")
    def test_little_address_space(self):
        # In kilobytes; the simulated device needs its own gigabyte.
        for limit in (1 << 21, 3 << 20):
            plain = self.host("sh", "-c", f"ulimit -v {limit}; exec "
                              f"{harness.HERE}/collector_endings exit 4",
                              preload=False)
            done = self.host("sh", "-c", f"ulimit -v {limit}; exec "
                             f"{harness.HERE}/collector_endings exit 4")
            self.assertEqual((done.returncode, done.stdout),
                             (plain.returncode, plain.stdout), done.stderr)

    def test_limit_on_file_sizes(self):
        # In kilobytes; beyond it there is SIGXFSZ for who does not look, as the
        # thread sanitizer, which begins by writing a file.
        nothing = () if os.environ.get("INQUEST_SANITIZE") else (0,)
        for kilobytes in (*nothing, 4, 64, 300, 2000):
            with self.subTest(kilobytes=kilobytes):
                done = self.host(
                    "bash", "-c", f"ulimit -f {kilobytes}; exec "
                    f"{harness.HERE}/collector_endings exit 4")
                self.check(done)
                for trace in self.traces():
                    self.finish(trace)
                for path in self.files():
                    os.unlink(path)


def may_mount():
    try:
        return subprocess.run(
            ["unshare", "-rm", "sh", "-c", "mount -t tmpfs tmpfs /mnt"],
            capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@unittest.skipUnless(may_mount(), "mounting is not permitted here")
class FileSystems(CollectorTest):
    """Real ones, in a mount namespace that ends with the host. What lies in
    the run directory then is copied out before that."""

    def mounted(self, options, *command, **extra):
        place = os.path.join(self.scratch, "mount")
        os.makedirs(place, exist_ok=True)
        script = (f"mount -t tmpfs -o {options} tmpfs {place} || exit 99\n"
                  'LD_PRELOAD="$PRELOAD" "$@"\n'
                  f"status=$?\ncp -r {place}/. {self.run_dir}\nexit $status")
        os.mkdir(self.run_dir)
        return subprocess.run(
            ["unshare", "-rm", "sh", "-c", script, "sh",
             os.path.join(harness.HERE, "collector_" + command[0]),
             *command[1:]],
            env=self.environment(preload=False, INQUEST_DIR=place,
                                 PRELOAD=harness.PRELOAD, **extra),
            cwd=self.scratch, capture_output=True, text=True,
            timeout=harness.DEADLINE)

    def test_full(self):
        for size in ("100k", "300k", "700k", "3m", "40m"):
            with self.subTest(size=size):
                ack = os.path.join(self.scratch, "ack-" + size)
                done = self.mounted("size=" + size, "kill_host", ack, "2",
                                    "stop", "500000")
                self.assertEqual((done.returncode, done.stdout), (7, ""),
                                 done.stderr)
                for line in done.stderr.splitlines():
                    self.assertTrue(line.startswith("inquest: "), line)
                self.check_account(ack, done.stderr)
                shutil.rmtree(self.run_dir)

    def check_account(self, ack, said):
        """Of each event the trace knows, unless all is known to be lost."""
        if not self.traces():
            self.assertIn("inquest: ", said)
            return
        outcome = kill_checks.Outcome()
        self.finish()
        kill_checks.examine(outcome, kill_checks.acknowledged(ack),
                            self.trace())
        self.assertEqual(outcome.unreadable, "")
        in_memory = self.value("SELECT count(*) FROM coverage WHERE "
                               "source='journal' AND state='failed'")
        if not in_memory:
            self.assertEqual(outcome.missing, 0, outcome)

    def test_read_only(self):
        done = self.mounted("ro", "endings", "exit", "4")
        self.assertEqual((done.returncode, done.stdout), (4, "ready\n"))
        self.assertIn("recording switched off: cannot write into", done.stderr)
        self.assertEqual(self.files(), [])

    def test_noexec(self):
        done = self.mounted("noexec,nosuid,nodev", "endings", "exit", "4")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (4, "ready\n", ""))
        self.assert_clean()


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""A process that never touches CUDA must not notice the collector, and one that
does must not notice when it cannot record."""

import os
import stat
import unittest

from harness import COLLECTOR, CollectorTest


class NoGpu(CollectorTest):
    def compare(self, *command, **extra):
        plain = self.host(*command, preload=False, **extra)
        preloaded = self.host(*command, **extra)
        self.assertEqual(preloaded.stdout, plain.stdout)
        self.assertEqual(preloaded.stderr, plain.stderr)
        self.assertEqual(preloaded.returncode, plain.returncode)
        self.assertFalse(os.path.exists(self.run_dir))

    def test_programs(self):
        self.compare("quiet")
        self.compare("quiet", "17")
        self.compare("sh", "-c", "echo a; (echo b; exit 3); false")
        self.compare("python3", "-c", "import sqlite3, ssl; print(1)")
        self.compare("bash", "-c", "for i in 1 2 3; do /bin/true; done")

    def test_no_directory_named(self):
        self.compare("quiet", INQUEST_DIR=None)
        self.assertEqual(os.listdir(self.scratch), [])

    def test_python_that_looks_symbols_up(self):
        self.compare("python3", "-c",
                     "import ctypes; f = ctypes.CDLL(None).getpid;"
                     "print(f() > 0); print(hasattr(ctypes.CDLL(None), 'nix'));"
                     "print(hasattr(ctypes.CDLL(None), 'cudnn_not_there'))")


class CannotRecord(CollectorTest):
    def check(self, done, why):
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(done.stdout, "ready\n")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("inquest: recording switched off"))
        self.assertIn(why, lines[0])

    def test_directory_that_cannot_be_made(self):
        self.check(self.host("endings", "exit", "4",
                             INQUEST_DIR="/proc/no/such"), "cannot make")

    def test_directory_that_is_a_file(self):
        path = os.path.join(self.scratch, "file")
        with open(path, "w") as file:
            file.write("mine")
        self.check(self.host("endings", "exit", "4", INQUEST_DIR=path),
                   "cannot write")
        with open(path) as file:
            self.assertEqual(file.read(), "mine")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_directory_without_permission(self):
        os.mkdir(self.run_dir, 0o500)
        self.check(self.host("endings", "exit", "4"), "cannot write")

    def test_limit_on_file_sizes(self):
        # No room for a journal file: recorded in memory, or switched off, but
        # never SIGXFSZ for the host.
        done = self.host("sh", "-c",
                         'ulimit -f 100; exec "$0" exit 4',
                         os.path.join(os.environ["INQUEST_BUILD_DIR"],
                                      "tests/collector/collector_endings"))
        self.assertEqual(done.returncode, 4, done.stderr)

    def test_switched_off_by_the_user(self):
        done = self.host("endings", "exit", "4", INQUEST="off")
        self.assertEqual((done.returncode, done.stderr), (4, ""))
        self.assertEqual(self.files(), [])

    def test_no_cupti(self):
        done = self.host("endings", "exit", "4", INQUEST_CUPTI="/no/cupti.so")
        self.assertEqual((done.returncode, done.stderr), (4, ""))
        self.assertEqual(
            self.query("SELECT state, note FROM coverage WHERE source='cupti'"),
            [("failed", "cannot load '/no/cupti.so'")])


class Files(CollectorTest):
    def test_private_and_named(self):
        self.host("endings", "exit", "0")
        self.assertRegex(self.trace(), r"/collector_endings-\d+\.trace\.sqlite$")
        self.assertEqual(stat.S_IMODE(os.stat(self.trace()).st_mode), 0o600)
        self.assert_clean()

    def test_default_directory(self):
        self.host("endings", "exit", "0", INQUEST_DIR=None)
        (directory,) = os.listdir(self.scratch)
        self.assertRegex(directory, r"^inquest-\d+$")

    def test_by_injection_alone(self):
        from harness import sanitizer_runtime
        done = self.host("endings", "exit", "4", preload=False,
                         LD_PRELOAD=":".join(sanitizer_runtime()),
                         CUDA_INJECTION64_PATH=COLLECTOR)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(self.value("SELECT count(*) FROM memory_event "
                                    "WHERE op = 1"), 1)
        self.assertEqual(self.value("SELECT state FROM coverage "
                                    "WHERE source='preload'"), "off")
        self.assert_clean()

    def test_another_tool_is_honoured(self):
        done = self.host("endings", "exit", "4",
                         CUDA_INJECTION64_PATH="/other/tool.so")
        self.assertEqual(done.returncode, 4, done.stderr)
        # CUDA never called us; what was loaded is recorded all the same.
        self.assertEqual(self.query("SELECT * FROM memory_event"), [])
        self.assertEqual(
            self.query("SELECT state FROM coverage WHERE source='cupti'"),
            [("off",)])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Where our caller's limits leave no room for a second process or its pipes,
the command runs all the same."""

import os
import resource
import subprocess
import sys

from harness import *

NOBODY = 65534
SHOW_FILES = ("import resource; "
              "print(*resource.getrlimit(resource.RLIMIT_NOFILE))")


def limit(what, soft, hard):
    return lambda: resource.setrlimit(what, (soft, hard))


class OpenFiles(RecordTest):
    def test_none_to_spare(self):
        for most in (8, 6, 5):
            with self.subTest(most):
                folder = f"{self.run_dir}-{most}"
                done = self.record(
                    "sh", "-c", "echo out; ulimit -n; exit 3",
                    options=["-o", folder],
                    preexec_fn=limit(resource.RLIMIT_NOFILE, most, most))
                self.assertEqual((done.returncode, done.stdout),
                                 (3, b"out\n%d\n" % most))
                said = done.stderr.decode().splitlines()
                self.assertEqual(len(said), 1, said)
                self.assertIn("Too many open files; the command runs in place "
                              "of the recorder", said[0])
                if most == 8:  # fewer leave no descriptor for run.json
                    info = self.info(folder)
                    self.assertTrue(info["in_place"])
                    self.assertIsNone(info["exit_status"])

    def test_the_limit_can_be_raised(self):
        """For us, not for the command; everything is kept."""
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        done = self.record(
            sys.executable, "-c", SHOW_FILES,
            preexec_fn=limit(resource.RLIMIT_NOFILE, 8, hard))
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(done.stdout, b"8 %d\n" % hard)
        self.assertEqual(self.console(), done.stdout)
        self.assertEqual(self.info()["exit_status"], 0)

    def test_signals_stay_ignored(self):
        done = self.record(
            "sh", "-c", "kill -HUP $$; kill -USR1 $$; echo alive",
            preexec_fn=lambda: (
                limit(resource.RLIMIT_NOFILE, 8, 8)(),
                signal.signal(signal.SIGHUP, signal.SIG_IGN),
                signal.signal(signal.SIGUSR1, signal.SIG_IGN)))
        self.assertEqual(done.stdout, b"alive\n")

    def test_a_command_that_is_none(self):
        done = self.record(
            self.scratch, preexec_fn=limit(resource.RLIMIT_NOFILE, 8, 8))
        self.assertEqual(done.returncode, 126)


@unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
class Processes(RecordTest):
    def test_no_second_one(self):
        os.chmod(self.scratch, 0o777)

        def become_nobody():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)

        plain = subprocess.run(["sh", "-c", "echo out; exit 3"],
                               preexec_fn=become_nobody, capture_output=True,
                               cwd=self.scratch, timeout=DEADLINE)
        done = self.record("sh", "-c", "echo out; exit 3",
                           preexec_fn=become_nobody)
        if b"annot open" in done.stderr or b"ermission" in done.stderr:
            self.skipTest("the build folder is closed to other users")
        self.assertEqual((done.returncode, done.stdout),
                         (plain.returncode, plain.stdout))
        said = done.stderr.decode().splitlines()
        self.assertEqual(len(said), 1, said)
        self.assertIn("cannot start a process", said[0])
        self.assertTrue(os.path.exists(self.path("run.json")))


if __name__ == "__main__":
    unittest.main()

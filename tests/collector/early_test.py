# SPDX-License-Identifier: Apache-2.0
"""A library's constructor uses CUDA before the collector's own has run."""

import os
import shutil
import subprocess
import unittest

from harness import COLLECTOR, CollectorTest

BLOCKS = "SELECT bytes FROM memory_event WHERE bytes > 0 ORDER BY id"


class Early(CollectorTest):
    def early(self, **extra):
        done = self.host("early_host", **extra)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "done\n", ""))

    def test_recorded_from_then_on(self):
        self.early()
        self.assertEqual(self.query(BLOCKS), [(2 << 20,), (3 << 20,)])
        state, note = self.query(
            "SELECT state, note FROM coverage WHERE source = 'cupti-before'")[0]
        self.assertEqual(state, "off")
        self.assertIn("constructor", note)
        self.assertEqual(self.query("SELECT state FROM coverage WHERE "
                                    "source = 'cupti'"), [("on",)])
        self.assert_clean()

    def test_recorded_from_the_start(self):
        """`inquest record` names the collector to the driver beforehand."""
        self.early(CUDA_INJECTION64_PATH=COLLECTOR)
        self.assertEqual(self.query(BLOCKS),
                         [(1 << 20,), (2 << 20,), (3 << 20,)])
        self.assertEqual(self.query("SELECT * FROM coverage WHERE source = "
                                    "'cupti-before'"), [])
        self.assert_nothing_lost()
        self.assert_clean()

    def test_another_tool_is_left_alone(self):
        self.early(CUDA_INJECTION64_PATH="/nowhere.so")
        self.assertEqual(self.query(BLOCKS), [])
        self.assertEqual(self.query("SELECT state FROM coverage WHERE "
                                    "source = 'cupti'"), [("off",)])

    @unittest.skipUnless(os.path.exists(os.environ["INQUEST"]),
                         "the analyzer is not part of this build")
    def test_the_report_says_so(self):
        self.early()
        done = subprocess.run(
            [os.environ["INQUEST"], "diagnose", self.run_dir], check=False,
            capture_output=True, text=True, timeout=120)
        self.assertIn("the beginning is not in the trace",
                      " ".join(done.stdout.split()))

    @unittest.skipUnless(shutil.which("nm"), "nm is not installed")
    def test_no_static_needs_code(self):
        """What has begun that early would be overwritten by it."""
        symbols = subprocess.run(["nm", COLLECTOR], check=True,
                                 capture_output=True, text=True).stdout
        self.assertIn("EnsureLoaded", symbols)  # is not stripped
        initialisers = [line.split()[-1] for line in symbols.splitlines()
                        if "_GLOBAL__sub_I" in line]
        # The C++ runtime's own, of its emergency memory for exceptions.
        self.assertLessEqual(set(initialisers),
                             {"_GLOBAL__sub_I_eh_alloc.cc"})


if __name__ == "__main__":
    unittest.main()

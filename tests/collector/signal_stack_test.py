# SPDX-License-Identifier: Apache-2.0
"""Handlers of the host that use CUDA on a small alternate stack, below which
no page is mapped."""

import os
import unittest

from harness import CollectorTest

SMALL = 8192
# In a thread that has not used CUDA, in one that has, and a request that fails.
WAYS = ("first", "known", "refused")


@unittest.skipIf(os.environ.get("INQUEST_SANITIZE"),
                 "a sanitizer's own frames do not fit into 8 KiB")
class SignalStacks(CollectorTest):
    def used(self, size, how, **extra):
        done = self.host("signal_stack_host", str(size), how, **extra)
        self.assertEqual((done.returncode, done.stderr), (0, ""), how)
        return int(done.stdout)

    def test_as_alone(self):
        for how in WAYS:
            with self.subTest(how):
                self.run_dir = os.path.join(self.scratch, how)
                # The kernel's frame may leave nothing even for the host alone.
                done = self.host("signal_stack_host", str(SMALL), how,
                                 preload=False)
                if done.returncode != 0:
                    self.skipTest(f"alone: {done.returncode} {done.stderr}")
                self.assertLess(self.used(SMALL, how), SMALL)
                self.assert_clean()
                self.assertEqual(self.value(
                    "SELECT count(*) FROM loss WHERE kind = 'stack'"), 1)
                if how == "refused":
                    self.assertEqual(self.query(
                        "SELECT function FROM api_error"), [("cudaMalloc",)])
                else:
                    self.assertEqual(self.query(
                        "SELECT stack = 0 FROM memory_event "
                        f"WHERE bytes = {3 << 20}"), [(1,)])

    def test_a_large_one_has_call_stacks(self):
        self.used(1 << 20, "known")
        self.assertEqual(self.query("SELECT stack > 0 FROM memory_event "
                                    f"WHERE bytes = {3 << 20}"), [(1,)])
        self.assert_nothing_lost()


if __name__ == "__main__":
    unittest.main()

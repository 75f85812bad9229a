# SPDX-License-Identifier: Apache-2.0
"""Steps from NVTX annotations."""

import collections
import unittest

from harness import CollectorTest


class Nvtx(CollectorTest):
    def test_steps(self):
        done = self.host("nvtx_host", "cuda")
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"),
                         done.stderr)
        rows = self.query("SELECT name, end_ns - begin_ns FROM step ORDER BY id")
        self.assertEqual([name for name, _ in rows],
                         ["training", "Step 0", "Step 1", "Step 2", "epoch 1",
                          "iteration mark", "the step in which it died"])
        for name, duration in rows[:-1]:
            self.assertGreaterEqual(duration, 0, name)
        self.assertEqual(rows[5][1], 0)
        self.assertIsNone(rows[-1][1])

    def flood(self, of):
        """Name without number -> ranges kept; kind -> told as lost."""
        done = self.host("nvtx_host", of)
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"),
                         done.stderr)
        kept = collections.Counter(
            name.rstrip(" 0123456789")
            for name, in self.query("SELECT name FROM step"))
        lost = dict(self.query("SELECT kind, count FROM loss WHERE kind IN "
                               "('step', 'range')"))
        return kept, lost

    def test_operations_are_neither_steps_nor_lost_ones(self):
        self.assertEqual(self.flood("operations"), ({"iteration": 40}, {}))

    def test_what_is_not_kept_of_a_flood_is_told(self):
        kept, lost = self.flood("unnamed")
        self.assertEqual(list(kept), ["layer"])
        # Some a second, and it took a few at most.
        self.assertGreaterEqual(kept["layer"], 100)
        self.assertLess(kept["layer"], 5000)
        self.assertLessEqual(kept["layer"] + lost["range"], 20_000)
        self.assertGreaterEqual(lost["range"], (20_000 - kept["layer"]) / 2)

    def test_other_ranges_are_kept_until_steps_are_seen(self):
        kept, lost = self.flood("named")
        self.assertEqual(kept["layer"], 50)
        self.assertGreaterEqual(kept["step"], 1000)
        self.assertGreaterEqual(2 * lost["step"], 20_000 - kept["step"])
        self.assertNotIn("range", lost)

    def test_annotations_of_a_program_that_only_has_cuda_loaded(self):
        done = self.host("nvtx_host")
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"))
        self.assertEqual(self.query("SELECT * FROM memory_event"), [])
        self.assertIn(("training",), self.query("SELECT name FROM step"))


if __name__ == "__main__":
    unittest.main()

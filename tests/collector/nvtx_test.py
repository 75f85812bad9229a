"""Steps from NVTX annotations."""

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

    def test_annotations_alone_leave_nothing(self):
        done = self.host("nvtx_host")
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"))
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()

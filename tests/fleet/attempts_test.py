# SPDX-License-Identifier: Apache-2.0
"""`inquest attempts`: whether another attempt will help, and why."""
import json
import pathlib
import tempfile
import unittest

from made import DAY, T0, ndjson, result, unit
from questions import LOGS, inquest


class AttemptsTest(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory(prefix="inquest-")
        self.folder = pathlib.Path(self.holder.name)

    def tearDown(self):
        self.holder.cleanup()

    def judge(self, *attempts):
        """Each: cause, unit, steps. Loaded in the wrong order on purpose."""
        made = [result(f"a{n}", cause, where=where, steps=steps,
                       start=T0 + n * DAY,
                       suspects=[f"worker {n} is gone"])
                for n, (cause, where, steps) in enumerate(attempts)]
        path = self.folder / "attempts.ndjson"
        path.write_text(ndjson(reversed(made)))
        done = inquest("attempts", path, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_bad_card_follows_the_job(self):
        bad = unit("n3", 1, 7, "GPU-7")
        said = self.judge(("hardware/ecc", bad, (0, 100)),
                          ("hardware/ecc", bad, (100, 260)))
        self.assertEqual((said["retry"], said["same_unit"], said["same_root"]),
                         ("will not help", "yes", 2))
        self.assertIn("GPU-7", said["reason"])
        self.assertIn("keep the next attempt off it", said["reason"])

    def test_a_card_is_the_same_in_another_node(self):
        said = self.judge(("hardware/ecc", unit("n1", gpu="GPU-7"), None),
                          ("hardware/ecc", unit("n2", gpu="GPU-7"), None))
        self.assertEqual(said["same_unit"], "yes")

    def test_other_machines_other_faults(self):
        said = self.judge(("hardware/ecc", unit("n1"), None),
                          ("hardware/ecc", unit("n2"), None))
        self.assertEqual((said["retry"], said["same_unit"]),
                         ("will help", "no"))

    def test_a_node_that_comes_back(self):
        said = self.judge(("hardware/ecc", unit("n1"), None),
                          ("hardware/ecc", unit("n2"), None),
                          ("hardware/ecc", unit("n1"), None))
        self.assertEqual((said["retry"], said["same_unit"]),
                         ("will not help", "no"))
        self.assertIn("2 times on node n1", said["reason"])

    def test_software_on_other_units(self):
        said = self.judge(("kernel/illegal-access", unit("n1"), None),
                          ("kernel/illegal-access", unit("n2"), None))
        self.assertEqual(said["retry"], "will not help")
        self.assertIn("software", said["reason"])

    def test_the_same_step_again(self):
        said = self.judge(("data/non-finite", unit(), (0, 430)),
                          ("data/non-finite", unit(), (400, 430)))
        self.assertEqual((said["retry"], said["progress"]),
                         ("will not help", "same step"))
        self.assertIn("step 430", said["reason"])

    def test_each_came_further(self):
        said = self.judge(("memory/leak", unit("n1"), (0, 400)),
                          ("memory/leak", unit("n2"), (400, 810)),
                          ("memory/leak", unit("n1"), (800, 1190)))
        self.assertEqual((said["retry"], said["progress"], said["same_root"]),
                         ("will help", "further each time", 3))
        self.assertIn("400, then 810, then 1190", said["reason"])

    def test_a_larger_step_after_a_start_from_zero_is_no_progress(self):
        said = self.judge(("memory/leak", unit("n1"), (0, 400)),
                          ("memory/leak", unit("n2"), (0, 420)))
        self.assertEqual((said["retry"], said["progress"]),
                         ("will not help", "none that lasts"))

    def test_what_cannot_be_told(self):
        said = self.judge(("kernel/illegal-access", unit(), None),
                          ("kernel/illegal-access", unit(), None))
        self.assertEqual((said["retry"], said["same_unit"], said["progress"]),
                         ("cannot tell", "unknown", "unknown"))
        self.assertEqual(len(said["unknown"]), 2)
        said = self.judge(("kernel/illegal-access", unit("n1"), None))
        self.assertEqual(said["retry"], "cannot tell")
        said = self.judge(("memory/leak", unit("n1"), None),
                          ("hardware/ecc", unit("n1"), None))
        self.assertEqual(said["retry"], "cannot tell")
        self.assertIn("hardware/ecc, after memory/leak", said["reason"])

    def test_unknown_ends_with_one_wording(self):
        said = self.judge(("unknown", unit("n1"), None),
                          ("unknown", unit("n2"), None))
        self.assertEqual(said["same_root"], 2)
        self.assertIn("the root itself: only its wording repeats",
                      said["unknown"])

    def test_from_outside(self):
        said = self.judge(("process/preempted", unit("n1"), None))
        self.assertEqual(said["retry"], "will help")

    def test_the_last_one_ended_well(self):
        said = self.judge(("memory/leak", unit("n1"), None),
                          ("none", unit(), None))
        self.assertIn("ended well", said["reason"])

    def test_logs(self):
        text = (LOGS / "torch-fragmented.log").read_text()
        for name in ("a", "b"):
            (self.folder / name).write_text(f"attempt {name}\n{text}")
        done = inquest("attempts", self.folder / "a", self.folder / "b")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("A retry will not help: memory/fragmentation at the "
                      "same step", done.stdout)
        self.assertIn("not all of them say when they began", done.stdout)
        done = inquest("attempts", self.folder / "a", self.folder / "a")
        self.assertIn("only one attempt", done.stdout)
        self.assertIn("other copies", done.stderr)
        done = inquest("attempts", LOGS / "xid79.log", self.folder / "gone")
        self.assertEqual(done.returncode, 4)
        self.assertIn("gone", done.stderr)
        self.assertEqual(inquest("attempts", self.folder / "gone").returncode,
                         2)


if __name__ == "__main__":
    unittest.main()

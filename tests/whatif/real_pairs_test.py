# SPDX-License-Identifier: Apache-2.0
"""Predictions from one real snapshot held against another of the same program,
where a folder of them is there (shared.py): the same model at half the context,
which stands for half the batch."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import shared  # noqa: E402

FOLDER = shared.folder("realdata", "torch_snapshot")
PEAK = "peak_live_bytes_requested"
# Attention grows with the square of the context, which a batch does not do.
CONTEXTS = [(128, 256), (256, 512), (512, 1024)]
KINDS = ["training", "inference"]


def snapshot(kind, context):
    return FOLDER / f"wedsonlin_medium_{context}_{kind}.pickle.gz"


def predicted(path, family):
    result = subprocess.run(
        [os.environ["INQUEST"], "whatif", "--format", "json", "--batch", "2",
         "--only", family, str(path)],
        stdout=subprocess.PIPE, timeout=120, check=True)
    device = json.loads(result.stdout)["devices"][0]
    changes = [one for one in device["changes"] if one["family"] == family]
    return device, changes[0] if changes else None


class RealPairs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.truth = {}
        for line in (FOLDER / "truth.jsonl").read_text().splitlines():
            case = json.loads(line)
            cls.truth[case["file"]] = case["devices"]["0"][PEAK]

    def test_twice_the_batch(self):
        errors = []
        for kind in KINDS:
            for half, whole in CONTEXTS:
                _, change = predicted(snapshot(kind, half), "batch")
                before = self.truth[snapshot(kind, half).name]
                after = self.truth[snapshot(kind, whole).name]
                said = change["peak_allocated_bytes"]
                errors.append(abs(said / after - 1))
                print(f"{kind} {half} x 2: {before} -> {said}, really {after}: "
                      f"{100 * (said / after - 1):+.1f} %", file=sys.stderr)
                self.assertEqual(said > before, after > before)
                self.assertLessEqual(change["least_allocated_bytes"], said)
                self.assertGreaterEqual(change["most_allocated_bytes"], said)
        print(f"median error {100 * statistics.median(errors):.1f} %",
              file=sys.stderr)
        self.assertLessEqual(statistics.median(errors), 0.1)

    def test_mixed_precision_is_told_apart(self):
        # 512 and 1024 in training, and 512 in inference, ran under autocast.
        mixed = {"training": [512, 1024], "inference": [512]}
        for kind in KINDS:
            for context in [128, 256, 512, 1024]:
                device, change = predicted(snapshot(kind, context), "precision")
                print(f"{kind} {context}: uses {device['uses']}", file=sys.stderr)
                self.assertEqual(device["uses"]["mixed_precision"],
                                 context in mixed[kind])
                self.assertEqual(change is None, context in mixed[kind])

    def test_weights(self):
        weights = self.truth[snapshot("inference", 128).name] - 35651584
        for context in [128, 256]:
            device, _ = predicted(snapshot("training", context), "batch")
            self.assertAlmostEqual(device["uses"]["weights_bytes"] / weights, 1,
                                   delta=0.02)


if __name__ == "__main__":
    shared.exit_without(FOLDER, "realdata")
    unittest.main()

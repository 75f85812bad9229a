# SPDX-License-Identifier: Apache-2.0
"""The samples that die on the simulated GPU, recorded, then asked what would
have saved them."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

INQUEST = os.environ["INQUEST"]
BUILD = pathlib.Path(os.environ["INQUEST_BUILD_DIR"])
SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])


class SamplesTest(unittest.TestCase):
    def whatif(self, sample):
        with tempfile.TemporaryDirectory() as folder:
            run = folder + "/run"
            subprocess.run([str(SOURCE / "samples/run-simulated"), str(BUILD),
                            sample, "--with", INQUEST, "record", "-o", run,
                            "---", "--"], timeout=120,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            result = subprocess.run(
                [INQUEST, "whatif", "--format", "json", run], timeout=120,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, 0, result.stderr)
        device, = json.loads(result.stdout)["devices"]
        return device, {one["family"]: one for one in device["changes"]}

    def died(self, sample):
        device, changes = self.whatif(sample)
        self.assertTrue(device["check"]["model"]["refuses_the_same"])
        self.assertFalse(changes["recorded"]["survives"])
        # A larger device is filled by a leak, too.
        self.assertEqual(changes["device"]["survives"], "leak" not in changes)
        return changes

    def test_a_leak(self):
        changes = self.died("leaking_loop")
        self.assertTrue(changes["leak"]["survives"])
        self.assertIn("RememberLoss", changes["leak"]["setting"])

    def test_a_batch(self):
        changes = self.died("batch_too_large")
        self.assertTrue(changes["batch"]["survives"])
        self.assertLess(changes["batch"]["factor"], 1)
        self.assertNotIn("leak", changes)

    def test_another_process(self):
        changes = self.died("second_run")
        self.assertTrue(changes["other-process"]["survives"])

    def test_fragments(self):
        """Half-used pages help nobody: no pool could have had them."""
        changes = self.died("fragmenting_allocator")
        self.assertFalse(changes["async"]["survives"])

    def test_a_healthy_run(self):
        _, changes = self.whatif("healthy")
        self.assertTrue(changes["recorded"]["survives"])
        self.assertNotIn("device", changes)


if __name__ == "__main__":
    if not (BUILD / "samples/healthy").exists():
        print("skipped: the samples are not built")
        sys.exit(77)
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Real memory snapshots of PyTorch, where a folder of them is there
(shared.py): what they held comes out of their requests."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import shared  # noqa: E402

FOLDER = shared.folder("realdata", "torch_snapshot")


class RealSnapshots(unittest.TestCase):
    def test_reserved_and_segments(self):
        for line in (FOLDER / "truth.jsonl").read_text().splitlines():
            case = json.loads(line)
            result = subprocess.run(
                [os.environ["INQUEST"], "whatif", "--format", "json",
                 str(FOLDER / case["file"])], stdout=subprocess.PIPE,
                timeout=120, check=True)
            for device in json.loads(result.stdout)["devices"]:
                want = case["devices"][str(device["device"])]
                model = device["check"]["model"]
                self.assertEqual(
                    (model["reserved_bytes_at_end"],
                     model["segments_at_end"],
                     model["peak_reserved_bytes"],
                     model["largest_free_bytes_at_end"]),
                    (want["reserved_bytes"], want["segments"],
                     want["peak_reserved_bytes"],
                     want["largest_inactive_block"]))
                fresh = device["check"]["from_scratch"]
                error = fresh["peak_reserved_bytes"] / want[
                    "peak_reserved_bytes"] - 1
                print(f"{case['file']}: recorded settings exact, from scratch "
                      f"{100 * error:+.2f} %", file=sys.stderr)
                self.assertLess(abs(error), 0.02)


if __name__ == "__main__":
    shared.exit_without(FOLDER, "realdata")
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Which steps are found in real snapshots and profiles, where a folder of them
is there (shared.py). What each file is, was read off its program: the profiler's
own marks, the call stacks, the number of optimizer steps."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import shared  # noqa: E402

FOLDER = shared.folder("realdata", "torch_snapshot").parent

# Steps of each file, by the beginning of its name. None: it has no training
# steps (one forward pass, or one moment), so no count may be given as certain.
TRUTH = {
    "torch_snapshot/flexgen_oom": None,
    "torch_snapshot/wedsonlin_medium_*_inference": None,
    "torch_snapshot/wedsonlin_medium_*_training": 1,
    "kineto/kineto_resnet50": 6,
    "kineto/hta_memory_timeline": 5,
}
MOST_WRONG = 0.01


def found(path):
    """The number of steps that are found, and how they were judged."""
    result = subprocess.run(
        [os.environ["INQUEST"], "query", "--format", "ndjson", str(path),
         "SELECT count(*) AS n, coalesce(min(judged), 'none') AS judged, "
         "(SELECT group_concat(judged || ': ' || why, '; ') FROM "
         "step_candidate) AS why FROM step"],
        stdout=subprocess.PIPE, timeout=120, check=True)
    row = json.loads(result.stdout)
    return row["n"], row["judged"], row["why"]


class RealSteps(unittest.TestCase):
    def test_steps(self):
        wrong, right, files = 0, 0, 0
        for pattern, truth in TRUTH.items():
            paths = sorted(FOLDER.glob(pattern + "*"))
            self.assertTrue(paths, pattern)
            for path in paths:
                steps, judged, why = found(path)
                certain = judged == "steps"
                is_right = steps == (truth or 0) and certain == bool(truth)
                is_wrong = certain and not is_right
                print(f"{path.name}: {steps} {judged}, truth {truth or 'none'}"
                      f": {'right' if is_right else 'WRONG' if is_wrong else 'open'}"
                      f" ({why})", file=sys.stderr)
                wrong, right = wrong + is_wrong, right + is_right
                files += 1
        print(f"{files} files: {right} right, {files - right - wrong} open, "
              f"{wrong} wrong", file=sys.stderr)
        self.assertLessEqual(wrong, MOST_WRONG * files)
        self.assertGreaterEqual(right, 0.8 * files)


if __name__ == "__main__":
    shared.exit_without(FOLDER, "realdata")
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""`rules profile`: what was run, tried and matched. How long it took is shown
and not asserted."""
import json
import os
import pathlib
import subprocess
import unittest

LOG = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"]) / "tests/cli/logs/xid79.log"
STAGES = {"parse", "compile", "attach", "scan", "facts", "rules", "ranking"}


def profile(*arguments):
    return subprocess.run(
        [os.environ["INQUEST"], "rules", "profile", "--log", LOG, *arguments],
        capture_output=True, text=True, timeout=120)


class ProfileTest(unittest.TestCase):
    def setUp(self):
        done = profile("--format", "json", "--top", "1000")
        self.found = json.loads(done.stdout)

    def test_signatures_that_were_tried(self):
        tried = {one["signature"]: one for one in self.found["signatures"]}
        self.assertEqual(tried["kernel.xid.off-bus"]["matched"], 1)
        self.assertNotIn("torch.oom", tried)  # nothing in the log asks for it
        for one in tried.values():
            self.assertGreaterEqual(one["tried"], one["matched"])

    def test_rules_that_were_run(self):
        run = {one["rule"] for one in self.found["rules"]}
        self.assertIn("kernel.xid.same-gpu", run)
        for one in self.found["rules"]:
            self.assertEqual(one["total_ns"], sum(
                one[part] for part in ("prepare_ns", "run_ns", "judge_ns",
                                       "finish_ns")))

    def test_stages(self):
        self.assertEqual({name.removesuffix("_ns")
                          for name in self.found["stages"]}, STAGES)

    def test_text_keeps_to_the_top(self):
        lines = profile("--top", "1").stdout.splitlines()
        rows = lines[lines.index(next(
            line for line in lines if line.startswith("Signatures"))) + 2:]
        self.assertEqual(len(rows), 1)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Verdicts from logs alone, over the folders of labelled real logs that lie
beside the checkout (shared.py). What was reached must stay: these are the
figures that the README claims."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import shared  # noqa: E402

INQUEST = os.environ["INQUEST"]
# Folder -> causes right, and alarms on logs in which nothing died.
CLAIMS = {
    "corpus": (103, 0),
    "corpus-2": (128, 1),
    "corpus-healthy": (44, 2),
}


def accepted(case):
    """A log that proves no clean end may be left open."""
    open_end = ["unknown"] if case["cause"] == "none" else []
    return [case["cause"], *case["also"], *open_end]


def verdict(log):
    result = subprocess.run(
        [INQUEST, "diagnose", "--format", "json", "--log", log],
        capture_output=True, timeout=120)
    return json.loads(result.stdout)["verdict"]["cause"]


class CorpusTest(unittest.TestCase):
    def check(self, name):
        folder = shared.folder(name)
        if not folder.is_dir():
            self.skipTest(shared.missing(name))
        labels = (folder / "labels.jsonl").read_text().splitlines()
        cases = [json.loads(line) for line in labels if line.strip()]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = list(pool.map(
                verdict, [folder / f"{case['id']}.log" for case in cases]))
        wrong = [f"{case['id']}: {case['cause']} taken for {cause}"
                 for case, cause in zip(cases, found)
                 if cause not in accepted(case)]
        alarms = [line for line in wrong if ": none taken" in line]
        right, allowed_alarms = CLAIMS[name]
        self.assertLessEqual(len(alarms), allowed_alarms, "\n".join(alarms))
        self.assertGreaterEqual(len(cases) - len(wrong), right,
                                "\n".join(wrong))

    def test_corpus(self):
        self.check("corpus")

    def test_corpus_2(self):
        self.check("corpus-2")

    def test_corpus_healthy(self):
        self.check("corpus-healthy")


if __name__ == "__main__":
    if not any(shared.folder(name).is_dir() for name in CLAIMS):
        shared.exit_without(shared.folder("corpus"), "corpus")
    unittest.main()

"""Verdicts from logs alone, over a folder of labelled real logs where there is
one (shared.py): the share of right causes must not fall, and no healthy log may raise an alarm."""
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
CORPUS = shared.folder("corpus")
LEAST_RIGHT = 0.90


def verdict(case):
    result = subprocess.run(
        [INQUEST, "diagnose", "--format", "json", "--log",
         CORPUS / f"{case['id']}.log"], capture_output=True, timeout=120)
    return json.loads(result.stdout)["verdict"]["cause"]


class CorpusTest(unittest.TestCase):
    def test_causes(self):
        labels = (CORPUS / "labels.jsonl").read_text().splitlines()
        cases = [json.loads(line) for line in labels if line.strip()]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = list(pool.map(verdict, cases))
        wrong = [f"{case['id']}: {case['cause']} taken for {cause}"
                 for case, cause in zip(cases, found)
                 if cause not in [case["cause"], *case["also"]]]
        alarms = [line for line in wrong if ": none taken" in line]
        self.assertEqual(alarms, [])
        self.assertGreaterEqual(1 - len(wrong) / len(cases), LEAST_RIGHT,
                                "\n".join(wrong))


if __name__ == "__main__":
    shared.exit_without(CORPUS, "corpus")
    unittest.main()

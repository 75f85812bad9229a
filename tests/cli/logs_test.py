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
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import shared  # noqa: E402

INQUEST = os.environ["INQUEST"]
# Folder -> causes right, and alarms on logs in which nothing died.
CLAIMS = {
    "corpus": (103, 0),
    "corpus-2": (140, 0),
    "corpus-healthy": (46, 0),
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


def without_known_lines(log):
    """The log as a run would leave it whose words no rule knows."""
    result = subprocess.run(
        [INQUEST, "query", "--format", "ndjson", log,
         "SELECT DISTINCT line FROM log_event WHERE role <> 'suspect'"],
        capture_output=True, timeout=120)
    known = {json.loads(row)["line"] for row in result.stdout.splitlines()}
    lines = log.read_bytes().splitlines(keepends=True)
    return b"".join(line for number, line in enumerate(lines, 1)
                    if number not in known)


class UnknownWordsTest(unittest.TestCase):
    def test_a_death_in_unknown_words_is_never_none(self):
        logs = []
        for name in ("corpus", "corpus-2", "corpus-hangs"):
            labels = shared.folder(name) / "labels.jsonl"
            if not labels.is_file():
                self.skipTest(shared.missing(name))
            for row in map(json.loads, labels.read_text().splitlines()):
                if row["cause"] != "none":
                    logs += shared.folder(name).glob(f"{row['id']}.*")
        self.assertGreater(len(logs), 250)
        with tempfile.TemporaryDirectory() as folder, \
                concurrent.futures.ThreadPoolExecutor(2) as pool:
            def judge(numbered):
                number, log = numbered
                rest = pathlib.Path(folder) / f"{number}.log"
                rest.write_bytes(without_known_lines(log))
                return verdict(rest)
            found = dict(zip(logs, pool.map(judge, enumerate(logs))))
        self.assertEqual([str(log) for log, cause in found.items()
                          if cause == "none"], [])


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

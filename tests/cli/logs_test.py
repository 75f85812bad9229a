# SPDX-License-Identifier: Apache-2.0
"""Verdicts from logs alone, over the folders of labelled real logs that lie
beside the checkout (shared.py). What was reached must stay: these are the
figures that the README claims. One process judges a folder, so that the rules
are loaded once."""
import collections
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


def run(*arguments):
    return subprocess.run([INQUEST, *arguments], capture_output=True,
                          check=True, timeout=240).stdout


def score(folder):
    return json.loads(run("rules", "score", "--format", "json", folder))


def labelled(folder):
    lines = (folder / "labels.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def known_lines(folder):
    """Of each file, the numbers of the lines that a rule knows."""
    known = collections.defaultdict(set)
    rows = run("query", "--format", "ndjson", "--max-rows", "1000000", folder,
               "SELECT DISTINCT s.path, e.line FROM log_event AS e"
               " JOIN log_source AS s ON s.source = e.source"
               " WHERE e.role <> 'suspect'")
    for row in map(json.loads, rows.splitlines()):
        known[pathlib.Path(row["path"]).name].add(row["line"])
    return known


class UnknownWordsTest(unittest.TestCase):
    def copy_dead(self, name, rest):
        """The dead runs' logs, as they would be if no rule knew their words."""
        folder = shared.folder(name)
        if not (folder / "labels.jsonl").is_file():
            self.skipTest(shared.missing(name))
        known = known_lines(folder)
        self.assertGreater(len(known), 40)
        dead = [row["id"] for row in labelled(folder) if row["cause"] != "none"]
        for log in (path for one in dead for path in folder.glob(f"{one}.*")):
            lines = log.read_bytes().splitlines(keepends=True)
            case = f"{name}-{log.stem}"
            (rest / f"{case}.log").write_bytes(b"".join(
                line for number, line in enumerate(lines, 1)
                if number not in known[log.name]))
            yield {"id": case, "cause": "memory/capacity", "also": [],
                   "facts": {}}

    def test_a_death_in_unknown_words_is_never_none(self):
        with tempfile.TemporaryDirectory() as made:
            rest = pathlib.Path(made)
            labels = [row for name in ("corpus", "corpus-2", "corpus-hangs")
                      for row in self.copy_dead(name, rest)]
            self.assertGreater(len(labels), 250)
            (rest / "labels.jsonl").write_text(
                "".join(json.dumps(row) + "\n" for row in labels))
            found = score(rest)
        self.assertEqual(found["cause_right"]["whole"], len(labels))
        self.assertEqual([row for row in found["misses"]
                          if row.get("got") == "none"], [])


class CorpusTest(unittest.TestCase):
    def check(self, name):
        if not shared.folder(name).is_dir():
            self.skipTest(shared.missing(name))
        right, alarms = CLAIMS[name]
        found = score(shared.folder(name))
        self.assertLessEqual(found["false_alarms"]["part"], alarms,
                             found["misses"])
        self.assertGreaterEqual(found["cause_right"]["part"], right,
                                found["misses"])

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

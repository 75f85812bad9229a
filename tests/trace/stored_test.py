# SPDX-License-Identifier: Apache-2.0
"""What version 0.1 recorded can still be read, with the same result.

stored-0.1.tar.gz holds two runs on the simulated GPU, as the collector of
version 0.1 left them on disk:

  families  every family of allocation once (tests/collector/families.cc), so
            every operation and nearly every kind of memory_event; ended cleanly
  killed    one thread that allocates and frees (tests/collector/kill_host.cc),
            killed: a trace and a journal with records that are in no trace yet

expected/stored-0.1.json is what the analyzer finds in them. It must not change:
where it does, users can no longer read what they recorded. A change of the format
adds a new archive, and keeps this one. `stored_test.py --update` writes it anew,
for facts that are new.
"""
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
INQUEST = os.environ["INQUEST"]
ARCHIVE = HERE / "stored-0.1.tar.gz"
EXPECTED = HERE / "expected/stored-0.1.json"
UPDATE = "--update" in sys.argv
QUERIES = {
    "process": "SELECT * FROM process",
    "memory_event": "SELECT * FROM memory_event WHERE id < 4240 ORDER BY id",
    "memory_sums": "SELECT op, kind, result, count(*) AS events, sum(bytes) AS "
                   "bytes, max(id) AS last FROM memory_event GROUP BY 1, 2, 3",
    "api_error": "SELECT * FROM api_error",
    "coverage": "SELECT * FROM coverage ORDER BY from_time",
    "device": "SELECT * FROM device",
    "device_memory": "SELECT * FROM device_memory ORDER BY time",
}


def inquest(*arguments):
    result = subprocess.run([INQUEST, *arguments], capture_output=True, text=True,
                            timeout=120)
    # 1: the answer is no, as where nothing fatal was found.
    if result.returncode not in (0, 1):
        raise AssertionError(f"{arguments}: {result.returncode} {result.stderr}")
    return result.stdout


def rows(run, sql):
    lines = inquest("query", str(run), "--format", "ndjson", sql).splitlines()
    return [json.loads(line) for line in lines]


def diagnosis(run):
    """Causes and figures; names of rules and wording are for other tests."""
    whole = json.loads(inquest("diagnose", str(run), "--format", "json"))
    found = [{key: finding[key] for key in ("cause", "confidence", "facts")}
             for finding in whole["findings"]]
    for device in whole["summary"]["devices"]:
        del device["path"]  # where it was unpacked
    return {"cause": whole["verdict"]["cause"],
            "confidence": whole["verdict"]["confidence"],
            "findings": found,
            "events": whole["summary"]["events"],
            "devices": whole["summary"]["devices"]}


def unpacked(folder):
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder)
    return {name: pathlib.Path(folder) / name for name in ("families", "killed")}


def printed(found):
    """A row a line, so that a change shows in the diff."""
    runs = []
    for name, parts in found.items():
        lines = []
        for what, value in parts.items():
            text = json.dumps(value)
            if isinstance(value, list) and value:
                text = "[\n  " + ",\n  ".join(map(json.dumps, value)) + "]"
            lines.append(f' "{what}": {text}')
        runs.append(f'"{name}": {{\n' + ",\n".join(lines) + "}")
    return "{" + ",\n".join(runs) + "}\n"


def found_in(run):
    # Diagnosing comes first: it moves the journal into the trace.
    return {"diagnosis": diagnosis(run),
            **{name: rows(run, sql) for name, sql in QUERIES.items()}}


class StoredTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.runs = unpacked(folder.name)

    def test_everything_is_found_as_before(self):
        found = {name: found_in(run) for name, run in self.runs.items()}
        if UPDATE:
            EXPECTED.write_text(printed(found))
        expected = json.loads(EXPECTED.read_text())
        for name in self.runs:
            for what, value in expected[name].items():
                with self.subTest(run=name, what=what):
                    self.assertEqual(found[name][what], value)

    def test_the_archive_has_every_operation(self):
        ops = {row["op"] for row in json.loads(EXPECTED.read_text())["families"]
               ["memory_event"]}
        events = (HERE.parent.parent / "trace/records/event.h").read_text()
        table = events.split("kMemoryOps[] = {")[1].split("};")[0]
        named = [entry.split('"')[1] for entry in table.split("MemoryOp::")[1:]]
        self.assertEqual(ops, set(named[:15]))


if __name__ == "__main__":
    unittest.main(argv=[one for one in sys.argv if one != "--update"])

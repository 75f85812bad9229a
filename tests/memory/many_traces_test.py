# SPDX-License-Identifier: Apache-2.0
"""Many traces in one diagnosis, more than SQLite attaches and more than it joins
in one statement: every trace's rows are found as if it were alone."""
import json
import os
import pathlib
import random
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent /
                       "importers"))
import harness  # noqa: E402
from made_trace import MIB, MadeTrace  # noqa: E402

SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
IMPORTS = (SOURCE / "trace/imports.sql").read_text()
ATTACHED = 7  # kMaxAttached; what is beyond is merged
MOST_UNITED = 500  # SQLITE_MAX_COMPOUND_SELECT where nobody changed it
VIEWS = "\n".join(path.read_text() for path in
                  sorted((SOURCE / "analyzer/facts/views").glob("*.sql")))
# Views of traces and their columns: the last word before a comment.
TRACED = {view.split()[3]: re.findall(r"(\w+),?\s+-- (?=.*\n)", re.sub(
              r"(-- .*)(\n +-- .*)+", r"\1", view))
          for view in re.findall(r"^CREATE TEMP VIEW .*?;$", VIEWS, re.M | re.S)
          if "{trace}" in view}
# Filled by MadeTrace, or what the replay of events must agree with.
KEPT = re.compile("meta|process|clock_anchor|stack|memory_event|checkpoint.*")


def fill(trace, chance):
    """A few rows in each table, whose keys are those of other traces too."""
    db = trace.db
    db.executescript(IMPORTS)  # ends the transaction
    db.execute("BEGIN")
    for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = "
                               "'table'").fetchall():
        if KEPT.fullmatch(table):
            continue
        columns = db.execute(f"PRAGMA table_info({table})").fetchall()
        for row in range(4):
            values = [chance.randrange(1, 4) if "INT" in kind or "REAL" in kind
                      else f"{name} {chance.randrange(6)}"
                      for _, name, kind, _, _, _ in columns]
            marks = ",".join("?" * len(values))
            db.execute(f"INSERT OR IGNORE INTO {table} VALUES({marks})",
                       values)


class ManyTracesTest(unittest.TestCase):
    def setUp(self):
        self.folder = harness.scratch(self)

    def query(self, sql, *paths):
        done = harness.run("query", "--format", "ndjson", *paths, "--sql", sql)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return [json.loads(line) for line in done.stdout.decode().splitlines()]

    def facts(self, *paths):
        """Process -> fact -> its rows in order."""
        sql = " UNION ALL ".join(
            f"SELECT process, '{fact}' AS fact, json_array({columns}) AS row "
            f"FROM {fact} WHERE process IS NOT NULL"
            for fact, columns in ((fact, ", ".join(set(columns) - {"process"}))
                                  for fact, columns in TRACED.items()))
        found = {}
        for one in self.query(sql, *paths):
            found.setdefault(one["process"], {}).setdefault(
                one["fact"], []).append(one["row"])
        return {process: {fact: sorted(rows) for fact, rows in facts.items()}
                for process, facts in found.items()}

    def test_rows_of_traces_do_not_mix(self):
        chance = random.Random(20261122)
        paths = []
        for rank in range(ATTACHED + 3):
            paths.append(self.folder / f"{rank}.trace.sqlite")
            trace = MadeTrace(paths[-1], rank=rank, pid=100 + rank)
            trace.alloc(1 << 30, chance.randrange(1, 9) * MIB)
            if rank % 4:
                fill(trace, chance)
            trace.close()
        together = self.facts(*paths)
        self.assertEqual(len(together), len(paths))
        for process in (1, ATTACHED, ATTACHED + 1, ATTACHED + 2, len(paths)):
            alone = self.facts(paths[process - 1])[1]
            if process % 4 != 1:
                self.assertGreater(len(alone), len(TRACED) - 5)
            self.assertEqual(together[process], alone)

    def test_a_damaged_one_leaves_nothing_behind(self):
        paths = []
        for rank in range(ATTACHED + 3):
            paths.append(self.folder / f"{rank}.trace.sqlite")
            trace = MadeTrace(paths[-1], rank=rank)
            for block in range(3000):
                trace.alloc((block + 1) << 30, MIB)
            trace.close()
        damaged = paths[ATTACHED + 1]
        damaged.write_bytes(damaged.read_bytes()[:-40_000])
        done = harness.run("query", "--format", "ndjson", *paths, "--sql",
                           "SELECT p.rank, count(*) AS events FROM process AS "
                           "p JOIN memory_event USING (process) GROUP BY 1")
        self.assertIn(str(damaged), done.stderr.decode())
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(rows, [{"rank": rank, "events": 3000}
                                for rank in range(len(paths))
                                if rank != ATTACHED + 1])

    def test_more_than_one_statement_can_join(self):
        sound = self.folder / "sound"
        MadeTrace(sound, rank=0).close()
        run = self.folder / "run"
        run.mkdir()
        for rank in range(MOST_UNITED + 10):
            (run / f"{rank:04}.trace.sqlite").hardlink_to(sound)
        trace = MadeTrace(run / "9999.trace.sqlite", rank=9999, pid=7)
        trace.stack(1, ("/src/train.py", 7, "step"))
        trace.memory(3 * MIB, "failure")
        trace.alloc(0, 8 * MIB, stack=1, result=2)
        trace.close()
        found = harness.diagnose(run)
        self.assertEqual(found["verdict"]["cause"], "memory/capacity")
        self.assertEqual(found["verdict"]["unit"]["rank"], 9999)


if __name__ == "__main__":
    unittest.main()

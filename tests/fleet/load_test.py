# SPDX-License-Identifier: Apache-2.0
"""`inquest fleet` with its results in SQLite."""
import gzip
import json
import sqlite3
import subprocess
import unittest

from made import ndjson, result
from questions import INQUEST, LOGS, FleetQuestions, inquest, month


class SqliteTest(FleetQuestions, unittest.TestCase):
    def new_database(self):
        return self.folder / "fleet.sqlite"

    def test_no_database(self):
        done = self.fleet("report", code=2)
        self.assertIn("there is no database", done.stderr)
        self.assertFalse(self.database.exists())

    def test_a_newer_schema(self):
        self.fleet("load", input=ndjson([result("a", "none")]))
        with sqlite3.connect(self.database) as database:
            database.execute("INSERT INTO fleet_schema VALUES (99)")
        database.close()
        self.assertIn("schema 99", self.fleet("report", code=2).stderr)

    def test_two_at_once(self):
        many = month()
        loads = [subprocess.Popen([INQUEST, "fleet", "load", "--database",
                                   self.database], stdin=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL)
                 for _ in range(3)]
        for n, load in enumerate(loads):
            load.stdin.write(ndjson(many[n::3]).encode())
            load.stdin.close()
        self.assertEqual([load.wait(60) for load in loads], [0, 0, 0])
        self.assertEqual(self.report()["overview"][0]["runs"], 80)


class ShardsTest(unittest.TestCase):
    setUp = FleetQuestions.setUp
    tearDown = FleetQuestions.tearDown

    def new_database(self):
        return self.folder / "fleet.sqlite"

    def logs(self, count):
        text = (LOGS / "xid79.log").read_text()
        paths = []
        for n in range(count):
            path = self.folder / f"slurm-{100 + n}.out"
            path.write_text(text)
            paths.append(path)
        return paths

    def test_each_run_is_in_one_share(self):
        paths = self.logs(5)
        (self.folder / "list").write_text("\n".join(map(str, paths)) + "\n")
        results = self.folder / "results"
        for index in range(3):
            done = inquest("fleet", "diagnose", "--list", self.folder / "list",
                           "--shard", f"{index}/3", "-o", results)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(list(results.glob("*.diagnosis.json"))), 5)
        done = inquest("fleet", "load", "--database", self.database, results)
        self.assertIn("5 results", done.stdout)
        # Equal logs of different jobs are different runs.
        done = inquest("fleet", "report", "--database", self.database,
                       "--only", "overview", "--format", "json")
        rows = json.loads(done.stdout)["sections"][0]["rows"]
        self.assertEqual(rows[0]["runs"], 5)

    def test_started_again_it_does_only_what_is_left(self):
        paths = self.logs(3)
        results = self.folder / "results"
        inquest("fleet", "diagnose", *paths[:2], "-o", results)
        verdict = self.folder / "termination-log"
        verdict.touch()
        done = inquest("fleet", "diagnose", *paths, self.folder / "gone",
                       "-o", results, "--verdict", verdict)
        self.assertEqual(done.returncode, 4)
        self.assertIn("1 diagnosed, 2 were done before, 1 failed", done.stdout)
        self.assertIn("gone", done.stderr)
        self.assertIn("hardware/off-bus", verdict.read_text())
        self.assertLessEqual(verdict.stat().st_size, 4096)
        # Other rules are other work.
        done = inquest("fleet", "diagnose", *paths, "-o", results,
                       "--no-default-rules")
        self.assertIn("3 diagnosed", done.stdout)

    def test_a_run_that_takes_too_long_costs_only_itself(self):
        paths = self.logs(1)
        # Four gigabytes of text in a small file.
        part = gzip.compress(b"nothing to see here, move along\n" * 500_000)
        with open(self.folder / "large.log.gz", "wb") as large:
            for _ in range(256):
                large.write(part)
        done = inquest("fleet", "diagnose", self.folder / "large.log.gz", *paths,
                       "-o", self.folder / "results", "--run-timeout", 5)
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertIn("took longer than 5 s", done.stderr)
        self.assertIn("hardware/off-bus", done.stdout)

    def test_shares_that_do_not_exist(self):
        for wrong in ("3/3", "1", "x/2", "-1/2", "0/0"):
            done = inquest("fleet", "diagnose", "a", "-o", self.folder,
                           f"--shard={wrong}")
            self.assertEqual(done.returncode, 2, wrong)
            self.assertIn("is not I/N", done.stderr)


if __name__ == "__main__":
    unittest.main()

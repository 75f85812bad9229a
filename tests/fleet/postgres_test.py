# SPDX-License-Identifier: Apache-2.0
"""`inquest fleet` with its results in a real PostgreSQL, where one is
installed: the same questions and answers as with SQLite."""
import sys
import unittest

import postgres
from made import ndjson
from questions import FleetQuestions, inquest, month

number = 0


class PostgresTest(FleetQuestions, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = postgres.Postgres()
        cls.url = cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    # A schema of its own for each test, as a database would be.
    def new_database(self):
        global number
        number += 1
        subject = f"t{number}"
        self.server.run("psql", self.url, "-qc", f"CREATE SCHEMA {subject}")
        return f"{self.url}&options=-csearch_path%3D{subject}"

    def test_the_answers_are_those_of_sqlite(self):
        self.fleet("load", input=ndjson(month()))
        here = self.report()
        self.database = self.folder / "fleet.sqlite"
        self.fleet("load", input=ndjson(month()))
        self.assertEqual(here, self.report())

    def test_no_server(self):
        done = inquest("fleet", "report", "--database",
                       f"postgresql://fleet:secret@/x?host={self.folder}")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot reach PostgreSQL", done.stderr)
        self.assertNotIn("secret", done.stderr)


if __name__ == "__main__":
    reason = postgres.missing()
    if not reason:
        told = inquest("fleet", "report", "--database", "host=/nonexistent")
        if "built without PostgreSQL" in told.stderr:
            reason = "inquest was built without libpq"
    if reason:
        print("skipped: " + reason)
        sys.exit(77)
    unittest.main()

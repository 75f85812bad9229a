# SPDX-License-Identifier: Apache-2.0
"""The facts' catalogue marks as nullable exactly what can be NULL, as far as the
tables behind the views tell: a column that a view passes on unchanged is marked
where its table allows NULL, and only there."""
import os
import pathlib
import re
import sqlite3
import subprocess
import unittest

INQUEST = os.environ["INQUEST"]
SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
VIEWS = SOURCE / "analyzer/facts/views"


def tables():
    """Table -> column -> whether it may be NULL."""
    database = sqlite3.connect(":memory:")
    database.create_function("version_number", 1, str, deterministic=True)
    for path in ("trace/schema.sql", "trace/imports.sql",
                 "analyzer/facts/store/private.sql"):
        database.executescript((SOURCE / path).read_text())
    for path in sorted(VIEWS.glob("*.sql")):
        for table in re.findall(r"^CREATE TABLE .*?^\);$", path.read_text(),
                                re.M | re.S):
            database.executescript(table)
    found = {}
    for (name,) in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"):
        rows = database.execute(f"PRAGMA table_info({name})").fetchall()
        found[name] = {row[1]: not row[3] and not row[5] for row in rows}
    database.close()
    return found


def marks_of(view):
    """Column -> marked as nullable: the first comment behind each column."""
    marks, name = {}, None
    for line in view.splitlines():
        code, comment, text = line.partition("-- ")
        if code.strip():
            name = re.search(r"(\w+),?\s*$", code)
        if comment and name:
            marks[name[1]] = text.startswith("? ")
            name = None
    return marks


def facts():
    """Fact -> (column -> marked as nullable, its SELECTs), of those that are views."""
    for path in sorted(VIEWS.glob("*.sql")):
        for view in re.findall(r"^CREATE TEMP VIEW .*?;$", path.read_text(),
                               re.M | re.S):
            sql = re.sub(r"\s*-- .*", "", view)
            yield (view.split()[3], marks_of(view),
                   (sql.split(" AS\nSELECT ", 1) + [""])[1])  # or WITH


def passed_on(select, table):
    """View column -> table column, for what one SELECT takes as it is."""
    columns = {}
    for item in re.split(r",\s*(?![^()]*\))", select.split("\n  FROM")[0]):
        match = re.fullmatch(r"(?:\w+\.)?(\w+)(?: AS (\w+))?", item.strip())
        if match and match[1] in table:
            columns[match[2] or match[1]] = match[1]
    return columns


class FactsTest(unittest.TestCase):
    def test_marks_agree_with_the_tables(self):
        known, compared = tables(), 0
        for fact, marks, sql in facts():
            for select in sql.split("\nUNION ALL\nSELECT "):
                source = re.search(r"FROM (?:\{trace\}\.)?(\w+)", select)
                joins = len(re.findall(r"JOIN (?!store_trace)", select))
                if source is None or source[1] not in known or joins:
                    continue
                table = known[source[1]]
                for column, origin in passed_on(select, table).items():
                    if " CASE " in select or column not in marks:
                        continue
                    with self.subTest(f"{fact}.{column}"):
                        compared += 1
                        # What is joined or united may add a NULL of its own.
                        if table[origin]:
                            self.assertTrue(marks[column], "can be NULL")
                        elif "UNION" not in sql:
                            self.assertFalse(marks[column], "is NOT NULL")
        self.assertGreater(compared, 100)

    def test_the_version_and_the_marks_are_shown(self):
        page = subprocess.run([INQUEST, "facts", "show", "oom"], text=True,
                              capture_output=True, check=True).stdout
        self.assertIn("version 1", page)
        self.assertIn("requested_bytes?", page)
        self.assertIn("may be NULL", page)


if __name__ == "__main__":
    unittest.main()

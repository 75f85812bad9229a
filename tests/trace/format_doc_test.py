# SPDX-License-Identifier: Apache-2.0
"""docs/trace-format.md says what trace/schema.sql, trace/imports.sql and
trace/records/event.h say: its tables are made from their comments, and SQLite must see
the same columns.
`format_doc_test.py --update` writes them anew."""
import os
import pathlib
import re
import sqlite3
import sys
import unittest

SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
PAGE = SOURCE / "docs/trace-format.md"
SCHEMA = "".join((SOURCE / "trace" / name).read_text()
                 for name in ("schema.sql", "imports.sql"))
EVENTS = (SOURCE / "trace/records/event.h").read_text()
BEGIN = "<!-- made from trace/*.sql and trace/records/event.h -->\n"
TABLE = re.compile(r"(?ms)^((?:--[^\n]*\n)*)CREATE TABLE (\w+) \(\n(.*?)^\)[^\n]*;")
COLUMN = re.compile(r"^  ([a-z]\w*) (\w+)([^-\n]*)(?:-- (.*))?$")
ENUM = re.compile(r"(?ms)^enum class (Memory\w+)[^{]*\{(.*?)^\};")
VALUE = re.compile(r"k(\w+) = (\d+),\s*(?://\s*(.*))?")


def sentence(comment):
    lines = [line.removeprefix("--").strip() for line in comment.splitlines()]
    return " ".join(line for line in lines if line)


def cell(text):
    return (text or "").strip().replace("|", "\\|")


def columns(body):
    for line in body.splitlines():
        match = COLUMN.match(line)
        if match:
            name, kind, rest, comment = match.groups()
            must = "NOT NULL" in rest or "PRIMARY KEY" in rest
            yield name, kind, must, comment


def table(match):
    comment, name, body = match.groups()
    rows = [f"| `{column}` | {kind.lower()}{'' if must else ' or NULL'} | "
            f"{cell(words)} |" for column, kind, must, words in columns(body)]
    return "\n".join([f"### {name}", "", sentence(comment), "",
                      "| column | type | meaning |", "| --- | --- | --- |",
                      *rows]).replace("\n\n\n", "\n\n")


def numbers(match):
    name, body = match.groups()
    column = "op" if name == "MemoryOp" else "kind"
    spelled = [re.sub(r"(?<!^)(?=[A-Z])", "_", value[0]).lower()
               for value in VALUE.findall(body)]
    rows = [f"| {number} | {word} | {cell(comment)} |" for word, (_, number, comment)
            in zip(spelled, VALUE.findall(body))]
    return "\n".join([f"### Numbers of memory_event.{column}", "",
                      "| number | name | meaning |", "| --- | --- | --- |", *rows])


def generated():
    parts = [table(match) for match in TABLE.finditer(SCHEMA)]
    parts += [numbers(match) for match in ENUM.finditer(EVENTS)]
    return BEGIN + "\n" + "\n\n".join(parts) + "\n"


class FormatTest(unittest.TestCase):
    maxDiff = None

    def test_page(self):
        text = PAGE.read_text()
        found = text[:text.index(BEGIN)] + generated()
        if UPDATE:
            PAGE.write_text(found)
            return
        self.assertEqual(found, text)

    def test_sqlite_sees_the_same_columns(self):
        base = sqlite3.connect(":memory:")
        base.executescript(SCHEMA)
        seen = {name: [row[1] for row in base.execute(
            f"PRAGMA table_info({name})")] for name, in base.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'")}
        told = {match.group(2): [column[0] for column in columns(match.group(3))]
                for match in TABLE.finditer(SCHEMA)}
        self.assertEqual(told, seen)


UPDATE = "--update" in sys.argv
if UPDATE:
    sys.argv.remove("--update")

if __name__ == "__main__":
    unittest.main()

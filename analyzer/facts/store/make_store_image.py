# SPDX-License-Identifier: Apache-2.0
"""Makes the database that the facts' store starts from:
make_store_image.py OUT FILE.sql...

OUT is compressed (zlib), because most of a small database is empty pages. Of
the files' statements those that make and fill tables are kept, without
comments: SQLite reads them at each start. Temporary views are added later, when
it is known which traces they read.
"""

import os
import sqlite3
import sys
import zlib

KEPT = ("CREATE TABLE ", "CREATE INDEX ", "CREATE VIEW ", "INSERT INTO ")


def statements(path):
    """Each without its comments, which end a line and never stand in a text."""
    statement = ""
    with open(path, encoding="utf-8") as file:
        for line in file:
            statement += line.partition("--")[0].rstrip() + "\n"
            if sqlite3.complete_statement(statement):
                yield statement.strip()
                statement = ""


def main():
    out, *files = sys.argv[1:]
    whole = out + ".whole"
    if os.path.exists(whole):
        os.unlink(whole)
    database = sqlite3.connect(whole, isolation_level=None)
    # Of columns that are computed when read; only that they are not NULL counts.
    database.create_function("version_number", 1, len, deterministic=True)
    database.execute("PRAGMA page_size=4096")
    database.execute("PRAGMA journal_mode=OFF")
    database.execute("BEGIN")
    for path in files:
        for statement in statements(path):
            if statement.startswith(KEPT):
                database.execute(statement)
    database.execute("COMMIT")
    database.close()
    with open(whole, "rb") as image, open(out, "wb") as file:
        file.write(zlib.compress(image.read(), 9))


main()

# SPDX-License-Identifier: Apache-2.0
"""Makes a trace without rows: make_empty_trace.py SCHEMA.sql OUT

The collector writes it as it is where a process ends soon: SQLite takes five
times as long to go through the schema.
"""

import os
import sqlite3
import sys


def main():
    schema, out = sys.argv[1:]
    if os.path.exists(out):
        os.unlink(out)
    database = sqlite3.connect(out, isolation_level=None)
    database.execute("PRAGMA page_size=4096")
    database.execute("PRAGMA journal_mode=OFF")
    with open(schema, encoding="utf-8") as file:
        database.executescript(f"BEGIN;{file.read()}COMMIT;")
    database.close()


main()

# SPDX-License-Identifier: Apache-2.0
"""Makes a trace without rows: make_empty_trace.py PAGE_SIZE OUT SCHEMA.sql...

The collector writes it as it is where a process ends soon: SQLite takes five
times as long to go through the schema.
"""

import os
import sqlite3
import sys


def main():
    size, out, *schema = sys.argv[1:]
    if os.path.exists(out):
        os.unlink(out)
    database = sqlite3.connect(out, isolation_level=None)
    database.execute(f"PRAGMA page_size={size}")
    database.execute("PRAGMA journal_mode=OFF")
    for path in schema:
        with open(path, encoding="utf-8") as file:
            database.executescript(f"BEGIN;{file.read()}COMMIT;")
    database.close()


main()

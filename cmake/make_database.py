# SPDX-License-Identifier: Apache-2.0
"""Makes a database of SQL files, for cmake/MakeDatabase.cmake:
make_database.py PAGE_SIZE OUT FILE.sql...

SQLite takes several times as long to execute the SQL as to read what it wrote.
Temporary views are left out: no file keeps them. An OUT that ends with .zlib is
compressed, because most of a small database is empty pages.
"""

import os
import pathlib
import re
import sqlite3
import sys
import zlib

TEMPORARY = re.compile(r"^CREATE TEMP VIEW .*?;$", re.MULTILINE | re.DOTALL)


def make(path, page_size, files):
    if os.path.exists(path):
        os.unlink(path)
    database = sqlite3.connect(path, isolation_level=None)
    # Of columns that are computed when read; only that they are not NULL counts.
    database.create_function("version_number", 1, len, deterministic=True)
    database.execute(f"PRAGMA page_size={page_size}")
    database.execute("PRAGMA journal_mode=OFF")
    for file in files:
        sql = TEMPORARY.sub("", pathlib.Path(file).read_text(encoding="utf-8"))
        database.executescript(f"BEGIN;{sql}COMMIT;")
    database.close()


def main():
    page_size, out, *files = sys.argv[1:]
    if not out.endswith(".zlib"):
        make(out, page_size, files)
        return
    whole = out.removesuffix(".zlib")
    make(whole, page_size, files)
    pathlib.Path(out).write_bytes(
        zlib.compress(pathlib.Path(whole).read_bytes(), 9))


main()

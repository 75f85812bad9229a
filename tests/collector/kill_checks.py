# SPDX-License-Identifier: Apache-2.0
"""What the trace of a killed process must hold, and what it lacks. Used by
kill_matrix.py and the tests beside it."""

import collections
import dataclasses
import glob
import os
import sqlite3
import struct
import subprocess

import harness


@dataclasses.dataclass
class Outcome:
    acknowledged: int = 0
    recorded: int = 0
    folded: int = 0
    accounted: int = 0  # said by `loss` to be missing
    missing: int = 0    # and not accounted for
    unreadable: str = ""
    status: int = 0
    seen: dict = dataclasses.field(default_factory=dict)  # see kill_beside


def stems(folder, run="run"):
    """What the names of a trace's files begin with, of each trace."""
    return {os.path.splitext(path)[0].removesuffix(".trace")
            for pattern in ("*.journal", "*.trace.sqlite")
            for path in glob.glob(os.path.join(folder, run, pattern))}


def acknowledged(path, most=-1):
    """The events in the first `most` bytes, with their numbers."""
    if not os.path.exists(path):
        return collections.Counter()
    with open(path, "rb") as file:
        data = file.read(most)
    whole = len(data) // 16 * 16
    return collections.Counter(struct.iter_unpack("<QQ", data[:whole]))


def read_together(trace):
    """Two readers at once; what went wrong, if anything."""
    readers = [subprocess.Popen([harness.FINISH, trace],
                                stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)
               for _ in range(2)]
    said = [reader.communicate(timeout=harness.DEADLINE)[1]
            for reader in readers]
    if any(reader.returncode for reader in readers):
        return " / ".join(said)
    return ""


def totals(database):
    """Of folded events only the numbers are left."""
    return {op: database.execute(
        f"SELECT coalesce(sum({column}),0) FROM checkpoint_heap "
        "WHERE device = 0 AND layer = 0").fetchone()[0]
        for op, column in ((1, "allocations"), (2, "frees"))}


def missing(acked, database):
    """How many acknowledged events the trace lacks."""
    rows = database.execute(
        "SELECT op, address, count(*) FROM memory_event WHERE result = 0 "
        "GROUP BY op, address").fetchall()
    recorded = {(op, address): count for op, address, count in rows}
    folded = totals(database)
    if not any(folded.values()):
        return sum(max(0, count - recorded.get(key, 0))
                   for key, count in acked.items())
    lacking = 0
    for op, count in folded.items():
        known = count + sum(n for key, n in recorded.items() if key[0] == op)
        made = sum(n for key, n in acked.items() if key[0] == op)
        lacking += max(0, made - known)
    return lacking


def rolled_back(trace):
    """What `loss` says of records that an earlier state of the trace held."""
    database = sqlite3.connect(f"file:{trace}?mode=ro", uri=True)
    try:
        return database.execute("SELECT coalesce(sum(count), 0) FROM loss "
                                "WHERE kind = 'rolled back'").fetchone()[0]
    except sqlite3.Error:
        return 0
    finally:
        database.close()


def examine(outcome, acked, trace):
    database = sqlite3.connect(f"file:{trace}?mode=ro", uri=True)
    try:
        sound = database.execute("PRAGMA integrity_check").fetchone()[0]
        if sound != "ok":
            outcome.unreadable = sound
        one = lambda sql: database.execute(sql).fetchone()[0]
        outcome.recorded = one("SELECT count(*) FROM memory_event")
        outcome.folded = one(
            "SELECT coalesce(sum(folded), 0) FROM checkpoint")
        outcome.accounted = one("SELECT coalesce(sum(count), 0) FROM loss "
                                "WHERE kind LIKE 'memory_event%'")
        outcome.missing = max(0, missing(acked, database) - outcome.accounted)
    except sqlite3.Error as error:
        outcome.unreadable = str(error)
    finally:
        database.close()

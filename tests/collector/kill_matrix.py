# SPDX-License-Identifier: Apache-2.0
"""Processes that die while their threads allocate, in every way, and what their
traces hold then. Used by kill_test.py for some tens of runs and by bench/kill
for thousands.

Of each run: the host's status is what it is without the collector; two readers
who open the run at once both succeed, and after them the trace is a sound
database; every allocation and free that the program had acknowledged is in it,
one by one, or folded into the checkpoint, or counted in `loss` where the disk
was full.
"""

import collections
import dataclasses
import glob
import os
import random
import signal
import sqlite3
import struct
import subprocess
import sys

import harness

HOST = os.path.join(harness.HERE, "collector_kill_host")
INJECTOR = os.path.join(harness.HERE, "libcollector_fault_injector.so")


@dataclasses.dataclass
class Ending:
    how: str  # kill_host's own word
    status: int
    disk_full: bool = False
    extra: dict = dataclasses.field(default_factory=dict)


ENDINGS = {
    "SIGKILL": Ending("kill", -signal.SIGKILL),
    "SIGABRT": Ending("abort", -signal.SIGABRT),
    "SIGSEGV": Ending("segv", -signal.SIGSEGV),
    "exit in the middle": Ending("exit", 7),
    "disk full at times": Ending("stop", 7, disk_full=True),
    "SIGKILL, disk full": Ending("kill", -signal.SIGKILL, disk_full=True),
    "SIGKILL, folding": Ending("kill", -signal.SIGKILL,
                               extra={"INQUEST_MAX_DISK": "1m"}),
}


@dataclasses.dataclass
class Outcome:
    acknowledged: int = 0
    recorded: int = 0
    folded: int = 0
    accounted: int = 0  # said by `loss` to be missing
    missing: int = 0    # and not accounted for
    unreadable: str = ""
    status: int = 0


def disk_full(dice):
    """No more room from some write on, for a while or for good."""
    first = int(dice.expovariate(1 / 60)) + 1
    count = dice.choice([1, 5, 40, 1 << 29])
    return f"pwrite64:{first}:{count}"


def acknowledged(path):
    if not os.path.exists(path):
        return collections.Counter()
    with open(path, "rb") as file:
        data = file.read()
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


def run(ending, folder, environment, dice):
    """One process and its outcome. `folder` is empty and is left so."""
    environment = {**environment, **ending.extra}
    if ending.disk_full:
        environment["LD_PRELOAD"] = INJECTOR + ":" + environment["LD_PRELOAD"]
        environment["INQUEST_TEST_FAULT"] = disk_full(dice)
    ack = os.path.join(folder, "ack")
    # In the beginning, when files are made, things can go wrong most easily.
    microseconds = int(dice.choice([2_000, 30_000, 300_000]) * dice.random())
    outcome = Outcome()
    outcome.status = subprocess.run(
        [HOST, ack, str(dice.randint(1, 4)), ending.how, str(microseconds)],
        env=environment, cwd=folder, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, timeout=harness.DEADLINE).returncode
    acked = acknowledged(ack)
    outcome.acknowledged = sum(acked.values())
    stems = {os.path.splitext(path)[0].removesuffix(".trace")
             for pattern in ("*.journal", "*.trace.sqlite")
             for path in glob.glob(os.path.join(folder, "run", pattern))}
    for stem in stems:
        outcome.unreadable = read_together(stem + ".trace.sqlite")
        if not outcome.unreadable:
            examine(outcome, acked, stem + ".trace.sqlite")
    if not stems:
        outcome.missing = outcome.acknowledged
    for path in glob.glob(os.path.join(folder, "run", "*")) + [ack]:
        if os.path.exists(path):
            os.unlink(path)
    return outcome


def matrix(runs, folder, environment, seed=1, report=lambda name, row: None,
           wanted=None):
    """`runs` of each ending; the sums, by the ending's name."""
    sums = {}
    for name, ending in ENDINGS.items():
        if wanted and name not in wanted:
            continue
        dice = random.Random(f"{seed} {name}")
        total = collections.Counter()
        for _ in range(runs):
            outcome = run(ending, folder, environment, dice)
            total["runs"] += 1
            total["other status"] += outcome.status != ending.status
            total["unreadable"] += bool(outcome.unreadable)
            if outcome.unreadable:
                print(f"{name}, run {total['runs']}: {outcome.unreadable}",
                      file=sys.stderr, flush=True)
            for field in ("acknowledged", "recorded", "folded", "accounted",
                          "missing"):
                total[field] += getattr(outcome, field)
        sums[name] = total
        report(name, total)
    return sums

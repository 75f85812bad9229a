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
import os
import random
import shutil
import signal
import subprocess
import sys

import harness
from kill_beside import (Beside, Copying, FillingDisk, OtherNamespace,
                         OtherNode)
from kill_checks import (Outcome, acknowledged, examine, read_together, stems)

HOST = os.path.join(harness.HERE, "collector_kill_host")
INJECTOR = os.path.join(harness.HERE, "libcollector_fault_injector.so")


@dataclasses.dataclass
class Ending:
    how: str  # kill_host's own word
    status: int
    disk_full: bool = False
    extra: dict = dataclasses.field(default_factory=dict)
    beside: type = Beside


ENDINGS = {
    "SIGKILL": Ending("kill", -signal.SIGKILL),
    "SIGABRT": Ending("abort", -signal.SIGABRT),
    "SIGSEGV": Ending("segv", -signal.SIGSEGV),
    "exit in the middle": Ending("exit", 7),
    "disk full at times": Ending("stop", 7, disk_full=True),
    "SIGKILL, disk full": Ending("kill", -signal.SIGKILL, disk_full=True),
    "SIGKILL, folding": Ending("kill", -signal.SIGKILL,
                               extra={"INQUEST_MAX_DISK": "1m"}),
    "SIGKILL, read in another PID namespace": Ending(
        "kill", -signal.SIGKILL, beside=OtherNamespace),
    "SIGKILL, read on another node": Ending(
        "kill", -signal.SIGKILL, beside=OtherNode),
    "SIGKILL, copying its run": Ending(
        "copying", -signal.SIGKILL, beside=Copying),
    "SIGKILL, disk filled and freed": Ending(
        "kill", -signal.SIGKILL, beside=FillingDisk),
}


def disk_full(dice):
    """No more room from some write on, for a while or for good."""
    first = int(dice.expovariate(1 / 60)) + 1
    count = dice.choice([1, 5, 40, 1 << 29])
    return f"pwrite64:{first}:{count}"


def run(ending, folder, environment, dice):
    """One process and its outcome. `folder` is empty and is left so."""
    environment = {**environment, **ending.extra}
    if ending.disk_full:
        environment["LD_PRELOAD"] = INJECTOR + ":" + environment["LD_PRELOAD"]
        environment["INQUEST_TEST_FAULT"] = disk_full(dice)
    ack = os.path.join(folder, "ack")
    # In the beginning, when files are made, things can go wrong most easily.
    microseconds = int(dice.choice([2_000, 30_000, 300_000]) * dice.random())
    host = [HOST, ack, str(dice.randint(1, 4)), ending.how, str(microseconds)]
    outcome = Outcome()
    with ending.beside(folder, environment, dice) as beside:
        outcome.status = beside.status(subprocess.run(
            beside.command(host), env=environment, cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            timeout=harness.DEADLINE).returncode)
    beside.after(outcome)
    acked = acknowledged(ack)
    outcome.acknowledged = sum(acked.values())
    for stem in stems(folder):
        outcome.unreadable = read_together(stem + ".trace.sqlite")
        if not outcome.unreadable:
            examine(outcome, acked, stem + ".trace.sqlite")
    if not stems(folder):
        outcome.missing = outcome.acknowledged
    outcome.unreadable = " / ".join(
        filter(None, [outcome.unreadable, *beside.complaints]))
    outcome.seen = beside.seen
    clear(folder)
    return outcome


def clear(folder):
    for entry in os.scandir(folder):
        if entry.is_dir():
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


def matrix(runs, folder, environment, seed=1, report=lambda name, row: None,
           wanted=None):
    """`runs` of each ending; the sums, by the ending's name."""
    sums = {}
    for name, ending in ENDINGS.items():
        if wanted and name not in wanted:
            continue
        if ending.beside.cannot():
            print(f"{name}: skipped, {ending.beside.cannot()}", file=sys.stderr)
            continue
        dice = random.Random(f"{seed} {name}")
        total, seen = collections.Counter(), collections.Counter()
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
            seen.update(outcome.seen)
        sums[name] = total
        report(name, total)
        if seen:
            print(f"{name}: {dict(seen)}", file=sys.stderr, flush=True)
    return sums

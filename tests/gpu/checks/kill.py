# SPDX-License-Identifier: Apache-2.0
"""SIGKILL in the middle of a training loop: what the program had acknowledged
must be in the trace."""

import collections
import os
import random
import signal
import subprocess
import time

from .recorded import processes
from .samples import sample

OPERATIONS = {"alloc": 1, "free": 2}  # trace/records/event.h


def check(report, bundle):
    for threads in (1, 4):
        report.guarded(f"kill of {threads} threads", kill, report, bundle,
                       threads, needs_s=40)


def kill(report, bundle, threads):
    name = f"kill of {threads} threads"
    program = sample(bundle, "leaking_loop")
    ack = program.folder / "ack"
    program.command += ["--leak", "4096", "--threads", str(threads),
                        "--ack", str(ack)]
    process = subprocess.Popen(program.record_command(),
                               env=program.environment,
                               stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    try:
        wait_for(ack, process)
        time.sleep(random.uniform(0.0, 0.3))
        os.kill(child_of(process.pid), signal.SIGKILL)
    finally:
        process.communicate(timeout=60)
    report.equal(f"{name}: ends with", -signal.SIGKILL, process.returncode)
    answer = program.diagnose()
    report.keep(name, program.directory, program.told(answer))
    report.equal(f"{name}: verdict", "process/killed",
                 answer["verdict"]["cause"])
    compare(report, name, program, ack)


def wait_for(ack, process):
    """Until the loop is well under way."""
    deadline = time.monotonic() + 60
    while not (ack.exists() and ack.stat().st_size > 5000):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the sample did not get under way")
        time.sleep(0.002)


def child_of(parent):
    return next(pid for pid, its, _ in processes() if its == parent)


def compare(report, name, program, ack):
    made = collections.Counter()
    for line in ack.read_text().splitlines(keepends=True):
        if line.endswith("\n"):  # the kill may have cut off the last one
            _, operation, address, _ = line.split()
            made[OPERATIONS[operation], int(address, 16)] += 1
    kept = collections.Counter(program.rows(
        "SELECT op, address FROM memory_event WHERE result = 0"))
    missing = made - kept
    report.true(f"{name}: acknowledged and missing", 0,
                f"{missing.total()} of {made.total()}", not missing)

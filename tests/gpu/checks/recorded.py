# SPDX-License-Identifier: Apache-2.0
"""One program, bare and under `inquest record`, and what its traces hold."""

import contextlib
import glob
import json
import math
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import tempfile
import time
from dataclasses import dataclass


@dataclass
class Ended:
    returncode: int
    stdout: str
    stderr: str
    seconds: float


def processes():
    """(pid, parent, session) of all that live."""
    for stat in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError):  # gone meanwhile
            pid, rest = pathlib.Path(stat).read_text().split(" ", 1)
            fields = rest.rpartition(")")[2].split()
            yield int(pid), int(fields[1]), int(fields[3])


def end_session(leader):
    """Kills what a program that we started left, and itself."""
    for pid, _, session in processes():
        if session == leader:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def run(command, environment, timeout):
    """Ends the program's whole session when it takes longer than `timeout`."""
    started = time.monotonic()
    process = subprocess.Popen(command, env=environment, text=True,
                               errors="replace", stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        end_session(process.pid)
        process.communicate(timeout=30)
        raise
    return Ended(process.returncode, stdout, stderr,
                 time.monotonic() - started)


class Program:
    """`name` is what the report calls it; its run lies in `directory`."""

    def __init__(self, bundle, name, command, environment, timeout=90):
        self.bundle = bundle
        self.name = name
        self.command = [str(word) for word in command]
        self.environment = environment
        self.timeout = timeout
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="inquest-gpu-"))
        self.directory = self.folder / "run"
        self.recorded = None  # how it ended under `inquest record`

    def bare(self, at_most=math.inf):
        """Takes no more than `at_most` seconds, as does record()."""
        return run(self.command, self.environment, min(self.timeout, at_most))

    def record_command(self):
        return [self.bundle.inquest, "record", "-o", str(self.directory), "--",
                *self.command]

    def record(self, at_most=math.inf):
        self.recorded = run(self.record_command(), self.environment,
                            min(self.timeout, at_most))
        return self.recorded

    def ask(self, command, *options):
        """What an inquest command prints of the run."""
        done = subprocess.run(
            [self.bundle.inquest, command, str(self.directory), *options],
            capture_output=True, text=True, timeout=120, check=False)
        if not done.stdout:
            raise RuntimeError(f"inquest {command}: " + done.stderr[-500:])
        return done.stdout

    def diagnose(self):
        """The answer of `inquest diagnose`; finishes what a kill left."""
        return json.loads(self.ask("diagnose", "--format", "json"))

    def report(self):
        """The same as a person reads it."""
        return self.ask("diagnose")

    def traces(self):
        """The processes' traces, the one with the most memory events first."""
        found = glob.glob(str(self.directory / "*.trace.sqlite"))
        return sorted(found, key=lambda trace: -self.rows(
            "SELECT count(*) FROM memory_event", trace)[0][0])

    def rows(self, sql, trace=None):
        """Of the main trace, unless one is named; none where there is none."""
        if trace is None:
            traces = self.traces()
            if not traces:
                return []
            trace = traces[0]
        with contextlib.closing(
                sqlite3.connect(f"file:{trace}?mode=ro", uri=True)) as database:
            return database.execute(sql).fetchall()

    def told(self, answer):
        """What the report keeps of a run beside its verdict."""
        verdict = answer["verdict"]
        return {
            "verdict": verdict,
            "coverage": self.rows("SELECT source, state, note FROM coverage"),
            "loss": self.rows("SELECT * FROM loss"),
            "errors": self.rows("SELECT api, function, result, name, text, "
                                "repeats FROM api_error ORDER BY id LIMIT 10"),
            "memory_events": self.rows(
                "SELECT op, kind, count(*), sum(bytes) FROM memory_event "
                "GROUP BY op, kind"),
            "device_memory": self.rows(
                "SELECT device, free_bytes, total_bytes, reason FROM "
                "device_memory ORDER BY time_ns LIMIT 20"),
            "cudnn": self.rows("SELECT function, result, calls FROM cudnn_stat "
                               "ORDER BY calls DESC LIMIT 20"),
            "traces": len(self.traces()),
        }


def same_words(text):
    """`text` without what two runs of a program never say alike: numbers,
    addresses, and the figures that a card's free memory goes into."""
    return re.sub(r"0x[0-9a-fA-F]+|\d+(\.\d+)?", "#", text)


def own_words(stderr):
    """stderr of a recorded run without inquest's lines."""
    return "".join(line for line in stderr.splitlines(keepends=True)
                   if not line.startswith("inquest: "))

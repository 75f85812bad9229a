# SPDX-License-Identifier: Apache-2.0
"""One framework's program without and with the collector, and what is to be true
of the two runs and of the trace."""
import json
import pathlib
import re
import sqlite3
import subprocess
import tempfile

import hooks

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = ("libcudnn", "libcublas", "libcudart", "libcupti", "libnccl",
             "libcusolver", "libcusparse", "libcufft", "libnvrtc.so")


class Recorded:
    """A run of the program under `inquest record`."""

    def __init__(self, environment, build, scratch):
        self.inquest = build / "cli/inquest"
        self.command = [environment.python,
                        HERE / f"programs/{environment.name}_program.py"]
        self.directory = pathlib.Path(scratch) / "run"
        self.plain = subprocess.run(self.command, check=False,
                                    capture_output=True, text=True)
        self.done = subprocess.run(
            [self.inquest, "record", "-o", self.directory, "--",
             *self.command], check=False, capture_output=True, text=True)
        traces = sorted(self.directory.glob("*.trace.sqlite"))
        self.traces = len(traces)
        self.database = sqlite3.connect(traces[0]) if traces else None

    def rows(self, sql):
        return self.database.execute(sql).fetchall()

    def said(self, what):
        match = re.search(rf"^{what} (.*)$", self.plain.stdout, re.M)
        return match[1] if match else None

    def verdict(self):
        done = subprocess.run(
            [self.inquest, "diagnose", self.directory, "--format", "json"],
            check=False, capture_output=True, text=True)
        return json.loads(done.stdout)["verdict"]


def without_what_differs(text):
    """Times, process and thread numbers differ between any two runs."""
    lines = [line for line in text.splitlines()
             if not line.startswith("inquest: ")]
    return [re.sub(r"\d+", "#", line) for line in lines]


def check_host(run, outcome):
    outcome.equal(run.done.stdout.split("\n"), run.plain.stdout.split("\n"),
                  "standard output is the same")
    outcome.equal(run.done.returncode, run.plain.returncode,
                  "exit status is the same")
    outcome.equal(without_what_differs(run.done.stderr),
                  without_what_differs(run.plain.stderr),
                  "standard error is the same but for numbers")
    outcome.checks[-1] = (*outcome.checks[-1][:2], "")


def check_libraries(run, environment, outcome):
    rows = run.rows("SELECT name, version, path FROM library")
    ours = [row for row in rows if row[0].startswith(LIBRARIES)]
    outcome.check(ours, "CUDA's libraries are listed", f"{len(ours)} of them")
    for name, version, path in ours:
        outcome.check(version is not None, f"{name} has a version", version)
        outcome.check(pathlib.Path(path).resolve().is_relative_to(
            environment.folder.resolve()), f"{name} is the environment's")
    outcome.figure("libraries in the trace, of these CUDA's",
                   f"{len(rows)}, {len(ours)}")
    number = int(run.said("cudnn"))
    version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    recorded = [v for n, v, _ in ours if n.startswith("libcudnn.so")]
    outcome.check(recorded and recorded[0].startswith(version),
                  "cuDNN's version is what the program was told", recorded)


def check_packages(run, environment, outcome):
    rows = dict((name, (version, cuda, cudnn)) for name, version, cuda, cudnn in
                run.rows("SELECT name, version, cuda, cudnn FROM package"))
    found = rows.get(environment.name, (None, None, None))
    outcome.equal(found[0], run.said("version"),
                  f"{environment.name}'s version is what it says itself")
    outcome.figure("packages", "; ".join(
        f"{name} {version}" + (f", built with CUDA {cuda}" if cuda else "")
        + (f", cuDNN {cudnn}" if cudnn else "")
        for name, (version, cuda, cudnn) in sorted(rows.items())))


def check_verdict(run, outcome):
    verdict = run.verdict()
    outcome.equal(verdict["cause"], "device/unavailable",
                  "the verdict is that there was no device")
    outcome.figure("verdict", f"{verdict['confidence']}, rule "
                              f"{verdict['rule']}: {verdict['summary']}")


def check_run(environment, build, outcome):
    with tempfile.TemporaryDirectory(prefix="inquest-frameworks-") as scratch:
        run = Recorded(environment, build, scratch)
        check_host(run, outcome)
        outcome.equal(run.traces, 1, "there is one trace")
        if run.database is None:
            return
        outcome.equal(run.rows("SELECT * FROM loss"), [], "nothing was lost")
        check_libraries(run, environment, outcome)
        check_packages(run, environment, outcome)
        hooks.check(run, environment, build, outcome)
        check_verdict(run, outcome)

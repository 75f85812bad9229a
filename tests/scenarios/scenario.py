# SPDX-License-Identifier: Apache-2.0
"""Runs a sample under `inquest record` on the simulated GPU and reads back
what the analyzer says of it, beside what the simulator itself logged."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["INQUEST_BUILD_DIR"])
SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
INQUEST = os.environ["INQUEST"]


def simulated_environment(sample):
    """The environment in which a sample finds the simulated GPU."""
    printed = subprocess.run(
        [SOURCE / "samples/run-simulated", BUILD, sample, "--env"],
        check=True, capture_output=True, text=True).stdout
    settings = dict(line.split("=", 1) for line in printed.splitlines() if line)
    return {**os.environ, **settings}


class Recorded:
    """One recorded run: its directory, its end, and the simulator's log."""

    def __init__(self, sample, *arguments, environment=None, command=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="inquest-"))
        self.directory = self.folder / "run"
        self.simulator_log = self.folder / "simgpu.log"
        self.environment = {**simulated_environment(sample),
                            "SIMGPU_LOG": str(self.simulator_log),
                            **(environment or {})}
        self.command = command or [str(BUILD / "samples" / sample), *arguments]

    def run(self):
        self.result = subprocess.run(
            [INQUEST, "record", "-o", str(self.directory), "--", *self.command],
            capture_output=True, text=True, env=self.environment, timeout=240)
        return self

    def bare(self):
        environment = {**self.environment}
        environment.pop("SIMGPU_LOG")
        return subprocess.run(self.command, capture_output=True, text=True,
                              env=environment, timeout=240)

    def diagnose(self, *arguments):
        result = subprocess.run(
            [INQUEST, "diagnose", str(self.directory), "--format", "json",
             *arguments], capture_output=True, text=True, timeout=240)
        if not result.stdout:
            raise AssertionError(result.stderr)
        return json.loads(result.stdout)

    def query(self, sql):
        result = subprocess.run(
            [INQUEST, "query", str(self.directory), "--format", "ndjson",
             "--max-rows", "10000000", "--sql", sql], capture_output=True, text=True, timeout=240)
        if result.returncode:
            raise AssertionError(result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def simulated(self):
        """The simulator's own record: (op, address, bytes, result) each."""
        rows = []
        for line in self.simulator_log.read_text().splitlines():
            if line.startswith("#"):
                continue
            _, op, address, size, result, *_ = line.split()
            rows.append((op, int(address, 0), int(size), int(result)))
        return rows


class ScenarioTest(unittest.TestCase):
    def assert_cause(self, answer, cause):
        verdict = answer["verdict"]
        self.assertEqual(verdict["cause"], cause, json.dumps(verdict, indent=1))

    def assert_evidence(self, answer):
        root = answer["findings"][0]
        self.assertEqual(root["role"], "root")
        self.assertTrue(root["evidence"], root)
        self.assertTrue(root["fixes"], root)

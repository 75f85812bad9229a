# SPDX-License-Identifier: Apache-2.0
"""What the tests of the runner share: a scratch folder, the program under test
and a way to call it. INQUEST_BUILD_DIR says where record_driver was built."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

BUILD = os.environ["INQUEST_BUILD_DIR"]
DRIVER = os.path.join(BUILD, "tests/record/record_driver")
COLLECTOR = os.path.join(BUILD, "tests/record/libfake_collector.so")
DEADLINE = 60  # seconds; a hang is a failure, not a measurement


class RecordTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="inquest-record-")
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        self.run_dir = os.path.join(self.scratch, "run")
        self.report_file = os.path.join(self.scratch, "report")

    def arguments(self, *command, options=()):
        return [DRIVER, "-o", self.run_dir, "--collector", COLLECTOR,
                "--report", self.report_file, *options, "--", *command]

    def record(self, *command, options=(), **how):
        how.setdefault("capture_output", True)
        how.setdefault("timeout", DEADLINE)
        how.setdefault("cwd", self.scratch)
        return subprocess.run(self.arguments(*command, options=options), **how)

    def start(self, *command, options=(), **how):
        process = subprocess.Popen(self.arguments(*command, options=options),
                                   **how)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            # What it started would outlive it.
            with open(f"/proc/{process.pid}/task/{process.pid}/children") as f:
                for child in f.read().split():
                    os.kill(int(child), signal.SIGKILL)
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()

    def path(self, name):
        return os.path.join(self.run_dir, name)

    def console(self):
        with open(self.path("console.log"), "rb") as file:
            return file.read()

    def info(self, directory=None):
        with open(os.path.join(directory or self.run_dir, "run.json")) as file:
            return json.load(file)

    def report(self):
        with open(self.report_file) as file:
            return dict(line.rstrip("\n").split("=", 1) for line in file)

    def wait_for(self, condition, what):
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            try:
                value = condition()
            except (OSError, ValueError):
                value = None
            if value:
                return value
            time.sleep(0.02)
        self.fail("waited in vain for " + what)

    def wait_for_console(self, text):
        self.wait_for(lambda: text in self.console(), repr(text))


def state_of(pid):
    """The letter of /proc/PID/stat: R, S, T (stopped), Z; None: gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return None


__all__ = ["RecordTest", "BUILD", "COLLECTOR", "DEADLINE", "DRIVER", "os",
           "signal", "state_of", "subprocess", "unittest"]

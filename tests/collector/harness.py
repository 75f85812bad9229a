# SPDX-License-Identifier: Apache-2.0
"""What the tests of the collector share: running a host with the collector in
front, on the simulated GPU, and asking the trace that it leaves.

With INQUEST_SANITIZE the collector is built with that sanitizer; its runtime is
then preloaded before it, so that any host can take it, sanitized or not.
"""

import glob
import os
import sqlite3
import subprocess
import tempfile
import unittest

BUILD = os.environ["INQUEST_BUILD_DIR"]
COLLECTOR = os.environ["INQUEST_COLLECTOR"]
HERE = os.path.join(BUILD, "tests/collector")
FINISH = os.path.join(HERE, "collector_finish")
SIMGPU = os.path.join(BUILD, "simgpu/lib")
DEADLINE = 120  # seconds; a hang is a failure, not a measurement


def sanitizer_runtime():
    wanted = os.environ.get("INQUEST_SANITIZE", "")
    name = ("libasan.so" if "address" in wanted else
            "libtsan.so" if "thread" in wanted else
            "libubsan.so" if "undefined" in wanted else None)
    if name is None:
        return []
    found = subprocess.run([os.environ.get("INQUEST_CXX", "c++"),
                            "-print-file-name=" + name], check=True,
                           capture_output=True, text=True).stdout.strip()
    return [os.path.realpath(found)]


PRELOAD = ":".join(sanitizer_runtime() + [COLLECTOR])


class CollectorTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="inquest-collector-")
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        self.run_dir = os.path.join(self.scratch, "run")
        self.copies = {}

    def environment(self, preload=True, **extra):
        environment = {**os.environ, "SIMGPU_MEMORY": "1GiB",
                       "INQUEST_DIR": self.run_dir}
        library_path = os.environ.get("LD_LIBRARY_PATH")
        environment["LD_LIBRARY_PATH"] = SIMGPU + (
            ":" + library_path if library_path else "")
        if preload:
            environment["LD_PRELOAD"] = PRELOAD
        for key, value in extra.items():
            if value is None:
                environment.pop(key, None)
            else:
                environment[key] = value
        return environment

    def host(self, *command, preload=True, **extra):
        """Runs one of this folder's hosts, or any command."""
        program = os.path.join(HERE, "collector_" + command[0])
        if os.path.exists(program):
            command = (program, *command[1:])
        return subprocess.run(command, env=self.environment(preload, **extra),
                              cwd=self.scratch, capture_output=True, text=True,
                              timeout=DEADLINE)

    def files(self, suffix=""):
        return sorted(glob.glob(os.path.join(self.run_dir, "*" + suffix)))

    def traces(self):
        """Of a process that was killed early there is only the journal yet.

        So it is, now and then, of a forked child under the address sanitizer:
        a lock of its own that another thread held at the fork stays locked,
        and the child's drain hangs in it. What reads a child's trace calls
        finish() first.
        """
        journals = self.files(".journal")
        return sorted({*self.files(".trace.sqlite"),
                       *(j[:-len(".journal")] + ".trace.sqlite"
                         for j in journals)})

    def trace(self):
        traces = self.traces()
        self.assertEqual(len(traces), 1, self.files())
        return traces[0]

    def finish(self, trace=None):
        trace = trace or self.trace()
        copy = os.path.join(self.scratch,
                            f"{len(self.copies)}-{os.path.basename(trace)}")
        done = subprocess.run([FINISH, trace, copy], check=False,
                              capture_output=True, text=True, timeout=DEADLINE)
        if os.path.exists(copy):  # the run's own files stay as they are
            self.copies[trace] = copy
        self.assertEqual(done.returncode, 0, done.stderr)
        return {key: int(value) for key, value in
                (line.split() for line in done.stdout.splitlines())}

    def query(self, sql, trace=None):
        trace = trace or self.trace()
        database = sqlite3.connect(
            f"file:{self.copies.get(trace, trace)}?mode=ro", uri=True)
        try:
            return database.execute(sql).fetchall()
        finally:
            database.close()

    def value(self, sql, trace=None):
        rows = self.query(sql, trace)
        self.assertEqual(len(rows), 1, sql)
        return rows[0][0]

    def assert_nothing_lost(self, trace=None):
        self.assertEqual(self.query("SELECT * FROM loss", trace), [])

    def assert_clean(self, trace=None):
        """The process has said goodbye, and its trace is one file."""
        trace = trace or self.trace()
        self.assertEqual(
            self.value("SELECT value FROM meta WHERE key='clean_end'", trace),
            "1")
        stem = trace[:-len(".trace.sqlite")]
        self.assertEqual([f for f in self.files() if f.startswith(stem)
                          and not f.endswith(".trace.sqlite")], [])

# SPDX-License-Identifier: Apache-2.0
"""tests/gpu/bundle and tests/gpu/run --simulated: the runner does not rot while
no real GPU is at hand, and it does see a difference where there is one."""

import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from checks import demand, frameworks, measures, report  # noqa: E402
from checks.bundle import Bundle  # noqa: E402
from checks.recorded import Program  # noqa: E402
from checks.samples import sample  # noqa: E402

LIMIT = 40 << 20  # bytes of a bundle
# What a framework's program does, with the driver alone: a pool of two
# segments, and its own account of them, times `factor`.
POOL = """
import ctypes, json
cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)
context = ctypes.c_void_p()
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
for size in (700 << 20, 600 << 20):
    address = ctypes.c_uint64()
    assert cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)) == 0
print("measured", json.dumps({"reserved": (1300 << 20) * factor}))
"""


class Runner(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="inquest-gpu-test-")
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = pathlib.Path(scratch.name)
        tempfile.tempdir = scratch.name
        cls.bundle = cls.scratch / "bundle"
        cls.made = subprocess.run([HERE / "bundle", cls.bundle], check=True,
                                  capture_output=True, text=True)

    def run_checks(self, *options, **settings):
        out = self.scratch / "out"
        settings["TMPDIR"] = str(self.scratch)
        done = subprocess.run(
            [self.bundle / "tests/gpu/run", self.bundle, out, "--simulated",
             *options], env={**os.environ, **settings},
            capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, out, json.loads((out / "report.json")
                                                .read_text())

    def test_the_bundle(self):
        files = [f for f in self.bundle.rglob("*") if f.is_file()]
        self.assertLess(sum(f.stat().st_size for f in files), LIMIT)
        names = {f.name for f in files}
        self.assertLessEqual({"inquest", "libinquest_collector.so", "healthy",
                              "collector_families", "run"}, names)
        # Never the simulated GPU, nor a glibc beside the machine's own.
        self.assertEqual([n for n in names if n.startswith(
            ("libcuda", "libcudnn", "libcupti", "libnvidia-ml", "libc.so",
             "ld-linux"))], [])
        self.assertRegex(self.made.stdout, r"GLIBC \d+\.\d+\n")

    def test_a_folder_of_others_is_left_alone(self):
        foreign = self.scratch / "foreign"
        foreign.mkdir()
        (foreign / "thesis").write_text("mine")
        done = subprocess.run([HERE / "bundle", foreign], check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertEqual((foreign / "thesis").read_text(), "mine")

    def test_all_holds_on_the_simulated_gpu(self):
        status, out, told = self.run_checks()
        differing = [row for row in told["checks"]
                     if row["state"] == report.DIFFERS]
        self.assertEqual((differing, status), ([], 0))
        groups = {row["what"].split(":")[0] for row in told["checks"]}
        self.assertLessEqual({
            "machine", "healthy", "fragmenting_allocator", "second_run",
            "families", "profiler_host", "kill of 4 threads"}, groups)
        table = (out / "report.txt").read_text().splitlines()
        self.assertEqual(sum(line.startswith("holds ") for line in table),
                         sum(row["state"] == report.HOLDS
                             for row in told["checks"]))
        self.kept_traces_can_be_read(out)

    def kept_traces_can_be_read(self, out):
        with tarfile.open(out / "traces.tar.gz") as archive:
            archive.extractall(self.scratch / "kept")
        answer = subprocess.run(
            [self.bundle / "bin/inquest", "diagnose", "--format", "json",
             self.scratch / "kept/leaking_loop"], check=True,
            capture_output=True, text=True).stdout
        self.assertEqual(json.loads(answer)["verdict"]["cause"], "memory/leak")

    def test_a_difference_is_seen_and_stops_nothing(self):
        status, _, told = self.run_checks(
            "--only", "families",
            SIMGPU_FAULT="call=cuMemAllocManaged,result=801")
        self.assertEqual(status, 1)
        states = {row["what"]: row["state"] for row in told["checks"]}
        self.assertEqual(
            states["families: every call ended as on the simulated GPU"],
            report.DIFFERS)
        # What was recorded is what the card did, refusal or not.
        self.assertEqual(states["families: rows alike"], report.HOLDS)

    def test_a_check_that_breaks_is_a_row(self):
        told = report.Report(self.scratch / "broken", 60)
        told.guarded("broken", lambda: 1 // 0)
        told.guarded("whole", lambda: told.equal("whole", 1, 1))
        self.assertEqual([(row["what"], row["state"]) for row in told.rows],
                         [("broken", report.DIFFERS), ("whole", report.HOLDS)])
        self.assertIn("ZeroDivisionError", told.facts["errors"]["broken"])

    def test_no_time_left_is_said(self):
        status, _, told = self.run_checks("--only", "kill", "--seconds", "1")
        self.assertEqual(status, 0)
        self.assertEqual([row["what"] for row in told["checks"]
                          if row["state"] == report.SKIPPED],
                         ["kill of 1 threads", "kill of 4 threads"])

    def test_the_peak_is_the_analyzers(self):
        bundle = Bundle(self.bundle, os.environ["INQUEST_BUILD_DIR"])
        program = sample(bundle, "healthy")
        program.record()
        device, = program.diagnose()["summary"]["devices"]
        events = program.rows(
            "SELECT op, kind, address, bytes FROM memory_event "
            "WHERE device = 0 AND result = 0 ORDER BY id")
        self.assertEqual(measures.peak_bytes(events), device["peak_bytes"])


    def test_a_frameworks_account_is_compared(self):
        bundle = Bundle(self.bundle, os.environ["INQUEST_BUILD_DIR"])
        for factor, state in ((1, report.HOLDS), (2, report.DIFFERS)):
            told = report.Report(self.scratch / f"pool-{factor}", 60)
            program = Program(
                bundle, "pool", [sys.executable, "-c",
                                 f"factor = {factor}" + POOL],
                bundle.environment())
            frameworks.one(told, program, "none", 0, [
                measures.reserved,
                measures.of_kind(measures.DEVICE, "device")])
            differing = [row["what"] for row in told.differing()]
            account = "pool: live at the driver, at most"
            self.assertEqual(differing, [] if state == report.HOLDS
                             else [account])
            self.assertIn(account, [row["what"] for row in told.rows])

    def test_programs_are_python(self):
        for path in (HERE / "programs").glob("*.py"):
            compile(path.read_text(), path, "exec")
        named = {frameworks.file_of(name) for _, name, *_ in frameworks.TABLE}
        named |= {frameworks.file_of(name) for name, *_ in demand.PAIRS}
        self.assertEqual({p.name for p in (HERE / "programs").glob("*.py")},
                         named | {"card.py", "driver_calls.py",
                                  "training_loop.py"})


if __name__ == "__main__":
    if os.environ.get("INQUEST_SANITIZE") or not os.environ["INQUEST"]:
        print("skipped: a bundle is made of a release build with the analyzer")
        sys.exit(77)
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Hostile rule files are stopped and do no harm. Each pack of packs.py is given
to `diagnose` together with a good one; it must be stopped and named, the good
rule must still produce its finding, and the memory must stay near that of a run
without the pack. The table of times and memory is printed; times are not
asserted, because the machine may be busy."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import packs  # noqa: E402
from runs import MEASURE, make_trace  # noqa: E402

INQUEST = os.environ["INQUEST"]
SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
SANITIZED = bool(os.environ.get("INQUEST_SANITIZE"))
MAX_BYTES = 64 << 20
HANG_SECONDS = 120  # seconds: not an expectation, only ends a hanging test
EVENTS = 20_000

GOOD = """facts: 1
rules:
  - id: good.rule
    title: The good rule was run
    cause: memory/leak
    severity: note
    role: note
    sql: SELECT count(*) AS events FROM memory_event
    message: '{events} events'
signatures:
  - id: good.signature
    pattern: 'a good line number (?P<number>\\d+)'
    role: cause
    severity: note
    cause: memory/leak
    title: The good signature matched
    samples: {match: ['a good line number 1'], no_match: ['a bad line']}
"""


def make_log(path):
    # Lines that are expensive for complex patterns.
    lines = ["hello " * 40 + "lol" * 200 for _ in range(200)]
    path.write_text("\n".join(lines + ["a good line number 7"]) + "\n")


class Run:
    """The result of a `diagnose` run, with peak memory and time."""

    def __init__(self, folder, arguments):
        out, err, usage = (folder / name for name in ("out", "err", "usage"))
        command = 'exec "$@" >"$OUT" 2>"$ERR" 3>"$USAGE" </dev/null'
        subprocess.run(
            ["sh", "-c", command, "sh", sys.executable, "-S", "-I", "-c", MEASURE,
             str(HANG_SECONDS), INQUEST, "diagnose", *arguments], check=True,
            env={**os.environ, "OUT": out, "ERR": err, "USAGE": usage})
        self.exit_code, self.peak, self.seconds = json.loads(usage.read_text())
        self.stdout = out.read_text()
        self.stderr = err.read_text()


class HostileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        make_trace(cls.folder / "run.trace.sqlite", EVENTS)
        make_log(cls.folder / "run.log")
        (cls.folder / "good.yaml").write_text(GOOD)
        cls.usual = [str(cls.folder / "run.trace.sqlite"), "--log",
                     str(cls.folder / "run.log"), "--rules",
                     str(cls.folder / "good.yaml"), "--format"]
        cls.without = Run(cls.folder, [*cls.usual, "json"])

    def diagnose(self, make, form="json"):
        folder = self.folder / make.__name__
        if not folder.exists():
            folder.mkdir()
            self.stops = make(folder)
        run = Run(self.folder, [*self.usual, form, "--rules", str(folder)])
        self.assertFalse((folder / "written.db").exists())
        return run

    def check_named(self, run, report):
        said = run.stderr + json.dumps(report["limits"], ensure_ascii=False)
        self.assertIn(self.stops.names, said, "what stopped it is not named")
        if self.stops.exit_code == packs.LIMIT:
            self.assertTrue(any("hostile" in one["rule"]
                                for one in report["limits"]))

    def check(self, make):
        run = self.diagnose(make)
        extra = run.peak - self.without.peak
        self.table.append(f"{make.__name__:32} {run.seconds:7.2f} s "
                          f"{extra / (1 << 20):7.1f} MiB  exit {run.exit_code}")
        self.assertEqual(run.exit_code, self.stops.exit_code,
                         run.stderr[-1500:] + run.stdout[-300:])
        report = json.loads(run.stdout)
        self.check_named(run, report)
        rules = [finding["rule"] for finding in report["findings"]]
        self.assertIn("good.rule", rules, "the good rule was not run")
        self.assertIn("good.signature", rules, "the good signature is missing")
        if not SANITIZED:
            self.assertLess(extra, MAX_BYTES, "it took too much memory")

    def test_without_it_all_is_well(self):
        self.assertEqual(self.without.exit_code, 0, self.without.stderr)
        self.assertEqual(json.loads(self.without.stdout)["limits"], [])

    def test_each_pack_is_stopped(self):
        HostileTest.table = [
            f"without any: {self.without.seconds:.2f} s, "
            f"{self.without.peak / (1 << 20):.1f} MiB"]
        wanted = os.environ.get("HOSTILE", "").split()
        for name, make in packs.PACKS.items():
            if wanted and name not in wanted:
                continue
            with self.subTest(name):
                self.check(make)
        print("\n".join(self.table), file=sys.stderr)

    def test_nothing_reaches_the_terminal(self):
        run = self.diagnose(packs.terminal_escapes, "text")
        for bad in "\x1b\x07\x08\r\x7f\x9b":
            self.assertNotIn(bad, run.stdout + run.stderr)
        self.assertIn("\\x1B[31mred", run.stdout)


if __name__ == "__main__":
    unittest.main()

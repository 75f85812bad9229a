# SPDX-License-Identifier: Apache-2.0
"""Whatever a stranger's rule pack, rule test or log is made of, the program ends
by itself, in little memory, with a documented exit code and a word about it.
The table of cases is in cases.py; times are printed and not asserted, but for a
hang. HOSTILE="NAME…" runs some of them."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import log_cases  # noqa: E402,F401  # fill the table
import pack_cases  # noqa: E402,F401
from cases import CASES  # noqa: E402
from runs import MEASURE  # noqa: E402

INQUEST = os.environ["INQUEST"]
SANITIZED = bool(os.environ.get("INQUEST_SANITIZE"))
MAX_RESIDENT = 256 << 20
MAX_ADDRESSES = 8 << 30  # protects the machine; threads reserve much
HANG_SECONDS = 60
SECRET = "the secret word"


def limit_addresses():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESSES, MAX_ADDRESSES))


class Run:
    def __init__(self, folder, arguments):
        out, err, usage = (folder / name for name in ("out", "err", "usage"))
        command = 'exec "$@" >"$OUT" 2>"$ERR" 3>"$USAGE" </dev/null'
        subprocess.run(
            ["sh", "-c", command, "sh", sys.executable, "-S", "-I", "-c",
             MEASURE, str(HANG_SECONDS * (10 if SANITIZED else 1)), INQUEST,
             *arguments], check=True, preexec_fn=limit_addresses,
            env={**os.environ, "OUT": out, "ERR": err, "USAGE": usage})
        self.exit_code, self.peak, self.seconds = json.loads(usage.read_text())
        self.said = err.read_text() + out.read_text()


class BoundsTest(unittest.TestCase):
    maxDiff = 2000

    def check(self, name, case, folder):
        (folder / "in").mkdir()
        run = Run(folder, case.make(folder / "in"))
        self.table.append(f"{name:48} {run.seconds:6.2f} s "
                          f"{run.peak / (1 << 20):6.0f} MiB  exit "
                          f"{run.exit_code}")
        said = run.said[:1500]
        self.assertIn(run.exit_code, case.exits, said)
        self.assertIn(case.word, run.said, said)
        self.assertNotIn(SECRET, run.said)
        for mark in "\x1b\u202e\u2066":
            self.assertNotIn(mark, run.said)
        self.assertLess(len(run.said), 8 << 20, "it says too much")
        if not SANITIZED:
            self.assertLess(run.peak, MAX_RESIDENT)

    def test_each_case_ends_with_a_word(self):
        self.table = []
        wanted = os.environ.get("HOSTILE", "").split()
        for name, case in CASES.items():
            if wanted and name not in wanted:
                continue
            folder = pathlib.Path(tempfile.mkdtemp())
            with self.subTest(name):
                self.check(name, case, folder)
            # shutil.rmtree gives up in a folder that is thousands deep.
            subprocess.run(["rm", "-rf", str(folder)], check=True)
        print("\n".join(self.table), file=sys.stderr)

    def make(self, name):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        (folder / "in").mkdir()
        Run(folder, CASES[name].make(folder / "in"))
        return folder / "in"

    def test_links_stay_and_their_targets_too(self):
        made = self.make("fmt_of_a_link")
        self.assertTrue((made / "pack/h.yaml").is_symlink())
        self.assertEqual((made / "target.txt").read_text(), "facts:   1\n")
        made = self.make("fmt_of_a_link_within_the_pack")
        self.assertTrue((made / "h.yaml").is_symlink())
        self.assertIn("facts: 1\n", (made / "data/h.txt").read_text())
        made = self.make("pages_onto_a_link")
        self.assertEqual((made / "target.txt").read_text(), "untouched")
        made = self.make("a_draft_onto_a_link_without_target")
        self.assertFalse((made / "target.txt").exists())

    def test_there_are_many(self):
        self.assertGreaterEqual(len(CASES), 70)


if __name__ == "__main__":
    unittest.main()

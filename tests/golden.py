# SPDX-License-Identifier: Apache-2.0
"""What golden tests share: commands as a reader of their terminal sees them,
compared with expected/NAME.txt. With --update the expectations are rewritten."""
import os
import subprocess
import sys
import unittest

INQUEST = os.environ["INQUEST"]
UPDATE = "--update" in sys.argv


def run(arguments, folder):
    return subprocess.run([INQUEST, *arguments], cwd=folder, text=True,
                          capture_output=True, timeout=120,
                          stdin=subprocess.DEVNULL)


def printed(arguments, folder):
    result = run(arguments, folder)
    parts = [f"$ inquest {' '.join(arguments)}", result.stdout.rstrip("\n")]
    if result.stderr:
        parts += ["--- stderr", result.stderr.rstrip("\n")]
    parts.append(f"--- exit {result.returncode}")
    return "\n".join(part for part in parts if part) + "\n"


class Goldens:
    """For test cases that say FOLDER, where the commands run and expected/ lies,
    CASES: name -> arguments, and the names of those that they check besides."""
    maxDiff = None
    OTHERS = ()

    def test_output(self):
        for name, arguments in self.CASES.items():
            self.check(name, arguments, self.FOLDER)

    def check(self, name, arguments, folder):
        """Runs a command in a folder."""
        with self.subTest(name):
            expected = self.FOLDER / "expected" / f"{name}.txt"
            found = printed(arguments, folder)
            if UPDATE:
                expected.write_text(found)
            self.assertEqual(found, expected.read_text())

    def test_no_expectation_is_left_over(self):
        files = (self.FOLDER / "expected").glob("*.txt")
        self.assertEqual({path.stem for path in files}, {*self.CASES, *self.OTHERS})


def main():
    unittest.main(argv=[word for word in sys.argv if word != "--update"])

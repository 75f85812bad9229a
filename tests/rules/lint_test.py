# SPDX-License-Identifier: Apache-2.0
"""What lint says of wrong rule files, word for word: lint/NAME.yaml beside
lint/NAME.txt. `lint_test.py --update` rewrites the latter; the difference is
for the reviewer."""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent / "lint"
SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
INQUEST = os.environ["INQUEST"]
UPDATE = "--update" in sys.argv


def lint(*arguments, cwd=HERE):
    return subprocess.run([INQUEST, "rules", "lint", *arguments], text=True,
                          capture_output=True, timeout=120, cwd=cwd)


def codes():
    table = (SOURCE / "analyzer/rules/load/loader_codes.cc").read_text()
    return set(re.findall(r'\{"(R\d+)"', table))


class LintTest(unittest.TestCase):
    maxDiff = None

    def test_messages(self):
        files = sorted(HERE.glob("*.yaml"))
        self.assertGreaterEqual(len(files), 10)
        for path in files:
            with self.subTest(path.name):
                # The others alone: what the pack defines may change.
                alone = [] if path.stem == "overlay" else ["--no-default-rules"]
                result = lint(path.name, "--hints", *alone)
                found = (result.stderr + result.stdout +
                         f"--- exit {result.returncode}\n")
                expected = path.with_suffix(".txt")
                if UPDATE:
                    expected.write_text(found)
                self.assertEqual(found, expected.read_text())

    def test_no_expectation_is_left_over(self):
        self.assertEqual({path.stem for path in HERE.glob("*.yaml")},
                         {path.stem for path in HERE.glob("*.txt")})

    def test_every_message_has_a_known_code_a_place_and_a_next_step(self):
        known = codes()
        for path in sorted(HERE.glob("*.yaml")):
            result = lint(path.name, "--format", "json", "--hints")
            for one in json.loads(result.stdout):
                with self.subTest(f"{path.name} {one['message']}"):
                    self.assertIn(one["code"], known)
                    self.assertEqual(one["file"], path.name)
                    self.assertGreater(one["line"], 0)

    def test_every_code_is_explained(self):
        for code in sorted(codes()):
            result = lint("--explain", code)
            self.assertEqual(result.returncode, 0)
            self.assertTrue(result.stdout.startswith(f"{code}: "))
            self.assertGreater(len(result.stdout.splitlines()), 2)
        self.assertEqual(lint("--explain", "R999").returncode, 2)

    def test_warnings_fail_only_where_asked(self):
        self.assertEqual(lint("slow-patterns.yaml").returncode, 0)
        self.assertEqual(lint("slow-patterns.yaml", "--strict").returncode, 1)

    def test_the_shipped_pack_has_no_warnings(self):
        result = lint("rules", "--strict", cwd=SOURCE)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    sys.argv = [a for a in sys.argv if a != "--update"]
    unittest.main()

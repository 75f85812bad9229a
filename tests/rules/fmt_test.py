# SPDX-License-Identifier: Apache-2.0
"""`rules fmt`: the shipped files are laid out, laying out loses nothing and is
the same twice."""
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

INQUEST = os.environ["INQUEST"]
SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])

MESSY = """\
# about the file

# and more about it
pack:   site
facts: 1
relations:
- {from: hardware/ecc,   to: hardware/gsp, kind: explains, why: "as   it is"}
# about the second
- why: because
  kind:    explains   # not refines
  from: hardware/ecc
  to:
  - hardware/nvlink
  # about the last
  - hardware/off-bus


rules:
- sql: |
    SELECT 1 AS n   -- the blanks count

      # no comment
  # about the title
  title: Some
  id: a.b
  cause: hardware/other

  message: >-
    folded
    text
  fix:
    - command: ls
      text: look
- message: plain
    text goes on
  id: a.c
  title: "More"
  cause: hardware/other
  sql: SELECT 2
# the end
"""
NEAT = """\
# about the file
# and more about it
facts: 1
pack: site
rules:
  - id: a.b
    # about the title
    title: Some
    cause: hardware/other
    sql: |
      SELECT 1 AS n   -- the blanks count

        # no comment
    message: >-
      folded
      text
    fix:
      - text: look
        command: ls

  - id: a.c
    title: "More"
    cause: hardware/other
    sql: SELECT 2
    message: plain
      text goes on

relations:
  - {from: hardware/ecc,   to: hardware/gsp, kind: explains, why: "as   it is"}
  # about the second
  - from: hardware/ecc
    to:
      - hardware/nvlink
      # about the last
      - hardware/off-bus
    kind: explains   # not refines
    why: because
# the end
"""


def fmt(*arguments, **options):
    return subprocess.run([INQUEST, "rules", "fmt", *map(str, arguments)],
                          text=True, capture_output=True, timeout=120,
                          **options)


def shown(folder):
    """What the rules of a folder mean, without the places."""
    return subprocess.run(
        [INQUEST, "rules", "show", "*", "--no-default-rules", "--rules",
         folder, "--format", "yaml"], text=True, capture_output=True,
        check=True, timeout=120).stdout


def comments(path):
    lines = (line.strip() for line in path.read_text().splitlines())
    return sorted(line for line in lines if line.startswith("#"))


def rule_files(folder):
    return sorted(path for path in folder.rglob("*.yaml")
                  if not path.name.endswith(".test.yaml"))


def shuffled(text, chance):
    """Keys of entries in another order, each with what belongs to it."""
    out, keys = [], []

    def flush():
        if keys:
            first, rest = keys[0], keys[1:]
            chance.shuffle(rest)
            out.extend(line for key in [first, *rest] for line in key)
            keys.clear()
    for line in text.splitlines():
        if line.startswith("  - ") and not line.startswith("  - {"):
            flush()
            keys.append([line])
        elif keys and line.startswith("    ") and line[4] not in " -#":
            keys.append([line])
        elif keys and line.startswith("     "):
            keys[-1].append(line)
        else:
            flush()
            out.append(line)
    flush()
    return "\n".join(out) + "\n"


class FmtTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.holder = tempfile.TemporaryDirectory(prefix="inquest-")
        self.folder = pathlib.Path(self.holder.name)

    def tearDown(self):
        self.holder.cleanup()

    def test_shipped_files_are_laid_out(self):
        result = fmt("--check", SOURCE / "rules")
        self.assertEqual((result.stdout, result.returncode), ("", 0),
                         "run: inquest rules fmt rules")

    def test_a_messy_file(self):
        result = fmt("-", input=MESSY)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, NEAT)
        self.assertEqual(fmt("-", input=NEAT).stdout, NEAT)

    def test_shuffled_files_come_back_and_mean_the_same(self):
        copy = self.folder / "rules"
        shutil.copytree(SOURCE / "rules", copy)
        meaning = shown(copy)
        before = {path: path.read_text() for path in rule_files(copy)}
        said = {path: comments(path) for path in before}
        self.assertGreater(len(before), 50)
        chance = random.Random(3)
        for path, text in before.items():
            path.write_text(shuffled(text, chance))
        self.assertGreater(
            sum(path.read_text() != text for path, text in before.items()), 40)
        result = fmt(copy)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(shown(copy), meaning)
        for path in before:
            self.assertEqual(comments(path), said[path], path)
        self.assertEqual(fmt("--check", copy).returncode, 0)

    def test_check_changes_nothing_and_names_the_file(self):
        path = self.folder / "a.yaml"
        path.write_text(MESSY)
        result = fmt("--check", path)
        self.assertEqual((result.returncode, result.stdout), (1, f"{path}\n"))
        self.assertEqual(path.read_text(), MESSY)
        self.assertEqual(fmt(path).returncode, 0)
        self.assertEqual(path.read_text(), NEAT)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["a.yaml"])

    def test_json(self):
        path = self.folder / "a.json"
        path.write_text('{"rules": [{"sql": "SELECT 1", "id": "a.b"}], '
                        '"facts": 1}')
        self.assertEqual(fmt(path).returncode, 0)
        self.assertEqual(path.read_text().split(),
                         '{ "facts": 1, "rules": [ { "id": "a.b", "sql": '
                         '"SELECT 1" } ] }'.split())

    def test_what_is_no_yaml_is_left_alone(self):
        path = self.folder / "a.yaml"
        path.write_text("facts: [1\n")
        result = fmt(path)
        self.assertEqual(result.returncode, 3)
        self.assertIn("R002", result.stderr)
        self.assertEqual(path.read_text(), "facts: [1\n")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""docs/writing-rules.md, followed to the letter: its files are written, its
commands run, and what they print must stand there. `guide_test.py --update`
brings the text up to date; the difference is for the reviewer.

A block ```yaml NAME is a file. In a block ```console a line `$ COMMAND` is run
by bash in one folder, and what follows it is its output."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

GUIDE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"]) / "docs/writing-rules.md"
INQUEST = pathlib.Path(os.environ["INQUEST"])
BLOCK = re.compile(r"(?ms)^```(\w+)(?: (\S+))?\n(.*?)^```$")
COMMAND = re.compile(r"(?m)^\$ (.*)$")


def output_of(command, folder):
    # Width and colour of the reader's terminal are none of the guide's.
    environment = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8",
                       PATH=f"{INQUEST.parent}:{os.environ['PATH']}")
    done = subprocess.run(["bash", "-c", command], cwd=folder, text=True,
                          env=environment, timeout=120, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.replace(str(INQUEST.parent) + "/", "").rstrip("\n")


def follow(text, folder):
    """The text with each command's output as it is now."""
    def block(match):
        kind, name, body = match.groups()
        if name:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body)
        if kind != "console":
            return match.group(0)
        shown = []
        for command in COMMAND.findall(body):
            shown += [f"$ {command}", output_of(command, folder)]
        lines = "\n".join(line for line in shown if line)
        return f"```console\n{lines}\n```"
    return BLOCK.sub(block, text)


class GuideTest(unittest.TestCase):
    maxDiff = None

    def test_guide(self):
        text = GUIDE.read_text()
        with tempfile.TemporaryDirectory(prefix="inquest-guide-") as folder:
            found = follow(text, pathlib.Path(folder))
        if UPDATE:
            GUIDE.write_text(found)
        self.assertGreaterEqual(len(COMMAND.findall(text)), 10)
        self.assertEqual(found, text)


if __name__ == "__main__":
    UPDATE = "--update" in sys.argv
    sys.argv = [argument for argument in sys.argv if argument != "--update"]
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""What is said of runs that were recorded on a real card (recorded/*.tar.xz, made
by keep_runs): each report, as text, is recorded/expected/CARD/RUN.txt. With
--update these are written anew; then read what has changed."""
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = HERE / "recorded/expected"
UPDATE = "--update" in sys.argv


def told(run):
    """From its own folder, so that no path of this machine is in the report."""
    return subprocess.run(
        [os.environ["INQUEST"], "diagnose", run.name], cwd=run.parent, text=True,
        env={**os.environ, "COLUMNS": "100"}, check=True, timeout=120,
        capture_output=True).stdout


class Recorded(unittest.TestCase):
    maxDiff = None

    def test_reports(self):
        for archive in sorted((HERE / "recorded").glob("*.tar.xz")):
            card = archive.name.removesuffix(".tar.xz")
            with tempfile.TemporaryDirectory() as folder:
                with tarfile.open(archive) as runs:
                    runs.extractall(folder)
                for run in sorted(pathlib.Path(folder).iterdir()):
                    with self.subTest(f"{card}: {run.name}"):
                        self.compare(EXPECTED / card / f"{run.name}.txt",
                                     told(run))

    def compare(self, expected, found):
        if UPDATE:
            expected.parent.mkdir(exist_ok=True)
            expected.write_text(found)
        self.assertEqual(found, expected.read_text())


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--update"])

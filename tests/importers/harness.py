# SPDX-License-Identifier: Apache-2.0
"""Runs the program on files, for the tests of importers."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import shared  # noqa: E402

INQUEST = os.environ["INQUEST"]


def run(*arguments):
    return subprocess.run([INQUEST, *map(str, arguments)], timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def rows(path, sql):
    """Of a query, as dicts."""
    result = run("query", "--format", "ndjson", path, "--sql", sql)
    assert result.returncode in (0, 4), result.stderr.decode()
    return [json.loads(line) for line in result.stdout.decode().splitlines()]


def row(path, sql):
    return rows(path, sql)[0]


def diagnose(*arguments):
    return json.loads(run("diagnose", "--format", "json", *arguments).stdout)


def scratch(test):
    """A folder that is gone after the test."""
    import tempfile
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    return pathlib.Path(folder.name)


def realdata(*kind):
    """The folder of real files, or of those of a kind."""
    return shared.folder("realdata", *kind)

"""Runs the program on files, for the tests of importers."""
import json
import os
import pathlib
import subprocess

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


def realdata(kind):
    """The folder of real files of a kind, whether it is there or not
    (INQUEST_REALDATA, or realdata/ in a folder `shared` beside the checkout or
    above)."""
    source = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
    places = [one / "shared/realdata" for one in source.parents]
    if "INQUEST_REALDATA" in os.environ:
        places = [pathlib.Path(os.environ["INQUEST_REALDATA"])]
    for place in places:
        if (place / kind).is_dir():
            return place / kind
    return places[0] / kind

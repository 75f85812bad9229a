# SPDX-License-Identifier: Apache-2.0
"""Runs to be damaged: those that version 0.1 stored, and where the simulated GPU
is built a few that are recorded now, with all that a run of today has."""
import os
import pathlib
import subprocess
import tarfile

SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["INQUEST_BUILD_DIR"])
HOSTS = BUILD / "tests/collector"
# Small enough that thousands are written; the journal grows by segments.
SMALL = {"INQUEST_JOURNAL_SIZE": "262144", "SIMGPU_MEMORY": "1GiB"}


def files_of(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())
            if path.is_file() and not path.name.endswith("-shm")}


def stored(folder):
    with tarfile.open(SOURCE / "tests/trace/stored-0.1.tar.gz") as archive:
        archive.extractall(folder)
    return [files_of(folder / name) for name in ("families", "killed")]


def environment(**more):
    return {**os.environ, **SMALL, **more,
            "LD_LIBRARY_PATH": str(BUILD / "simgpu/lib")}


def recorded(folder, host, *arguments):
    """Ends by itself; with run.json and the console."""
    run = folder / host
    subprocess.run([os.environ["INQUEST"], "record", "-o", run, "--",
                    HOSTS / f"collector_{host}", *arguments], cwd=folder,
                   env=environment(), stdin=subprocess.DEVNULL,
                   capture_output=True, check=False)
    return files_of(run)


def killed(folder, name, **settings):
    """Its last records are still in the journal."""
    run = folder / name
    run.mkdir()
    subprocess.run([HOSTS / "collector_kill_host", folder / f"{name}.ack", "2",
                    "kill", "60000"], cwd=folder, check=False,
                   env=environment(INQUEST_DIR=str(run), **settings,
                                   LD_PRELOAD=os.environ["INQUEST_COLLECTOR"]))
    return files_of(run)


def runs(folder):
    made = stored(folder)
    for host in ("families", "errors_host", "nvtx_host", "layers_host"):
        if (HOSTS / f"collector_{host}").exists():
            made.append(recorded(folder, host))
    if (HOSTS / "collector_kill_host").exists():
        made.append(killed(folder, "killed-now"))
        made.append(killed(folder, "folding", INQUEST_MAX_DISK="1m"))
    return [run for run in made if run]

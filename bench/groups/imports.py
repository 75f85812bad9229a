# SPDX-License-Identifier: Apache-2.0
"""Importing other tools' files, compared with other readers of them."""
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from groups.common import INQUEST, ROOT, cost, group, row, seconds


LOAD = ("import pickle, resource, sys\n"
        "def spent():\n"
        "    usage = resource.getrusage(resource.RUSAGE_SELF)\n"
        "    return usage.ru_utime + usage.ru_stime\n"
        "before = spent()\n"
        "pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(spent() - before,"
        " resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)\n")


def pickle_load(path):
    """Python's own reader in a separate process, without the time to start
    it."""
    out = subprocess.run([sys.executable, "-c", LOAD, str(path)],
                         stdout=subprocess.PIPE, check=True).stdout
    return [float(word) for word in out.split()]


@group
def bench_snapshot(options):
    """Both alternately; Python needs ten times a snapshot's size to make
    one."""
    with tempfile.TemporaryDirectory(dir=options.scratch) as name:
        path = pathlib.Path(name) / "snapshot.pickle"
        seconds([sys.executable, str(ROOT / "bench/make_snapshot.py"),
                 str(path), str(options.snapshot)])
        mebibytes = path.stat().st_size / (1 << 20)
        ours, theirs = [], []
        for _ in range(min(options.times, 5)):
            ours.append(cost([INQUEST, "import", path, "-o", f"{name}/run"]))
            shutil.rmtree(f"{name}/run")
            theirs.append(pickle_load(path))
        ours, memory = map(statistics.median, zip(*ours))
        theirs, their_memory = map(statistics.median, zip(*theirs))
    yield row(f"`import` of a memory snapshot of {mebibytes:.0f} MiB",
              f"{mebibytes / ours:.0f} MiB/s, {memory:.0f} MiB of memory",
              f"{mebibytes / theirs:.0f} MiB/s, {their_memory:.0f} MiB, "
              "Python's pickle.load", f"{theirs / ours:.1f}×", "≥ 100 MB/s")


@group
def bench_profile(options):
    """By the wall, since two threads share the work; both figures are medians.
    Python's reader makes of a profile ten times its size, so it has a tenth."""
    with tempfile.TemporaryDirectory(dir=options.scratch) as name:
        path, part = (pathlib.Path(name) / one for one in ("p.json", "t.json"))
        for file, size in ((path, options.profile), (part, options.profile // 10)):
            seconds([sys.executable, str(ROOT / "bench/make_profile.py"),
                     str(file), str(size)])
        walls, ours, theirs = [], [], []
        for _ in range(min(options.times, 3)):
            begin = time.perf_counter()
            ours.append(cost([INQUEST, "import", path, "-o", f"{name}/run"]))
            walls.append(time.perf_counter() - begin)
            shutil.rmtree(f"{name}/run")
            theirs.append(cost([sys.executable, "-c",
                                f"import json; json.load(open({str(part)!r}))"]))
        mebibytes = path.stat().st_size / (1 << 20)
        share = part.stat().st_size / (1 << 20)
    (spent, memory), (their_time, their_memory) = (
        map(statistics.median, zip(*runs)) for runs in (ours, theirs))
    wall = statistics.median(walls)
    yield row(f"`import` of a profile of PyTorch of {mebibytes:,.0f} MiB",
              f"{mebibytes / wall:.0f} MiB/s, {mebibytes / spent:.0f} a second "
              f"of processor time, {memory:.0f} MiB of memory",
              f"{share / their_time:.0f} MiB/s, {their_memory:,.0f} MiB, "
              f"Python's json.load of {share:.0f} MiB",
              f"{mebibytes / wall / (share / their_time):.1f}×",
              "≥ 100 MiB/s, ≤ 128 MiB")

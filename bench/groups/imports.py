"""Other tools' files, beside what else reads them."""
import pathlib
import statistics
import subprocess
import sys
import tempfile

from groups.common import INQUEST, ROOT, group, row, seconds


def pickle_load_seconds(path):
    """Python's own, in a process of its own, without starting that."""
    out = subprocess.run(
        [sys.executable, "-c",
         "import pickle, sys, time; start = time.perf_counter(); "
         "pickle.load(open(sys.argv[1], 'rb')); "
         "print(time.perf_counter() - start)", str(path)],
        stdout=subprocess.PIPE, check=True).stdout
    return float(out)


@group
def bench_snapshot(options):
    """Of 60 MiB: Python needs ten times that to make one."""
    with tempfile.TemporaryDirectory(dir=options.scratch) as name:
        path = pathlib.Path(name) / "snapshot.pickle"
        seconds([sys.executable, str(ROOT / "bench/make_snapshot.py"),
                 str(path), "60"])
        mebibytes = path.stat().st_size / (1 << 20)
        times = min(options.times, 5)
        ours = statistics.median(
            seconds([INQUEST, "import", str(path), "-o", f"{name}/run{i}"])
            for i in range(times))
        theirs = statistics.median(pickle_load_seconds(path)
                                   for _ in range(times))
    yield row(f"`import` of a memory snapshot of {mebibytes:.0f} MiB",
              f"{mebibytes / ours:.0f} MiB/s",
              f"{mebibytes / theirs:.0f} MiB/s, Python's pickle.load",
              f"{theirs / ours:.1f}×", "≥ 100 MB/s")

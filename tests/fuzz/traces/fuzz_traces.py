#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damages recorded runs and opens each with a command of inquest.

    fuzz_traces.py [--runs N] [--seed N] [--only K] [--keep DIR]

However a run is damaged, the program ends by itself within two seconds of
processor time and 256 MiB, with 0, 2 or 4, and writes nowhere but into the run.
The environment is that of a ctest entry (INQUEST, INQUEST_SOURCE_DIR,
INQUEST_BUILD_DIR, INQUEST_COLLECTOR). `--only K` repeats one run of a seed; what
the runs were recorded from differs from build to build, so a run that fails is
also kept in DIR. Exit code 1: there was one.
"""
import argparse
import collections
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import seeds  # noqa: E402
from damage import damage  # noqa: E402

SANITIZED = bool(os.environ.get("INQUEST_SANITIZE"))
SECONDS = 2
HANG_SECONDS = 120
MOST_MEMORY = 256 << 20
MOST_OUTPUT = 8 << 20
CODES = {0, 2, 4}
RULES = "--no-default-rules"  # to compile them takes six times as long
FACTS = ["memory_event", "allocation_site", "api_error", "process", "loss",
         "coverage", "cudnn_call", "device_memory", "leak_suspect", "heap_block",
         "peak_block", "oom", "step", "stack", "library", "environment",
         "device_usage", "ending"]


def command(dice, run):
    fact = dice.choice(FACTS)
    return dice.choice([
        ["diagnose", run], ["diagnose", "--format", "json", RULES, run],
        *[["query", RULES, run, f"SELECT * FROM {fact} LIMIT 100"]] * 4,
        ["query", RULES, run, "SELECT count(*), sum(bytes), max(id) FROM "
                              "memory_event"],
        ["explain", RULES, run], ["whatif", RULES, run],
        ["diff", RULES, run, run]])


class Child:
    """A finished run of inquest in an empty world."""

    def __init__(self, world, arguments):
        self.world = world
        for name in ("tmp", "home", "here"):
            (world / name).mkdir()
        out = world / "out"
        with out.open("wb") as file:
            start = time.monotonic()
            child = subprocess.Popen(
                [os.environ["INQUEST"], *map(str, arguments)], stdout=file,
                stderr=file, stdin=subprocess.DEVNULL, cwd=world / "here",
                env={**os.environ, "TMPDIR": str(world / "tmp"),
                     "HOME": str(world / "home")})
            while True:
                done, status, usage = os.wait4(child.pid, os.WNOHANG)
                if done:
                    break
                if time.monotonic() - start > HANG_SECONDS:
                    child.kill()
                time.sleep(0.001)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.code = child.returncode
        self.seconds = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss * 1024
        self.said = out.read_text(encoding="utf-8", errors="replace")

    def wrong(self):
        """What is wrong with it, in words; "" if nothing."""
        if self.code not in CODES:
            return f"exit {self.code}"
        if "runtime error" in self.said or "Sanitizer" in self.said:
            return "a sanitizer complains"
        if len(self.said) > MOST_OUTPUT:
            return "it says too much"
        if self.code and not self.said:
            return "no word about it"
        for name in ("tmp", "home", "here"):
            if any((self.world / name).iterdir()):
                return f"something is left in {name}"
        if not SANITIZED and self.seconds > SECONDS:
            return f"{self.seconds:.1f} s"
        if not SANITIZED and self.memory > MOST_MEMORY:
            return f"{self.memory >> 20} MiB"
        return ""


def try_one(number, options, runs, sums):
    dice = random.Random(f"{options.seed} {number}")
    damaged = damage(dice, dice.choice(runs), runs)
    world = pathlib.Path(tempfile.mkdtemp(prefix="inquest-fuzz-"))
    try:
        run = world / "run"
        run.mkdir()
        for name, data in damaged.items():
            (run / name).write_bytes(data)
        arguments = command(dice, run)
        child = Child(world, arguments)
        sums[child.code] += 1
        wrong = child.wrong()
        if wrong:
            tell(number, options, wrong, arguments, child, damaged)
        return not wrong, child
    finally:
        shutil.rmtree(world)


def tell(number, options, wrong, arguments, child, damaged):
    print(f"run {number}: {wrong}: inquest {' '.join(map(str, arguments))}\n"
          f"{child.said[-3000:]}", flush=True)
    if options.keep:
        folder = options.keep / f"{options.seed}-{number}"
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in damaged.items():
            (folder / name).write_bytes(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, metavar="K")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR")
    options = parser.parse_args()
    numbers = range(options.runs) if options.only is None else [options.only]
    sums = collections.Counter()
    bad, slowest, largest = 0, 0.0, 0
    with tempfile.TemporaryDirectory(prefix="inquest-fuzz-") as folder:
        runs = seeds.runs(pathlib.Path(folder))
    for number in numbers:
        good, child = try_one(number, options, runs, sums)
        bad += not good
        slowest = max(slowest, child.seconds)
        largest = max(largest, child.memory)
    print(f"{len(numbers)} damaged runs of {len(runs)}, seed {options.seed}: "
          f"{bad} went wrong; exit codes {dict(sorted(sums.items()))}; at most "
          f"{slowest:.2f} s and {largest >> 20} MiB")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

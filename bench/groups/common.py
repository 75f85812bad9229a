# SPDX-License-Identifier: Apache-2.0
"""Shared by the groups of bench/run: paths, how long a program takes, how a row
of the table is written. A group is a function that yields rows; its name is
what `--only` takes."""
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build/release"
INQUEST = str(BUILD / "cli/inquest")
GROUPS = {}


def group(function):
    GROUPS[function.__name__.removeprefix("bench_")] = function
    return function


def tool(name):
    return str(BUILD / "bench" / name)


def seconds(command, good=(0,), stdout=subprocess.DEVNULL):
    start = time.perf_counter()
    result = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE)
    taken = time.perf_counter() - start
    if result.returncode not in good:
        sys.exit(f"{command} ended with {result.returncode}: "
                 f"{result.stderr.decode()[-2000:]}")
    return taken


def measure(command, good=(0,)):
    """Seconds of one run, by the wall and of CPU (user and system), and its peak
    memory in MiB."""
    start = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command],
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    taken = time.perf_counter() - start
    ended = os.waitstatus_to_exitcode(status)
    if ended not in good:
        sys.exit(f"{command} ended with {ended}")
    return (taken, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def cost(command):
    """CPU seconds, which other programs on the machine disturb less than wall
    time, and peak memory."""
    return measure(command)[1:]


def median_ms(command, times, **options):
    seconds(command, **options)  # the files are in the page cache from here on
    return 1000 * statistics.median(
        seconds(command, **options) for _ in range(times))


def row(what, figure, floor, ratio, aim):
    return f"| {what} | {figure} | {floor} | {ratio} | {aim} |"

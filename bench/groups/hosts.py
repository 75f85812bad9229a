# SPDX-License-Identifier: Apache-2.0
"""The cost of recording for the recorded programs: hosts on the simulated GPU,
alternately bare and recorded, because the machine's speed varies."""
import os
import pathlib
import re
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

from groups.common import (BUILD, INQUEST, ROOT, group, median_ms, row,
                           seconds, tool)

COLLECTOR = str(BUILD / "collector/libinquest_collector.so")


def host(command, record=False, cwd=None, **settings):
    """What a host prints, as numbers."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "SIMGPU_MEMORY": "1GiB",
                       "LD_LIBRARY_PATH": str(BUILD / "simgpu/lib"),
                       "INQUEST_DIR": f"{folder}/run", **settings}
        if record:
            environment["LD_PRELOAD"] = COLLECTOR
        out = subprocess.run(
            [str(word) for word in command], env=environment, check=True,
            cwd=cwd or folder, timeout=120, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True).stdout
    return [float(word) for word in
            re.search(r"^[0-9][0-9. ]*", out, re.M).group().split()]


def least_by_turns(runs, times):
    """The minimum of each kind of run: other programs can only add to it."""
    least = {name: float("inf") for name in runs}
    for _ in range(times):
        for name, run in runs.items():
            least[name] = min(least[name], run()[0])
    return least


def pairs(depth, threads):
    """Pairs of an allocation and a free, in each of the compared ways."""
    each = str(100_000 // threads)
    device = [tool("bench_stack_host"), "device", depth, each, threads]
    malloc = [tool("bench_stack_host"), "host", depth, each, threads]
    client = {"CUDA_INJECTION64_PATH": tool("libbench_subscriber.so")}
    runs = {
        "bare": lambda: host(device),
        "client": lambda: host(device, **client),
        "floor": lambda: host(device, **client, BENCH_SUBSCRIBER="copy"),
        "off": lambda: host(device, True, INQUEST_STACKS="off"),
        "native": lambda: host(device, True, INQUEST_STACKS="native"),
        "malloc": lambda: host(malloc)}
    if shutil.which("heaptrack"):
        runs["heaptrack"] = lambda: host(["heaptrack", "-o", "watched",
                                          *malloc])
    return runs


@group
def bench_recording(options):
    """For a pair of calls: what the driver adds for any client with callbacks
    is subtracted and shown in its own row."""
    for depth, threads in ((5, 1), (20, 1), (5, 8), (20, 8)):
        ns = least_by_turns(pairs(depth, threads), options.times)
        where = f"{depth} functions deep, {threads} thread{'s' * (threads > 1)}"
        floor = ns["floor"] - ns["client"]
        theirs = ns.get("heaptrack", float("nan")) - ns["malloc"]
        yield row(f"a pair of calls, {where}: the simulated driver's callbacks",
                  f"{ns['client'] - ns['bare']:.0f} ns",
                  f"{ns['bare']:.0f} ns, the pair alone", "", "")
        for what, mode, aim in (("recorded", "off", "≤ 0.25×"),
                                ("recorded with native stacks", "native",
                                 "≤ 1×")):
            ours = ns[mode] - ns["client"]
            yield row(f"a pair of calls, {where}: {what}", f"{ours:.0f} ns",
                      f"{theirs:.0f} ns, heaptrack on malloc and free; "
                      f"{floor:.0f} ns, clock_gettime and 64 bytes, twice",
                      f"{ours / theirs:.2f}×", aim)


def children_seconds():
    """Processor seconds of all ended children."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def recorded(command, folder):
    """Runs a host recorded into `folder`; wall and processor seconds until it
    has ended, and what it prints."""
    environment = {**os.environ, "SIMGPU_MEMORY": "1GiB",
                   "LD_LIBRARY_PATH": str(BUILD / "simgpu/lib"),
                   "INQUEST_DIR": str(folder), "LD_PRELOAD": COLLECTOR,
                   "INQUEST_STACKS": "off"}
    before = children_seconds()
    start = time.perf_counter()
    out = subprocess.run([str(word) for word in command], env=environment,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         text=True).stdout
    return time.perf_counter() - start, children_seconds() - before, out


def contents(folder):
    """Events, lost records and bytes of the only trace."""
    trace, = pathlib.Path(folder).glob("*.trace.sqlite")
    with sqlite3.connect(trace) as db:
        events, = db.execute("SELECT count(*) FROM memory_event").fetchone()
        lost, = db.execute("SELECT total(count) FROM loss").fetchone()
    return events, int(lost), trace.stat().st_size


@group
def bench_flood(options):
    """As fast as the host can, from its start until its trace is whole. The
    drain's processor time is what the host's own threads did not take."""
    for pairs_each, threads in ((1_500_000, 1), (20_000, 64)):
        with tempfile.TemporaryDirectory() as folder:
            taken, processor, pair_ns = recorded(
                [tool("bench_stack_host"), "flood", "5", pairs_each, threads],
                folder)
            stored = contents(folder)[0]
            # What the exit's five seconds did not suffice for is in the journal.
            seconds([INQUEST, "query", folder, "SELECT 1"])
            events, lost, size = contents(folder)
        drain = processor - float(pair_ns) * pairs_each * threads / 1e9
        what = (f"{events:,} allocations and frees at full speed, {threads} "
                f"thread{'s' * (threads > 1)}")
        yield row(f"{what}: stored",
                  f"{stored / taken / 1e6:.2f} M a second, {lost:,} lost",
                  f"{size / events:.0f} bytes an event", "",
                  "≥ 2 M a second, 0 lost")
        yield row(f"{what}: the drain by processor time",
                  f"{stored / drain / 1e6:.2f} M a second",
                  f"{drain / stored * 1e6:.2f} µs an event", "",
                  "≥ 2 M a second")
    with tempfile.TemporaryDirectory() as folder:
        recorded([tool("bench_refused_host"), "10000000"], folder)
        taken = seconds([INQUEST, "diagnose", folder])
        size = contents(folder)[2]
    yield row("from SIGKILL after 10,000,000 refused requests to the verdict",
              f"{taken:.2f} s", f"{size / 1e6:.0f} MB of trace", "", "≤ 5 s")


@group
def bench_python(options):
    """Pairs from Python with the GIL held."""
    for depth in ("5", "20"):
        script = [sys.executable, ROOT / "bench/stack_host.py", depth, "50000"]
        modes = ("off", "python", "on")
        runs = {mode: lambda mode=mode: host(script, True, INQUEST_STACKS=mode)
                for mode in modes}
        ns = least_by_turns({"bare": lambda: host(script), **runs},
                            options.times)
        for mode in modes:
            yield row(f"a pair of calls from Python, {depth} functions deep, "
                      f"`INQUEST_STACKS={mode}`", f"{ns[mode] - ns['bare']:.0f} "
                      "ns, callbacks included",
                      f"{ns['bare']:.0f} ns, the pair alone", "", "")


@group
def bench_training(options):
    """The work is the same in both, so only the times of the calls are
    compared."""
    steps = [tool("bench_training_host"), "20"]
    runs = {"bare": [], "recorded": []}
    for _ in range(options.times):
        for name, kept in runs.items():
            kept.append(host(steps, name == "recorded"))
    bare, recorded = (statistics.median(calls for calls, *_ in kept)
                      for kept in runs.values())
    work = statistics.median(work for _, work, *_ in runs["bare"])
    slower = (recorded - bare) / (bare + work)
    yield row("a step of 2,000 cuDNN calls, 50 allocations and 50 ms of work",
              f"+{(recorded - bare) / 1e3:.0f} µs",
              f"{(bare + work) / 1e6:.1f} ms, of which {bare / 1e3:.0f} µs are "
              "the calls", f"{100 * slower:.2f} %", "< 1 %")


@group
def bench_tensors(options):
    """A report of PyTorch's allocator, from a stand-in that does nothing else:
    pairs of an allocation and a free, 500 blocks live, CPU time of the
    thread."""
    loop = [BUILD / "tests/collector/collector_tensors_host",
            BUILD / "tests/collector/c10/2", "loop", "50000"]
    modes = {"off": "passed on only", "on": "recorded",
             "stacks": "recorded with its stack"}
    runs = {mode: lambda mode=mode: host(loop, True, INQUEST_TENSORS=mode)
            for mode in modes}
    ns = least_by_turns({"bare": lambda: host(loop), **runs}, options.times)
    for mode, what in modes.items():
        yield row(f"a report of PyTorch's allocator, {what}",
                  f"{ns[mode] - ns['bare']:.0f} ns on top",
                  f"{ns['bare']:.0f} ns, the stand-in alone",
                  f"{ns[mode] / ns['bare']:.2f}×", "")


@group
def bench_cudnn(options):
    """The driver's callbacks are left out, and so is the drain."""
    works = {"convolution": ("a convolution, its descriptors as before", 1),
             "plan": ("an execution of a plan with a pack of its own, seven "
                      "calls", 7)}
    for name, (what, calls) in works.items():
        loop = [BUILD / f"tests/collector/collector_{name}_host", "loop",
                200_000 // calls]
        quiet = {"CUDA_INJECTION64_PATH": "/nowhere"}
        ns = least_by_turns(
            {"bare": lambda: host(loop, **quiet),
             "recorded": lambda: host(loop, True, **quiet)}, options.times)
        yield row(f"cuDNN: {what}", f"{ns['recorded'] - ns['bare']:+.0f} ns",
                  f"{ns['bare']:.0f} ns, the simulated cuDNN alone",
                  f"{ns['recorded'] / ns['bare']:.1f}×",
                  "< 250 ns a call: 1 % of 2,000 calls in 50 ms")


def preloaded_ms(library, times):
    return median_ms(["env", f"LD_PRELOAD={library}", tool("bench_empty")], times)


@group
def bench_preload(options):
    """A program that never touches CUDA: it starts and ends."""
    times = 20 * options.times
    nothing = preloaded_ms(tool("libbench_nothing.so"), times)
    ours = preloaded_ms(COLLECTOR, times)
    yield row("start and end of a program without CUDA, preloaded",
              f"{ours - nothing:+.2f} ms",
              f"{nothing:.2f} ms, with an empty library preloaded",
              f"{ours / nothing:.2f}×", "< 1 ms")


def short_runs(count, record):
    """Wall and processor seconds of `count` processes, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "SIMGPU_MEMORY": "1GiB",
                       "LD_LIBRARY_PATH": str(BUILD / "simgpu/lib")}
        if record:
            environment |= {"LD_PRELOAD": COLLECTOR,
                            "INQUEST_DIR": f"{folder}/run"}
        before = children_seconds()
        start = time.perf_counter()
        for _ in range(count):
            subprocess.run([str(BUILD / "tests/collector/collector_endings"),
                            "return", "0"], env=environment, check=True,
                           stdout=subprocess.DEVNULL)
        wall = time.perf_counter() - start
    return wall, children_seconds() - before


@group
def bench_short(options):
    """Many processes that use CUDA and end at once, each with its own trace."""
    count, bare, ours = 300, [], []
    for _ in range(min(options.times, 5)):
        bare.append(short_runs(count, False))
        ours.append(short_runs(count, True))
    for what, at in (("from start to end", 0), ("processor time", 1)):
        plain = min(run[at] for run in bare)
        taken = min(run[at] for run in ours)
        yield row(f"{count} processes that allocate once and end: {what}",
                  f"{1000 * taken / count:.2f} ms each, "
                  f"{1000 * (taken - plain) / count:.2f} of them ours",
                  f"{1000 * plain / count:.2f} ms, bare",
                  f"{taken / plain:.1f}×", "≤ 1.3×")

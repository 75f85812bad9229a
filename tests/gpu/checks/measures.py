# SPDX-License-Identifier: Apache-2.0
"""Checks on what a framework's program left in its trace, against what the
program says of itself. Each takes (report, program)."""

import json

DEVICE, MANAGED, ASYNC, HOST, PHYSICAL = range(1, 6)  # trace/records/event.h
ALLOC, FREE, FREE_FAILED = range(1, 4)
GIB = 1 << 30


def measured(ended):
    """The figures of a program's last words, "measured {…}"."""
    for line in reversed(ended.stdout.splitlines()):
        if line.startswith("measured "):
            return json.loads(line.removeprefix("measured "))
    raise RuntimeError("the program printed no figures")


def peak_bytes(events):
    """The most that was live at once; `events`: (op, kind, address, bytes)."""
    live, freed = {}, {}
    total = peak = 0
    for op, kind, address, size in events:
        key = (kind == PHYSICAL, address)  # handles are numbers of their own
        if op == ALLOC:
            live[key] = size
            total += size
            peak = max(peak, total)
        elif op == FREE and key in live:
            freed[key] = live.pop(key)
            total -= freed[key]
        elif op == FREE_FAILED and key in freed:
            live[key] = freed.pop(key)
            total += live[key]
    return peak


def reserved(report, program):
    """PyTorch's pool is made of driver allocations; libraries take some of
    their own, and those are not the pool's."""
    peak = peak_bytes(program.rows(
        "SELECT op, kind, address, bytes FROM memory_event WHERE "
        f"op <= {FREE_FAILED} AND kind IN ({DEVICE}, {ASYNC}, {PHYSICAL}) AND "
        f"(result = 0 OR op <> {ALLOC}) ORDER BY id"))
    told = measured(program.recorded)["reserved"]
    report.true(f"{program.name}: live at the driver, at most",
                f"{told} to {told + GIB}, 2 % more or less", peak,
                told > 0 and 0.98 * told <= peak <= 1.02 * told + GIB)


def of_kind(kind, what):
    def check(report, program):
        rows = program.rows("SELECT count(*), sum(bytes) FROM memory_event "
                            f"WHERE op = {ALLOC} AND kind = {kind} AND "
                            "result = 0")
        report.true(f"{program.name}: {what} allocations", "some", rows,
                    bool(rows) and rows[0][0] > 0)
    check.__name__ = what
    return check


def cudnn_calls(report, program):
    calls = dict(program.rows(
        "SELECT function, sum(calls) FROM cudnn_stat GROUP BY function"))
    report.true(f"{program.name}: cuDNN's plans were run", "some",
                calls.get("cudnnBackendExecute"),
                calls.get("cudnnBackendExecute", 0) > 0)
    report.seen(f"{program.name}: cuDNN functions", sorted(calls))
    report.seen(f"{program.name}: layers", program.rows(
        "SELECT function, text FROM cudnn_operation LIMIT 10"))
    libraries = program.rows("SELECT name, version, path FROM library WHERE "
                             "name LIKE 'libcudnn%'")
    report.true(f"{program.name}: cuDNN's libraries", "some", libraries,
                bool(libraries))


def steps(report, program):
    rows = program.rows("SELECT count(*), sum(end_ns IS NULL) FROM step")
    report.true(f"{program.name}: steps, open ones", "many, at most one", rows,
                bool(rows) and rows[0][0] > 50 and rows[0][1] <= 1)


def gap(states, expected):
    """torch.profiler had CUPTI; `states`: whether we had it before, meanwhile
    and afterwards; `expected`: the driver's MiB that are then recorded. What
    PyTorch's allocator hands out is recorded all the time."""
    def check(report, program):
        report.equal(f"{program.name}: CUPTI was", states, [
            state for state, in program.rows(
                "SELECT state FROM coverage WHERE source = 'cupti' "
                "ORDER BY from_ns")])
        for table, sizes, where in (
                ("memory_event", expected, f"op = {ALLOC} AND result = 0"),
                ("framework_block", {64, 128}, "TRUE")):
            seen = {size >> 20 for size, in program.rows(
                f"SELECT bytes FROM {table} WHERE {where}")}
            report.true(f"{program.name}: MiB in {table}", sorted(sizes),
                        sorted(seen), sizes <= seen)
        saw_kernels(report, program)
    check.__name__ = "gap"
    return check


def saw_kernels(report, program):
    kernels = measured(program.recorded)["kernels"]
    report.true(f"{program.name}: kernels that the profiler saw", "some",
                kernels, kernels > 0)


def great_pool(report, program):
    """What JAX takes at its start."""
    rows = program.rows("SELECT max(bytes) FROM memory_event WHERE "
                        f"op = {ALLOC} AND result = 0")
    total = program.rows("SELECT total_bytes FROM device")
    report.true(f"{program.name}: the largest allocation",
                f"more than half of {total}", rows,
                bool(rows and total) and (rows[0][0] or 0) > total[0][0] / 2)

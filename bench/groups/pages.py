# SPDX-License-Identifier: Apache-2.0
"""What the page of a run costs beside its diagnosis, and how large it is."""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from groups.common import INQUEST, cost, group, row, tool

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tests/page"))
import browser  # noqa: E402


def median_cpu(command, times):
    cost(command)  # the files are in the page cache from here on
    return statistics.median(cost(command)[0] for _ in range(times))


def seconds_to_open(page, times):
    """In headless Chromium, until its pictures are drawn; None without one."""
    if browser.find() is None:
        return None
    window = browser.Browser()
    try:
        taken = []
        for _ in range(times):
            begin = time.monotonic()
            window.open(page)
            taken.append(time.monotonic() - begin)
        return statistics.median(taken)
    finally:
        window.close()


@group
def bench_page(options):
    times = min(options.times, 3)
    for events in (1_000_000, 10_000_000):
        with tempfile.TemporaryDirectory(dir=options.scratch) as name:
            trace, page = f"{name}/p.trace.sqlite", f"{name}/page.html"
            subprocess.run([tool("bench_make_trace"), trace, str(events),
                            "marked"], check=True)
            diagnose = median_cpu([INQUEST, "diagnose", trace], times)
            report = median_cpu([INQUEST, "report", trace, "-o", page], times)
            size = os.path.getsize(page)
            opened = seconds_to_open(page, times)
        yield row(f"the page of {events:,} memory events, CPU seconds",
                  f"{report:.1f} s, {size / 1e3:,.0f} kB",
                  f"{diagnose:.1f} s, the diagnosis alone",
                  f"{report / diagnose:.1f}×", "≤ 1.3×, ≤ 2 MB")
        if opened is not None:
            yield row(f"opening that page of {events:,} events in Chromium",
                      f"{opened:.2f} s", "", "", "≤ 3 s")

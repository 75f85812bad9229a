# SPDX-License-Identifier: Apache-2.0
"""What the commands for other tools and for machines cost: an export for
Perfetto, with the opening of the trace and without it; doctor, also where a
driver hangs."""
import os
import subprocess
import tempfile

from groups.common import BUILD, INQUEST, group, median_ms, row, tool
from groups.pages import median_cpu


@group
def bench_perfetto(options):
    events = options.events
    with tempfile.TemporaryDirectory(dir=options.scratch) as name:
        trace, out = f"{name}/p.trace.sqlite", f"{name}/p.pftrace"
        subprocess.run([tool("bench_make_trace"), trace, str(events), "marked"],
                       check=True)
        opened = median_cpu([INQUEST, "query", trace, "SELECT 1"], 3)
        export = median_cpu([INQUEST, "export", trace, "-o", out], 3)
        size = os.path.getsize(out)
    yield row(f"a Perfetto trace of {events:,} memory events, by CPU time",
              f"{events / export / 1e6:.1f} M events/s, "
              f"{size / events:.0f} bytes each",
              f"{events / opened / 1e6:.1f} M events/s, opening the trace alone",
              f"{export / opened:.1f}×", "≥ 1 M events/s")


@group
def bench_doctor(options):
    command = [INQUEST, "doctor"]
    floor = median_ms([tool("bench_empty")], 3)
    here = median_ms(command, options.times, good=(0, 1))
    os.environ["LD_LIBRARY_PATH"] = str(BUILD / "simgpu/lib")
    os.environ["SIMGPU_FAULT"] = "call=nvmlInit_v2,delay_us=60000000"
    hangs = median_ms(command, 3, good=(0, 1))
    del os.environ["LD_LIBRARY_PATH"], os.environ["SIMGPU_FAULT"]
    for what, taken in (("`inquest doctor`", here),
                        ("the same where NVML hangs", hangs)):
        yield row(what, f"{taken:.0f} ms", f"{floor:.0f} ms, an empty program",
                  f"{taken / floor:.0f}×", "≤ 2 s")

# SPDX-License-Identifier: Apache-2.0
"""What an export for Perfetto costs, with the opening of the trace and without
it."""
import os
import subprocess
import tempfile

from groups.common import INQUEST, group, row, tool
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

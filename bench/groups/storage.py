# SPDX-License-Identifier: Apache-2.0
"""What a recording takes on disk."""
import subprocess
import tempfile

from groups.common import group, row, tool


def disk(folder, kind, events, budget=1 << 62):
    """The result of bench_disk for so many events and so large a budget."""
    out = subprocess.run(
        [tool("bench_disk"), f"{folder}/{kind}-{budget}.trace.sqlite", kind,
         str(events), str(budget)], stdout=subprocess.PIPE, check=True).stdout
    return {name: int(value) for name, value in
            (line.split() for line in out.decode().splitlines())}


@group
def bench_disk(options):
    week, budget = options.events, 64 << 20
    with tempfile.TemporaryDirectory(dir=options.scratch) as name:
        small, large = (disk(name, "memory", n)["bytes"]
                        for n in (100_000, 1_100_000))
        yield row("bytes on disk per memory event",
                  f"{(large - small) / 1e6:.1f}",
                  "56, what the event is in the journal",
                  f"{(large - small) / 56e6:.2f}×", "")
        calls = disk(name, "cudnn", 1_000_000)["bytes"]
        yield row("bytes on disk per million cuDNN calls", f"{calls:,}",
                  "10,000 raw calls and the intervals of 40 layers", "", "")
        kept = disk(name, "memory", week, budget)
    yield row(f"a simulated week of {week:,} memory events within {budget:,} "
              "bytes", f"{kept['most']:,} bytes at most, {kept['folded']:,} "
              "events folded", "", f"{kept['most'] / budget:.2f}×", "≤ 1×")

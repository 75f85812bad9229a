# SPDX-License-Identifier: Apache-2.0
"""Replaying the requests to an allocator, and the traces of a run."""
import json
import subprocess

from groups.common import group, row, tool


@group
def bench_whatif(options):
    requests = 1_000_000
    out = subprocess.run([tool("bench_whatif"), str(requests), "3"],
                         stdout=subprocess.PIPE, check=True).stdout
    found = json.loads(out)
    floor = found["floor"]
    for name, (calm, tight) in found["models"].items():
        yield row(f"what-if of {requests:,} requests, {name}",
                  f"{calm:.2f} s; {tight:.2f} s with no byte to spare",
                  f"{floor:.2f} s, an ordered set", f"{calm / floor:.1f}×", "")

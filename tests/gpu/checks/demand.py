# SPDX-License-Identifier: Apache-2.0
"""What `inquest whatif` says of another batch and of mixed precision, against
the program itself run that way."""

import json

from . import frameworks
from .machine import module_version
from .measures import measured
from .report import SKIPPED

# recorded as, family of the change, really run as
PAIRS = (("gpt 8 512", "batch", "gpt 16 512"),
         ("gpt 4 1024", "batch", "gpt 8 1024"),
         ("gpt 8 512", "precision", "gpt 8 512 --autocast"),
         ("gpt 4 1024", "precision", "gpt 4 1024 --autocast"),
         ("gpt 8 512 --autocast", "batch", "gpt 16 512 --autocast"))


def check(report, bundle):
    if module_version("torch") is None:
        report.row("demand", "", "no torch here", SKIPPED)
        return
    recorded, really = {}, {}
    for base, family, changed in PAIRS:
        report.guarded(f"{base}: {family}", one, report, bundle, base, family,
                       changed, recorded, really, needs_s=30)


def one(report, bundle, base, family, changed, recorded, really):
    """`recorded`, `really`: what ran already, by its words."""
    if base not in recorded:
        recorded[base] = record(report, bundle, base)
    if changed not in really:
        ended = frameworks.program(bundle, changed).bare(report.left())
        really[changed] = measured(ended)["allocated"]
    device = json.loads(recorded[base].ask(
        "whatif", "--format", "json", "--batch", "2", "--only", family))
    device = device["devices"][0]
    changes = [c for c in device["changes"] if c["family"] == family]
    report.runs[f"{base}: {family}"] = device
    if not changes:
        report.row(f"{base}: {family}", "an estimate", device.get("note"),
                   "DIFFERS")
        return
    before = measured(recorded[base].recorded)["allocated"]
    after, change = really[changed], changes[0]
    told = change["peak_allocated_bytes"]
    words = (f"{before} -> {told} ({change['least_allocated_bytes']} to "
             f"{change['most_allocated_bytes']}), really {after}: "
             f"{100 * (told / after - 1):+.1f} %")
    report.true(f"{base}: {family}", "same direction, within a tenth", words,
                (told > before) == (after > before)
                and abs(told / after - 1) <= 0.1)


def record(report, bundle, base):
    """Recorded, with PyTorch's own account beside the trace."""
    program = frameworks.program(bundle, base)
    program.record(report.left())
    report.keep(base, program.directory, program.told(program.diagnose()))
    return program

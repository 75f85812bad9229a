# SPDX-License-Identifier: Apache-2.0
"""What recording costs a training loop: the ratio only, and no bar for it,
because a machine that is lent is not a quiet one."""

import statistics

from . import frameworks
from .machine import module_version
from .measures import measured
from .report import SKIPPED
from .samples import sample

TIMES = 3


def check(report, bundle):
    if module_version("torch") is None:
        report.row("overhead", "", "no torch here", SKIPPED)
        return
    bare, recorded = [], []
    for _ in range(TIMES):  # in turns, so that a slow minute hits both
        if report.left() < 60:
            break
        loop = frameworks.program(bundle, "training_loop")
        bare.append(seconds(loop, loop.bare()))
        recorded.append(seconds(loop, loop.record()))
    if not bare:
        report.row("overhead", "", f"{report.left():.0f} s are left", SKIPPED)
        return
    report.facts["overhead"] = {"bare_s": bare, "recorded_s": recorded}
    ratio = statistics.median(recorded) / statistics.median(bare)
    report.seen("overhead: recorded over bare",
                f"{ratio:.3f}, medians of {len(bare)}")
    report.guarded("overhead: calls", calls, report, bundle, needs_s=30)
    report.guarded("overhead: short processes", short_processes, report,
                   bundle, needs_s=20)


def calls(report, bundle):
    """What single calls take, bare and recorded, in microseconds."""
    program = frameworks.program(bundle, "driver_calls")
    one, other = measured(program.bare()), measured(program.record())
    for name, bare in one.items():
        report.seen(f"overhead: {name}", f"{bare} us, recorded {other[name]}")


def seconds(loop, ended):
    if ended.returncode != 0:
        raise RuntimeError(f"{loop.name}: {ended.stderr[-500:]}")
    return measured(ended)["seconds"]


def short_processes(report, bundle):
    """Processes that open the card, do little and end: seconds, one each."""
    bare, recorded = [], []
    for _ in range(2 * TIMES):
        program = sample(bundle, "healthy", ["--steps", "1"])
        bare.append(program.bare().seconds)
        recorded.append(program.record().seconds)
    report.seen("overhead: a short process",
                f"{statistics.median(bare):.3f} s, recorded "
                f"{statistics.median(recorded):.3f} s")

# SPDX-License-Identifier: Apache-2.0
"""Every call that moves device memory, once, row by row: what the host says it
did against what was recorded."""

import pathlib
import sys

from .recorded import Program

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "collector"))
from driver_account import ROWS, rows_of  # noqa: E402


def account(stdout):
    calls = []
    for line in stdout.splitlines():
        if line == "done":
            break
        call, address, size, result = line.split()
        calls.append((call, int(address, 16), int(size), int(result)))
    return calls


def check(report, bundle):
    program = Program(bundle, "families", [bundle.host("families")],
                      bundle.environment())
    done = program.record()
    answer = program.diagnose()
    told = program.told(answer)
    told["stdout"], told["stderr"] = done.stdout, done.stderr
    report.keep(program.name, program.directory, told)
    report.equal("families: every call ended as on the simulated GPU",
                 (0, []), (done.returncode,
                           [line for line in done.stderr.splitlines()
                            if not line.startswith("inquest: ")]))
    made = account(done.stdout)
    wanted = rows_of(made)
    kept = program.rows(ROWS)
    report.equal("families: rows recorded", len(wanted), len(kept))
    for number, (want, have) in enumerate(zip(wanted, kept)):
        if want != have:
            report.equal(f"families: row {number}", want, have)
            break
    else:
        report.equal("families: rows alike", wanted[len(kept):],
                     kept[len(wanted):])
    report.equal("families: nothing lost", [],
                 program.rows("SELECT kind, count FROM loss"))

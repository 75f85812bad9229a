# SPDX-License-Identifier: Apache-2.0
"""Frameworks other than PyTorch that run out of memory on the simulated GPU
under `inquest record`: what must be recorded of each, and the verdict."""
import json
import pathlib

from simulated import MIB, Case, printed

PROGRAM = pathlib.Path(__file__).resolve().parent / "programs/simulated_oom.py"
PEAK = ("SELECT max(peak_bytes) AS n FROM device_usage "
        "WHERE device = 0")
REFUSED = ("SELECT count(*) AS n FROM memory_event WHERE op='alloc' AND "
           "result=2 AND kind='{}'")


def died(case, outcome, what):
    outcome.check(case.done.returncode == 1, f"{what}: it ends with 1")
    outcome.equal(case.verdict["cause"], "memory/capacity", f"{what}: verdict")
    outcome.check("simulated_oom.py" in json.dumps(case.report),
                  f"{what}: the line of Python is named")
    outcome.equal(case.value("SELECT count(*) AS n FROM replay_fault"), 0,
                  f"{what}: no event is impossible")


def numba(case, outcome):
    """cuMemAlloc for each array; a refusal is tried once more."""
    died(case, outcome, "Numba")
    outcome.check(case.value(REFUSED.format("device")) >= 1,
                  "Numba: the driver's refusal")
    outcome.check(case.value(PEAK) > 1536 * MIB, "Numba: the card was full",
                  case.value(PEAK))


def held(case, outcome, what):
    blocks = 64 * MIB * len(
        [line for line in case.done.stdout.splitlines()
         if line.startswith("blocks ")])
    outcome.check(case.value(PEAK) >= blocks,
                  f"{what}: what the program held is in the trace's peak",
                  f"{case.value(PEAK)} of {blocks}")


def jax_pool(case, outcome):
    """One block of three quarters of the card, which the pool fills: the driver
    refuses nothing."""
    died(case, outcome, "JAX")
    held(case, outcome, "JAX")
    outcome.check("bfc_allocator" in case.done.stderr, "JAX: the pool's word")


def jax_growing(case, outcome):
    """The pool grows to its limit by cuMemCreate and cuMemMap."""
    died(case, outcome, "JAX, growing")
    held(case, outcome, "JAX, growing")


def jax_platform(case, outcome):
    died(case, outcome, "JAX without a pool")
    held(case, outcome, "JAX without a pool")
    outcome.check(case.value(REFUSED.format("physical")) >= 1,
                  "JAX without a pool: the driver's refusals")


def jax_async(case, outcome):
    died(case, outcome, "JAX, the driver's pool")
    held(case, outcome, "JAX, the driver's pool")
    outcome.check(case.value(REFUSED.format("async")) >= 1,
                  "JAX, the driver's pool: the driver's refusal")


CASES = {
    "numba": {numba: {}},
    "jax": {jax_pool: {},
            jax_growing: {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"},
            jax_platform: {"XLA_PYTHON_CLIENT_ALLOCATOR": "platform"},
            jax_async: {"XLA_PYTHON_CLIENT_ALLOCATOR": "cuda_async"}},
}


def check_oom(name, environment, build, scratch, outcome):
    for check, settings in CASES[name].items():
        case = Case(environment, build, scratch, check.__name__,
                    program=(PROGRAM, name), JAX_PLATFORMS="cuda", **settings)
        outcome.figure(check.__name__.replace("_", " "),
                       f"{case.verdict['cause']} by {case.verdict['rule']}: "
                       f"{case.said}")
        outcome.figure("version", printed(case, "version"))
        try:
            check(case, outcome)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            outcome.check(False, f"{check.__name__}: {error!r}",
                          case.done.stderr[-1000:])

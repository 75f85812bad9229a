# SPDX-License-Identifier: Apache-2.0
"""Programs of PyTorch and JAX, in programs/: each with the verdict that it
should get. No simulated GPU runs them."""

import os
import pathlib
import sys

from . import measures
from .judged import judge
from .machine import module_version
from .recorded import Program
from .report import SKIPPED

PROGRAMS = pathlib.Path(__file__).resolve().parents[1] / "programs"
SETTING = "PYTORCH_CUDA_ALLOC_CONF"

# framework, program (and its arguments), settings, verdict, exit status, checks
TABLE = (
    ("torch", "out_of_memory", {}, "memory/capacity", 1, [measures.reserved]),
    ("torch", "cudnn_layers", {}, "none", 0,
     [measures.reserved, measures.cudnn_calls]),
    # Kineto keeps CUPTI until the program ends, unless it is told not to;
    # then it takes it a second time when its profiler has ended.
    ("torch", "own_profiler", {}, "none", 0,
     [measures.gap(["on", "off"], {64})]),
    ("torch", "own_profiler teardown", {"TEARDOWN_CUPTI": "1"}, "none", 0,
     [measures.gap(["on", "off", "on", "off", "on"], {64})]),
    ("torch", "expandable_segments", {SETTING: "expandable_segments:True"},
     "memory/capacity", 1,
     [measures.reserved, measures.of_kind(measures.PHYSICAL, "mapped")]),
    ("torch", "malloc_async", {SETTING: "backend:cudaMallocAsync"},
     "memory/capacity", 1,
     [measures.of_kind(measures.ASYNC, "stream-ordered")]),
    ("torch", "cuda_graphs", {}, "none", 0, [measures.reserved]),
    ("torch", "fragmentation", {}, "memory/fragmentation", 1,
     [measures.reserved]),
    ("torch", "device_assert", {}, "kernel/device-assert", 1, []),
    ("torch", "illegal_access", {}, "kernel/illegal-access", 1, []),
    ("torch", "cublas_no_room", {"CUBLAS_WORKSPACE_CONFIG": ":0:0"},
     "memory/pool-headroom", 1, []),
    ("torch", "dataloader_death", {}, "process/killed", 1, []),
    ("torch", "nvtx_leak", {}, "memory/leak", 1,
     [measures.reserved, measures.steps]),
    ("torch", "second_training", {}, "memory/earlier-run", 1,
     [measures.reserved]),
    ("torch", "survived_refusal", {}, "none", 0, [measures.reserved]),
    ("transformers", "trainer", {}, "none", 0, []),
    ("torch", "ranks: rank_out_of_memory", {}, "memory/capacity", 1, []),
    ("torch", "ranks: ranks_on_one_card", {}, "distributed/nccl-system", 1,
     []),
    ("cupy-cuda13x", "cupy_out_of_memory", {}, "memory/capacity", 1, []),
    ("jax", "jax_train", {}, "none", 0, [measures.great_pool]),
    ("jax", "jax_out_of_memory", {}, "memory/capacity", 1,
     [measures.great_pool]),
)


RANKS = "ranks: "  # two of them, by torchrun
# Where a signal is met, by chance, their tracebacks tell.
SIGNALLED = ("dataloader_death", RANKS + "rank_out_of_memory",
             RANKS + "ranks_on_one_card")


def file_of(name):
    return name.removeprefix(RANKS).split()[0] + ".py"


def program(bundle, name, settings=()):
    """Frameworks find CUDA by themselves: nothing of ours is set."""
    arguments = name.removeprefix(RANKS).split()[1:]
    launcher = []
    if name.startswith(RANKS):
        launcher = ["-m", "torch.distributed.run", "--nproc-per-node=2"]
    return Program(bundle, name,
                   [sys.executable, *launcher, PROGRAMS / file_of(name),
                    *arguments],
                   {**os.environ, **dict(settings)}, timeout=120)


def check(report, bundle):
    for framework, name, settings, cause, status, further in TABLE:
        if report.programs and not name.startswith(report.programs):
            continue
        if module_version(framework) is None:
            report.row(name, "", f"no {framework} here", SKIPPED)
            continue
        report.guarded(name, one, report, program(bundle, name, settings),
                       cause, status, further, needs_s=60)


def one(report, run, cause, status, further):
    judge(report, run, cause, status, run.name not in SIGNALLED)
    for look in further:
        report.guarded(f"{run.name}: {look.__name__}", look, report, run)

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

# framework, program, settings, verdict, exit status, checks
TABLE = (
    ("torch", "out_of_memory", {}, "memory/capacity", 1, [measures.reserved]),
    ("torch", "cudnn_layers", {}, "none", 0,
     [measures.reserved, measures.cudnn_calls]),
    ("torch", "own_profiler", {}, "none", 0, [measures.gap]),
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
    ("torch", "dataloader_death", {}, "memory/host", 1, []),
    ("torch", "nvtx_leak", {}, "memory/leak", 1,
     [measures.reserved, measures.steps]),
    ("jax", "jax_train", {}, "none", 0, [measures.great_pool]),
    ("jax", "jax_out_of_memory", {}, "memory/capacity", 1,
     [measures.great_pool]),
)


def program(bundle, name, settings=()):
    """Frameworks find CUDA by themselves: nothing of ours is set."""
    environment = {**os.environ, **dict(settings)}
    return Program(bundle, name,
                   [sys.executable, PROGRAMS / f"{name}.py"], environment,
                   timeout=120)


def check(report, bundle):
    for framework, name, settings, cause, status, further in TABLE:
        if module_version(framework) is None:
            report.row(name, "", f"no {framework} here", SKIPPED)
            continue
        report.guarded(name, one, report, program(bundle, name, settings),
                       cause, status, further, needs_s=60)


def one(report, run, cause, status, further):
    judge(report, run, cause, status)
    for look in further:
        report.guarded(f"{run.name}: {look.__name__}", look, report, run)

# SPDX-License-Identifier: Apache-2.0
"""What machine this is: recorded before anything else, because a card that
differs from the simulated one differs for a reason."""

import os
import platform
import re
import shutil
import subprocess
import sys

from .bundle import find_library

SMI = ("name", "memory.total", "memory.used", "driver_version", "compute_cap",
       "ecc.mode.current", "mig.mode.current", "persistence_mode")


def words_of(command, timeout=60):
    """stdout of a command, or why there is none."""
    if shutil.which(command[0]) is None:
        return f"no {command[0]}"
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer within {timeout} s"
    return (done.stdout or done.stderr).strip()


def module_version(name):
    """As this interpreter would import it; importing is left to programs."""
    from importlib import metadata
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def facts():
    found = {"kernel": platform.release(), "libc": platform.libc_ver()[1],
             "python": platform.python_version(), "cores": os.cpu_count(),
             "nvcc": words_of(["nvcc", "--version"]),
             "driver": words_of(["cat", "/proc/driver/nvidia/version"]),
             "processes": words_of(["nvidia-smi", "--query-compute-apps=pid,"
                                    "used_memory", "--format=csv,noheader"])}
    values = words_of(["nvidia-smi", "--query-gpu=" + ",".join(SMI),
                       "--format=csv,noheader"])
    found["nvidia-smi"] = values
    for name in ("torch", "jax", "cupy-cuda13x", "nvidia-cudnn-cu13"):
        found[name] = module_version(name)
    return found


def at_least(have, need):
    """Whether version `have` is not below `need`, both as "2.36"."""
    number = lambda text: [int(n) for n in re.findall(r"\d+", text)]
    return number(have) >= number(need)


def provided_glibcxx():
    """The highest GLIBCXX_x of this machine's libstdc++, "0" without one."""
    path = find_library("libstdc++.so.6")
    if path is None:
        return "0"
    with open(path, "rb") as file:
        versions = re.findall(rb"GLIBCXX_([0-9.]*[0-9])", file.read())
    return max((v.decode() for v in versions),
               key=lambda v: [int(n) for n in v.split(".")], default="0")


def check(report, bundle):
    report.facts["machine"] = facts()
    report.facts["simulated"] = bundle.simulated
    report.facts["argv"] = sys.argv[1:]
    have = {"GLIBC": platform.libc_ver()[1], "GLIBCXX": provided_glibcxx()}
    libraries = [which for what, which in bundle.needs() if what == "LIBRARY"]
    for what, which in bundle.needs():
        if what in have:
            report.true(f"machine: {what}", f"{which} or newer", have[what],
                        at_least(have[what], which))
    if bundle.simulated:
        return
    runtime = [name for name in libraries if name.startswith("libcudart.so.")]
    cupti = [name.replace("cudart", "cupti") for name in runtime]
    for name in [*libraries, *cupti, "libnvidia-ml.so.1"]:
        path = find_library(name)
        report.true(f"machine: {name}", "found", path, path is not None)
    smi = report.facts["machine"]["nvidia-smi"]
    report.true("machine: nvidia-smi", "a card", smi, "MiB" in smi)
    report.equal("machine: nobody else computes on the card", "",
                 report.facts["machine"]["processes"])

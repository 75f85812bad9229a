# SPDX-License-Identifier: Apache-2.0
"""Chooses the calls whose results are watched, from CUPTI's own lists.

Usage: generate_cupti_calls.py CUPTI_INCLUDE_DIR OUT.cc

A callback costs a watched call some hundred nanoseconds. Watched are the
driver's calls that can report a fatal error (launches, copies, memsets,
synchronisation and queries, modules and libraries, contexts) and all of the
runtime's calls except plain queries, which a program may make between any two
launches.
"""

import pathlib
import re
import sys

DRIVER = re.compile(
    r"cu(Launch\w+|Memcpy\w+|Memset\w+|GraphLaunch\w*|GraphInstantiate\w*|"
    r"GraphUpload\w*|MemPrefetch\w+|CtxSynchronize\w*|CtxCreate\w*|"
    r"DevicePrimaryCtxRetain|DevicePrimaryCtxReset\w*|"
    r"StreamSynchronize\w*|StreamQuery\w*|StreamWaitEvent\w*|StreamCreate\w*|"
    r"EventSynchronize|EventQuery|EventRecord\w*|"
    r"ModuleLoad\w*|LibraryLoad\w+)$")
RUNTIME_ONLY_ASKS = re.compile(
    r"_*cuda(\w*Get[A-Z]\w*|StreamIsCapturing\w*|Peek\w+|Occupancy\w+|"
    r"ConfigureCall\w*|SetupArgument\w*|PushCallConfiguration\w*|"
    r"PopCallConfiguration\w*|CreateChannelDesc\w*)$")
# These are queries too, but fail when a program is about to give up.
BUT_WATCHED = re.compile(r"cuda(GetDeviceCount|MemGetInfo)_v\d+$")


def names(header, prefix):
    text = header.read_text(errors="replace")
    found = re.findall(rf"\b{prefix}(\w+)\s*=\s*\d+", text)
    if len(found) < 100:
        sys.exit(f"generate_cupti_calls.py: {header} lists too few calls")
    return [name for name in found
            if name not in ("INVALID", "SIZE", "FORCE_INT")]


def table(name, prefix, chosen):
    lines = [f"const uint32_t {name}[] = {{"]
    lines += [f"    {prefix}{call}," for call in chosen]
    return lines + ["    0};", ""]


def main():
    include, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    driver = "CUPTI_DRIVER_TRACE_CBID_"
    runtime = "CUPTI_RUNTIME_TRACE_CBID_"
    watched = [n for n in names(include / "cupti_driver_cbid.h", driver)
               if DRIVER.match(n) and not n.startswith("cu64")]
    unwatched = [n for n in names(include / "cupti_runtime_cbid.h", runtime)
                 if RUNTIME_ONLY_ASKS.match(n) and not BUT_WATCHED.match(n)]
    lines = ["// Made by collector/cuda/generate_cupti_calls.py; do not edit.",
             "#include <cuda.h>", "#include <cupti.h>", "",
             '#include "collector/cuda/cupti_calls.h"', "",
             "namespace inquest::collector {", ""]
    lines += table("kWatchedCalls", driver, watched)
    lines += table("kUnwatched", runtime, unwatched)
    lines += ["}  // namespace inquest::collector", ""]
    out.write_text("\n".join(lines))


main()

# SPDX-License-Identifier: Apache-2.0
"""What memory_event must hold for what a driver did: an account of calls, by the
simulated driver (SIMGPU_LOG) or by the program itself (families), as rows.

Used by memory_test.py and by tests/gpu. Numbers are trace/records/event.h's.
"""

ALLOC, FREE, FREE_FAILED, MAP, UNMAP, RESERVE, UNRESERVE, TRIM = range(1, 9)
REGISTER, UNREGISTER = 9, 10
RETAIN, ACCESS, POOL_CREATE, POOL_THRESHOLD = range(12, 16)
DEVICE, MANAGED, ASYNC, HOST, PHYSICAL = range(1, 6)

# An account names calls; these are their rows.
CALLS = {
    "cuMemAlloc_v2": (ALLOC, DEVICE),
    "cuMemAllocPitch_v2": (ALLOC, DEVICE),
    "cuMemAllocManaged": (ALLOC, MANAGED),
    "cuMemAllocAsync": (ALLOC, ASYNC),
    "cuMemAllocFromPoolAsync": (ALLOC, ASYNC),
    "cuMemHostAlloc": (ALLOC, HOST),
    "cuMemAllocHost_v2": (ALLOC, HOST),
    "cuMemCreate": (ALLOC, PHYSICAL),
    "cuMemFree_v2": (FREE, DEVICE),
    "cuMemFreeAsync": (FREE, ASYNC),
    "cuMemFreeHost": (FREE, HOST),
    "cuMemRelease": (FREE, PHYSICAL),
    "cuMemMap": (MAP, PHYSICAL),
    "cuMemUnmap": (UNMAP, PHYSICAL),
    "cuMemHostRegister_v2": (REGISTER, HOST),
    "cuMemHostUnregister": (UNREGISTER, HOST),
}

# What is recorded of the calls above, in the account's form.
ROWS = ("SELECT op, kind, address, bytes, result FROM memory_event "
        f"WHERE op NOT IN ({RESERVE}, {UNRESERVE}, {TRIM}) AND op < 11 "
        "ORDER BY id")


def rows_of(account):
    """(op, kind, address, bytes, result) of each (call, address, bytes,
    result). A free does not know its size, and is entered before the call."""
    rows = []
    for call, address, size, result in account:
        op, kind = CALLS[call]
        if op in (FREE, UNREGISTER):
            size = 0
        if result != 0 and op == FREE:
            rows.append((FREE, kind, address, 0, 0))
            op = FREE_FAILED
        rows.append((op, kind, address, size, result))
    return rows

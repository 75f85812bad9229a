# SPDX-License-Identifier: Apache-2.0
"""Like stack_host.cc, from Python: DEPTH functions deep, PAIRS pairs."""
import ctypes
import sys
import time

driver = ctypes.PyDLL("libcuda.so.1")
block = ctypes.c_uint64()
place, size = ctypes.byref(block), ctypes.c_size_t(4096)


def deep(depth, pairs):
    if depth > 0:
        return deep(depth - 1, pairs)
    allocate, free = driver.cuMemAlloc_v2, driver.cuMemFree_v2
    begin = time.thread_time_ns()
    for _ in range(pairs):
        allocate(place, size)
        free(block)
    return (time.thread_time_ns() - begin) / pairs


context = ctypes.c_void_p()
driver.cuInit(0)
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
if driver.cuCtxSetCurrent(context):
    sys.exit("no device")
deep(0, 1000)
print(deep(int(sys.argv[1]), int(sys.argv[2])))

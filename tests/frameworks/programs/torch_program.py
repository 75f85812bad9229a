# SPDX-License-Identifier: Apache-2.0
"""PyTorch without a GPU: says its versions, has its allocator's report called as
libc10_cuda.so would, profiles some memory, and dies of the missing device."""

import ctypes
import os

import torch
from torch.profiler import ProfilerActivity, profile

REPORT = "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE"
CUDA_0 = 1  # c10::Device: type 1, index 0


def as_linked(name):
    """What a library that needs libc10.so is linked to: the first definition,
    which is the global one where there is any."""
    own = os.path.join(os.path.dirname(torch.__file__), "lib/libc10.so")
    try:
        return getattr(ctypes.CDLL(None), name)
    except AttributeError:
        return getattr(ctypes.CDLL(own), name)


def numbers(*values):
    return [ctypes.c_size_t(value) for value in values]


def report():
    usage = as_linked(REPORT)
    usage(*numbers(0x7f0000000000, 1 << 20, 1 << 20, 20 << 20, CUDA_0))
    usage(*numbers(0x7f0000100000, 2 << 20, 3 << 20, 20 << 20, CUDA_0))
    usage(*numbers(0x7f0000000000, -(1 << 20), 2 << 20, 20 << 20, CUDA_0))


def profiled_bytes():
    """The profiler hears of memory through the very functions that are hooked."""
    with profile(activities=[ProfilerActivity.CPU],
                 profile_memory=True) as profiler:
        kept = torch.ones(512, 512)
    del kept
    return sum(event.self_cpu_memory_usage
               for event in profiler.key_averages())


print("version", torch.__version__)
print("cudnn", torch.backends.cudnn.version())
print("profiled", profiled_bytes())
report()
print("device", torch.cuda.is_available(), flush=True)
torch.zeros(1, device="cuda")

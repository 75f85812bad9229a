# SPDX-License-Identifier: Apache-2.0
"""What single calls take, in microseconds, by the program's own clock: pairs
of cuMemAlloc and cuMemFree, kernel launches, and allocations out of PyTorch's
pool, which reach no driver."""

import ctypes
import time

import torch

import card

cuda = ctypes.CDLL("libcuda.so.1")
values = torch.zeros(16, device="cuda")
address = ctypes.c_uint64()


def pair(size):
    cuda.cuMemAlloc_v2(ctypes.byref(address), size)
    cuda.cuMemFree_v2(address)


def microseconds(call, times):
    for _ in range(times // 10):
        call()
    torch.cuda.synchronize()
    begun = time.perf_counter()
    for _ in range(times):
        call()
    torch.cuda.synchronize()
    return round((time.perf_counter() - begun) / times * 1e6, 3)


small, large = ctypes.c_size_t(4096), ctypes.c_size_t(64 << 20)
card.tell(pair_4_KiB=microseconds(lambda: pair(small), 20000),
          pair_64_MiB=microseconds(lambda: pair(large), 2000),
          launch=microseconds(lambda: values.add_(1), 50000),
          pooled_tensor=microseconds(
              lambda: torch.empty(4 << 20, dtype=torch.uint8, device="cuda"),
              50000))

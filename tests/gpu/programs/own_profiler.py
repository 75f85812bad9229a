# SPDX-License-Identifier: Apache-2.0
"""A program that uses torch.profiler: it must see its kernels, recorded or
not."""

import torch
from torch.profiler import ProfilerActivity, profile

import card

a = torch.randn(1024, 1024, device="cuda")
before = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
with profile(activities=[ProfilerActivity.CPU,
                         ProfilerActivity.CUDA]) as profiler:
    for step in range(10):
        a = torch.tanh(a @ a)
    torch.cuda.synchronize()
kernels = [event for event in profiler.events()
           if event.device_type.name == "CUDA"]
print("sees kernels:", len(kernels) > 0, flush=True)
after = torch.empty(128 << 20, dtype=torch.uint8, device="cuda")
card.tell(kernels=len(kernels))

# SPDX-License-Identifier: Apache-2.0
"""Two ranks of torchrun share the card: rank 1 runs out of memory, rank 0 waits
for it."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
weights = torch.zeros(4, device="cuda")
kept = []
for step in range(1000):
    if rank == 1:
        kept.append(torch.empty(4 << 30, dtype=torch.uint8, device="cuda"))
    total = weights.cpu()
    dist.all_reduce(total)
    print(f"rank {rank} step {step} went well", flush=True)

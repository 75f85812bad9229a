# SPDX-License-Identifier: Apache-2.0
"""Two ranks of torchrun take the same card, which NCCL refuses."""

import torch
import torch.distributed as dist

dist.init_process_group("nccl")
torch.cuda.set_device(0)
weights = torch.zeros(4, device="cuda")
dist.all_reduce(weights)
torch.cuda.synchronize()

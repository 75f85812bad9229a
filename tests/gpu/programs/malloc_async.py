# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the driver's own pool (cudaMallocAsync) until the card is full."""

import torch

print(torch.cuda.get_allocator_backend(), flush=True)
kept = []
while True:
    kept.append(torch.empty(1 << 30, dtype=torch.uint8, device="cuda"))

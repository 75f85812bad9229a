# SPDX-License-Identifier: Apache-2.0
"""Segments of PyTorch's pool that are half used: a request fits into what is
reserved and free, and into no piece of it."""

import torch

import card

MIB = 1 << 20
card.tell_at_exit()
# Two blocks of 8 MiB share a segment of 20 MiB; the second one goes.
pairs = []
while torch.cuda.mem_get_info()[0] > card.GIB:
    pairs.append([torch.empty(8 * MIB, dtype=torch.uint8, device="cuda")
                  for _ in range(2)])
kept = [first for first, _ in pairs]
print("kept one block of each pair", flush=True)
del pairs
torch.empty(4 * card.GIB, dtype=torch.uint8, device="cuda")

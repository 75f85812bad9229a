# SPDX-License-Identifier: Apache-2.0
"""Steps marked with NVTX; each keeps a tensor for ever, until none is left."""

import torch

import card

card.tell_at_exit()
kept = []
share = card.total_bytes() // 100
for step in range(1000):
    with torch.cuda.nvtx.range(f"step {step}"):
        work = torch.empty(share // 2, dtype=torch.uint8, device="cuda")
        kept.append(torch.empty(share, dtype=torch.uint8, device="cuda"))
        del work

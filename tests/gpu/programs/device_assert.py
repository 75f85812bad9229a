# SPDX-License-Identifier: Apache-2.0
"""An index beyond the table: the assertion fires inside the kernel."""

import torch

table = torch.nn.Embedding(100, 64).cuda()
for step in range(3):
    table(torch.arange(10, device="cuda"))
torch.cuda.synchronize()
print("three good steps", flush=True)
table(torch.tensor([5, 100000], device="cuda"))
torch.cuda.synchronize()

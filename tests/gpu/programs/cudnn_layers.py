# SPDX-License-Identifier: Apache-2.0
"""A convolution network and attention by cuDNN, forward and backward."""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

import card

card.tell_at_exit()
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 64, 3, padding=1), torch.nn.BatchNorm2d(64),
    torch.nn.ReLU(), torch.nn.Conv2d(64, 64, 3, padding=1)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(10):
    optimizer.zero_grad()
    batch = torch.randn(32, 3, 128, 128, device="cuda")
    model(batch).square().mean().backward()
    optimizer.step()
torch.cuda.synchronize()
print("ten steps of convolutions", flush=True)
q, k, v = (torch.randn(4, 8, 1024, 64, device="cuda", dtype=torch.bfloat16,
                       requires_grad=True) for _ in range(3))
with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
    for step in range(10):
        attended = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        attended.sum().backward()
torch.cuda.synchronize()
print("ten steps of attention", flush=True)

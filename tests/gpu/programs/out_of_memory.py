# SPDX-License-Identifier: Apache-2.0
"""A batch doubles until its activations no longer fit."""

import torch

import card

card.tell_at_exit()
model = torch.nn.Sequential(*[
    layer for _ in range(8)
    for layer in (torch.nn.Linear(4096, 4096), torch.nn.ReLU())]).cuda()
batch = 1 << 14
while True:
    loss = model(torch.randn(batch, 4096, device="cuda")).square().mean()
    loss.backward()
    torch.cuda.synchronize()
    print("batch", batch, "went well", flush=True)
    batch *= 2

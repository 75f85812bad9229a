# SPDX-License-Identifier: Apache-2.0
"""A program that looks for the largest batch: it catches the refusal, takes
less, and trains to its end."""

import torch

import card

card.tell_at_exit()
model = torch.nn.Sequential(*[
    layer for _ in range(8)
    for layer in (torch.nn.Linear(4096, 4096), torch.nn.ReLU())]).cuda()


def step(batch):
    model(torch.randn(batch, 4096, device="cuda")).square().mean().backward()
    torch.cuda.synchronize()


batch = 1 << 20
while True:
    try:
        step(batch)
        break
    except torch.cuda.OutOfMemoryError:
        print("batch", batch, "does not fit", flush=True)
        batch //= 2
        torch.cuda.empty_cache()
for number in range(5):
    step(batch)
print("trained with batch", batch, flush=True)

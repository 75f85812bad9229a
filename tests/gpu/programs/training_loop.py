# SPDX-License-Identifier: Apache-2.0
"""A training loop, timed by itself after a warm-up: seconds on stdout."""

import time

import torch

import card

model = torch.nn.Sequential(
    torch.nn.Conv2d(16, 64, 3, padding=1), torch.nn.BatchNorm2d(64),
    torch.nn.ReLU(), torch.nn.Conv2d(64, 64, 3, padding=1), torch.nn.ReLU(),
    torch.nn.Flatten(), torch.nn.Linear(64 * 32 * 32, 256)).cuda()
optimizer = torch.optim.Adam(model.parameters())


def train(steps):
    for _ in range(steps):
        batch = torch.randn(64, 16, 32, 32, device="cuda")
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()


train(50)
begun = time.perf_counter()
train(1000)
card.tell(seconds=time.perf_counter() - begun)

# SPDX-License-Identifier: Apache-2.0
"""Two trainings in one process: the second finds the first one's memory still
held, because somebody keeps its optimizer."""

import torch

import card

card.tell_at_exit()
WIDTH = 16384


def train(layers):
    model = torch.nn.Sequential(*[
        torch.nn.Linear(WIDTH, WIDTH, device="cuda") for _ in range(layers)])
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(64, WIDTH, device="cuda")).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()
    print(layers, "layers went well", flush=True)
    return optimizer


def first_training(layers):
    return train(layers)


def second_training(layers):
    return train(layers)


# A layer takes 1 GiB, and four times that with gradients and two moments.
share = card.total_bytes() // (4 << 30) * 5 // 8
kept = first_training(share)
second_training(share)

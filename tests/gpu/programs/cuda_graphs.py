# SPDX-License-Identifier: Apache-2.0
"""A training step captured in a CUDA graph and replayed."""

import torch

import card

card.tell_at_exit()
model = torch.nn.Linear(1024, 1024).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.randn(256, 1024, device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    model(batch).square().mean().backward()
    optimizer.step()


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
for _ in range(100):
    graph.replay()
torch.cuda.synchronize()
print("replayed", flush=True)

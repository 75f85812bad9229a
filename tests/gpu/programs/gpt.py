# SPDX-License-Identifier: Apache-2.0
"""A small language model trained for some steps: gpt.py BATCH CONTEXT
[--autocast] [--snapshot FILE]. Ends with what PyTorch says of its memory; FILE
gets PyTorch's own record of it."""

import sys

import torch

import card

BATCH, CONTEXT = int(sys.argv[1]), int(sys.argv[2])
AUTOCAST = "--autocast" in sys.argv
SNAPSHOT = sys.argv[-1] if "--snapshot" in sys.argv else None
WIDTH, HEADS, LAYERS, WORDS = 1024, 16, 12, 16384


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.between = (torch.nn.LayerNorm(WIDTH) for _ in "12")
        self.qkv = torch.nn.Linear(WIDTH, 3 * WIDTH)
        self.out = torch.nn.Linear(WIDTH, WIDTH)
        self.wide = torch.nn.Sequential(
            torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.GELU(),
            torch.nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        shape = (*x.shape[:2], HEADS, WIDTH // HEADS)
        q, k, v = (part.view(shape).transpose(1, 2)
                   for part in self.qkv(self.before(x)).chunk(3, -1))
        seen = torch.nn.functional.scaled_dot_product_attention(
            q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(x.shape))
        return x + self.wide(self.between(x))


class Gpt(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(WORDS, WIDTH)
        self.blocks = torch.nn.Sequential(*[Block() for _ in range(LAYERS)])
        self.head = torch.nn.Linear(WIDTH, WORDS)

    def forward(self, tokens):
        return self.head(self.blocks(self.words(tokens)))


def step(model, optimizer):
    tokens = torch.randint(WORDS, (BATCH, CONTEXT + 1), device="cuda")
    with torch.autocast("cuda", torch.bfloat16, enabled=AUTOCAST):
        logits = model(tokens[:, :-1])
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return float(loss.detach())


card.tell_at_exit()
if SNAPSHOT:
    torch.cuda.memory._record_memory_history(max_entries=200000)
with torch.device("cuda"):
    model = Gpt()
optimizer = torch.optim.AdamW(model.parameters())
for number in range(6):
    print(f"step {number} loss {step(model, optimizer):.4f}", flush=True)
if SNAPSHOT:
    torch.cuda.memory._dump_snapshot(SNAPSHOT)

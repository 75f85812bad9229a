# SPDX-License-Identifier: Apache-2.0
"""The pool takes the card, and the first matrix product finds no room for
cuBLAS's handle: its result has a tensor already."""

import torch

a = torch.ones(256, 256, device="cuda")
product = torch.empty_like(a)
pool, size = [], torch.cuda.mem_get_info()[0]
while size >= 1 << 12:
    try:
        pool.append(torch.empty(size, dtype=torch.uint8, device="cuda"))
    except torch.cuda.OutOfMemoryError:
        size //= 2
print("the pool is full", flush=True)
torch.matmul(a, a, out=product)
print(float(product[0, 0]))

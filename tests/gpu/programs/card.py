# SPDX-License-Identifier: Apache-2.0
"""What the PyTorch programs share: what the allocator says of itself, printed
as the last line of stdout, also when the program dies."""

import atexit
import json

import torch

GIB = 1 << 30


def tell_at_exit():
    """Prints "measured {…}" at the end: bytes, by PyTorch's own account."""
    atexit.register(lambda: tell(
        reserved=torch.cuda.max_memory_reserved(),
        allocated=torch.cuda.max_memory_allocated(),
        retries=torch.cuda.memory_stats().get("num_alloc_retries", 0)))


def tell(**figures):
    print("measured", json.dumps(figures), flush=True)


def total_bytes():
    return torch.cuda.get_device_properties(0).total_memory

# SPDX-License-Identifier: Apache-2.0
"""PyTorch on a GPU that computes nothing: memory is real, contents are not.

    simulated_torch.py CASE

Only what asks for memory is used. Each case is checked by simulated.py.
"""
import os
import sys

import torch

MIB = 1 << 20


def bytes_on_gpu(count):
    return torch.empty(count, dtype=torch.uint8, device="cuda")


def allocator():
    for _ in range(20):
        first, second = bytes_on_gpu(4 * MIB), bytes_on_gpu(3 * MIB)
        del first, second
    kept = bytes_on_gpu(4 * MIB)
    kept.untyped_storage().resize_(0)
    print("allocated", torch.cuda.memory_allocated(), flush=True)
    print("reserved", torch.cuda.memory_reserved(), flush=True)
    torch.cuda.empty_cache()
    print("after empty_cache", torch.cuda.memory_reserved(), flush=True)


def out_of_memory():
    kept = []
    while True:
        kept.append(bytes_on_gpu(64 * MIB))


def leak():
    """A list that grows by a block in each step, until nothing is left. What
    the driver sees is a segment every tenth step; the ranges tell the steps."""
    kept = []
    while True:
        with torch.cuda.nvtx.range("step"):
            batch = [bytes_on_gpu(2 * MIB) for _ in range(4)]
            kept.append(bytes_on_gpu(2 * MIB))
            del batch


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((16,), index)


def loader():
    batches = [torch.empty(batch.shape, dtype=batch.dtype, device="cuda")
               for batch in torch.utils.data.DataLoader(
                   Numbers(), batch_size=8, num_workers=2)]
    print("batches", len(batches), flush=True)


def rank_dies():
    """Under torchrun: rank 1 ends in the middle."""
    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    kept = bytes_on_gpu(32 * MIB)
    torch.distributed.barrier()
    if rank == 1:
        os._exit(3)
    torch.distributed.barrier()
    del kept


def profiler():
    from torch.profiler import ProfilerActivity, profile
    before = bytes_on_gpu(32 * MIB)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):
        pass
    after = bytes_on_gpu(64 * MIB)
    del before, after


if __name__ == "__main__":
    print("torch", torch.__version__, flush=True)
    globals()[sys.argv[1]]()

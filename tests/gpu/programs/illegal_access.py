# SPDX-License-Identifier: Apache-2.0
"""A tensor over memory that its owner has freed; PyTorch writes to it."""

import ctypes

import torch


class Foreign:
    """Memory of the driver's, as the CUDA array interface hands it over."""

    def __init__(self, driver, size):
        address = ctypes.c_uint64()
        if driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)):
            raise SystemExit("no memory")
        self.address = address
        self.__cuda_array_interface__ = {
            "shape": (size,), "typestr": "|u1", "version": 3, "strides": None,
            "data": (address.value, False)}


torch.zeros(1, device="cuda")  # makes the context current
cuda = ctypes.CDLL("libcuda.so.1")
memory = Foreign(cuda, 1 << 30)
batch = torch.as_tensor(memory, device="cuda")
batch.fill_(1)
torch.cuda.synchronize()
print("the memory is there", flush=True)
cuda.cuMemFree_v2(memory.address)
batch.fill_(2)
torch.cuda.synchronize()

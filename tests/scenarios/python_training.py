# SPDX-License-Identifier: Apache-2.0
"""A training loop in Python on the CUDA driver, without NVTX. It keeps a buffer
a step and so runs out of memory, or ends after a number of steps.

    python_training.py STEPS LEAKED_BYTES"""
import ctypes
import os
import sys
import traceback

driver = ctypes.PyDLL("libcuda.so.1")
history = []


class OutOfMemory(RuntimeError):
    pass


class Buffer:
    def __init__(self, size):
        self.address = ctypes.c_uint64()
        if driver.cuMemAlloc_v2(ctypes.byref(self.address),
                                ctypes.c_size_t(size)):
            raise OutOfMemory("CUDA out of memory: no room for %d" % size)

    def __del__(self):
        if self.address:
            driver.cuMemFree_v2(self.address)


def open_device():
    context = ctypes.c_void_p()
    for answer in (driver.cuInit(0), driver.cuDevicePrimaryCtxRetain(
            ctypes.byref(context), 0), driver.cuCtxSetCurrent(context)):
        if answer:
            sys.exit("the driver answers %d" % answer)


class Net:
    def __init__(self):
        self.weights = [Buffer(1 << 20) for _ in range(4)]

    def forward(self, batch):
        return [Buffer(batch << 20) for _ in self.weights]

    def backward(self, activations):
        while activations:
            gradient = Buffer(1 << 20)
            activations.pop()
            del gradient


def remember(size):
    history.append(Buffer(size))


def evaluate(net):
    for _ in range(3):
        net.forward(8)


def train(steps, leaked):
    net = Net()
    for step in range(steps):
        activations = net.forward(16)
        net.backward(activations)
        if leaked:
            remember(leaked)
        if step % 10 == 9:
            evaluate(net)
            print("step", step + 1, flush=True)


if __name__ == "__main__":
    open_device()
    try:
        train(int(sys.argv[1]), int(sys.argv[2]))
    except OutOfMemory:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # as frameworks: what is held is not given back one by one

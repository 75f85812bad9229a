# SPDX-License-Identifier: Apache-2.0
"""Takes memory of a GPU that computes nothing until there is none.

    simulated_oom.py CASE

Each case asks by its framework's own means. What must be recorded of it is in
tests/frameworks/simulated_oom.py.
"""
import sys

MIB = 1 << 20


def numba():
    import numba as package
    import numpy
    from numba import cuda
    print("version", package.__version__, flush=True)
    kept = []
    while True:
        kept.append(cuda.device_array(64 * MIB, dtype=numpy.uint8))


def jax():
    """Memory is put onto the device; nothing is computed there. JAX looks for
    the device's files first, and the simulated GPU has none."""
    from jax._src import hardware_utils
    hardware_utils.has_visible_nvidia_gpu = lambda: True
    import jax as package
    import numpy
    print("version", package.__version__, flush=True)
    device = package.devices("cuda")[0]
    block = numpy.zeros(64 * MIB, numpy.uint8)
    kept = []
    while True:
        kept.append(package.device_put(block, device))
        kept[-1].block_until_ready()
        print("blocks", len(kept), flush=True)


if __name__ == "__main__":
    globals()[sys.argv[1]]()

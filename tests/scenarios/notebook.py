# SPDX-License-Identifier: Apache-2.0
"""Runs three cells as a notebook's kernel does: the first one opens the GPU, the
second and the third each build and train a model. The second's is kept, so
that the third is refused memory. With `--release` it is let go of before.

    notebook.py [--ipython] [--release]

The cells run in IPython itself, or under the names that ipykernel gives them."""
import os
import sys
import traceback

OPEN = """
import ctypes
from python_training import Buffer, driver, open_device
open_device()
free, total = ctypes.c_size_t(), ctypes.c_size_t()
driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
layer = free.value // 22
"""
TRAIN = """
{model} = [Buffer(layer) for _ in range(8)]
for step in range(30):
    activations = [Buffer(layer // 8) for _ in {model}]
    if step == 0:
        {model}_state = [Buffer(layer) for _ in {model}]
    activations.clear()
print("trained", flush=True)
"""
RELEASE = "del first, first_state\n"


def with_ipython():
    from IPython.core.interactiveshell import InteractiveShell
    shell = InteractiveShell.instance()
    return lambda cell: shell.run_cell(cell).raise_error()


def as_ipykernel():
    """After ipykernel/compiler.py: a file in /tmp, named after the content."""
    names = {}

    def run(cell):
        file = f"/tmp/ipykernel_{os.getpid()}/{abs(hash(cell)) % 10 ** 10}.py"
        exec(compile(cell, file, "exec"), names)
    return run


def main(options):
    run = with_ipython() if "--ipython" in options else as_ipykernel()
    release = RELEASE if "--release" in options else ""
    try:
        run(OPEN)
        run(TRAIN.format(model="first"))
        run(release + TRAIN.format(model="second"))
    except Exception:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])

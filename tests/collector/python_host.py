# SPDX-License-Identifier: Apache-2.0
"""Asks the simulated driver for memory from Python, in the way that its first
argument names. What is printed must be the same with and without the collector.

PyDLL keeps the GIL during a call, CDLL gives it up."""
import ctypes
import gc
import os
import sys
import threading

OUT_OF_MEMORY = 2
held = ctypes.PyDLL("libcuda.so.1")
released = ctypes.CDLL("libcuda.so.1")


def allocate(size, driver=held):
    address = ctypes.c_uint64()
    return driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size))


def give_back_all(driver=held):
    address = ctypes.c_uint64()
    driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(512))
    driver.cuMemFree_v2(address)


def begin():
    context = ctypes.c_void_p()
    for call in (held.cuInit(0), held.cuDevicePrimaryCtxRetain(
            ctypes.byref(context), 0), held.cuCtxSetCurrent(context)):
        if call:
            sys.exit("the driver answers %d" % call)


def plain():
    def forward(size):
        return allocate(size)  # the line that a user thinks of

    class Trainer:
        def step(self, size):
            return forward(size)

    trainer = Trainer()
    for _ in range(100):
        trainer.step(4096)
    give_back_all()


def refused():
    def too_much():
        return allocate(1 << 50)

    print(too_much() == OUT_OF_MEMORY)


def without_gil():
    allocate(8192, released)
    allocate(4096)


def threads():
    def work(name):
        for _ in range(50):
            allocate(256)
            allocate(128, released)

    def other(name):
        for _ in range(50):
            allocate(512)

    begun = [threading.Thread(target=f, args=(i,))
             for i in range(4) for f in (work, other)]
    for thread in begun:
        thread.start()
    for thread in begun:
        thread.join()


def generators():
    def produce():
        for size in (1024, 2048):
            yield allocate(size)

    async def fetch():
        return allocate(8192)

    list(produce())
    import asyncio
    asyncio.run(fetch())


def recursion():
    def down(depth):
        return allocate(1024) if depth == 0 else down(depth - 1)

    down(500)


def made_code():
    """Code that dies, and whose address the next one gets."""
    for i in range(300):
        made = compile("\n" * i + "allocate(1024)", "made_%d.py" % i, "exec")
        exec(made, {"allocate": allocate})
        del made


def odd_names():
    text = "def größe():\n  allocate(1024)\ngröße()\n"
    exec(compile(text, "/data/日本/mañana.py", "exec"), {"allocate": allocate})
    raw = os.fsdecode(b"/data/\xff\xfe.py")
    exec(compile("allocate(2048)", raw, "exec"), {"allocate": allocate})


def pending_error():
    """The indicator stays as it was, also while an exception is handled."""
    class Loud:
        def __del__(self):
            allocate(1024)

    def raising():
        loud = Loud()
        raise KeyError("mine")

    try:
        raising()
    except KeyError as error:
        allocate(2048)
        print("caught", error, sys.exc_info()[0].__name__)
    print(sys.exc_info())


def garbage():
    """Cycles whose ends ask for memory; when they end is the host's affair."""
    class Ring:
        def __init__(self):
            self.me = self

        def __del__(self):
            allocate(64)

    gc.set_threshold(5, 2, 2)
    for _ in range(200):
        Ring()
        allocate(4096)
    gc.collect()
    print(gc.isenabled(), gc.get_threshold())
    gc.disable()
    allocate(4096)
    print(gc.isenabled())


class AtTheEnd:
    def __del__(self):
        held.cuMemAlloc_v2(ctypes.byref(ctypes.c_uint64()),
                           ctypes.c_size_t(2048))


def shutdown():
    import atexit
    atexit.register(allocate, 1024)
    global last
    last = AtTheEnd()
    sys.modules["kept"] = last


def subinterpreter():
    """Python frames of the main interpreter before and after one of another."""
    allocate(1024)
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        try:
            import _interpreters as interpreters
        except ImportError:
            print("this Python has none")
            return
    try:
        other = interpreters.create(isolated=False)  # ctypes of 3.12 asks so
    except TypeError:
        other = interpreters.create()
    interpreters.run_string(other, """if True:
        import ctypes
        driver = ctypes.PyDLL("libcuda.so.1")
        def inside():
            driver.cuMemAlloc_v2(ctypes.byref(ctypes.c_uint64()),
                                 ctypes.c_size_t(2048))
        for _ in range(10):
            inside()
        """)
    interpreters.destroy(other)
    allocate(4096)


def daemons():
    """Threads that the end of the interpreter finds at work."""
    import time

    def work():
        while True:
            give_back_all(released)

    for _ in range(4):
        threading.Thread(target=work, daemon=True).start()
    time.sleep(0.05)


def forked():
    allocate(1024)
    child = os.fork()
    if child == 0:
        begin()
        allocate(2048)
        os._exit(0)
    os.waitpid(child, 0)


def many_lines():
    """More different lines than the table of frames holds."""
    text = "\n".join("allocate(8)" for _ in range(20000))
    exec(compile(text, "long.py", "exec"), {"allocate": allocate})


if __name__ == "__main__":
    begin()
    globals()[sys.argv[1]]()
    print("done")

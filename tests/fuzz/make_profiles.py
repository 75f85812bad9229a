# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of fuzz_kineto, fuzz_timelines and fuzz_nsys: FOLDER."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "importers"))
import exports  # noqa: E402
import profiles  # noqa: E402


def kineto(folder):
    for number in range(4):
        made = profiles.Profile(number % 2 == 0, number < 2, number != 3)
        made.span("ProfilerStep#1", 100, "user_annotation")
        made.span("a.py(5): f", 90, "python_function",
                  **{"Call stack": "b.py(1): g;c.py(2): h"})
        blocks = [made.alloc(512 * i) for i in range(1, 9)]
        made.free(blocks[2])
        made.refuse(1 << 40)
        (folder / f"trace.{number}").write_text(made.text(indent=number))
    (folder / "list").write_text(json.dumps(made.events))


def timelines(folder):
    rows = [[-1, 1, 512, 7], [10, 2, 1024, 0], [11, 3, -1024, 0],
            [11, 3, 1024, 4], [12, 4, -1024, 4], [13, 4, -512, 7]]
    (folder / "rows").write_text(json.dumps(rows * 3))


def nsys(folder):
    for old in (True, False):
        path = folder / f"export.{int(old)}"
        path.unlink(missing_ok=True)
        made = exports.Export(path, old)
        for i in range(20):
            made.memory(i, 4096 * (i + 1), 4096, kind=i % 8)
        made.memory(30, 4096, 4096, free=True)
        for depth in range(3):
            made.add("CUDA_CALLCHAINS", id=5, symbol=made.string("f"),
                     module=made.string("m"), stackDepth=depth)
        made.call(40, "cudaMalloc_v3020", 2, chain=5)
        made.add("NVTX_EVENTS", start=1, end=9, eventType=59, text="step",
                 globalTid=made.thread(100))
        made.save()


if __name__ == "__main__":
    for make in (kineto, timelines, nsys):
        place = pathlib.Path(sys.argv[1]) / make.__name__
        place.mkdir(parents=True, exist_ok=True)
        make(place)

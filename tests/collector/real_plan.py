# SPDX-License-Identifier: Apache-2.0
"""Makes plans with the real libcudnn.so.9 for a device that argv[1] describes,
and tries to execute each, which fails for want of a handle. Prints engine,
workspace and knob values of each plan; the last one is made anew from its text.
"""

import ctypes
import json
import sys

CUDNN = ctypes.CDLL("libcudnn.so.9")
POINTER, INT64 = ctypes.c_void_p, ctypes.c_int64
# The numbers of cudnn_graph.h: types of attributes and of descriptors.
ELEMENT = {1: ctypes.c_int, 3: INT64, 4: ctypes.c_float, 7: ctypes.c_int,
           8: ctypes.c_int, 9: ctypes.c_int, 15: POINTER, 24: ctypes.c_char}
CONVOLUTION, ENGINE, CONFIG, HEURISTIC, PLAN, KNOB = 1, 2, 3, 4, 5, 7
FORWARD, GRAPH, PACK, TENSOR, DEVICE = 10, 15, 16, 17, 38


def check(status):
    if status != 0:
        sys.exit(f"cuDNN answered {status}")


def make(kind, *attributes):
    made = POINTER()
    check(CUDNN.cudnnBackendCreateDescriptor(kind, ctypes.byref(made)))
    for name, of, values in attributes:
        elements = (ELEMENT[of] * len(values))(*values)
        check(CUDNN.cudnnBackendSetAttribute(made, name, of,
                                             INT64(len(values)), elements))
    if attributes:
        check(CUDNN.cudnnBackendFinalize(made))
    return made.value


def get(descriptor, name, of, values):
    elements = (ELEMENT[of] * max(len(values), 1))(*values)
    count = INT64()
    check(CUDNN.cudnnBackendGetAttribute(
        POINTER(descriptor), name, of, INT64(len(values)),
        ctypes.byref(count), elements))
    return count.value, list(elements)[:count.value]


def tensor(number, n, c, h, w):
    return make(TENSOR, (901, 1, [2]), (902, 3, [n, c, h, w]),
                (903, 3, [h * w * c, 1, w * c, c]), (906, 3, [number]),
                (900, 3, [16]))


def what_it_is(config):
    engine = make(ENGINE)
    get(config, 300, 15, [engine])
    count, knobs = get(config, 302, 15, [make(KNOB) for _ in range(44)])
    return (get(engine, 1301, 3, [0])[1][0], get(config, 303, 3, [0])[1][0],
            [get(knob, 601, 3, [0])[1][0] for knob in knobs[:count]])


def main():
    device = make(DEVICE, (2702, 24, sys.argv[1].encode()))
    convolution = make(
        CONVOLUTION, (106, 3, [2]), (100, 1, [0]), (101, 7, [1]),
        *((name, 3, [1, 1]) for name in (102, 103, 104, 105)))
    forward = make(
        FORWARD, (704, 15, [tensor(1, 32, 64, 56, 56)]),
        (703, 15, [tensor(2, 64, 64, 3, 3)]),
        (705, 15, [tensor(3, 32, 64, 56, 56)]), (702, 15, [convolution]),
        (700, 4, [1.0]), (701, 4, [0.0]))
    graph = make(GRAPH, (801, 15, [forward]))
    heuristic = make(HEURISTIC, (201, 15, [graph]), (200, 8, [3]),
                     (204, 15, [device]))
    count, configs = get(heuristic, 202, 15, [make(CONFIG) for _ in range(20)])
    pack = make(PACK)
    told, seen = [], set()
    for config in configs[:count]:
        what = what_it_is(config)
        if str(what) in seen:
            continue
        seen.add(str(what))
        plan = make(PLAN, (401, 15, [config]), (407, 15, [device]))
        CUDNN.cudnnBackendExecute(None, POINTER(plan), POINTER(pack))
        told.append(what)
    size, _ = get(plan, 405, 24, [])
    _, text = get(plan, 405, 24, [b"\0"] * size)
    again = make(PLAN, (407, 15, [device]), (405, 24, text))
    CUDNN.cudnnBackendExecute(None, POINTER(again), POINTER(pack))
    print(json.dumps({"plans": told}))


main()

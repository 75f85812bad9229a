# SPDX-License-Identifier: Apache-2.0
"""Calls that cuDNN, the real or the simulated one, rejects: argv[1] names the
mistake. Prints the status."""

import ctypes
import sys

CUDNN = ctypes.CDLL("libcudnn.so.9")
POINTER, INT64, INT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
# The numbers of cudnn_graph.h: types of attributes and of descriptors.
ELEMENT = {1: INT, 3: INT64, 4: ctypes.c_float, 7: INT, 15: POINTER}
CONVOLUTION, FORWARD, TENSOR = 1, 10, 17


def made(kind):
    one = POINTER()
    create = getattr(CUDNN, f"cudnnCreate{kind}Descriptor")
    assert create(ctypes.byref(one)) == 0
    return one


def tensor(*dims, kind=0):
    one = made("Tensor")
    CUDNN.cudnnSetTensor4dDescriptor(one, 0, kind, *dims)
    return one


def filters(*dims, kind=0):
    one = made("Filter")
    CUDNN.cudnnSetFilter4dDescriptor(one, kind, 0, *dims)
    return one


def convolution(stride=1, groups=1):
    one = made("Convolution")
    CUDNN.cudnnSetConvolution2dDescriptor(one, 1, 1, stride, stride, 1, 1, 1, 0)
    CUDNN.cudnnSetConvolutionGroupCount(one, groups)
    return one


def size(conv, x, w):
    """Needs no handle, so the real library checks it without a GPU."""
    out = [INT() for _ in range(4)]
    return CUDNN.cudnnGetConvolution2dForwardOutputDim(
        conv, x, w, *(ctypes.byref(one) for one in out))


def forward(x, w, y, workspace=None, workspace_bytes=0, algorithm=0):
    handle, one, zero = POINTER(), ctypes.c_float(1), ctypes.c_float(0)
    CUDNN.cudnnCreate(ctypes.byref(handle))
    return CUDNN.cudnnConvolutionForward(
        handle, ctypes.byref(one), x, None, w, None, convolution(), algorithm,
        POINTER(workspace), ctypes.c_size_t(workspace_bytes),
        ctypes.byref(zero), y, None)


def refused_nd():
    dims = (INT * 4)(8, 3, 0, 224)
    return CUDNN.cudnnSetTensorNdDescriptor(made("Tensor"), 0, 4, dims, dims)


def used_after_a_refusal():
    return size(convolution(), tensor(8, -3, 224, 224), filters(64, 3, 7, 7))


def kept_from_before():
    x = tensor(8, 3, 224, 224)
    CUDNN.cudnnSetTensor4dDescriptor(x, 0, 0, 8, 64, 0, 224)
    return size(convolution(), x, filters(64, 64, 7, 7))


def backend(kind, *attributes):
    one = POINTER()
    assert CUDNN.cudnnBackendCreateDescriptor(kind, ctypes.byref(one)) == 0
    for name, of, values in attributes:
        CUDNN.cudnnBackendSetAttribute(
            one, name, of, INT64(len(values)),
            (ELEMENT[of] * len(values))(*values))
    return CUDNN.cudnnBackendFinalize(one), one.value


def backend_tensor(number, dims, strides=None):
    if strides is None:
        strides = [1] * len(dims)
        for i in reversed(range(len(dims) - 1)):
            strides[i] = strides[i + 1] * dims[i + 1]
    return backend(TENSOR, (901, 1, [0]), (902, 3, dims), (903, 3, strides),
                   (906, 3, [number]), (900, 3, [16]))


def graph(x, w, y):
    conv = backend(CONVOLUTION, (106, 3, [2]), (100, 1, [0]), (101, 7, [1]),
                   *((name, 3, [1, 1]) for name in (102, 103, 104, 105)))
    tensors = [(name, 15, [backend_tensor(number, dims)[1]])
               for number, (name, dims) in
               enumerate(((704, x), (703, w), (705, y)), 1) if dims]
    return backend(FORWARD, *tensors, (702, 15, [conv[1]]), (700, 4, [1.0]),
                   (701, 4, [0.0]))[0]


MISTAKES = {
    "channels": lambda: size(convolution(), tensor(8, 48, 56, 56),
                             filters(64, 64, 3, 3)),
    "groups": lambda: size(convolution(groups=2), tensor(8, 48, 56, 56),
                           filters(64, 32, 3, 3)),
    "setter": lambda: CUDNN.cudnnSetTensor4dDescriptor(
        made("Tensor"), 0, 0, 8, -3, 224, 224),
    "list": refused_nd,
    "used": used_after_a_refusal,
    "kept": kept_from_before,
    "unset": lambda: size(convolution(), made("Tensor"),
                          filters(64, 48, 7, 7)),
    "null": lambda: size(convolution(), None, filters(64, 48, 7, 7)),
    "types": lambda: forward(tensor(8, 64, 56, 56), filters(64, 64, 3, 3, kind=2),
                             tensor(8, 64, 56, 56)),
    "output": lambda: forward(tensor(8, 64, 56, 56), filters(64, 64, 3, 3),
                              tensor(8, 64, 55, 56)),
    "workspace": lambda: forward(tensor(8, 64, 56, 56), filters(64, 64, 3, 3),
                                 tensor(8, 64, 56, 56), 0x1000, 1024, 1),
    "graph": lambda: graph([8, 48, 56, 56], [64, 64, 3, 3], [8, 64, 56, 56]),
    "graph batch": lambda: graph([8, 64, 56, 56], [64, 64, 3, 3],
                                 [7, 64, 56, 56]),
    "graph filter": lambda: graph([8, 64, 56, 56], None, [8, 64, 56, 56]),
    "strides": lambda: backend_tensor(1, [8, 3, 4, 4], [48, 16, 4, -1])[0],
}


def main():
    print(MISTAKES[sys.argv[1]]())


main()

# SPDX-License-Identifier: Apache-2.0
"""The pool grows in place (expandable_segments) until the card is full. Its
pages are mapped one by one, which takes a second a GiB in some machines: most
of the card is taken beforehand, by the driver's own call."""

import ctypes

import torch

import card

card.tell_at_exit()
torch.zeros(1, device="cuda")  # makes the context current
room = torch.cuda.mem_get_info()[0] - 8 * card.GIB
if ctypes.CDLL("libcuda.so.1").cuMemAlloc_v2(
        ctypes.byref(ctypes.c_uint64()), ctypes.c_size_t(room)):
    raise SystemExit("no memory")
kept = []
while True:
    kept.append(torch.empty(card.GIB // 2, dtype=torch.uint8, device="cuda"))
    if len(kept) % 4 == 0:
        kept.pop(0)  # a hole that the next one fits into

# SPDX-License-Identifier: Apache-2.0
"""The pool grows in place (expandable_segments) until the card is full."""

import torch

import card

card.tell_at_exit()
kept = []
while True:
    kept.append(torch.empty(card.GIB, dtype=torch.uint8, device="cuda"))
    if len(kept) % 4 == 0:
        kept.pop(0)  # a hole that the next one fits into

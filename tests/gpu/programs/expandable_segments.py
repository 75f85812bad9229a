# SPDX-License-Identifier: Apache-2.0
"""The pool grows in place (expandable_segments) until the card is full."""

import torch

import card

card.tell_at_exit()
kept = []
for number in range(1 << 20):
    kept.append(torch.empty(card.GIB, dtype=torch.uint8, device="cuda"))
    if number % 4 == 3:
        kept.pop(0)  # a hole that the next one fits into

# SPDX-License-Identifier: Apache-2.0
"""CuPy is asked for arrays until its pool gets nothing more from the card."""

import cupy

kept = []
while True:
    kept.append(cupy.zeros(1 << 30, dtype=cupy.uint8))

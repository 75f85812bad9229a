# SPDX-License-Identifier: Apache-2.0
"""Writes protocol buffers, so that the tests of importers do not read with what
they wrote: a message is bytes, a field is a number and a value."""
import struct


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while True:
        low, number = number & 0x7f, number >> 7
        out.append(low | (0x80 if number else 0))
        if not number:
            return bytes(out)


def field(number, value):
    """An int, a float (32 bits), a text or a message."""
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def fields(number, values, packed=False):
    """Of a repeated number."""
    if packed:
        return field(number, b"".join(map(varint, values))) if values else b""
    return b"".join(field(number, value) for value in values)


def message(**values):
    """message(_1=5, _2="text"): fields in their order, 0 and "" left out."""
    return b"".join(field(int(name[1:]), value)
                    for name, value in values.items()
                    if value not in (0, "", 0.0))

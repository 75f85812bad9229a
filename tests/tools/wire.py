# SPDX-License-Identifier: Apache-2.0
"""The wire format of protocol buffers, read and written by hand (protobuf.dev,
"Encoding"): enough for Perfetto's traces and its trace processor's messages."""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """(number, value) of each field: an int, or bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length, "cut off"
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        elif kind == 5:
            value, at = data[at:at + 4], at + 4
        else:
            raise ValueError(f"wire type {kind}")
        yield number, value


def message(data):
    """Field number -> its values, in order."""
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def write_varint(value):
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def field(number, value):
    if isinstance(value, int):
        return write_varint(number << 3) + write_varint(value)
    return (write_varint(number << 3 | 2) + write_varint(len(value)) +
            bytes(value))

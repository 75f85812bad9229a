# SPDX-License-Identifier: Apache-2.0
"""Damages the files of a run, at random and repeatably: the same dice give the
same damage. A run is a dict of file names to their bytes."""
import json
import re
import sqlite3
import struct

PAGE = 4096
NUMBERS = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000,
           0xffffffff, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
# Where the headers keep what, with the size of each number: SQLite's file
# format, section 1.3; its write-ahead log; trace/journal/journal_format.h.
DATABASE = [(16, 2), (18, 1), (19, 1), (20, 1), (21, 1), (24, 4), (28, 4),
            (32, 4), (36, 4), (40, 4), (44, 4), (48, 4), (52, 4), (56, 4),
            (60, 4), (64, 4), (68, 4), (92, 4), (96, 4)]
LOG = [(at, 4) for at in range(0, 56, 4)]
JOURNAL = [(8, 4), (12, 4), (16, 8), (24, 8), (32, 8), (40, 8), (48, 8),
           (56, 8), (64, 8), (72, 8), (128, 8), (192, 8), (256, 8), (264, 8),
           (272, 8), (280, 8), (296, 8), *((320 + 8 * i, 8) for i in range(64))]
VALUES = [None, 0, -1, (1 << 63) - 1, -(1 << 63), 1 << 40, 1e308, "", "x",
          "9" * 40, "\u202e", "a" * 100_000, b"\x00\xff" * 8, b"\xc3(", "-1"]


def number(dice, size, big=False):
    value = dice.choice(NUMBERS) & ((1 << 8 * size) - 1)
    return value.to_bytes(size, "big" if big else "little")


def put(data, at, piece):
    return data[:at] + piece + data[at + len(piece):]


def somewhere(dice, data, step=1):
    return dice.randrange(max(1, len(data) // step)) * step


def flip_bits(dice, data, other):
    data = bytearray(data)
    for _ in range(dice.choice([1, 1, 8, 64]) if data else 0):
        data[somewhere(dice, data)] ^= 1 << dice.randrange(8)
    return bytes(data)


def change_bytes(dice, data, other):
    piece = dice.choice([b"\0", b"\xff", dice.randbytes(1)])
    return put(data, somewhere(dice, data), piece * dice.choice([1, 8, 64, PAGE]))


def cut(dice, data, other):
    return data[:somewhere(dice, data, dice.choice([1, 64, PAGE]))]


def extend(dice, data, other):
    more = dice.choice([b"\0" * PAGE, dice.randbytes(100), data[:1 << 20], other])
    return data + more


def splice_pages(dice, data, other):
    for _ in range(dice.choice([1, 3, 20])):
        source = dice.choice([data, other])
        at = somewhere(dice, source, PAGE)
        data = put(data, somewhere(dice, data, PAGE), source[at:at + PAGE])
    return data


def drop_page(dice, data, other):
    at = somewhere(dice, data, PAGE)
    return data[:at] + data[at + PAGE:]


def change_number(dice, data, other):
    size = dice.choice([1, 2, 4, 8])
    return put(data, somewhere(dice, data, size), number(dice, size))


def change_page_header(dice, data, other):
    """Of a page of a tree: its kind, numbers of free bytes and of cells, and
    where the cells are."""
    page = somewhere(dice, data, PAGE)
    at = page + (100 if page == 0 else 0)
    offset, size = dice.choice([(0, 1), (1, 2), (3, 2), (5, 2), (7, 1), (8, 4),
                                *((8 + 2 * i, 2) for i in range(20))])
    return put(data, at + offset, number(dice, size, big=True))


def change_header(fields, big):
    def change(dice, data, other):
        for _ in range(dice.choice([1, 1, 3])):
            at, size = dice.choice(fields)
            data = put(data, at, number(dice, size, big))
        return data
    return change


def change_record(dice, data, other):
    """A commit word of the journal: another length, kind or ticket."""
    at = PAGE + somewhere(dice, data[PAGE:], 64)
    if at + 8 > len(data):
        return data
    word = struct.unpack_from("<Q", data, at)[0]
    low, bits = dice.choice([(0, 12), (12, 20), (32, 32)])
    mask = ((1 << bits) - 1) << low
    word = word & ~mask | dice.choice([dice.getrandbits(bits), 0, 1, -1]) << low & mask
    return put(data, at, struct.pack("<Q", word))


def change_row(dice, data, other):
    """A value of a table, or of all its rows, by SQL."""
    if not data:
        return data  # nothing to open
    db = sqlite3.connect(":memory:")
    try:
        db.deserialize(data)
        tables = db.execute("SELECT name FROM sqlite_schema WHERE type='table' "
                            "ORDER BY name").fetchall()
        filled = [name for name, in tables if db.execute(
            f'SELECT 1 FROM "{name}"').fetchone()]
        table = dice.choice(filled)
        columns = db.execute(f'PRAGMA table_info("{table}")').fetchall()
        column = dice.choice(columns)[1]
        few = "" if dice.random() < 0.3 else (
            f' WHERE rowid IN (SELECT rowid FROM "{table}" LIMIT 3 OFFSET '
            f'{dice.randrange(50)})')
        db.execute("PRAGMA ignore_check_constraints=ON")
        db.execute(f'UPDATE OR REPLACE "{table}" SET "{column}" = ?{few}',
                   (dice.choice(VALUES),))
        db.commit()
        return db.serialize()
    except (sqlite3.Error, UnicodeError, IndexError, AttributeError):
        return data  # damaged before; or a Python that cannot
    finally:
        db.close()


def change_json(dice, data, other):
    text = data.decode("utf-8", "replace")
    numbers = list(re.finditer(r"-?\d+", text))
    kind = dice.randrange(5)
    if kind == 0 and numbers:
        found = dice.choice(numbers)
        value = dice.choice(["-1", "1e999", "9" * 400, "null", "true", "[]"])
        return (text[:found.start()] + value + text[found.end():]).encode()
    if kind == 1:
        return b"[" * dice.choice([10, 10_000, 1_000_000])
    if kind == 2:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return data
        if not isinstance(value, dict) or not value:
            return b"[]"
        value[dice.choice(sorted(value))] = dice.choice(
            [None, [], {}, "", "x" * 1_000_000, -1, {"a": [1] * 1000}])
        return json.dumps(value).encode()
    if kind == 3:
        return data + b"\xff\xfe" + data
    return data.replace(b'"', dice.choice([b"'", b'""', b"\0"]))


ANY = [flip_bits, change_bytes, cut, extend, change_number]
PAGES = [splice_pages, drop_page, change_page_header]


def changes_for(name):
    if name.endswith(".json"):
        return [*ANY, change_json, change_json]
    if name.endswith("-wal"):
        return [*ANY, *PAGES, change_header(LOG, True)]
    if ".journal" in name:
        return [*ANY, change_header(JOURNAL, False), change_record, change_record]
    if name.endswith(".sqlite"):
        return [*ANY, *PAGES, change_header(DATABASE, True), change_row,
                change_row, change_row]
    return ANY


def damage(dice, run, runs):
    """A damaged copy of `run`; pieces come from any of `runs`."""
    run = dict(run)
    for _ in range(dice.choice([1, 1, 1, 2, 5])):
        name = dice.choice(sorted(run))
        stranger = dice.choice(runs)
        other = stranger[dice.choice(sorted(stranger))]
        if dice.random() < 0.03 and len(run) > 1:
            del run[name]
        elif dice.random() < 0.05:
            run[name + dice.choice(["-wal", "-journal", ".2"])] = other
        else:
            run[name] = dice.choice(changes_for(name))(dice, run[name], other)
    return run

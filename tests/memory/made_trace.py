# SPDX-License-Identifier: Apache-2.0
"""Writes traces by the schema alone, with Python's own SQLite: a second writer,
independent of the collector's."""
import os
import pathlib
import sqlite3
import struct

SCHEMA = (pathlib.Path(os.environ["INQUEST_SOURCE_DIR"]) /
          "trace/schema.sql").read_text()
ALLOC, FREE, MAP, UNMAP, RETAIN = 1, 2, 4, 5, 12
DEVICE, PHYSICAL = 1, 5
MIB = 1 << 20
START = 1_000_000_000


class MadeTrace:
    def __init__(self, path, device_bytes=1 << 30, rank=None, pid=100,
                 device=0):
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("PRAGMA synchronous=OFF")  # the disk is not waited for
        self.db.executescript(SCHEMA)
        self.db.execute("BEGIN")
        self.time = START
        self.id = 0
        self.live = {}
        self.total = device_bytes
        self.device = device
        self.row("meta", "schema_version", "1")
        self.row("meta", "clean_end", "1")
        self.row("process", pid, 1, START, "host", "train", "train", rank,
                 rank, None, None)
        self.row("clock_anchor", START, 1_700_000_000 * 10**9)
        self.row("device", device, "A GPU", f"GPU-{device}", "0000:01:00.0",
                 device_bytes, "9.0", "580.1", 13000, None)
        self.row("coverage", "cupti", START, None, "on", "")

    def row(self, table, *values):
        marks = ",".join("?" * len(values))
        self.db.execute(f"INSERT INTO {table} VALUES({marks})", values)

    def stack(self, number, *places, native=()):
        """Python's frames of a stack: (file, line, function), innermost first;
        and native return addresses."""
        self.row("stack", number, struct.pack(f"<{len(native)}Q", *native))
        for depth, place in enumerate(places):
            frame = number * 100 + depth
            self.row("python_frame", frame, *place)
            self.row("python_stack", number, depth, frame)

    def library(self, name, base, size=1 << 20):
        """Its functions are called by their distance from its beginning."""
        self.row("library", None, self.time, name, f"/none/{name}", None, "",
                 None, None, base, size)

    def event(self, op, address, size=0, kind=DEVICE, stack=0, result=0,
              pool=0):
        self.time += 1000
        self.id += 1
        self.row("memory_event", self.id, self.time, op, kind, self.device, 1,
                 0, pool, address, size, result, 7, stack)
        return self.id

    def alloc(self, address, size, **options):
        return self.event(ALLOC, address, size, **options)

    def free(self, address, **options):
        return self.event(FREE, address, **options)

    def step(self, number):
        """Ends the step that began when the last one ended."""
        begin = getattr(self, "begun", START)
        self.time += 1000
        self.begun = self.time
        self.row("step", number, "step", begin, self.time, 7)

    def memory(self, free, reason, others=()):
        self.time += 1000
        self.row("device_memory", self.time, self.device, free, self.total,
                 reason)
        for pid, used in others:
            self.row("device_process", self.time, self.device, pid, used,
                     "other", reason)

    def close(self):
        self.row("meta", "end_ns", str(self.time))
        self.db.execute("COMMIT")
        self.db.close()

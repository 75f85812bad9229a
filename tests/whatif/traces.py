# SPDX-License-Identifier: Apache-2.0
"""Traces of the collector's form, made with Python's own sqlite3."""
import os
import pathlib
import sqlite3

SCHEMA = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"]) / "trace/schema.sql"
ALLOC, FREE, FREE_FAILED, CONTEXT_DESTROY = 1, 2, 3, 11
DEVICE, ASYNC, HOST, PHYSICAL = 1, 3, 4, 5


class Trace:
    def __init__(self, path, total=None, packages=(), environment=()):
        self.path, self.time, self.id = path, 1000, 0
        self.db = sqlite3.connect(path)
        self.db.execute("PRAGMA synchronous=OFF")  # the disk is not waited for
        self.db.executescript(SCHEMA.read_text())
        self.add("process", 7, 1, 0, "host", "/usr/bin/train", "train", None,
                 None, None, None)
        self.add("clock_anchor", 0, 1_700_000_000_000_000_000)
        self.db.executemany("INSERT INTO meta VALUES(?,?)",
                            [("schema_version", "1"), ("clean_end", "1")])
        if total:
            self.add("device", 0, "A card", "GPU-0", "0000:01:00.0", total,
                     "9.0", None, None, None)
        for name in packages:
            self.add("package", name, "1.0", "version.py", None, None, "/" + name,
                     0)
        for name, value in environment:
            self.add("environment", name, value)

    def add(self, table, *values):
        marks = ",".join("?" * len(values))
        self.db.execute(f"INSERT INTO {table} VALUES({marks})", values)

    def tick(self):
        self.time += 1000
        self.id += 1
        return self.time

    def event(self, op, address, size=0, result=0, kind=DEVICE, device=0,
              context=1, stack=0):
        time = self.tick()
        self.add("memory_event", self.id, time, op, kind, device, context, 0, 0,
                 address, size, result, 1, stack)

    def alloc(self, address, size, **more):
        self.event(ALLOC, address, size, **more)

    def free(self, address, **more):
        self.event(FREE, address, **more)

    def refuse(self, size, free, total=0, **more):
        self.event(ALLOC, 0, size, result=2, **more)
        self.add("device_memory", self.time + 10, 0, free, total, "failure")

    def step(self, name="step"):
        self.add("step", None, name, self.tick(), self.tick(), 1)

    def other(self, pid, size):
        self.add("device_process", self.tick(), 0, pid, size, "python3",
                 "failure")

    def close(self):
        if self.db:
            self.db.commit()
            self.db.close()
            self.db = None
        return self.path

# SPDX-License-Identifier: Apache-2.0
"""What memory was for over time: the page's figures are those of the facts at the
peak, and of the program at each moment; where a trace cannot tell, the page says
why."""
import csv
import io
import unittest

from pages import PageTest
from made_trace import MIB, MadeTrace

WEIGHTS = {MIB: 4, 2 * MIB: 3, 3 * MIB: 5, 5 * MIB: 7}  # number by size
BATCH = 40 * MIB
SCRATCH = 7 * MIB
SUM = sum(size * number for size, number in WEIGHTS.items())


class Model:
    """Trains: weights are made once, gradients and moments in the first step,
    a batch in each step, and scratch memory for a moment. Notes what it holds
    after each event."""

    def __init__(self, path, steps=8):
        self.trace = MadeTrace(path, device_bytes=1 << 30)
        self.next = 1 << 40
        self.held, self.states = {}, []
        for number, place in enumerate((
                ("model.py", 3, "__init__"), ("model.py", 9, "forward"),
                ("/site-packages/torch/autograd/graph.py", 7,
                 "_engine_run_backward"),
                ("/site-packages/torch/optim/adamw.py", 4, "step")), 1):
            self.trace.stack(number, place, ("train.py", 5, "main"))
        self.trace.memory(900 * MIB, "start")
        self.lasting("weights", 1)
        for step in range(steps):
            self.step(first=step == 0)
            self.trace.step(step)
        self.trace.memory(700 * MIB, "end", others=[(4711, 5 * MIB)])
        self.trace.close()

    def step(self, first):
        batch = self.alloc("activations", BATCH, 2)
        self.trace.time += 400_000
        self.free("workspace", self.alloc("workspace", SCRATCH, 2), SCRATCH)
        if first:
            self.lasting("gradients", 3)
        self.trace.time += 400_000
        self.free("activations", batch, BATCH)
        if first:
            for _ in range(2):
                self.lasting("optimizer", 4)

    def lasting(self, what, stack):
        for size, number in WEIGHTS.items():
            for _ in range(number):
                self.alloc(what, size, stack)

    def alloc(self, what, size, stack):
        address, self.next = self.next, self.next + size
        self.trace.alloc(address, size, stack=stack)
        self.note(what, size)
        return address

    def free(self, what, address, size):
        self.trace.free(address)
        self.note(what, -size)

    def note(self, what, change):
        self.held[what] = self.held.get(what, 0) + change
        self.states.append({name: held for name, held in self.held.items()
                            if held})


def moments(categories):
    """As the page's script reads them: what is held at the highest and the last
    moment of a time, by name."""
    names = categories["names"]
    before = [0] * len(names)
    for row in categories["moments"]:
        high = [value + row[2 * i + 2] for i, value in enumerate(before)]
        before = [value + row[2 * i + 3] for i, value in enumerate(high)]
        yield tuple({name: value for name, value in zip(names, values) if value}
                    for values in (high, before))


class CategoriesTest(PageTest):
    def device(self, path):
        device, = self.parsed(path).data["timeline"]["devices"]
        return device

    def at_peak(self, path):
        rows = self.inquest("query", path, "--fact", "memory_category",
                            "--format", "csv").stdout.decode()
        held = {}
        for row in csv.DictReader(io.StringIO(rows)):
            held[row["category"]] = held.get(row["category"], 0) + int(
                row["bytes"])
        return held

    def test_each_moment_of_a_training_run(self):
        path = self.folder / "p.trace.sqlite"
        model = Model(path)
        categories = self.device(path)["categories"]
        self.assertEqual(categories["names"],
                         ["weights", "gradients", "optimizer", "activations",
                          "workspace"])
        drawn = list(moments(categories))
        self.assertEqual(len(drawn), len(model.states))
        for (high, last), state in zip(drawn, model.states):
            self.assertEqual(high, last)
            self.assertEqual(high, state)
        highest = max((high for high, _ in drawn),
                      key=lambda held: sum(held.values()))
        self.assertEqual(highest, self.at_peak(path))
        self.assertEqual(sum(highest.values()), 4 * SUM + BATCH + SCRATCH)

    def test_a_long_run_keeps_its_highest_moment(self):
        path = self.folder / "p.trace.sqlite"
        Model(path, steps=3000)
        device = self.device(path)
        drawn = list(moments(device["categories"]))
        self.assertLessEqual(len(drawn), 1024)
        self.assertEqual(max(sum(high.values()) for high, _ in drawn),
                         device["peak_bytes"])
        for high, last in drawn[10:]:
            for name, copies in (("weights", 1), ("gradients", 1),
                                 ("optimizer", 2)):
                self.assertEqual(high[name], copies * SUM)
                self.assertEqual(last[name], copies * SUM)
            self.assertEqual((high["activations"], high["workspace"]),
                             (BATCH, SCRATCH))

    def test_what_cannot_be_told_apart_is_not_divided(self):
        path = self.folder / "p.trace.sqlite"
        trace = MadeTrace(path)
        for i in range(20):
            trace.alloc(i << 24, (i % 3 + 1) * MIB)
        trace.close()
        self.assertEqual(list(self.device(path)["categories"]), ["unknown"])
        self.assertIn("no training steps are known",
                      self.device(path)["categories"]["unknown"])

    def test_what_nccl_allocated(self):
        path = self.folder / "p.trace.sqlite"
        trace = MadeTrace(path)
        trace.library("libnccl.so.2", 1 << 32)
        trace.stack(1, native=[(1 << 32) + 64])
        trace.alloc(1 << 40, 9 * MIB, stack=1)
        trace.free(1 << 40)
        trace.close()
        self.assertEqual(list(moments(self.device(path)["categories"])),
                         [({"NCCL": 9 * MIB},) * 2, ({}, {})])


if __name__ == "__main__":
    unittest.main()

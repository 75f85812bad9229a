# SPDX-License-Identifier: Apache-2.0
"""Snapshots of a process that trains one model after the other and keeps the
first: with the whole history, and with a ring that forgot how it began. And
what else a snapshot says of its pool though it names no device's size."""
import pickle
import unittest

import harness
import snapshots
from snapshots import MIB, Pool, frames

GIB = 1024 * MIB
SIZES = [64, 32, 16, 8] * 3  # MiB, of layers


def place(line, function, *callers):
    return frames(("/site-packages/torch/nn/modules/linear.py", 103, "run"),
                  ("/home/me/net.py", line, function), *callers)


def build(caller):
    return place(20, "build", ("/home/me/search.py", 50, caller))


STATE = place(70, "first_step")
FORWARD = place(72, "forward")


class Search:
    """The first model is trained; the second is refused its optimizer's state."""

    def __init__(self, callers):
        self.pool = Pool()
        self.model(callers[0])
        self.state(len(SIZES))
        self.trained_from = len(self.pool.history)
        for _ in range(40):
            for address in [self.take(size, FORWARD) for size in SIZES]:
                self.pool.free(address)
        self.held = self.pool.live
        self.second_from = len(self.pool.history)
        self.model(callers[1])
        self.state(4)
        self.pool.refuse(64 * MIB, 10 * MIB)
        self.pool.history[-1]["frames"] = STATE

    def model(self, caller):
        for size in SIZES:
            self.take(size, build(caller))

    def state(self, layers):
        for size in SIZES[:layers]:
            self.take(size, STATE)
            self.take(size, STATE)

    def take(self, size, stack):
        try:
            return self.pool.alloc(size * MIB, stack)
        except MemoryError:
            self.pool.segment((size + 19) // 20 * 20 * MIB)
            return self.pool.alloc(size * MIB, stack)

    def since(self, entry):
        return snapshots.snapshot(
            self.pool, ring=len(self.pool.history) - entry)


class EarlierRuns(unittest.TestCase):
    def setUp(self):
        self.folder = harness.scratch(self)

    def write(self, made):
        path = self.folder / "snapshot.pickle"
        path.write_bytes(pickle.dumps(made))
        return path

    def verdict(self, made, confidence):
        verdict = harness.diagnose(self.write(made))["verdict"]
        self.assertEqual((verdict["cause"], verdict["confidence"]),
                         ("memory/earlier-run", confidence))
        return verdict

    def test_the_whole_history(self):
        search = Search(["first", "second"])
        facts = self.verdict(search.since(0), "confirmed")["facts"]
        self.assertEqual(facts["earlier_bytes"], search.held)
        self.assertEqual(facts["missing_bytes"], 54 * MIB)
        self.assertIn("net.py:20 in build", facts["site"])
        self.assertIn("in first", facts["earlier_caller"])
        self.assertIn("in second", facts["later_caller"])

    def test_the_same_code_twice(self):
        search = Search(["trial", "trial"])
        facts = self.verdict(search.since(0), "confirmed")["facts"]
        self.assertEqual(facts["earlier_bytes"], search.held)

    def test_a_history_that_begins_while_the_first_is_trained(self):
        for callers in (["first", "second"], ["trial", "trial"]):
            with self.subTest(callers=callers):
                search = Search(callers)
                made = search.since(search.trained_from + 50)
                verdict = self.verdict(made, "probable")
                self.assertEqual(verdict["facts"]["earlier_bytes"], search.held)
                self.assertIn("older than this record", verdict["summary"])

    def test_a_history_without_the_work_between(self):
        """Half a model would look the same."""
        search = Search(["trial", "trial"])
        verdict = harness.diagnose(
            self.write(search.since(search.second_from)))["verdict"]
        self.assertEqual((verdict["cause"], verdict["confidence"]),
                         ("memory/capacity", "probable"))

    def test_a_history_that_was_switched_on_for_the_second(self):
        """Of the first one's blocks there are sizes, and no code."""
        search = Search(["trial", "trial"])
        made = search.since(search.second_from)
        recorded = {one.get("addr") for one in made["device_traces"][0]}
        for segment in made["segments"]:
            for block in segment["blocks"]:
                if block["address"] not in recorded:
                    block["frames"] = []
        verdict = harness.diagnose(self.write(made))["verdict"]
        self.assertEqual((verdict["cause"], verdict["confidence"]),
                         ("memory/capacity", "probable"))
        self.assertEqual(verdict["facts"]["older_bytes"], search.held)
        self.assertIn("an earlier run may hold them", verdict["summary"])

    def test_steps_are_those_of_pytorch(self):
        text = harness.run("diagnose", self.write(
            Search(["first", "second"]).since(0))).stdout
        self.assertIn(b"torch.cuda.empty_cache()", text)
        self.assertNotIn(b"tf.keras", text)
        self.assertNotIn(b"jax", text)


class Cells:
    """Two cells of a notebook that each build and fit a model; what the first
    one made stays live. `places`: file and line of each cell. With `function`
    the work is in a function of that name, else at the top of the cell."""
    TORCH = "/opt/env/lib/python3.11/site-packages/torch/"
    WEIGHTS = [(TORCH + "nn/modules/module.py", 1152, "convert"),
               (TORCH + "nn/modules/module.py", 1165, "cuda")]
    FORWARD = [(TORCH + "nn/modules/linear.py", 114, "forward")]
    STATE = [(TORCH + "optim/adam.py", 150, "_init_group")]

    def __init__(self, places, function=None, sizes=(SIZES, SIZES)):
        self.pool, self.function = Pool(), function
        (file, line), *second = places
        self.model(file, line, sizes[0])
        self.work(file, line, sizes[0], 40)
        self.held = self.pool.live
        last = (file, line, sizes[0])
        for file, line in second:
            self.model(file, line, sizes[1], layers=6)
            last = (file, line, sizes[1])
        file, line, sizes = last
        large = 2 * self.pool.live // MIB
        self.pool.refuse(64 * MIB if second else large * MIB, 10 * MIB)
        self.pool.history[-1]["frames"] = self.stack(self.STATE, file, line + 3)

    def stack(self, inner, file, line):
        of_cell = [(file, line, self.function)] if self.function else []
        return frames(*inner, *of_cell, (file, line + 9, "<module>")
                      if self.function else (file, line, "<module>"))

    def take(self, size, stack):
        try:
            return self.pool.alloc(size * MIB, stack)
        except MemoryError:
            self.pool.segment((size + 19) // 20 * 20 * MIB)
            return self.pool.alloc(size * MIB, stack)

    def work(self, file, line, sizes, steps):
        for _ in range(steps):
            stack = self.stack(self.FORWARD, file, line + 2)
            for address in [self.take(size, stack) for size in sizes]:
                self.pool.free(address)

    def model(self, file, line, sizes, layers=None):
        for size in sizes:
            self.take(size, self.stack(self.WEIGHTS, file, line))
        self.work(file, line, sizes, 1)
        for size in sizes[:layers]:
            self.take(size, self.stack(self.STATE, file, line + 3))
            self.take(size, self.stack(self.STATE, file, line + 3))


class Notebooks(unittest.TestCase):
    """IPython's own names of cells, and those of Jupyter's kernel."""
    OLD = ["<ipython-input-3-0a1b2c3d4e5f>", "<ipython-input-5-6a7b8c9d0e1f>"]
    NEW = ["/tmp/ipykernel_4711/1234567890.py",
           "/tmp/ipykernel_4711/987654321.py"]

    def setUp(self):
        self.folder = harness.scratch(self)

    def verdict(self, cells):
        path = self.folder / "snapshot.pickle"
        path.write_bytes(pickle.dumps(snapshots.snapshot(cells.pool)))
        return harness.diagnose(path)["verdict"]

    def test_a_second_model_in_another_cell(self):
        for names in (self.OLD, self.NEW):
            for function in ("fit", None):
                for second in (4, 11):
                    with self.subTest(names=names, function=function,
                                      second=second):
                        cells = Cells(zip(names, (4, second)), function)
                        verdict = self.verdict(cells)
                        self.assertEqual(verdict["cause"], "memory/earlier-run")
                        facts = verdict["facts"]
                        self.assertEqual(facts["earlier_bytes"], cells.held)
                        self.assertIn(names[0], facts["site"])
                        self.assertIn(names[1], facts["later_maker"])

    def test_a_larger_second_model(self):
        cells = Cells(zip(self.NEW, (4, 11)), "fit",
                      (SIZES, [2 * size for size in SIZES]))
        self.assertEqual(self.verdict(cells)["cause"], "memory/earlier-run")

    def test_one_model_that_is_too_large(self):
        """Its optimizer's state comes after work, from the same cell."""
        for function in ("fit", None):
            with self.subTest(function=function):
                cells = Cells([(self.NEW[0], 4)], function)
                self.assertEqual(self.verdict(cells)["cause"],
                                 "memory/capacity")

    def test_data_of_another_cell(self):
        """Top-level code that moves tensors itself is no second run."""
        pool = Pool()

        def load(file):
            pool.segment(520 * MIB)
            pool.alloc(500 * MIB, frames((file, 1, "<module>")))
        load(self.NEW[0])
        for _ in range(200):
            pool.segment(20 * MIB, quiet=True)
            pool.free(pool.alloc(MIB, FORWARD))
        load(self.NEW[1])
        pool.refuse(500 * MIB, 10 * MIB)
        pool.history[-1]["frames"] = frames((self.NEW[1], 2, "<module>"))
        path = self.folder / "snapshot.pickle"
        path.write_bytes(pickle.dumps(snapshots.snapshot(pool)))
        self.assertNotEqual(harness.diagnose(path)["verdict"]["cause"],
                            "memory/earlier-run")


class Pools(unittest.TestCase):
    def setUp(self):
        self.folder = harness.scratch(self)

    def write(self, *pools):
        path = self.folder / "snapshot.pickle"
        path.write_bytes(pickle.dumps(snapshots.snapshot(*pools)))
        return path

    def filled(self, device, gib):
        pool = Pool(device, 0x7f0000000000 - (device << 40))
        for _ in range(int(gib)):
            pool.segment(1040 * MIB)
            pool.alloc(GIB)
        return pool

    def test_full_but_for_small_pieces(self):
        pool = self.filled(0, 60)
        pool.refuse(500 * MIB, 100 * MIB)
        verdict = harness.diagnose(self.write(pool))["verdict"]
        self.assertEqual((verdict["cause"], verdict["rule"]),
                         ("memory/capacity", "trace.oom.full"))
        self.assertEqual(verdict["facts"]["percent_in_use"], 99)

    def test_one_gpu_of_four(self):
        pools = [self.filled(0, 7), self.filled(1, 78), self.filled(2, 20),
                 Pool(3)]
        pools[1].refuse(500 * MIB, 100 * MIB)
        verdict = harness.diagnose(self.write(*pools))["verdict"]
        self.assertEqual((verdict["rule"], verdict["unit"]["device"]),
                         ("trace.oom.uneven-devices", 1))
        self.assertEqual(verdict["facts"]["allocated_bytes"], 78 * GIB)
        self.assertEqual(verdict["facts"]["peaks"],
                         "7.1 GiB, 79.2 GiB, 20.3 GiB, 0.0 GiB")

    def remarks(self, path):
        return [one for one in harness.diagnose(path)["findings"]
                if one["rule"] == "trace.risk.idle-reserve"]

    def test_an_idle_reserve(self):
        pool = Pool()
        for _ in range(4):
            pool.segment(1040 * MIB)
            pool.alloc(500 * MIB)
        path = self.write(pool)
        remark, = self.remarks(path)
        self.assertEqual(remark["facts"]["reserved_unallocated_bytes"],
                         4 * 1040 * MIB - pool.live)
        self.assertIn(b"Remarks\n", harness.run("diagnose", path).stdout)

    def test_what_a_step_needs_is_no_idle_reserve(self):
        pool = self.filled(0, 4)
        for block in pool.blocks()[:4]:
            if block["state"] == "active_allocated":
                pool.free(block["address"])
        self.assertEqual(self.remarks(self.write(pool)), [])

    def test_leaks_that_nobody_judged(self):
        path = self.write(self.filled(0, 2))
        unjudged, = harness.diagnose(path)["summary"]["leaks_not_judged"]
        self.assertIn("too few allocations", unjudged["why"])
        self.assertIn(b"leaks were not judged: no steps are known",
                      harness.run("diagnose", path).stdout)


if __name__ == "__main__":
    unittest.main()

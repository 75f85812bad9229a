# SPDX-License-Identifier: Apache-2.0
"""What memory was for, what lies outside of a framework's pool, which refusals
were survived, and when a leak will have filled the device: on made traces whose
answers are known."""
import os
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent /
                       "importers"))
import harness  # noqa: E402
from made_trace import MIB, MadeTrace  # noqa: E402

GIB = 1024 * MIB
LOAD, FORWARD, SAVE, REMEMBER = 1, 2, 3, 4


class UseTest(unittest.TestCase):
    def setUp(self):
        self.folder = harness.scratch(self)
        self.path = self.folder / "one.trace.sqlite"

    def made(self, device_bytes=GIB):
        if self.path.exists():
            os.remove(self.path)
        trace = MadeTrace(self.path, device_bytes=device_bytes)
        trace.stack(LOAD, ("/src/model.py", 3, "load"))
        trace.stack(FORWARD, ("/src/train.py", 9, "forward"))
        trace.stack(SAVE, ("/src/checkpoint.py", 5, "save"))
        trace.stack(REMEMBER, ("/src/train.py", 12, "remember"))
        return trace

    def test_outside_of_the_pool_by_its_parts(self):
        trace = self.made()
        trace.alloc(1 << 40, 600 * MIB)  # the pool's segment
        trace.alloc(2 << 40, 40 * MIB)   # cuDNN's workspace
        trace.row("framework_memory", 1, 0, trace.time, trace.time + 1, 3, 0,
                  500 * MIB, 600 * MIB, 500 * MIB, 600 * MIB)
        trace.time += 10
        trace.memory(trace.total - 900 * MIB, "timer", [(7, 110 * MIB)])
        trace.close()
        outside, = harness.diagnose(self.path)["summary"]["outside_pool"]
        self.assertEqual(
            [outside[name] // MIB for name in
             ("bytes", "own_bytes", "other_bytes", "remainder_bytes")],
            [300, 40, 110, 150])
        self.assertIn(
            "300.00 MiB outside of it: 40.00 MiB of this process's other "
            "allocations, 110.00 MiB of other processes, 150.00 MiB of contexts",
            harness.run("diagnose", self.path).stdout.decode())

    def test_what_the_peak_was_for(self):
        trace = self.made()
        trace.stack(5, ("/site-packages/torch/optim/adamw.py", 120, "step"),
                    ("/src/train.py", 20, "step"))
        sizes = [64, 32, 16]
        for i, size in enumerate(sizes):
            trace.alloc((1 + i) << 40, size * MIB, stack=LOAD)
        for i, size in enumerate(sizes * 2):
            trace.alloc((10 + i) << 40, size * MIB, stack=5)
        for step in range(12):
            trace.alloc(2 << 45, 200 * MIB, stack=FORWARD)
            trace.time += 1_000_000
            trace.free(2 << 45)
            trace.step(step)
        trace.close()
        peak, = harness.diagnose(self.path)["summary"]["peaks"]
        found = {one["category"]: one["bytes"] // MIB
                 for one in peak["categories"]}
        self.assertEqual(found, {"weights": 112, "optimizer": 224,
                                 "activations": 200})
        self.assertEqual(sum(found.values()) * MIB, peak["bytes"])
        self.assertTrue(all(one["told_by"] for one in peak["categories"]))

    def refused(self, stack):
        """Ten steps, and a request that is refused in the next one."""
        trace = self.made()
        trace.alloc(1 << 40, 800 * MIB, stack=stack and LOAD)
        for step in range(10):
            trace.alloc(2 << 40, 100 * MIB, stack=stack and FORWARD)
            trace.free(2 << 40)
            trace.step(step)
        trace.alloc(0, 300 * MIB, stack=stack and FORWARD, result=2)
        trace.memory(224 * MIB, "failure")
        return trace

    def test_a_checkpoint_on_the_way_out_is_no_survival(self):
        for stack in (True, False):
            with self.subTest(stacks=stack):
                trace = self.refused(stack)
                trace.free(1 << 40)
                trace.alloc(3 << 40, 500 * MIB, stack=stack and SAVE)
                trace.free(3 << 40)
                trace.close()
                verdict = harness.diagnose(self.path)["verdict"]
                self.assertEqual((verdict["cause"], verdict["unit"]["device"]),
                                 ("memory/capacity", 0))
                self.assertEqual(verdict["facts"]["missing_bytes"], 76 * MIB)

    def test_the_same_request_is_survival(self):
        for stack in (True, False):
            with self.subTest(stacks=stack):
                trace = self.refused(stack)
                trace.free(1 << 40)
                trace.alloc(3 << 40, 300 * MIB, stack=stack and FORWARD)
                trace.close()
                self.assertNotEqual(
                    harness.diagnose(self.path)["verdict"]["cause"],
                    "memory/capacity")

    def leaking(self, stop, seed, context, base, leak, need, varying):
        """Steps until one is refused; returns its number."""
        dice = random.Random(seed)
        total = 8 * GIB
        trace = self.made(total)
        trace.memory(total, "start")
        trace.alloc(1 << 40, base * MIB, stack=LOAD)
        live = (context + base) * MIB
        trace.memory(total - live, "timer")
        step = 0
        while stop is None or step < stop:
            wanted = (need + dice.randint(-varying, varying)) * MIB
            if live + wanted + leak * MIB > total:
                trace.alloc(0, wanted, stack=FORWARD, result=2)
                trace.memory(total - live, "failure")
                break
            trace.alloc(2 << 40, wanted, stack=FORWARD)
            trace.alloc((3 << 40) + (step << 26), leak * MIB, stack=REMEMBER)
            live += leak * MIB
            trace.free(2 << 40)
            trace.step(step)
            step += 1
        if stop is not None:
            trace.memory(total - live, "end")
        trace.close()
        return step

    def full_step(self):
        return harness.row(self.path, "SELECT full_step FROM leak_suspect")[
            "full_step"]

    def test_when_the_device_will_be_full(self):
        """Half-way, with a context and what a step needs on top."""
        families = {"plain": (300, 1000, 17, 4, 0),
                    "a context": (1500, 1000, 17, 4, 0),
                    "a peak": (500, 1000, 17, 3000, 0),
                    "a varying peak": (700, 1000, 17, 3000, 300),
                    "slow": (500, 1500, 9, 800, 40)}
        for seed, (name, family) in enumerate(families.items()):
            with self.subTest(name=name):
                died = self.leaking(None, seed, *family)
                at_end = self.full_step()
                self.leaking(died // 2, seed, *family)
                half = self.full_step()
                print(f"{name}: dies in step {died}; full_step {at_end} at the "
                      f"end, {half} half-way: {100 * (half / died - 1):+.1f} %",
                      file=sys.stderr)
                self.assertLessEqual(abs(at_end / died - 1), 0.05)
                self.assertLessEqual(abs(half / died - 1), 0.05)

    def judged(self, events, moment=False):
        """How leaks were judged: blocks of random lives, without steps; ids
        are tickets, which begin late and which other records have, too."""
        trace = self.made()
        chance = random.Random(5)
        live = []
        trace.id = 65_560
        for _ in range(events):
            trace.id += 4
            if moment:
                trace.time -= 1000
            if live and chance.random() < 0.5:
                trace.free(live.pop(chance.randrange(len(live))))
            else:
                live.append((1 << 40) + trace.id * MIB)
                trace.alloc(live[-1], chance.randrange(1, 1000) * 512)
        trace.close()
        return harness.row(self.path, "SELECT judged, why FROM leak_question")

    def test_a_recording_of_some_hundred_events_is_judged(self):
        self.assertEqual(self.judged(300)["judged"], "growth")
        self.assertEqual(self.judged(200)["judged"], "none")

    def test_of_one_moment_nothing_is_judged(self):
        self.assertEqual(self.judged(300, moment=True),
                         {"judged": "none",
                          "why": "the record is of one moment"})


if __name__ == "__main__":
    unittest.main()

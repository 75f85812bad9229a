# SPDX-License-Identifier: Apache-2.0
"""The facts of the memory analysis on made traces with known answers: why a
request was refused, what was live at the peak, what does not add up; and what
`inquest diff` says of two of them."""
import json
import os
import pathlib
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent /
                       "importers"))
import harness  # noqa: E402
from made_trace import (ALLOC, FREE, MAP, MIB, PHYSICAL, UNMAP,  # noqa: E402
                        MadeTrace)


class FactsTest(unittest.TestCase):
    def setUp(self):
        self.folder = harness.scratch(self)

    def path(self, name="one"):
        return self.folder / f"{name}.trace.sqlite"

    def made(self, name="one", **options):
        return MadeTrace(self.path(name), **options)

    def rows(self, sql, name="one"):
        return harness.rows(self.path(name), sql)

    def checkerboard(self, sizes, **options):
        """Blocks of these MiB side by side; every second one is freed."""
        trace = self.made(**options)
        trace.stack(1, ("/src/pool.py", 7, "keep"))
        trace.memory(trace.total, "start")
        address = 1 << 40
        places = []
        for size in sizes:
            trace.alloc(address, size * MIB, stack=1)
            places.append((address, size))
            address += size * MIB
        for at, _ in places[1::2]:
            trace.free(at)
        return trace, places

    def test_steps_are_those_of_the_ranges_that_are_called_so(self):
        trace = self.made()
        begun = trace.time
        for step in range(12):
            begin = trace.time + 1
            for operation in range(5):
                trace.event(ALLOC, 1 << 40, MIB)
                trace.row("step", None, f"aten::mm, op_id = {operation}",
                          trace.time, trace.time + 10, 7)
                trace.free(1 << 40)
            trace.alloc((step + 1) << 30, 3 * MIB)
            trace.time += 100
            trace.row("step", None, f"Step {step}", begin, trace.time, 7)
        trace.row("step", None, "training", begun, trace.time, 7)
        trace.close()
        self.assertEqual(
            [(row["name"], row["live_bytes"]) for row in
             self.rows("SELECT name, live_bytes FROM step ORDER BY step")],
            [(f"Step {step}", (step + 1) * 3 * MIB) for step in range(12)])
        leak, = self.rows("SELECT bytes_per_step FROM leak_suspect")
        self.assertAlmostEqual(leak["bytes_per_step"], 3 * MIB, delta=MIB / 9)

    def test_sites_outside_of_the_program_say_what_is_known(self):
        trace = self.made()
        for base, name in ((1 << 20, "libnccl.so.2"), (2 << 20, "libc.so.6"),
                           (3 << 20, "train")):
            trace.row("library", None, 0, name, f"/none/{name}", None, None,
                      None, None, base, 1 << 20)
        nccl, libc, train = 0x100010, 0x200020, 0x300030
        stacks = {"0x7f0000000040 in an unnamed mapping < 0x7f0000000099":
                  (nccl, 0x7f0000000040, 0x7f0000000099, libc),
                  "train+0x30": (nccl, 0x7f0000000040, train, libc),
                  "libnccl.so.2+0x11": (libc, nccl, nccl + 1, libc),
                  "(unknown)": (libc,)}
        for number, frames in enumerate(stacks.values(), 1):
            trace.row("stack", number, struct.pack(f"<{len(frames)}Q", *frames))
            trace.alloc(number << 30, MIB, stack=number)
        trace.close()
        self.assertEqual([row["chain"] for row in self.rows(
            "SELECT chain FROM allocation_site ORDER BY site")], list(stacks))

    def test_blocks_in_the_way_are_the_cheapest_set(self):
        # 2 live, 4 free, 30 live, 4 free, 3 live, 4 free, 1 live: 9 MiB are
        # cheapest made of 4 + 3 + 4, though another stretch is shorter.
        trace, _ = self.checkerboard([2, 4, 30, 4, 3, 4, 1],
                                     device_bytes=100 * MIB)
        held = 36 * MIB
        trace.alloc(0, 9 * MIB, stack=1, result=2)
        trace.memory(12 * MIB, "failure", [(100, held)])
        trace.close()
        oom, = self.rows("SELECT * FROM oom")
        self.assertEqual(oom["reason"], "fragmentation")
        self.assertEqual(oom["blocking_blocks"], 1)
        self.assertEqual(oom["blocking_bytes"], 3 * MIB)
        self.assertEqual(oom["missing_bytes"],
                         9 * MIB - oom["largest_free_bytes"])
        self.assertAlmostEqual(
            oom["fragmentation"],
            1 - oom["largest_free_bytes"] / oom["unused_bytes"])
        blocker, = self.rows("SELECT b.*, s.function FROM oom_blocker AS b "
                             "JOIN allocation_site AS s USING (site)")
        self.assertEqual(blocker["bytes"], 3 * MIB)
        self.assertIn("pool.py:7", blocker["function"])
        self.assertGreater(blocker["age"], 0)

    def refused(self, free, others=(), held=0):
        trace = self.made()
        trace.memory(trace.total, "start")
        if held:
            trace.alloc(1 << 40, held)
        trace.alloc(0, 100 * MIB, result=2)
        trace.memory(free, "failure", others)
        trace.close()
        return self.rows("SELECT * FROM oom")[0]

    def test_more_than_there_is(self):
        oom = self.refused(10 * MIB, held=1014 * MIB)
        self.assertEqual((oom["reason"], oom["missing_bytes"]),
                         ("capacity", 90 * MIB))
        self.assertIsNone(oom["blocking_blocks"])

    def test_somebody_else_has_it(self):
        oom = self.refused(10 * MIB, [(99, 800 * MIB)], held=200 * MIB)
        self.assertEqual((oom["reason"], oom["missing_bytes"]),
                         ("other-process", 90 * MIB))

    def test_peak(self):
        trace = self.made()
        trace.stack(1, ("/src/model.py", 3, "load"))
        trace.stack(2, ("/src/train.py", 9, "forward"))
        trace.alloc(1 << 40, 64 * MIB, stack=1)  # to the end
        for step in range(10):
            base = 2 << 40
            trace.alloc(base, 8 * MIB, stack=2)
            trace.alloc(base + 8 * MIB, MIB if step != 4 else 4 * MIB, stack=2)
            trace.time += 1_000_000
            trace.free(base)
            trace.free(base + 8 * MIB)
            trace.step(step)
        trace.alloc(3 << 40, MIB, stack=1)
        trace.close()
        sites = {row["function"]: row for row in self.rows(
            "SELECT function, p.* FROM peak_site AS p JOIN allocation_site "
            "USING (site)")}
        load = sites["/src/model.py:3 in load"]
        forward = sites["/src/train.py:9 in forward"]
        self.assertEqual((load["bytes"], load["persistent_bytes"]),
                         (64 * MIB, 64 * MIB))
        self.assertEqual((forward["bytes"], forward["step_bytes"],
                          forward["blocks"]), (12 * MIB, 12 * MIB, 2))
        blocks = self.rows("SELECT address, bytes, freed_time, life FROM "
                           "peak_block ORDER BY address")
        self.assertEqual([b["bytes"] for b in blocks],
                         [64 * MIB, 8 * MIB, 4 * MIB])
        self.assertIsNone(blocks[0]["freed_time"])
        self.assertEqual([b["life"] for b in blocks],
                         ["persistent", "step", "step"])
        sizes = self.rows("SELECT least_bytes, blocks FROM peak_size "
                          "ORDER BY 1")
        self.assertEqual([(s["least_bytes"] // MIB, s["blocks"])
                          for s in sizes], [(4, 1), (8, 1), (64, 1)])
        held = self.rows("SELECT live_blocks, steps_held FROM allocation_site "
                         "WHERE live_blocks > 0")
        self.assertEqual(held, [{"live_blocks": 2, "steps_held": 10}])
        usage, = self.rows("SELECT contexts FROM device_usage")
        self.assertEqual(usage["contexts"], 1)
        peaks = harness.diagnose(self.path())["summary"]["peaks"]
        self.assertEqual(peaks[0]["bytes"], 76 * MIB)
        text = harness.run("diagnose", "-v", self.path()).stdout.decode()
        self.assertIn("Held at the peak", text)

    def test_what_a_step_left_behind(self):
        """A site's block is freed in the middle of the next step; beside it a
        buffer is made and freed four times a step."""
        trace = self.made()
        trace.stack(1, ("/src/train.py", 3, "outputs"))
        trace.stack(2, ("/src/train.py", 9, "workspace"))
        trace.stack(3, ("/src/model.py", 5, "load"))
        trace.alloc(1 << 40, 64 * MIB, stack=3)
        left = None
        for step in range(10):
            place = (2 << 40) + step * 16 * MIB
            trace.alloc(place, 16 * MIB, stack=1)
            for _ in range(4):
                trace.alloc(3 << 40, 8 * MIB, stack=2)
                trace.time += 500_000
                trace.free(3 << 40)
            if left:
                trace.free(left)
            left = place
            trace.step(step)
        trace.close()
        sites = {row["function"].split()[-1]: row for row in self.rows(
            "SELECT function, p.* FROM peak_site AS p JOIN allocation_site "
            "USING (site)")}
        self.assertEqual({name: row["carried_bytes"]
                          for name, row in sites.items()},
                         {"outputs": 16 * MIB, "workspace": 0, "load": 0})
        short = {row["function"].split()[-1]: row for row in self.rows(
            "SELECT * FROM allocation_site")}
        self.assertEqual({name: row["short_lived"]
                          for name, row in short.items()},
                         {"outputs": 0, "workspace": 40, "load": 0})
        self.assertEqual((short["workspace"]["short_lived_bytes"],
                          short["workspace"]["short_lived_time"],
                          short["workspace"]["short_lived_by_driver"]),
                         (320 * MIB, 501_000, 40))
        summary = harness.diagnose(self.path())["summary"]
        self.assertEqual(summary["peaks"][0]["carried_bytes"], 16 * MIB)
        site, = summary["short_lived"]
        self.assertEqual((site["per_step"], site["blocks"], site["by_driver"]),
                         (4, 40, 40))
        text = harness.run("diagnose", "-v", self.path()).stdout.decode()
        self.assertIn("16.00 MiB came from the previous step", text)
        self.assertIn("workspace 4.0 times a step, 8.00 MiB each", text)
        self.assertIn("not recorded", text)

    def test_without_steps_nothing_is_short_lived(self):
        trace = self.made()
        trace.stack(1, ("/src/train.py", 3, "outputs"))
        trace.alloc(1 << 40, MIB, stack=1)
        trace.free(1 << 40)
        trace.close()
        self.assertEqual(self.rows("SELECT short_lived, short_lived_by_driver "
                                   "FROM allocation_site"),
                         [{"short_lived": None, "short_lived_by_driver": None}])
        self.assertEqual(harness.diagnose(self.path())["summary"]["short_lived"],
                         [])

    def test_what_does_not_add_up(self):
        trace = self.made()
        first = 1 << 40
        trace.alloc(first, 2 * MIB)
        trace.free(first)
        twice = trace.free(first)
        unknown = trace.free(first + 12345)
        trace.alloc(first, 2 * MIB)
        over = trace.alloc(first + MIB, 2 * MIB)
        trace.close()
        faults = {row["kind"]: (row["count"], row["first_event"])
                  for row in self.rows("SELECT * FROM replay_fault")}
        self.assertEqual(faults, {"double_free": (1, twice),
                                  "unknown_free": (1, unknown),
                                  "overlap": (1, over)})
        answer = harness.diagnose(self.path())
        self.assertEqual(answer["verdict"]["cause"], "unknown")
        self.assertEqual(len(answer["summary"]["replay_faults"]), 3)
        text = harness.run("diagnose", "-v", self.path()).stdout.decode()
        self.assertIn("frees of blocks that were already free", text)

    def test_remainder(self):
        trace = self.made()
        trace.memory(trace.total - 30 * MIB, "start", [(7, 10 * MIB)])
        trace.alloc(1 << 40, 100 * MIB)
        trace.memory(trace.total - 580 * MIB, "timer",
                     [(7, 10 * MIB), (100, 570 * MIB)])
        trace.close()
        self.assertEqual(
            self.rows("SELECT live_bytes, other_bytes, remainder_bytes FROM "
                      "device_ledger ORDER BY time"),
            [{"live_bytes": 0, "other_bytes": 10 * MIB,
              "remainder_bytes": 20 * MIB},
             {"live_bytes": 100 * MIB, "other_bytes": 10 * MIB,
              "remainder_bytes": 470 * MIB}])

    def test_mapped_memory_outlives_its_handle(self):
        trace = self.made()
        handle, place = 77, 1 << 40
        trace.alloc(handle, 64 * MIB, kind=PHYSICAL)
        trace.event(MAP, place, 64 * MIB, kind=PHYSICAL, pool=handle)
        trace.event(FREE, handle, kind=PHYSICAL)
        trace.memory(trace.total - 64 * MIB, "timer")
        trace.event(UNMAP, place, 64 * MIB, kind=PHYSICAL)
        trace.memory(trace.total, "end")
        trace.close()
        self.assertEqual([r["live_bytes"] for r in self.rows(
            "SELECT live_bytes FROM device_ledger ORDER BY time")],
            [64 * MIB, 0])
        self.assertEqual(self.rows("SELECT 1 FROM replay_fault"), [])

    def two_runs(self):
        for name, batch, cudnn, conf in (
                ("good", 100, "9.1.0", "8"), ("bad", 300, "9.2.0", "16")):
            trace = self.made(name)
            trace.stack(1, ("/src/model.py", 3, "load"))
            trace.stack(2, ("/src/train.py", 9, "forward"))
            trace.stack(3, ("/src/eval.py", 4, "cache"))
            trace.row("library", 1, trace.time, "libcudnn.so.9",
                      "/usr/lib/libcudnn.so.9", cudnn, "call", None, None, 1, 1)
            trace.row("environment", "OMP_NUM_THREADS", conf)
            trace.row("environment", "RANK", "0")
            trace.alloc(1 << 40, 64 * MIB, stack=1)
            trace.alloc(2 << 40, batch * MIB, stack=2)
            if name == "bad":
                trace.alloc(3 << 40, 32 * MIB, stack=3)
            trace.row("cudnn_operation", 5, "cudnnConvolutionForward",
                      "x f32 1x2x3x4")
            trace.row("cudnn_interval", 1, "cudnnConvolutionForward", 5,
                      1 if name == "good" else 6, 0, 1, 2, 9, 0, 9, 1, 1)
            trace.close()
        return self.path("good"), self.path("bad")

    def test_diff(self):
        good, bad = self.two_runs()
        answer = json.loads(
            harness.run("diff", "--format", "json", good, bad).stdout)
        self.assertEqual(answer["schema"], "inquest.diff/1")
        sections = {
            name: {d["what"]: (d["good"], d["bad"]) for d in
                   section["differences"]}
            for name, section in answer["sections"].items()}
        self.assertEqual(sections["versions"]["libcudnn.so.9"],
                         ("9.1.0", "9.2.0"))
        self.assertEqual(sections["environment"],
                         {"OMP_NUM_THREADS": ("8", "16")})
        self.assertEqual(answer["sections"]["environment"]["same"], 1)
        self.assertEqual(sections["memory"]["GPU 0 peak"],
                         (164 * MIB, 396 * MIB))
        self.assertEqual(sections["sites"], {
            "/src/train.py:9 in forward": (100 * MIB, 300 * MIB),
            "/src/eval.py:4 in cache": (None, 32 * MIB)})
        self.assertEqual(
            sections["engines"]["cudnnConvolutionForward x f32 1x2x3x4"],
            ("algorithm 1", "algorithm 6"))
        self.assertEqual(sections["devices"], {})

    def test_diff_in_words(self):
        good, bad = self.two_runs()
        text = harness.run("diff", good, bad).stdout.decode()
        golden = pathlib.Path(__file__).with_name("diff.txt")
        text = text.replace(str(self.folder) + os.sep, "")
        if os.environ.get("UPDATE"):
            golden.write_text(text)
        self.assertEqual(text, golden.read_text())
        same = harness.run("diff", good, good)
        self.assertEqual(same.returncode, 0)
        self.assertIn("No difference found", same.stdout.decode())
        self.assertEqual(harness.run("diff", good).returncode, 2)
        self.assertEqual(harness.run("diff", good, "absent").returncode, 2)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Traces of PyTorch's profiler: all forms that its versions have written, events
in any order, bytes that are no strict JSON, files cut at any place, and
memory timelines."""
import gzip
import json
import random
import unittest

import harness
from profiles import BASE, MIB, Profile


def churn(profile, steps, dice, devices=(0, -1)):
    live = []
    for _ in range(steps):
        if live and dice.random() < 0.5:
            device, address = live.pop(dice.randrange(len(live)))
            profile.free(address, device)
        else:
            device = dice.choice(devices)
            size = 512 * dice.randrange(1, 40)
            live.append((device, profile.alloc(size, device)))


class Kineto(unittest.TestCase):
    def setUp(self):
        self.folder = harness.scratch(self)

    def write(self, text, name="trace.json"):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def usage(self, path, device=0):
        return harness.row(path, f"""
            SELECT framework_allocations AS allocations,
                   framework_frees AS frees, framework_peak_bytes AS peak,
                   framework_live_bytes AS live, unknown_frees, overlaps
              FROM device_usage WHERE device = {device}""")

    def check(self, path, profile, devices=(0, -1)):
        for device in devices:
            self.assertEqual(self.usage(path, device), {
                "allocations": profile.allocs[device],
                "frees": profile.frees[device],
                "peak": profile.peak[device],
                "live": profile.total[device],
                "unknown_frees": 0, "overlaps": 0})

    def test_all_forms(self):
        for addresses in (True, False):
            for sums in (True, False):
                for base in (True, False):
                    with self.subTest(addresses=addresses, sums=sums,
                                      base=base):
                        dice = random.Random(5)
                        profile = Profile(addresses, sums, base)
                        churn(profile, 300, dice)
                        made = profile.made()
                        dice.shuffle(made["traceEvents"])
                        self.check(self.write(json.dumps(made)), profile)

    def test_what_was_live_before_is_not_in_it(self):
        """Weights have no events; the allocator's own sums have them."""
        for sums in (True, False):
            profile = Profile(sums=sums)
            churn(profile, 60, random.Random(5), (0,))
            text = harness.run("diagnose", self.write(json.dumps(
                profile.made()))).stdout.decode()
            check = self.assertNotIn if sums else self.assertIn
            check("of what was allocated during the profile", text)

    def test_ranks_in_one_file(self):
        """Equal addresses of two processes are two places."""
        profiles = [Profile(), Profile()]
        events = []
        for number, profile in enumerate(profiles):
            churn(profile, 200, random.Random(12), (0,))
            events += [{**one, "pid": number} for one in profile.events]
        path = self.write(json.dumps({**profiles[0].head(),
                                      "traceEvents": events}))
        got = self.usage(path)
        self.assertEqual(
            (got["allocations"], got["live"], got["unknown_frees"],
             got["overlaps"]),
            (2 * profiles[0].allocs[0], 2 * profiles[0].total[0], 0, 0))

    def test_bare_list_and_packed(self):
        profile = Profile()
        churn(profile, 200, random.Random(6))
        self.check(self.write(json.dumps(profile.events, indent=2)), profile)
        packed = gzip.compress(profile.text().encode())
        self.check(self.write(packed, "trace.json.gz"), profile)

    def test_what_was_live_before(self):
        """Blocks by their frees; the allocator's own sums know of all."""
        for sums in (True, False):
            with self.subTest(sums=sums):
                profile = Profile(sums=sums)
                freed = profile.alloc(3 * MIB, silent=True)
                profile.peak.clear()
                churn(profile, 100, random.Random(7), (0,))
                profile.free(freed)
                path = self.write(profile.text())
                self.check(path, profile, (0,))
                device = harness.diagnose(path)["summary"]["devices"][0]
                self.assertEqual(device["live_bytes_before"], 3 * MIB)
                self.assertEqual(device.get("allocated_peak_bytes"),
                                 profile.peak[0] if sums else None)

    def test_what_no_event_tells_of(self):
        profile = Profile()
        profile.alloc(5 * MIB, silent=True)
        profile.free(profile.alloc(MIB))
        path = self.write(profile.text())
        device = harness.diagnose(path)["summary"]["devices"][0]
        self.assertEqual(
            (device["peak_bytes"], device["live_bytes_at_end"],
             device["allocated_peak_bytes"], device["allocated_bytes_at_end"]),
            (MIB, 0, 6 * MIB, 5 * MIB))
        notes = " ".join(one["note"] for one in harness.rows(
            path, "SELECT note FROM coverage"))
        self.assertIn("the allocator's own sum has 5242880 bytes more", notes)
        self.assertIn(b"own count 6.00 MiB, 5.00 MiB at the end",
                      harness.run("diagnose", path).stdout)

    def test_refused(self):
        profile = Profile()
        profile.alloc(30 << 30)
        profile.refuse(20 << 30)
        path = self.write(profile.text())
        found = harness.diagnose(path)
        self.assertEqual(found["verdict"]["cause"], "memory/capacity")
        self.assertEqual(found["verdict"]["facts"]["requested_bytes"],
                         20 << 30)
        self.assertEqual(found["verdict"]["facts"]["allocated_bytes"],
                         30 << 30)
        device = found["summary"]["devices"][0]
        self.assertEqual((device["failed"], device["allocations"],
                          device["reserved_peak_bytes"],
                          device["capacity_bytes"]),
                         (1, 1, 30 << 30, 40 << 30))

    def test_refused_with_much_free(self):
        profile = Profile()
        for _ in range(8):
            profile.alloc(1 << 30)
        profile._note("[OutOfMemory]", 0, 2 << 30)
        profile.events[-1]["args"]["Total Reserved"] = 39 << 30
        found = harness.diagnose(self.write(profile.text()))
        self.assertEqual(found["verdict"]["cause"], "memory/fragmentation")

    def test_run_and_steps(self):
        profile = Profile()
        for step in (7, 8):
            profile.span(f"ProfilerStep#{step}", 100, "user_annotation")
            profile.events.append({**profile.events[-1],
                                   "cat": "gpu_user_annotation", "tid": 7})
            profile.alloc(MIB)
        path = self.write(profile.text())
        self.assertEqual(
            harness.row(path, "SELECT pid, rank, world_size FROM process"),
            {"pid": 4711, "rank": 3, "world_size": 8})
        self.assertEqual(
            harness.row(path, "SELECT gpu, total_bytes, compute_capability, "
                              "cuda_driver, cuda_runtime FROM device"),
            {"gpu": "NVIDIA A100", "total_bytes": 40 << 30,
             "compute_capability": "8.0", "cuda_driver": 12040,
             "cuda_runtime": 12010})
        steps = harness.rows(path, "SELECT name, begin_time, end_time "
                                   "FROM step ORDER BY step")
        self.assertEqual([one["name"] for one in steps],
                         ["ProfilerStep#7", "ProfilerStep#8"])
        self.assertEqual(steps[0]["begin_time"], BASE + 2000)
        self.assertEqual(steps[0]["end_time"], BASE + 102_000)

    def test_who_allocated(self):
        """The operations and Python calls around an allocation, innermost
        first, on its own thread."""
        profile = Profile()
        profile.span("train.py(57): step", 500, "python_function")
        profile.span("torch/nn/modules/linear.py(114): forward", 400,
                     "python_function")
        profile.span("aten::linear", 300)
        profile.span("other.py(1): main", 900, "python_function", thread=99)
        profile.alloc(MIB)
        profile.events[-1]["ts"] = profile.events[2]["ts"]
        profile.now += 1_000_000
        profile.span("aten::empty", 300, **{
            "Call stack": "/usr/lib/python3/x.py(1): f;/home/me/eval.py(9): run"})
        profile.alloc(2 * MIB)
        profile.now += 1_000_000
        profile.alloc(4 * MIB)
        sites = harness.rows(self.write(profile.text()), """
            SELECT function, live_bytes FROM allocation_site
             ORDER BY live_bytes""")
        self.assertEqual([one["function"] for one in sites[:2]],
                         ["train.py:57 in step", "/home/me/eval.py:9 in run"])
        self.assertEqual(sites[2]["live_bytes"], 4 * MIB)
        self.assertNotIn("main", json.dumps(sites))

    def test_no_memory_events(self):
        profile = Profile()
        profile.span("aten::empty", 10)
        made = profile.made()
        for asked, state in ((1, "on"), (None, "off")):
            made.pop("profile_memory", None)
            if asked:
                made["profile_memory"] = asked
            path = self.write(json.dumps(made))
            rows = harness.rows(path, "SELECT state FROM coverage")
            self.assertEqual(rows, [{"state": state}])
            self.assertEqual(harness.diagnose(path)["verdict"]["cause"],
                             "unknown")

    def test_not_strict(self):
        profile = Profile()
        churn(profile, 50, random.Random(8))
        text = profile.text(indent=1)
        odd = {
            "comma": text.replace("\n ]", ",\n ]").replace("\n }", ",\n }"),
            "nan": text.replace('"traceName"', '"x": NaN, "y": -Infinity, '
                                               '"z": inf, "traceName"'),
            "control": text.replace("trace.json", "a\tb\nc\x01"),
            "escape": text.replace("trace.json", r"C:\users\xo\d800 \ud800"),
            "quote": text.replace("trace.json", 'say "hello" to'),
            "utf8": text.encode().replace(b"trace.json", b"\xff\xfe \xc3("),
            "mark": b"\xef\xbb\xbf" + text.encode(),
            "python": text.replace('"traceName"',
                                   '"a": None, "b": True, "traceName"'),
            "more": text + "\n\x00garbage",
        }
        for name, one in odd.items():
            with self.subTest(name):
                path = self.write(one)
                self.check(path, profile)
                self.assertEqual(harness.run("diagnose", path).returncode, 0)

    def test_cut_anywhere(self):
        """What stands before the cut is read; where the file ends is said."""
        profile = Profile()
        churn(profile, 60, random.Random(9), (0,))
        text = profile.text()
        first = text.index('"traceEvents"') + 20
        dice = random.Random(10)
        for cut in sorted(dice.sample(range(first, len(text) - 30), 7)):
            whole = text[:cut].count('"ph"') - (text[:cut].count("{") >
                                                text[:cut].count("}") + 1)
            path = self.write(text[:cut])
            with self.subTest(cut=cut):
                result = harness.run("diagnose", "--format", "json", path)
                self.assertEqual(result.returncode, 4)
                found = json.loads(result.stdout)
                notes = " ".join(one["note"] for one in found["coverage"])
                self.assertIn("ends early", notes)
                self.assertLessEqual(
                    abs(found["summary"]["events"] - whole), 1)
        packed = gzip.compress(text.encode())
        path = self.write(packed[:len(packed) // 2], "cut.json.gz")
        self.assertEqual(harness.run("diagnose", path).returncode, 4)

    def test_wrong_types(self):
        profile = Profile()
        profile.alloc(MIB)
        good = profile.events[0]
        bad = [{**good, "args": {**good["args"], **change}} for change in (
            {"Bytes": "many"}, {"Bytes": 1 << 62}, {"Bytes": None},
            {"Bytes": [1, {"Bytes": 5}]}, {"Device Type": "cuda"},
            {"Device Id": 1 << 40})]
        bad += [{"name": "[memory]"}, {}, [], 7, "x", None,
                {**good, "args": 3}]
        for one in bad[:6]:
            one["args"] = {key: value for key, value in one["args"].items()
                           if not isinstance(value, str)}
        made = profile.made()
        made["traceEvents"] = bad + [good] + bad
        made["deviceProperties"] = [1, "x", [], {"id": "0", "name": 5}]
        path = self.write(json.dumps(made))
        self.assertEqual(self.usage(path)["allocations"], 1)
        told = {**good, "args": {key: str(value) for key, value
                                 in good["args"].items()}}
        made["traceEvents"] = [told]
        self.assertEqual(
            self.usage(self.write(json.dumps(made)))["peak"], MIB)

    def test_other_devices(self):
        profile = Profile()
        profile.alloc(MIB, 1)
        profile.alloc(2 * MIB, 1)
        profile.events[1]["args"]["Device Type"] = 12
        found = harness.diagnose(self.write(profile.text()))
        self.assertEqual({one["device"]: one["allocations"]
                          for one in found["summary"]["devices"]},
                         {1: 1, 1201: 1})

    def test_not_one(self):
        for text in ("{}", "[]", '{"a": [1, 2]}', "[1, 2", '{"traceEvents": 5',
                     ""):
            path = self.write(text)
            result = harness.run("diagnose", "--source", f"kineto={path}")
            self.assertIn(result.returncode, (0, 2, 4), text)
        log = self.write('{"step": 1, "loss": 2.5}\n' * 50, "metrics.jsonl")
        self.assertEqual(harness.diagnose(log)["logs"][0]["lines"], 50)


class MemoryTimeline(unittest.TestCase):
    def setUp(self):
        self.folder = harness.scratch(self)

    def test_random(self):
        dice = random.Random(11)
        rows, live, now = [], [], 1_696_966_047_000_000_000
        for _ in range(30):
            block = (512 * dice.randrange(1, 9), dice.randrange(8))
            rows.append([-1, 1, *block])
            live.append(block)
        total = peak = sum(size for size, _ in live)
        created = destroyed = 0
        for _ in range(2000):
            now += 1000
            choice = dice.random()
            if choice < 0.4 or not live:
                block = (512 * dice.randrange(1, 99), dice.randrange(8))
                rows.append([now, 2, *block])
                live.append(block)
                total += block[0]
                peak = max(peak, total)
                created += 1
                continue
            size, category = live.pop(dice.randrange(len(live)))
            if choice < 0.7:
                rows.append([now, 4, -size, category])
                total -= size
                destroyed += 1
            else:
                new = dice.randrange(8)
                rows += [[now, 3, -size, category], [now, 3, size, new]]
                live.append((size, new))
        path = self.folder / "timeline.raw.json.gz"
        path.write_bytes(gzip.compress(json.dumps(rows).encode()))
        device = harness.diagnose(path)["summary"]["devices"][0]
        self.assertEqual(
            (device["allocations"], device["frees"], device["peak_bytes"],
             device["live_bytes_at_end"]), (created, destroyed, peak, total))
        usage = harness.row(path, "SELECT unknown_frees, overlaps "
                                  "FROM device_usage")
        self.assertEqual(list(usage.values()), [0, 0])
        cut = self.folder / "cut.json"
        cut.write_bytes(json.dumps(rows).encode()[:9000])
        self.assertEqual(harness.run("diagnose", cut).returncode, 4)

    def test_other_lists(self):
        for text in ("[[1, 2], [3, 4]]", "[[1, 2, 3, 4, 5]]", "[[[1]]]"):
            path = self.folder / "list.json"
            path.write_text(text)
            self.assertEqual(harness.run("diagnose", path).returncode, 2)
            result = harness.run("diagnose", "--source",
                                 f"memory-timeline={path}")
            self.assertEqual(result.returncode, 2, result.stderr)


if __name__ == "__main__":
    unittest.main()

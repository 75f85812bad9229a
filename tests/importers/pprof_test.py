# SPDX-License-Identifier: Apache-2.0
"""Device memory profiles of JAX: made by an independent writer in all the ways
that the format allows, damaged ones, and other profiles. Real ones, where a
folder of them is there: every figure of their truth, exact."""
import gzip
import json
import random
import re
import unittest

import harness
from protobufs import field, fields, message


class Profile:
    """As xla's PprofProfileBuilder fills it."""

    def __init__(self, types=(("allocations", "count"), ("space", "bytes"))):
        self.texts, self.functions, self.locations = [""], {}, {}
        self.samples, self.truth = [], []
        self.types = [tuple(map(self.text, one)) for one in types]

    def text(self, text):
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text)

    def location(self, file, line, name):
        function = self.functions.setdefault(
            (file, name), len(self.functions) + 1)
        self.text(name), self.text(file)
        return self.locations.setdefault(
            (function, line), len(self.locations) + 1)

    def add(self, count, size, device=None, stack=()):
        places = [self.location(*one) for one in stack]
        labels = [("kind", "buffer" if device else "executable")]
        labels += [("device", device)] if device else []
        self.samples.append((places, [count, count * size],
                             [tuple(map(self.text, one)) for one in labels]))
        self.truth.append((count, count * size, device, tuple(stack)))

    def bytes(self, packed=True, texts_first=False, more=b""):
        texts = b"".join(field(6, text) for text in self.texts)
        body = b"".join(field(1, message(_1=t, _2=u)) for t, u in self.types)
        for places, values, labels in self.samples:
            body += field(2, fields(1, places, packed) +
                          fields(2, values, packed) + b"".join(
                              field(3, message(_1=k, _2=v)) for k, v in labels))
        for (function, line), number in self.locations.items():
            body += field(4, field(1, number) + field(
                4, message(_1=function, _2=line)))
        for (file, name), number in self.functions.items():
            body += field(5, message(
                _1=number, _2=self.text(name), _3=self.text(name),
                _4=self.text(file), _5=1))
        return texts + body + more if texts_first else body + texts + more


TRAIN = [("/site-packages/jax/_src/dispatch.py", 436, "_execute_compiled"),
         ("/home/me/train.py", 57, "step"), ("/home/me/train.py", 90, "<module>")]
LOAD = [("/site-packages/jax/_src/dispatch.py", 622, "_device_put_array"),
        ("/home/me/data.py", 12, "load")]


def usual():
    made = Profile()
    made.add(3, 1 << 20, "gpu:0", TRAIN)
    made.add(1, 4, "gpu:0", LOAD)
    made.add(2, 512, "gpu:1", TRAIN)
    made.add(4, 12345, None, LOAD)
    return made


class Profiles(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = harness.scratch(self)

    def write(self, data, name="mem.prof"):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def samples(self, path):
        return [(one["count"], one["bytes"], one["device_name"] or None,
                 tuple(tuple(place) for place in json.loads(one["stack"])))
                for one in harness.rows(path, """
                    SELECT count, bytes, device_name,
                           (SELECT json_group_array(
                                     json_array(file, line, function))
                              FROM (SELECT * FROM python_frame AS f
                                     WHERE f.stack = s.stack ORDER BY depth))
                             AS stack
                      FROM profile_sample AS s ORDER BY sample""")]

    def test_all_ways_to_write_it(self):
        made = usual()
        for packed in True, False:
            for pack in gzip.compress, bytes:
                for first in True, False:
                    path = self.write(pack(made.bytes(packed, first)))
                    self.assertEqual(self.samples(path), made.truth)

    def test_what_was_live_by_device(self):
        path = self.write(gzip.compress(usual().bytes()))
        found = harness.diagnose(path)
        self.assertEqual(found["verdict"]["cause"], "unknown")
        self.assertEqual(
            [(one["device"], one["allocations"], one["live_bytes_at_end"],
              one["peak_bytes"]) for one in found["summary"]["devices"]],
            [(0, 4, (3 << 20) + 4, (3 << 20) + 4), (1, 2, 1024, 1024)])

    def test_who_held_what(self):
        path = self.write(usual().bytes())
        sites = harness.rows(path, """
            SELECT function, device, allocations, live_bytes
              FROM allocation_site ORDER BY live_bytes DESC, device""")
        self.assertEqual([tuple(one.values())[1:] for one in sites],
                         [(0, 3, 3 << 20), (-1, 4, 49380), (1, 2, 1024),
                          (0, 1, 4)])
        self.assertIn("/home/me/train.py:57 in step", sites[0]["function"])

    def test_executables_of_unknown_size(self):
        made = Profile()
        made.add(3, -1, None, TRAIN)
        path = self.write(made.bytes())
        self.assertEqual(self.samples(path), made.truth)
        self.assertEqual(
            harness.row(path, "SELECT sum(bytes) AS b, count(*) AS n "
                              "FROM memory_event"), {"b": 0, "n": 3})

    def test_names_of_devices(self):
        made = Profile()
        names = ["cuda:3", "TFRT_CPU_1", "TPU_5(host=0,(1,0,0,0))",
                 "StreamExecutorGpuDevice(id=7, process_index=0)", "rocm:3"]
        for name in names:
            made.add(1, 8, name)
        got = harness.rows(self.write(made.bytes()), """
            SELECT device_name, device FROM profile_sample ORDER BY sample""")
        self.assertEqual([one["device_name"] for one in got], names)
        self.assertEqual([one["device"] for one in got], [3, 1, 5, 7, 4])

    def test_random_profiles(self):
        chance = random.Random(5)
        for _ in range(6):
            made = Profile()
            for _ in range(chance.randrange(40)):
                stack = [(f"/f{chance.randrange(4)}.py", chance.randrange(99),
                          f"g{chance.randrange(5)}")
                         for _ in range(chance.randrange(9))]
                made.add(chance.randrange(1, 5), chance.randrange(1 << 33),
                         chance.choice([None, "gpu:0", "gpu:1"]), stack)
            path = self.write(made.bytes(chance.random() < .5,
                                         chance.random() < .5))
            self.assertEqual(self.samples(path), made.truth)

    def test_a_profile_with_nothing_live(self):
        path = self.write(Profile().bytes())
        self.assertEqual(self.samples(path), [])
        self.assertEqual(harness.run("diagnose", path).returncode, 0)

    def test_other_profiles_are_refused_in_words(self):
        cpu = Profile([("samples", "count"), ("cpu", "nanoseconds")])
        cpu.add(1, 10)
        path = self.write(gzip.compress(cpu.bytes()))
        result = harness.run("diagnose", path)
        self.assertEqual(result.returncode, 2)
        self.assertIn("cpu in nanoseconds, not of device memory",
                      result.stderr.decode())
        self.assertIn("save_device_memory_profile", result.stderr.decode())

    def test_a_text_is_no_profile(self):
        for text in b"\n\x08" + b"\x08" * 200 + b"\n", b"\n\nhello\n", b"":
            path = self.write(text, "train.log")
            result = harness.run("diagnose", path)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_cut_short(self):
        made = usual()
        whole = made.bytes(texts_first=True)
        for size in range(0, len(whole), 47):
            path = self.write(whole[:size])
            result = harness.run("query", "--source", f"pprof={path}", "--sql",
                                 "SELECT 1 AS one")
            self.assertIn(result.returncode, (0, 2, 4), size)
        path = self.write(gzip.compress(whole)[:-12])
        result = harness.run("diagnose", path)
        self.assertEqual(result.returncode, 4)
        self.assertIn(b"ends", result.stderr)

    def test_cut_before_its_names(self):
        """Texts come last: sizes and places survive a cut, names do not."""
        made = usual()
        whole = made.bytes()
        path = self.write(whole[:whole.index(b"allocations") + 3])
        result = harness.run("diagnose", "--format", "json", path)
        self.assertEqual(result.returncode, 4, result.stderr)
        summary = json.loads(result.stdout)["summary"]
        self.assertEqual(
            [(one["name"], one["live_bytes_at_end"], one["one_moment"])
             for one in summary["devices"]],
            [("device 0", (3 << 20) + 4, True), ("device 1", 1024, True)])
        self.assertEqual(
            [one["live_bytes_at_end"] for one in summary["executables"]],
            [4 * 12345])
        # A profile of time has a period, or samples without labels.
        times = Profile((("samples", "count"), ("cpu", "nanoseconds")))
        times.add(3, 10_000_000, "gpu:0", TRAIN)
        whole = times.bytes()
        period = field(11, message(_1=3, _2=4))
        for cut in period + whole[:whole.index(b"samples") + 3], \
                whole[:whole.index(b"samples") + 9]:
            self.assertEqual(
                harness.run("diagnose", self.write(cut)).returncode, 2)

    def test_one_moment_of_a_tpu(self):
        made = Profile()
        made.add(2, 1 << 20, "TPU_1(process=0,(1,0,0,0))", TRAIN)
        made.add(5, 1000)
        text = harness.run("diagnose", self.write(made.bytes())).stdout.decode()
        self.assertIn("TPU 1, TPU_1(process=0,(1,0,0,0)): 2.00 MiB live in 2 "
                      "buffers when the profile was taken", text)
        self.assertIn("compiled programs: 4.88 KiB in 5", text)
        for wrong in "GPU 1", "peak", "pinned":
            self.assertNotIn(wrong, text)

    def test_hostile_ones(self):
        made = usual()
        # An endless number, a field of no type, a size beyond all bounds.
        for more in b"\x10" + b"\xff" * 12, b"\x17", b"\x12" + b"\xff" * 9 + b"\x01":
            path = self.write(made.bytes(texts_first=True, more=more))
            self.assertEqual(self.samples(path), made.truth)
            self.assertEqual(harness.run("diagnose", path).returncode, 4)
        # Numbers of texts, locations and functions that are not there.
        lost = field(2, fields(1, [99, 1 << 63]) + fields(2, [1, 7]) +
                     field(3, message(_1=1 << 40, _2=1 << 40)))
        path = self.write(made.bytes(more=lost))
        self.assertEqual(self.samples(path)[-1], (1, 7, None, ()))
        # Counts and sizes that nothing has.
        for count, size in ((1 << 62, 1), (-5, 8), (1, 1 << 62)):
            huge = Profile()
            huge.add(count, size, "gpu:0")
            path = self.write(huge.bytes())
            self.assertEqual(harness.run("diagnose", path).returncode, 0)

    def test_real_ones(self):
        folder = harness.realdata("jax_pprof")
        if not folder.is_dir():
            self.skipTest(harness.shared.missing("realdata"))
        lines = (folder / "truth.jsonl").read_text().splitlines()
        for want in map(json.loads, lines):
            path = folder / want["file"]
            by = lambda key: {
                str(one["name"] or None): [one["n"], one["b"]]
                for one in harness.rows(path, f"""
                    SELECT {key} AS name, sum(count) AS n, sum(bytes) AS b
                      FROM profile_sample GROUP BY 1""")}
            self.assertEqual(by("kind"), want["by_kind"])
            self.assertEqual(by("device_name"), want["by_device"])
            self.assertEqual(by("''")["None"], want["total"])
            tops = by("""(SELECT function || ' (' || file || ':' || line || ')'
                            FROM python_frame AS f
                           WHERE f.stack = profile_sample.stack
                           ORDER BY depth LIMIT 1)""")
            # The truth's names of people are changed.
            tops = sorted(([re.sub("/home/[^/]*/", "/home/user/", name), *both]
                           for name, both in tops.items()),
                          key=lambda one: -one[2])
            want["top_by_py_frame"].sort(key=lambda one: -one[2])
            self.assertEqual(tops[:len(want["top_by_py_frame"])],
                             want["top_by_py_frame"])
            got = harness.row(path, """
                SELECT max(bytes) AS largest, sum(stack = 0) AS bare,
                       count(*) AS n FROM profile_sample""")
            self.assertEqual(got, {"largest": want["largest_sample_bytes"],
                                   "bare": want["samples_without_stack"],
                                   "n": want["samples"]})
            note = harness.row(path, """
                SELECT note FROM coverage WHERE state = 'on'""")["note"]
            self.assertIn("{samples} samples, {locations} locations, "
                          "{functions} functions, {strings} strings"
                          .format(**want), note)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Memory dumps of TensorFlow's allocator: made by an independent writer, of
builds with and without its debugging figures, and damaged ones."""
import gzip
import json
import random
import struct
import unittest

import harness
from protobufs import field, message

BASE = 0x7F0000000000


class Dump:
    """Regions of chunks, each (size, requested, op or None where free)."""

    def __init__(self, *regions, name="GPU_0_bfc", debug=True):
        self.name, self.debug, self.chunks, self.action = name, debug, [], 100
        base = BASE
        for region in regions:
            at = base
            for size, requested, op in region:
                self.action += 1
                self.chunks.append({
                    "address": at, "bytes": size, "requested_bytes": requested,
                    "state": "live" if op else "free",
                    "bin": -1 if op else (size // 256).bit_length() - 1,
                    "op": (op or "UNKNOWN") if debug else "",
                    "step": 7 if debug else 0,
                    "action": self.action if debug else 0, "freed_at": 0})
                at += size
            base = at + (1 << 30)

    def bytes(self):
        out = field(1, self.name)
        for number in range(21):
            of = [c for c in self.chunks
                  if (c["bytes"] // 256).bit_length() - 1 == number]
            used = [c for c in of if c["state"] == "live"]
            out += field(2, message(
                _1=number, _2=sum(c["bytes"] for c in used),
                _3=sum(c["bytes"] for c in of), _4=len(used), _5=len(of)))
        for c in self.chunks:
            out += field(3, message(
                _1=c["address"], _2=c["bytes"], _3=c["requested_bytes"],
                _4=c["bin"], _5=c["op"], _6=c["freed_at"], _7=c["action"],
                _8=int(c["state"] == "live"), _9=c["step"]))
        if self.debug:
            for i in range(5):
                out += field(4, message(_1=i, _2=i * 1024))
        free = [c["bytes"] for c in self.chunks if c["state"] == "free"]
        return out + field(5, message(
            _1=2742, _2=self.live(), _3=self.live() + 4096, _4=1 << 20,
            _5=1 - max(free) / sum(free) if free else 0.0))

    def live(self):
        return sum(c["bytes"] for c in self.chunks if c["state"] == "live")


def usual(**more):
    return Dump([(1024, 1000, "dense/MatMul"), (512, 77, None),
                 (1 << 20, 1 << 20, "conv2d/Conv2D"), (2048, 2000, "dense/MatMul"),
                 (4096, 0, None)],
                [(256, 4, "loss/Mean"), (1 << 16, 0, None)], **more)


class Dumps(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = harness.scratch(self)

    def write(self, data, name="dump_GPU_0_bfc.1700000000123456"):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def chunks(self, path):
        return harness.rows(path, """
            SELECT address, bytes, requested_bytes, state, bin, op, step,
                   action, freed_at FROM pool_chunk""")

    def test_chunks(self):
        for debug in True, False:
            made = usual(debug=debug)
            for pack in bytes, gzip.compress:
                path = self.write(pack(made.bytes()))
                self.assertEqual(self.chunks(path), made.chunks)

    def test_regions(self):
        got = harness.rows(self.write(usual().bytes()), """
            SELECT device, bytes, allocated_bytes, requested_bytes, pool
              FROM pool_segment ORDER BY segment""")
        self.assertEqual([tuple(one.values()) for one in got], [
            (0, (1 << 20) + 7680, (1 << 20) + 3072, (1 << 20) + 3000,
             "GPU_0_bfc"),
            (0, (1 << 16) + 256, 256, 4, "GPU_0_bfc")])

    def test_statistics(self):
        made = usual()
        got = harness.row(self.write(made.bytes()),
                          "SELECT * FROM pool_statistics")
        want = 1 - (1 << 16) / ((1 << 16) + 4096 + 512)
        self.assertAlmostEqual(got.pop("fragmentation"), want, places=6)
        self.assertEqual(got, {
            "process": 1, "allocator": "GPU_0_bfc", "device": 0,
            "time": 1700000000123456000, "num_allocs": 2742,
            "in_use_bytes": made.live(), "max_in_use_bytes": made.live() + 4096,
            "max_alloc_bytes": 1 << 20,
            "chunk_bytes": made.live() + (1 << 16) + 4096 + 512,
            "free_bytes": (1 << 16) + 4096 + 512, "largest_free_bytes": 1 << 16,
            "free_chunks": 3})

    def test_bins_and_history(self):
        path = self.write(usual().bytes())
        got = harness.rows(path, "SELECT * FROM pool_bin WHERE chunks > 0")
        self.assertEqual(
            [tuple(one.values())[2:] for one in got],
            [(0, 256, 256, 1, 1), (1, 512, 0, 1, 0), (2, 1024, 1024, 1, 1),
             (3, 2048, 2048, 1, 1), (4, 4096, 0, 1, 0), (8, 1 << 16, 0, 1, 0),
             (12, 1 << 20, 1 << 20, 1, 1)])
        self.assertEqual(
            [tuple(one.values())[1:] for one in
             harness.rows(path, "SELECT * FROM pool_history")],
            [(i, i * 1024) for i in range(5)])

    def test_who_held_what(self):
        path = self.write(usual().bytes())
        got = harness.rows(path, """
            SELECT function, allocations, live_bytes FROM allocation_site
             ORDER BY live_bytes DESC""")
        self.assertEqual([tuple(one.values()) for one in got],
                         [("conv2d/Conv2D", 1, 1 << 20),
                          ("dense/MatMul", 2, 3072), ("loss/Mean", 1, 256)])
        device = harness.diagnose(path)["summary"]["devices"][0]
        self.assertEqual(
            (device["live_bytes_at_end"], device["reserved_bytes_at_end"]),
            (usual().live(), usual().live() + (1 << 16) + 4608))

    def test_full_or_in_pieces(self):
        full = Dump([(1 << 30, 1 << 30, "a"), (1 << 20, 0, None)])
        pieces = Dump([one for i in range(64) for one in
                       ((1 << 20, 1 << 20, "a"), (1 << 20, 0, None))])
        for made, cause in ((full, "memory/capacity"),
                            (pieces, "memory/fragmentation")):
            verdict = harness.diagnose(self.write(made.bytes()))["verdict"]
            self.assertEqual((verdict["cause"], verdict["confidence"]),
                             (cause, "possible"))
            free = [c["bytes"] for c in made.chunks if c["state"] == "free"]
            self.assertEqual(
                (verdict["facts"]["free_bytes"],
                 verdict["facts"]["largest_free_bytes"],
                 verdict["facts"]["in_use_bytes"]),
                (sum(free), max(free), made.live()))

    def test_a_moment_is_told_as_one(self):
        """The dump has neither allocations nor a peak."""
        text = harness.run("diagnose", self.write(usual().bytes())) \
            .stdout.decode()
        self.assertRegex(text, r"live in 4 chunks of a pool of \S+ [KM]iB when "
                               "a request was refused")
        self.assertNotIn("0 refused", text)
        self.assertNotIn("at the end", text)

    def test_the_log_tells_the_size(self):
        pieces = Dump([one for i in range(64) for one in
                       ((1 << 20, 1 << 20, "a"), (1 << 20, 0, None))])
        log = self.folder / "train.log"
        log.write_text(
            "2031-01-01 00:00:00.1: W tensorflow/tsl/framework/bfc_allocator.cc"
            ":485] Allocator (GPU_0_bfc) ran out of memory trying to allocate "
            "4.00MiB (rounded to 4194304)requested by op b\n"
            "tensorflow.python.framework.errors_impl.ResourceExhaustedError: "
            "OOM when allocating tensor with shape[1024,1024] and type float on "
            "/job:localhost/replica:0/task:0/device:GPU:0 by allocator "
            "GPU_0_bfc\n")
        verdict = harness.diagnose(self.write(pieces.bytes()), log)["verdict"]
        self.assertEqual(verdict["cause"], "memory/fragmentation")
        self.assertEqual(verdict["facts"]["requested_bytes"], 4 << 20)

    def test_host_memory(self):
        made = Dump([(512, 500, "feed"), (512, 0, None)],
                    name="gpu_host_bfc")
        path = self.write(made.bytes())
        self.assertEqual(self.chunks(path), made.chunks)
        self.assertEqual(harness.row(
            path, "SELECT device FROM pool_statistics")["device"], -1)

    def test_random_dumps(self):
        chance = random.Random(11)
        for _ in range(6):
            made = Dump(*[[(256 * chance.randrange(1, 1 << 20),
                            chance.randrange(1 << 20),
                            chance.choice(["a", "b/c", None]))
                           for _ in range(chance.randrange(1, 60))]
                          for _ in range(chance.randrange(1, 4))],
                        name=f"GPU_{chance.randrange(8)}_bfc",
                        debug=chance.random() < .5)
            path = self.write(made.bytes())
            self.assertEqual(self.chunks(path), made.chunks)

    def test_cut_short(self):
        whole = usual().bytes()
        for size in range(1, len(whole), 61):
            path = self.write(whole[:size])
            result = harness.run("query", "--source", f"bfc-dump={path}",
                                 "--sql", "SELECT 1 AS one")
            self.assertIn(result.returncode, (0, 2, 4), size)
        path = self.write(whole[:-5])
        self.assertEqual(harness.run("diagnose", path).returncode, 4)
        self.assertEqual(self.chunks(path), usual().chunks)

    def test_hostile_ones(self):
        made = usual()
        for bad in (field(3, message(_1=1 << 63, _2=8)),  # no such address
                    field(3, message(_1=8, _2=-5)),
                    field(3, message(_1=8, _2=1 << 62)),
                    field(3, b"\x08\xff"),                # ends in a number
                    field(9, "of a later TensorFlow")):
            path = self.write(made.bytes() + bad)
            self.assertEqual(self.chunks(path), made.chunks)
        overlap = field(3, message(_1=BASE, _2=256, _8=1))
        path = self.write(made.bytes() + overlap)
        self.assertEqual(harness.run("diagnose", path).returncode, 0)
        nan = field(5, field(5, struct.unpack("<f", b"\0\0\xc0\x7f")[0]))
        path = self.write(made.bytes() + nan)
        self.assertEqual(harness.run("diagnose", path).returncode, 0)

    def test_texts_are_no_dumps(self):
        for text in b"\n\tGPU_0_bfc", b"\n\x05hello\nworld", b"\n\n\n":
            path = self.write(text, "train.log")
            self.assertEqual(harness.diagnose(path)["verdict"]["cause"],
                             "unknown")

    def test_dumps_in_real_logs(self):
        folder = harness.realdata("tf_bfc")
        if not folder.is_dir():
            self.skipTest(harness.shared.missing("realdata"))
        lines = (folder / "truth.jsonl").read_text().splitlines()
        for want in map(json.loads, lines):
            path = folder / (want["file"] + ".gz")
            if want["dumps"]:
                self.check(path, want["dumps"])
            got = harness.row(path, """
                SELECT lines, bytes, (SELECT count(*) FROM traceback) AS t
                  FROM log_source""")
            self.assertEqual(list(got.values()), [
                want["lines"], want["bytes"], want["tracebacks"]])

    def check(self, path, dumps):
        found = harness.rows(path, """
            SELECT e.line, 'GPU_' || o.device || '_bfc' AS allocator,
                   o.limit_bytes, o.in_use_bytes, o.max_in_use_bytes,
                   o.num_allocs, o.max_alloc_bytes, o.requested_bytes,
                   o.largest_free_bytes, o.gap_bytes,
                   sum(b.state = 'live') AS in_use,
                   sum(b.state = 'free') AS free,
                   sum(b.bytes) FILTER (WHERE b.state = 'live') AS live_bytes,
                   max(b.bytes) FILTER (WHERE b.state = 'live') AS largest,
                   (SELECT CAST(s.figures ->> '$.sum_in_use_bytes' AS INTEGER)
                      FROM log_event AS s
                     WHERE s.signature = 'tensorflow.bfc.sum-in-use'
                       AND s.line > e.line ORDER BY s.line LIMIT 1) AS total
              FROM oom AS o
              JOIN log_event AS e ON o.evidence = 'log_event:' || e.id
              JOIN heap_block AS b USING (oom)
             GROUP BY o.oom ORDER BY e.line""")
        self.assertEqual(len(found), len(dumps))
        for got, dump in zip(found, dumps):
            stats = dump["stats"]
            asked = float(dump["requested_text"][:-3]) * (1 << 30)
            self.assertAlmostEqual(got.pop("total") / (1 << 20),
                                   float(dump["sum_total_text"][:-3]), places=2)
            self.assertEqual(got, {
                "line": dump["line"], "allocator": dump["allocator"],
                "limit_bytes": stats["Limit"], "in_use_bytes": stats["InUse"],
                "max_in_use_bytes": stats["MaxInUse"],
                "num_allocs": stats["NumAllocs"],
                "max_alloc_bytes": stats["MaxAllocSize"],
                "requested_bytes": round(asked),
                "largest_free_bytes": dump["largest_free"],
                "gap_bytes": dump["free_bytes"], "in_use": dump["in_use"],
                "free": dump["free"], "live_bytes": dump["in_use_bytes"],
                "largest": dump["largest_in_use"]})


if __name__ == "__main__":
    unittest.main()

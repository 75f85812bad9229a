# SPDX-License-Identifier: Apache-2.0
"""Memory snapshots made by Python's own pickle: all protocols, old and new
forms, histories that begin in the middle, refused requests, and files that are
cut, damaged or mean harm."""
import gzip
import io
import os
import pathlib
import pickle
import pickletools
import random
import unittest

import harness
import snapshots
from snapshots import MIB, Pool


def churn(pool, steps, dice):
    """Allocations and frees as they come; returns what is live."""
    live = []
    for _ in range(steps):
        if live and dice.random() < 0.5:
            pool.free(live.pop(dice.randrange(len(live))))
        else:
            try:
                live.append(pool.alloc(dice.randrange(1, 3 * MIB)))
            except MemoryError:
                pool.free(live.pop(0))
    return live


class Snapshots(unittest.TestCase):
    def setUp(self):
        self.folder = harness.scratch(self)

    def write(self, made, protocol=4, name="snapshot.pickle"):
        path = self.folder / name
        path.write_bytes(made if isinstance(made, bytes)
                         else pickle.dumps(made, protocol))
        return path

    def usage(self, path, device=0):
        return harness.row(path, f"SELECT * FROM device_usage "
                                 f"WHERE device = {device}")

    def check(self, path, pool):
        """The replay ends with what the pool held, and met its peak."""
        got = self.usage(path, pool.device)
        self.assertEqual(
            (got["framework_live_bytes"], got["live_bytes"],
             got["unknown_frees"], got["overlaps"]),
            (pool.live, sum(s["total_size"] for s in pool.segments), 0, 0))
        return got

    def test_all_protocols(self):
        pool = Pool()
        pool.segment(64 * MIB)
        churn(pool, 400, random.Random(1))
        made = snapshots.snapshot(pool)
        for protocol in range(6):
            with self.subTest(protocol=protocol):
                got = self.check(self.write(made, protocol), pool)
                self.assertEqual(got["framework_peak_bytes"], pool.peak)

    def test_packed_and_optimized(self):
        pool = Pool()
        pool.segment(64 * MIB)
        churn(pool, 200, random.Random(2))
        plain = pickletools.optimize(pickle.dumps(snapshots.snapshot(pool)))
        self.check(self.write(plain), pool)
        self.check(self.write(gzip.compress(plain), name="s.pickle.gz"), pool)

    def test_python_s_own_pickler_without_sharing(self):
        """As the writer in C++ does it: no memo to speak of."""
        pool = Pool()
        pool.segment(32 * MIB)
        churn(pool, 100, random.Random(3))
        out = io.BytesIO()
        pickler = pickle._Pickler(out, 2)
        pickler.fast = True
        pickler.dump(snapshots.snapshot(pool))
        self.check(self.write(out.getvalue()), pool)

    def test_form_of_2022(self):
        pool = Pool()
        pool.segment(64 * MIB)
        churn(pool, 300, random.Random(4))
        path = self.write(snapshots.of_2022(pool))
        self.check(path, pool)
        want = sorted((b["address"], b["requested_size"])
                      for b in pool.blocks() if b["state"] != "inactive")
        got = harness.rows(path, "SELECT address, requested_bytes FROM "
                                 "pool_block WHERE state = 'live' ORDER BY 1")
        self.assertEqual([tuple(one.values()) for one in got], want)

    def test_history_that_begins_in_the_middle(self):
        for ring in (1, 7, 50, 399):
            with self.subTest(ring=ring):
                pool = Pool()
                pool.segment(64 * MIB, quiet=True)
                pool.segment(64 * MIB, quiet=True)
                churn(pool, 400, random.Random(ring))
                path = self.write(snapshots.snapshot(pool, ring=ring))
                self.check(path, pool)
                notes = [one["note"] for one in
                         harness.rows(path, "SELECT note FROM coverage")]
                self.assertNotIn("not in the state at the end", " ".join(notes))

    def test_segments_that_grow_and_shrink(self):
        pool = Pool()
        pool.segment(40 * MIB, expandable=True)
        pool.note("segment_unmap", pool.segments[0]["address"] + 10 * MIB,
                  20 * MIB)
        pool.note("segment_map", pool.segments[0]["address"] + 10 * MIB,
                  20 * MIB)
        churn(pool, 50, random.Random(5))
        for ring in (None, len(pool.history) - 1, len(pool.history) - 2):
            with self.subTest(ring=ring):
                got = self.check(
                    self.write(snapshots.snapshot(pool, ring=ring)), pool)
                self.assertEqual(got["peak_bytes"], 40 * MIB)

    def test_several_devices(self):
        pools = [Pool(0), Pool(1, 0x7e0000000000)]
        for pool in pools:
            pool.segment(64 * MIB)
            churn(pool, 100, random.Random(pool.device))
        silent = {"segments": [], "device_traces": [[]]}
        path = self.write(snapshots.snapshot(*pools))
        for pool in pools:
            self.check(path, pool)
        self.assertEqual(harness.run("diagnose", self.write(
            silent, name="silent.pickle")).returncode, 0)

    def test_state_alone(self):
        """memory_snapshot() gives the segments only."""
        pool = Pool()
        pool.segment(64 * MIB)
        churn(pool, 100, random.Random(6))
        path = self.write(snapshots.snapshot(pool)["segments"])
        self.check(path, pool)
        text = harness.run("diagnose", path).stdout.decode()
        self.assertIn("live of a pool of 64.00 MiB when the snapshot was made",
                      text)
        self.assertNotIn("peak", text)

    def fragmented(self, free):
        """Every second MiB is live: as much is free, in pieces of one MiB."""
        pool = Pool()
        pool.segment(64 * MIB)
        blocks = [pool.alloc(MIB) for _ in range(64)]
        for address in blocks[::2]:
            pool.free(address)
        pool.refuse(16 * MIB, free)
        return self.write(snapshots.snapshot(pool))

    def test_a_refusal_for_want_of_one_piece(self):
        path = self.fragmented(free=MIB // 2)
        verdict = harness.diagnose(path)["verdict"]
        self.assertEqual(verdict["cause"], "memory/fragmentation")
        figures = verdict["facts"]
        self.assertEqual(figures["requested_bytes"], 16 * MIB)
        self.assertEqual(figures["largest_free_bytes"], MIB)
        got = harness.rows(path, "SELECT state, count(*) AS n, sum(bytes) AS b "
                                 "FROM heap_block GROUP BY state ORDER BY 1")
        self.assertEqual(got, [{"state": "free", "n": 32, "b": 32 * MIB},
                               {"state": "live", "n": 32, "b": 32 * MIB}])
        oom = harness.row(path, "SELECT * FROM oom")
        self.assertEqual((oom["free_bytes"], oom["reserved_bytes"],
                          oom["reserved_unallocated_bytes"]),
                         (MIB // 2, 64 * MIB, 32 * MIB))

    def test_a_refusal_for_want_of_memory(self):
        pool = Pool()
        pool.segment(64 * MIB)
        pool.alloc(60 * MIB)
        pool.refuse(512 * MIB, 20 * MIB)
        verdict = harness.diagnose(self.write(snapshots.snapshot(pool)))["verdict"]
        self.assertEqual(verdict["cause"], "memory/capacity")
        self.assertIn("was asked for 512.00 MiB with 20.00 MiB free; 492.00 MiB "
                      "were missing, and 488.00 MiB even if all that lay idle in "
                      "the pool", verdict["summary"])
        self.assertEqual(verdict["facts"]["missing_bytes"], (512 - 20) * MIB)
        self.assertIn("train.py:57 in step", verdict["facts"]["largest_site"])

    def test_ranks_are_told_apart_by_the_names_of_their_files(self):
        """Each refusal is its own rank's, and no process has number 0."""
        for rank, request in enumerate((512, 300)):
            pool = Pool()
            pool.segment(64 * MIB)
            pool.alloc(60 * MIB)
            pool.refuse(request * MIB, 20 * MIB)
            self.write(snapshots.snapshot(pool),
                       name=f"snapshot_rank{rank}.pickle")
        result = harness.diagnose(self.folder)
        refused = {one["unit"]["rank"]: one for one in result["findings"]
                   if one["rule"] == "trace.oom.capacity"}
        self.assertEqual(
            {rank: (one["unit"]["pid"], one["facts"]["requested_bytes"])
             for rank, one in refused.items()},
            {0: (None, 512 * MIB), 1: (None, 300 * MIB)})
        self.assertIn("seen on ranks 0, 1, GPU 0 of each",
                      result["verdict"]["summary"])
        text = harness.run("diagnose", self.folder).stdout.decode()
        self.assertIn("ranks 0, 1 (2)", text)
        self.assertNotIn("pid 0", text)

    def test_a_refusal_for_want_of_a_segment(self):
        """PyTorch takes 20 MiB from the device for a request of 1 to 10 MiB, so
        15 MiB that are free do not serve one of 5."""
        pool = Pool()
        pool.segment(64 * MIB)
        pool.alloc(62 * MIB)
        pool.refuse(5 * MIB, 15 * MIB)
        path = self.write(snapshots.snapshot(pool))
        verdict = harness.diagnose(path)["verdict"]
        self.assertEqual((verdict["cause"], verdict["rule"]),
                         ("memory/capacity", "trace.pool.segment"))
        figures = verdict["facts"]
        self.assertEqual(
            [figures[name] for name in ("requested_bytes", "segment_bytes",
                                        "free_bytes", "missing_bytes")],
            [5 * MIB, 20 * MIB, 15 * MIB, 3 * MIB])
        # A segment for 16 MiB is no larger than that.
        pool = Pool()
        pool.segment(64 * MIB)
        pool.alloc(62 * MIB)
        pool.refuse(16 * MIB, 11 * MIB)
        verdict = harness.diagnose(
            self.write(snapshots.snapshot(pool)))["verdict"]
        self.assertEqual(verdict["rule"], "trace.oom.capacity")

    def test_a_leak_from_step_to_step(self):
        pool = Pool()
        pool.segment(512 * MIB)
        kept = snapshots.frames(("/home/me/train.py", 80, "remember"))
        notes = []
        for _ in range(60):
            notes.append({"stage": "START", "name": "ProfilerStep",
                          "device": 0, "time_us": pool.time})
            pool.alloc(8 * MIB, kept)
            pool.free(pool.alloc(16 * MIB))
            pool.time += 1000
            notes.append({"stage": "END", "name": "ProfilerStep", "device": 0,
                          "time_us": pool.time})
        pool.refuse(64 * MIB, 0)
        path = self.write(snapshots.snapshot(pool, external_annotations=notes))
        verdict = harness.diagnose(path)["verdict"]
        self.assertEqual(verdict["cause"], "memory/leak")
        self.assertEqual(verdict["facts"]["bytes_per_step"], 8 * MIB)
        self.assertIn("train.py:80", verdict["facts"]["site"])

    def test_native_functions_that_python_called(self):
        stack = snapshots.frames(
            ("??", 0, "torch::CapturedTraceback::gather(bool, bool, bool)"),
            ("empty.cpp", 3, "at::detail::(anonymous namespace)::empty_cuda("
                             "c10::ArrayRef<long>, bool)"),
            ("??", 0, "at::_ops::relu::call(at::Tensor const&)"),
            ("/home/me/train.py", 57, "step"),
            ("??", 0, "_PyEval_EvalFrameDefault"),
            ("/home/me/train.py", 3, "main"))
        pool = Pool()
        pool.segment(64 * MIB)
        pool.alloc(8 * MIB, stack)
        path = self.write(snapshots.snapshot(pool))
        folded = harness.run("diagnose", path, "--format", "folded")
        self.assertEqual(
            folded.stdout.decode(), "process 1;GPU 0;/home/me/train.py:3 in main;"
            "/home/me/train.py:57 in step;at::_ops::relu::call;"
            f"at::detail::empty_cuda {8 * MIB}\n")

    def test_a_healthy_run(self):
        pool = Pool()
        pool.segment(64 * MIB)
        churn(pool, 300, random.Random(8))
        self.assertEqual(
            harness.diagnose(self.write(snapshots.snapshot(pool)))
            ["verdict"]["cause"], "unknown")

    def test_imported_run_says_the_same(self):
        path = self.fragmented(free=0)
        run = self.folder / "run"
        self.assertEqual(harness.run("import", path, "-o", run).returncode, 0)
        direct, imported = harness.diagnose(path), harness.diagnose(run)
        for one in direct, imported:
            for device in one["summary"]["devices"]:
                del device["path"]
        for part in ("verdict", "summary"):
            self.assertEqual(direct[part], imported[part])

    def test_mixed_with_a_log_and_forced(self):
        path = self.fragmented(free=0)
        log = self.folder / "train.log"
        log.write_text("Epoch 1 loss 2.0\n")
        found = harness.diagnose(path, "--log", log)
        self.assertEqual(found["verdict"]["cause"], "memory/fragmentation")
        self.assertIn("torch-snapshot",
                      {one["source"] for one in found["coverage"]})
        forced = harness.run("diagnose", "--source", f"torch-snapshot={log}")
        self.assertEqual(forced.returncode, 2)
        self.assertIn(b"is not an opcode of a pickle", forced.stderr)


class Evil:
    def __reduce__(self):
        return os.mkdir, ("was-run",)


class DamagedSnapshots(unittest.TestCase):
    def setUp(self):
        self.folder = harness.scratch(self)
        pool = Pool()
        pool.segment(64 * MIB)
        churn(pool, 300, random.Random(9))
        self.whole = pickle.dumps(snapshots.snapshot(pool), 4)

    def diagnose(self, data):
        path = self.folder / "bad.pickle"
        path.write_bytes(data)
        return harness.run("diagnose", "--format", "json", "--source",
                           f"torch-snapshot={path}")

    def test_cut(self):
        for part in (0.2, 0.5, 0.9, 0.999):
            with self.subTest(part=part):
                size = int(len(self.whole) * part)
                result = self.diagnose(self.whole[:size])
                self.assertEqual(result.returncode, 4)
                self.assertIn(f"it is truncated at byte {size}".encode(), result.stderr)
                self.assertIn(b"torch-snapshot", result.stdout)

    def test_calls_are_refused(self):
        cases = {"STACK_GLOBAL": pickle.dumps({"segments": [Evil()]}, 4),
                 "GLOBAL": pickle.dumps({"segments": [Evil()]}, 2),
                 "BINPERSID": b"\x80\x02}X\x08\0\0\0segmentsK\1Qs.",
                 "BUILD": b"\x80\x02}X\x08\0\0\0segmentsK\1bs.",
                 "REDUCE": b"\x80\x02}X\x08\0\0\0segmentsK\1Rs."}
        for name, data in cases.items():
            with self.subTest(name):
                result = self.diagnose(data)
                self.assertIn(result.returncode, (2, 4))
                self.assertIn(f"opcode {name} at byte ".encode(), result.stderr)
                self.assertFalse(pathlib.Path("was-run").exists())

    def test_nonsense(self):
        cases = {
            b"": "it is truncated at byte 0", b"\x80\x09": "protocol 9 is newer",
            b"\x80\x04K\x01.": "not a memory snapshot",
            b"\x80\x04}(K\x01u.": "a key has no value",
            b"\x80\x04h\x05.": "memo entry 5 does not exist",
            b"\x80\x02}r\xff\xff\xff\x7f.": "its memo has more entries",
            b"\x80\x04X\xff\xff\xff\xff": "larger than the limit",
            b"\x80\x04" + b"(" * 1000 + b".": "STOP inside an open container",
            b"\x80\x04]\x94h\x00a.": "not a memory snapshot"}
        for data, word in cases.items():
            with self.subTest(data[:20]):
                result = self.diagnose(data)
                self.assertEqual(result.returncode, 2)
                self.assertIn(word.encode(), result.stderr)

    def test_impossible_figures_are_counted(self):
        pool = Pool()
        pool.segment(MIB)
        pool.note("alloc", -5, 1 << 62)
        pool.note("alloc", 1 << 80, -1)
        pool.note("free_completed", 1 << 63, 3)
        pool.note("teleport", 512, 3)
        path = self.folder / "odd.pickle"
        path.write_bytes(pickle.dumps(snapshots.snapshot(pool)))
        got = harness.rows(path, "SELECT kind, count FROM loss ORDER BY kind")
        self.assertEqual(got, [{"kind": "impossible entries", "count": 3},
                               {"kind": "unknown entries", "count": 1}])


if __name__ == "__main__":
    unittest.main()

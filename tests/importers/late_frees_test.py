# SPDX-License-Identifier: Apache-2.0
"""Blocks of PyTorch's pool that were given back and could not go free at once:
made histories against a model that knows when each was given back."""
import pathlib
import pickle
import random
import unittest

import harness
from snapshots import MIB, Pool, frames, snapshot

HOLD = frames(("/home/me/train.py", 9, "prefetch"))


class StreamPool(Pool):
    """A free of what another stream uses is asked for and completed later."""

    def __init__(self, **options):
        super().__init__(**options)
        self.waiting = {}  # address: bytes
        self.peak_waiting = 0

    def alloc(self, size, stack=HOLD):
        before = self.peak
        address = super().alloc(size, stack)
        if self.peak > before:
            self.peak_waiting = sum(self.waiting.values())
        return address

    def block(self, address):
        return next(b for b in self.blocks() if b["address"] == address)

    def give_back(self, address):
        block = self.block(address)
        self.waiting[address] = block["requested_size"]
        block["state"] = "active_awaiting_free"
        self.note("free_requested", address, block["requested_size"])

    def complete(self, address):
        """As free(), but for its first half."""
        del self.waiting[address]
        note, self.note = self.note, lambda action, *rest, **more: (
            action == "free_requested" or note(action, *rest, **more))
        try:
            self.free(address)
        finally:
            self.note = note


class LateFreesTest(unittest.TestCase):
    def setUp(self):
        self.folder = harness.scratch(self)

    def file(self, *pools, **options):
        path = self.folder / "snapshot.pickle"
        path.write_bytes(pickle.dumps(snapshot(*pools, **options)))
        return path

    def pool(self, **options):
        pool = StreamPool(**options)
        pool.segment(512 * MIB)
        return pool

    def waiting_at_peak(self, path, device=0):
        peaks = harness.diagnose(path)["summary"]["peaks"]
        return sum(peak["waiting_bytes"] for peak in peaks
                   if peak["layer"] == "pool" and peak["device"] == device)

    def test_what_waits_at_the_peak(self):
        pool = self.pool()
        first, second = pool.alloc(100 * MIB), pool.alloc(50 * MIB)
        pool.give_back(first)
        given = pool.time
        pool.alloc(200 * MIB)  # the peak: 350 MiB, of which 100 wait
        pool.complete(first)
        freed = pool.time
        pool.free(second)
        path = self.file(pool)
        late, = harness.rows(path, "SELECT * FROM late_free")
        self.assertEqual((late["bytes"], late["time"], late["freed_time"],
                          late["waited"]),
                         (100 * MIB, given * 1000, freed * 1000,
                          (freed - given) * 1000))
        self.assertEqual(self.waiting_at_peak(path), 100 * MIB)
        block, = harness.rows(path, "SELECT bytes, given_back_time FROM "
                              "peak_block WHERE given_back_time > 0")
        self.assertEqual(block["given_back_time"], given * 1000)
        text = harness.run("diagnose", "-v", path).stdout.decode()
        self.assertIn("100.00 MiB were freed and waited", text)

    def test_at_once_is_not_late(self):
        pool = self.pool()
        held = [pool.alloc(MIB * (i + 1)) for i in range(8)]
        for address in held:
            pool.free(address)
        path = self.file(pool)
        self.assertEqual(harness.rows(path, "SELECT * FROM late_free"), [])
        self.assertEqual(self.waiting_at_peak(path), 0)
        self.assertNotIn("waited for another stream",
                         harness.run("diagnose", "-v", path).stdout.decode())

    def test_given_back_behind_the_peak(self):
        pool = self.pool()
        block = pool.alloc(100 * MIB)
        pool.alloc(100 * MIB)
        pool.give_back(block)
        pool.alloc(512)
        pool.free(pool.alloc(MIB))
        pool.complete(block)
        self.assertEqual(pool.peak_waiting, 100 * MIB)
        pool.alloc(50 * MIB)  # less than the peak
        path = self.file(pool)
        self.assertEqual(self.waiting_at_peak(path), 100 * MIB)

    def test_still_waiting_at_the_end(self):
        pool = self.pool()
        block = pool.alloc(100 * MIB)
        pool.give_back(block)
        pool.alloc(100 * MIB)
        path = self.file(pool)
        late, = harness.rows(path, "SELECT freed_time, waited FROM late_free")
        self.assertEqual(late, {"freed_time": None, "waited": None})
        self.assertEqual(self.waiting_at_peak(path), 100 * MIB)

    def test_a_history_that_begins_between_the_halves(self):
        pool = self.pool()
        block = pool.alloc(100 * MIB)
        pool.give_back(block)
        pool.alloc(100 * MIB)
        pool.complete(block)
        pool.alloc(MIB)
        path = self.file(pool, ring=2)  # the completion and the last
        self.assertEqual(harness.rows(path, "SELECT * FROM late_free"), [])

    def test_two_devices_between_each_other(self):
        pools = [self.pool(), self.pool(device=1, base=0x7e0000000000)]
        blocks = [pool.alloc(64 * MIB) for pool in pools]
        pools[1].give_back(blocks[1])
        # Entries of device 0 lie between by their times, not in the history.
        pools[0].time = pools[1].time - 5
        pools[0].alloc(MIB)
        pools[1].complete(blocks[1])
        path = self.file(*pools)
        self.assertEqual(harness.rows(path, "SELECT * FROM late_free"), [])

    def test_random_histories(self):
        for seed in range(12):
            rng = random.Random(seed)
            pool = self.pool()
            live = []
            for _ in range(400):
                choice = rng.random()
                if choice < 0.5 and pool.live < 300 * MIB:
                    live.append(pool.alloc(rng.randrange(1, 8 * MIB)))
                elif choice < 0.65 and pool.waiting:
                    pool.complete(rng.choice(list(pool.waiting)))
                elif live:
                    address = live.pop(rng.randrange(len(live)))
                    (pool.give_back if rng.random() < 0.4 else pool.free)(
                        address)
            with self.subTest(seed=seed):
                path = self.file(pool)
                self.assertEqual(self.waiting_at_peak(path), pool.peak_waiting)


class RealFilesTest(unittest.TestCase):
    """Their programs use one stream; their histories, read by Python's own
    pickle, have each completion right behind its request."""

    def test_none_is_late(self):
        folder = harness.realdata("torch_snapshot")
        files = sorted(folder.glob("*.pickle*"))
        if not files:
            self.skipTest(harness.shared.missing("realdata"))
        for path in files:
            with self.subTest(path=path.name):
                self.assertEqual(
                    harness.rows(path, "SELECT * FROM late_free"), [])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""A pool under settings that change how it rounds and splits: what lies free in
it at a refusal, worked out from its history, against the pool's own blocks."""
import pickle
import random
import unittest

import harness
from snapshots import MIB, TRAIN, Pool, snapshot


class SetPool(Pool):
    """Rounds to so many parts of a power of two (0: to 512 bytes) and leaves
    blocks of `most` bytes and more whole."""

    def __init__(self, divisions=0, most=None, **options):
        super().__init__(**options)
        self.divisions, self.most = divisions, most

    def rounded(self, size):
        floor = 1 << (size.bit_length() - 1)
        if self.divisions > 1 and size > 512 * self.divisions:
            step = floor // self.divisions
            return -(-size // step) * step
        return -(-size // 512) * 512

    def alloc(self, size, stack=TRAIN):
        rounded = self.rounded(size)
        fitting = [(b["size"], b["address"], b, s) for s in self.segments
                   for b in s["blocks"]
                   if b["state"] == "inactive" and b["size"] >= rounded
                   and (self.most is None or (b["size"] >= self.most) ==
                        (rounded >= self.most))]
        if not fitting:
            raise MemoryError(size)
        _, address, block, segment = min(fitting, key=lambda one: one[:2])
        rest = block["size"] - rounded
        if rest > MIB and (self.most is None or rounded < self.most):
            at = segment["blocks"].index(block)
            segment["blocks"].insert(at + 1, {
                **block, "address": address + rounded, "size": rest})
            block["size"] = rounded
        block.update(requested_size=size, frames=stack,
                     state="active_allocated")
        self.note("alloc", address, size, stack)
        self.live += size
        return address

    def free_blocks(self):
        return [b["size"] for b in self.blocks() if b["state"] == "inactive"]


def settings(divisions=0, most=None):
    """As a snapshot tells what was in force."""
    return {"PYTORCH_CUDA_ALLOC_CONF": "",
            "max_split_size": most or -1, "garbage_collection_threshold": 0.0,
            "expandable_segments": False, "pinned_num_register_threads": 1,
            "release_lock_on_cudamalloc": False,
            "pinned_use_cuda_host_register": False,
            "roundup_power2_divisions": {
                str(1 << i): divisions for i in range(16)}}


class PoolSettingsTest(unittest.TestCase):
    def setUp(self):
        self.path = harness.scratch(self) / "snapshot.pickle"

    def refused(self, pool, settings_told):
        wanted = max(pool.free_blocks(), default=0) + MIB
        pool.refuse(wanted, free=0)
        self.path.write_bytes(pickle.dumps(
            snapshot(pool, allocator_settings=settings_told)))
        return harness.row(self.path, "SELECT * FROM oom")

    def fill(self, pool, seed, most):
        rng = random.Random(seed)
        live = []
        for _ in range(60):
            try:
                live.append(pool.alloc(rng.randrange(MIB + 1, most)))
            except MemoryError:
                break
        for address in rng.sample(live, len(live) // 3):
            pool.free(address)

    def test_rounding_to_parts_of_powers_of_two(self):
        for divisions in (0, 2, 4, 8):
            pool = SetPool(divisions)
            pool.segment(256 * MIB)
            self.fill(pool, divisions, 16 * MIB)
            with self.subTest(divisions=divisions):
                oom = self.refused(pool, settings(divisions))
                self.assertEqual(oom["largest_free_bytes"],
                                 max(pool.free_blocks()))
                self.assertEqual(oom["gap_bytes"], sum(pool.free_blocks()))

    def test_blocks_that_are_never_split(self):
        pool = SetPool(most=32 * MIB)
        for size in (40, 64, 36, 100):  # oversize ones have segments of theirs
            pool.segment(size * MIB)
        pool.segment(20 * MIB)
        for size in (33 * MIB, 50 * MIB, 3 * MIB):
            pool.alloc(size)
        oom = self.refused(pool, settings(most=32 * MIB))
        self.assertEqual(sorted(pool.free_blocks()),
                         [17 * MIB, 40 * MIB, 100 * MIB])
        self.assertEqual((oom["largest_free_bytes"], oom["gap_bytes"]),
                         (100 * MIB, 157 * MIB))

    def test_without_settings_the_defaults_hold(self):
        pool = SetPool()
        pool.segment(64 * MIB)
        pool.alloc(9 * MIB)
        pool.alloc(9 * MIB + 1)
        oom = self.refused(pool, settings())
        self.assertEqual(oom["largest_free_bytes"], 46 * MIB - 512)


if __name__ == "__main__":
    unittest.main()

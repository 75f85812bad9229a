# SPDX-License-Identifier: Apache-2.0
"""Random streams through each model and through the naive one in Python: the
states after every request are equal. INQUEST_WHATIF_EVENTS=1000000 for the long
run; what CI does are a few seconds of it."""
import os
import random
import subprocess
import unittest

import naive_models as naive
from naive_models import KIB, MIB

EVENTS = int(os.environ.get("INQUEST_WHATIF_EVENTS", "60000"))
PROGRAM = os.path.join(os.environ["INQUEST_BUILD_DIR"],
                       "tests/whatif/whatif_model_replay")

CASES = [
    ("cuda", "", naive.CudaMalloc, {}),
    ("cuda-one-piece", "", naive.CudaMalloc, {}),
    ("async", "", naive.Async, {}),
    ("torch", "", naive.Torch, {}),
    ("torch", "expandable_segments:True", naive.Torch, {"grow": True}),
    ("torch", "max_split_size_mb:24", naive.Torch, {"split": 24 * MIB}),
    ("torch", "max_split_size_mb:40,max_non_split_rounding_mb:30,"
     "large_segment_size_mb:32", naive.Torch,
     {"split": 40 * MIB, "rounding": 30 * MIB, "large": 32 * MIB}),
    ("torch", "garbage_collection_threshold:0.6,"
     "per_process_memory_fraction:0.9", naive.Torch,
     {"gc": 0.6, "fraction": 0.9}),
    ("torch", "roundup_power2_divisions:[1:8,8:4,32:2,>:1]", naive.Torch,
     {"divisions": [8, 0, 0, 4, 0] + [1] * 11}),
    ("torch", "roundup_power2_divisions:4,expandable_segments:True,"
     "large_segment_size_mb:12", naive.Torch,
     {"divisions": [4] * 16, "grow": True, "large": 12 * MIB}),
    ("bfc-growth", "", naive.Bfc, {"growth": True}),
    ("bfc", "", naive.Bfc, {"growth": False}),
]


def sizes(rng):
    kind = rng.random()
    if kind < 0.3:
        return rng.randrange(1, 64 * KIB)
    if kind < 0.5:
        return rng.choice([512, 4096, 100_000, MIB - 1, MIB, MIB + 1])
    if kind < 0.8:
        return rng.randrange(MIB, 12 * MIB)
    return rng.choice([10 * MIB - 1, 10 * MIB, 20 * MIB, 24 * MIB,
                       rng.randrange(10 * MIB, 70 * MIB)])


def stream(seed, count):
    """Fills up, empties, and asks for memory to be given back at times."""
    rng = random.Random(seed)
    live, block, lines = [], 0, []
    many = rng.choice([12, 40, 80])
    for i in range(count):
        if i % 500 == 0:
            many = rng.choice([4, 12, 40, 80])
        if rng.random() < 0.004:
            lines.append(("e",))
        elif live and rng.random() < 0.3 + 0.4 * (len(live) > many):
            at = rng.randrange(len(live))
            live[at], live[-1] = live[-1], live[at]
            lines.append(("f", live.pop()))
        else:
            queue = rng.choice([0, 0, 0, 0, 1, 2, 3])
            lines.append(("a", block, sizes(rng), queue))
            live.append(block)
            block += 1
    return lines


def expected(model, lines, capacity, settings, one_piece):
    allocator = model(naive.Driver(capacity, one_piece), settings)
    for line in lines:
        granted = True
        if line[0] == "a":
            granted = allocator.alloc(*line[1:])
        elif line[0] == "f":
            allocator.free(line[1])
        else:
            allocator.empty()
        used, reserved, largest, segments = allocator.state()
        yield " ".join([str(int(granted)), str(used), str(reserved),
                        str(largest)] +
                       [f"{address:x}:{size:x}" for address, size in segments])


class RandomStreams(unittest.TestCase):
    def compare(self, name, text, model, settings, seed, count):
        capacity = random.Random(seed).choice([200, 500, 3000]) * MIB
        lines = stream(seed, count)
        script = "".join(" ".join(map(str, line)) + "\n" for line in lines)
        got = subprocess.run([PROGRAM, name, str(capacity), text],
                             input=script, stdout=subprocess.PIPE, text=True,
                             check=True).stdout.splitlines()
        refused = 0
        one_piece = name == "cuda-one-piece"
        wanted = expected(model, lines, capacity, settings, one_piece)
        for number, want in enumerate(wanted):
            self.assertEqual(got[number], want,
                             (name, text, seed, number, lines[number]))
            refused += want[0] == "0"
        self.assertEqual(len(got), len(lines))
        return refused

    def test_all(self):
        chunk = 700
        rounds = max(1, EVENTS // (chunk * len(CASES)))
        for name, text, model, settings in CASES:
            with self.subTest(name=name, settings=text):
                refused = sum(
                    self.compare(name, text, model, settings, seed, chunk)
                    for seed in range(rounds))
                if rounds > 2:
                    self.assertGreater(refused, 0)


if __name__ == "__main__":
    unittest.main()

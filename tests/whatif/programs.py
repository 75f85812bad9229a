# SPDX-License-Identifier: Apache-2.0
"""Made-up training runs on the naive model of PyTorch's allocator, and the
memory snapshots that PyTorch would have written of them."""
import random

import naive_models as naive
from naive_models import MIB

BASE_TIME = 1_700_000_000_000_000


def frames(*places):
    return [{"filename": file, "line": line, "name": name}
            for file, line, name in places]


FORWARD = frames(("/home/me/train.py", 57, "forward"))
LEAKS = frames(("/home/me/train.py", 80, "remember"))


def training(seed, steps, leak=0, scale=1.0):
    """Requests of a run: weights, then steps of memory that comes and goes.
    Yields ("alloc", key, bytes, stack), ("free", key), ("begin",), ("step",)."""
    rng = random.Random(seed)
    weights = [rng.choice([300_000, 2 * MIB, 5 * MIB, 16 * MIB])
               for _ in range(12)]
    for i, size in enumerate(weights):
        yield ("alloc", ("weight", i), size, FORWARD)
    for step in range(steps):
        yield ("begin",)
        length = rng.choice([60, 80, 100, 128])
        kept = []
        for i in range(12):
            size = max(1, round(scale * length * rng.choice(
                [30_011, 120_011, 250_011])))
            yield ("alloc", (step, i), size, FORWARD)
            kept.append((step, i))
            yield ("alloc", (step, i, "work"), size // 3, FORWARD)
            yield ("free", (step, i, "work"))
        if step == 0:
            for i, size in enumerate(weights):
                yield ("alloc", ("moment", i), size, FORWARD)
        if leak:
            yield ("alloc", ("leak", step), leak, LEAKS)
        rng.shuffle(kept)
        for key in kept:
            yield ("free", key)
        yield ("step",)


class Run:
    """Plays requests until the end or the first refusal."""

    def __init__(self, requests, capacity, settings=None, queues=1):
        self.driver = naive.Driver(capacity)
        self.torch = naive.Torch(self.driver, settings or {})
        self.history, self.notes = [], []
        self.time, self.live, self.died = BASE_TIME, {}, False
        self.peak = self.reserved = 0
        self.held = {}
        self.told = []  # of blocks, as the allocator reports them
        self.queues = queues
        for request in requests:
            if not self.play(*request):
                self.died = True
                break

    def note(self, action, address, size, stream=0, stack=FORWARD, **more):
        self.time += 10
        self.history.append({
            "action": action, "addr": address, "size": size, "stream": stream,
            "time_us": self.time, "frames": stack, **more})

    def play(self, op, key=None, size=0, stack=FORWARD):
        if op in ("begin", "step"):
            self.time += 10
            self.notes.append({"device": 0, "time_us": self.time,
                               "stage": "START" if op == "begin" else "END",
                               "name": "step"})
            return True
        if op == "free":
            address, size, queue, block = self.live.pop(key)
            self.note("free_requested", address, size, queue)
            self.note("free_completed", address, size, queue)
            self.torch.free(block)
            return True
        queue = hash(key[-1]) % self.queues if self.queues > 1 else 0
        block = len(self.history) + 1
        granted = self.torch.alloc(block, size, queue)
        self.note_segments()
        if not granted:
            self.note("oom", 0, self.torch.round(size), queue)
            del self.history[-1]["addr"]
            self.history[-1]["device_free"] = (
                self.driver.capacity - self.driver.used())
            return False
        piece = next(piece for segment in self.torch.segments
                     for piece in segment.pieces if piece.block == block)
        self.live[key] = (piece.address, size, queue, block)
        self.note("alloc", piece.address, size, queue, stack)
        self.told.append((self.time, piece.address, piece.size, self.reserved))
        return True

    def stretches(self):
        held = {}
        for segment in self.torch.segments:
            for piece in segment.pieces:
                if piece.mapped:
                    at = segment.pieces.index(piece)
                    if at and segment.pieces[at - 1].mapped:
                        continue
                    size = 0
                    for one in segment.pieces[at:]:
                        if not one.mapped:
                            break
                        size += one.size
                    held[piece.address] = (size, segment)
        return held

    def note_segments(self):
        """What the driver was given back, then what it gave."""
        now = self.stretches()
        for address, (size, segment) in list(self.held.items()):
            if segment.base is None and not self.same(address, now):
                self.note("segment_free", address, size, segment.queue)
        pages = [self.pages(held) for held in (self.held, now)]
        for action, gone in (("segment_unmap", pages[0] - pages[1]),
                             ("segment_map", pages[1] - pages[0])):
            for address, page, queue in sorted(gone):
                self.note(action, address, page, queue)
        for address, (size, segment) in now.items():
            if segment.base is None and self.held.get(
                    address, (0, None))[1] is not segment:
                self.note("segment_alloc", address, size, segment.queue)
        self.held = now
        self.reserved = sum(size for size, _ in now.values())
        self.peak = max(self.peak, self.reserved)

    def same(self, address, now):
        """Not another segment at the same place."""
        return now.get(address, (0, None))[1] is self.held[address][1]

    def pages(self, held):
        return {(address + at, page, segment.queue)
                for address, (size, segment) in held.items()
                if segment.base is not None
                for page in [self.torch.page(segment.small)]
                for at in range(0, size, page)}

    def segments(self):
        made = []
        asked = {block: (size, key) for key, (_, size, _, block) in
                 self.live.items()}
        for address, (size, segment) in sorted(self.stretches().items()):
            blocks = []
            for piece in segment.pieces:
                if not address <= piece.address < address + size:
                    continue
                used = piece.block is not None
                blocks.append({
                    "address": piece.address, "size": piece.size,
                    "requested_size": asked[piece.block][0] if used else 0,
                    "state": "active_allocated" if used else "inactive",
                    "frames": FORWARD if used else []})
            active = [b for b in blocks if b["state"] != "inactive"]
            made.append({
                "device": 0, "address": address, "total_size": size,
                "allocated_size": sum(b["size"] for b in active),
                "active_size": sum(b["size"] for b in active),
                "requested_size": sum(b["requested_size"] for b in active),
                "stream": segment.queue,
                "segment_type": "small" if segment.small else "large",
                "segment_pool_id": (0, 0),
                "is_expandable": segment.base is not None, "frames": [],
                "blocks": blocks})
        return made

    def snapshot(self, conf="", ring=None, steps=True):
        return {"segments": self.segments(),
                "device_traces": [self.history[-ring:] if ring
                                  else self.history],
                "external_annotations": self.notes if steps else [],
                "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": conf}}

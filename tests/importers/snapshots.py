# SPDX-License-Identifier: Apache-2.0
"""Makes memory snapshots as PyTorch writes them: a small caching allocator with
segments, first-fit blocks and a ring of history entries. The state that it
keeps while it runs is what the tests compare with."""

MIB = 1 << 20


def frames(*places):
    return [{"filename": file, "line": line, "name": name}
            for file, line, name in places]


NATIVE = frames(("??", 0, "torch::unwind::unwind()"))
TRAIN = NATIVE + frames(("/site-packages/torch/nn/linear.py", 125, "forward"),
                        ("/home/me/train.py", 57, "step"))


class Pool:
    """One device. Sizes are rounded up to 512 bytes, nothing else."""

    def __init__(self, device=0, base=0x7f0000000000):
        self.device, self.base = device, base
        self.segments, self.history, self.time = [], [], 1_700_000_000_000_000
        self.peak = self.live = 0

    def note(self, action, address, size, stack=TRAIN, **more):
        self.time += 10
        self.history.append({
            "action": action, "addr": address, "size": size, "stream": 0,
            "time_us": self.time, "frames": stack, **more})

    def segment(self, size, quiet=False, expandable=False):
        address = self.base
        self.base += size
        self.segments.append({
            "device": self.device, "address": address, "total_size": size,
            "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0),
            "is_expandable": expandable, "frames": [],
            "blocks": [{"address": address, "size": size, "requested_size": 0,
                        "state": "inactive", "frames": []}]})
        if not quiet:
            self.note("segment_map" if expandable else "segment_alloc",
                      address, size)

    def alloc(self, size, stack=TRAIN):
        rounded = (size + 511) // 512 * 512
        for segment in self.segments:
            for i, block in enumerate(segment["blocks"]):
                if block["state"] != "inactive" or block["size"] < rounded:
                    continue
                rest = block["size"] - rounded
                if rest:
                    segment["blocks"].insert(i + 1, {
                        **block, "address": block["address"] + rounded,
                        "size": rest})
                block.update(size=rounded, requested_size=size, frames=stack,
                             state="active_allocated")
                self.note("alloc", block["address"], size, stack)
                self.live += size
                self.peak = max(self.peak, self.live)
                return block["address"]
        raise MemoryError(size)

    def free(self, address):
        for segment in self.segments:
            blocks = segment["blocks"]
            for i, block in enumerate(blocks):
                if block["address"] != address:
                    continue
                size = block["requested_size"]
                self.note("free_requested", address, size)
                self.note("free_completed", address, size)
                self.live -= size
                block.update(state="inactive", frames=[])
                for j in (i + 1, i):  # with free neighbours it is one
                    if 0 < j < len(blocks) and all(
                            b["state"] == "inactive" for b in blocks[j - 1:j + 1]):
                        blocks[j - 1]["size"] += blocks.pop(j)["size"]
                return

    def refuse(self, size, free):
        self.note("oom", 0, size)
        del self.history[-1]["addr"]
        self.history[-1]["device_free"] = free

    def blocks(self):
        return [b for s in self.segments for b in s["blocks"]]


def sums(segment):
    active = [b for b in segment["blocks"] if b["state"] != "inactive"]
    size = sum(b["size"] for b in active)
    return {"allocated_size": size, "active_size": size,
            "requested_size": sum(b["requested_size"] for b in active)}


def snapshot(*pools, ring=None, **more):
    """Of the last `ring` entries."""
    return {"segments": [{**s, **sums(s)} for p in pools for s in p.segments],
            "device_traces": [p.history[-ring:] if ring else p.history
                              for p in pools], **more}


def of_2022(pool):
    """As PyTorch 1.13 and 2.0 wrote it: no addresses in blocks, what was asked
    for in their history, no times."""
    made = snapshot(pool)
    for segment in made["segments"]:
        for key in ("segment_pool_id", "is_expandable", "frames"):
            del segment[key]
        segment["blocks"] = [
            {"size": b["size"], "state": b["state"],
             **({"history": [{"addr": b["address"], "frames": b["frames"],
                              "real_size": b["requested_size"]}]}
                if b["state"] != "inactive" else {})}
            for b in segment["blocks"]]
    for history in made["device_traces"]:
        history[:] = [{k: v for k, v in e.items() if k != "time_us"}
                      for e in history]
    return made

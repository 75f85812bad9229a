# SPDX-License-Identifier: Apache-2.0
"""Makes traces as PyTorch's profiler writes them, in the forms that its versions
have had, with an independent account of what they say."""
import collections
import json

MIB = 1 << 20
BASE = 1_700_000_000_000_000_000


class Profile:
    """Events in the order of time; `text` shuffles them as threads do."""

    def __init__(self, addresses=True, sums=True, base=True):
        self.addresses, self.sums, self.base = addresses, sums, base
        self.events, self.now = [], 1000
        self.live = collections.defaultdict(dict)  # device: address: bytes
        self.total = collections.Counter()
        self.peak = collections.Counter()
        self.allocs = collections.Counter()
        self.frees = collections.Counter()
        self.place = 0x7f0000000000

    def _stamp(self, nanoseconds):
        if self.base:
            return json.loads(f"{nanoseconds // 1000}.{nanoseconds % 1000:03}")
        return (BASE + nanoseconds) // 1000

    def _note(self, name, device, size, address=None, thread=77):
        self.now += 1000
        args = {"Device Type": 0 if device < 0 else 1, "Device Id": device,
                "Bytes": size}
        if self.addresses and address is not None:
            args["Addr"] = address
        if self.sums:
            args["Total Allocated"] = self.total[device]
            args["Total Reserved"] = -(-self.total[device] // MIB) * MIB
        self.events.append({
            "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": name,
            "pid": 4711, "tid": thread, "ts": self._stamp(self.now),
            "args": args})

    def alloc(self, size, device=0, silent=False):
        address = self.place
        self.place += size + 512
        self.live[device][address] = size
        self.total[device] += size
        if not silent:
            self.allocs[device] += 1
            self._note("[memory]", device, size, address)
        self.peak[device] = max(self.peak[device], self.total[device])
        return address

    def free(self, address, device=0):
        size = self.live[device].pop(address)
        self.total[device] -= size
        self.frees[device] += 1
        self._note("[memory]", device, -size, address)

    def refuse(self, size, device=0):
        self._note("[OutOfMemory]", device, size)

    def span(self, name, duration, category="cpu_op", thread=77, **args):
        self.now += 1000
        self.events.append({
            "ph": "X", "cat": category, "name": name, "pid": 4711,
            "tid": thread, "ts": self._stamp(self.now), "dur": duration,
            "args": args})

    def head(self):
        head = {"schemaVersion": 1, "deviceProperties": [
            {"id": 0, "name": "NVIDIA A100", "totalGlobalMem": 40 << 30,
             "computeMajor": 8, "computeMinor": 0}],
            "cuda_driver_version": 12040, "cuda_runtime_version": 12010,
            "profile_memory": 1,
            "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8,
                                "pg_config": [{"rank": 9}]}}
        if self.base:
            head["baseTimeNanoseconds"] = BASE
        return head

    def made(self):
        return {**self.head(), "traceEvents": self.events,
                "traceName": "trace.json"}

    def text(self, **how):
        return json.dumps(self.made(), **how)

# SPDX-License-Identifier: Apache-2.0
"""Makes a profile of PyTorch of about MEBIBYTES, as Kineto writes it: operators,
calls of the runtime, kernels with the arrows to them, and the allocator's
[memory] events, in the proportions of a profile of ResNet-50. For bench/run:
FILE MEBIBYTES."""
import sys

HEAD = """{
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42949672960,
      "computeMajor": 8, "computeMinor": 0
    }
  ],
  "baseTimeNanoseconds": 1700000000000000000,
  "traceEvents": [
"""
OPERATOR = """  {{
    "ph": "X", "cat": "cpu_op", "name": "aten::{name}", "pid": 4711, "tid": 4711,
    "ts": {at}.250, "dur": 21.500,
    "args": {{
      "External id": {number}, "Record function id": 0, "Sequence number": {number},
      "Fwd thread id": 0, "Concrete Inputs": ["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1"],
      "Input type": ["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"],
      "Input Strides": [[200704, 3136, 56, 1], [64, 1, 1, 1], [], [], [], [], [], [], []],
      "Input Dims": [[32, 64, 56, 56], [64, 64, 1, 1], [], [], [], [], [], [], []], "Ev Idx": {number}
    }}
  }},
"""
MEMORY = """  {{
    "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]",
    "pid": 4711, "tid": 4711,
    "ts": {at}.500,
    "args": {{
      "Total Reserved": 8589934592, "Total Allocated": {total},
      "Bytes": {bytes}, "Addr": {address}, "Device Id": 0, "Device Type": 1,
      "Ev Idx": {number}
    }}
  }},
"""
LAUNCH = """  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4711,
    "tid": 4711,
    "ts": {at}.600, "dur": 5.125,
    "args": {{
      "External id": {number}, "cbid": 211, "correlation": {number}
    }}
  }},
  {{
    "ph": "s", "id": {number}, "pid": 4711, "tid": 4711, "ts": {at}.600,
    "cat": "ac2g", "name": "ac2g"
  }},
  {{
    "ph": "X", "cat": "kernel", "name": "void at::native::{name}_kernel<4, at::native::AUnaryFunctor<float> >(int, at::native::AUnaryFunctor<float>)", "pid": 0,
    "tid": 7,
    "ts": {at}.900, "dur": 3.250,
    "args": {{
      "External id": {number}, "queued": 0, "device": 0, "context": 1,
      "stream": 7, "correlation": {number}, "registers per thread": 32,
      "shared memory": 0, "blocks per SM": 7.4, "warps per SM": 29.6,
      "grid": [800, 1, 1], "block": [128, 1, 1],
      "est. achieved occupancy %": 46
    }}
  }},
  {{
    "ph": "f", "id": {number}, "pid": 0, "tid": 7, "ts": {at}.900,
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  }},
"""
NAMES = ["empty", "conv2d", "batch_norm", "relu_", "add_", "max_pool2d"]
MIB = 1 << 20


class Step:
    """Blocks that are taken one after the other, and given back in the end."""

    def __init__(self):
        self.number, self.at = 0, 1000

    def text(self):
        parts, live = [], []

        def add(form, **more):
            self.number += 1
            self.at += 30
            parts.append(form.format(
                at=self.at, number=self.number,
                name=NAMES[self.number % len(NAMES)], **more))

        def note(size, address):
            add(MEMORY, bytes=size, address=address,
                total=sum(live))

        for i in range(96):
            for _ in range(3):
                add(OPERATOR)
            live.append((i % 12 + 1) * MIB)
            note(live[-1], 0x7f0000000000 + i * 16 * MIB)
            for _ in range(2 if i % 3 == 0 else 1):
                add(LAUNCH)
        for i in reversed(range(96)):
            size = live.pop()
            note(-size, 0x7f0000000000 + i * 16 * MIB)
            add(OPERATOR)
        return "".join(parts)


def main(path, mebibytes):
    step, written = Step(), 0
    with open(path, "w") as out:
        out.write(HEAD)
        while written < mebibytes << 20:
            text = step.text()
            out.write(text)
            written += len(text)
        out.write('  {\n    "name": "Record Window End", "ph": "i", "s": "g", '
                  f'"pid": "", "tid": "", "ts": {step.at}\n  }}\n  ],\n'
                  '  "traceName": "profile.json"\n}\n')


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

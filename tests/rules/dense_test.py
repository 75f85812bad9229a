# SPDX-License-Identifier: Apache-2.0
"""A rule's question must grow with the log, not with its square: a log that says
the same thing thousands of times, as thousands of ranks do, stops no rule."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

TIMES = 6000
STATUS = "Some NCCL operations have failed or timed out."
LINES = {
    "refusal": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
               "{n}.00 MiB. GPU {gpu} has a total capacity of 79.15 GiB of which "
               "3.00 MiB is free. Of the allocated memory 70.10 GiB is allocated "
               "by PyTorch, and 8.20 GiB is reserved by PyTorch but unallocated.",
    "served": "  File \"/x/site-packages/vllm/worker.py\", line {n}, in run\n"
              "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate "
              "{n}.00 MiB (GPU {gpu}; 79.15 GiB total capacity; 78.00 GiB already "
              "allocated; 3.25 MiB free; 78.10 GiB reserved in total by PyTorch)",
    "watchdog": "[rank{n}]:[E ProcessGroupNCCL.cpp:577] [Rank {n}] " + STATUS +
                "\nframe #1: c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout("
                "std::optional<long>) + 0x1d2 (0x{n} in /app/libtorch_cuda.so)",
    "abort": "[rank{n}]:[E ProcessGroupNCCL.cpp:1025] [PG 0 Rank {n}] Future for "
             "ProcessGroup abort timed out after 600000 ms",
    "driver": "cuda runtime error (35) : CUDA driver version is insufficient for "
              "CUDA runtime version at /x.cpp:{n}",
    "oom-killer": "worker{n} invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), "
                  "order=0, oom_score_adj=0",
    "port": "[W socket.cpp:426] [c10d] The server socket has failed to bind to "
            "[::]:{n} (errno: 98 - Address already in use).",
    "reset": "ConnectionResetError: [Errno 104] Connection reset by peer {n}",
}


class DenseTest(unittest.TestCase):
    def limits(self, line):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "dense.log"
            log.write_text("".join(
                line.format(n=n + 1, gpu=n % 8) + "\n" for n in range(TIMES)))
            done = subprocess.run(
                [os.environ["INQUEST"], "diagnose", "--format", "json",
                 "--log", log], capture_output=True, text=True, timeout=300)
        # Signatures may be switched off in parts of such a log: "*".
        return [one for one in json.loads(done.stdout)["limits"]
                if one["rule"] != "*"]

    def test_no_rule_is_stopped(self):
        for name, line in LINES.items():
            with self.subTest(name):
                self.assertEqual(self.limits(line), [])


if __name__ == "__main__":
    unittest.main()

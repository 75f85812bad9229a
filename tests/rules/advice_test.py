# SPDX-License-Identifier: Apache-2.0
"""What a report says and advises for a line: the title is true of it, figures
of the line are said, and a step stands only where it can act. Each case is a
log, the verdict's rule, words that the finding must contain, and words that
belong to another world and must not."""
import json
import os
import re
import subprocess
import unittest

INQUEST = os.environ["INQUEST"]
CASES = (
    ("docker: Error response from daemon: Unknown runtime specified nvidia.",
     "cuda.smi-failed.toolkit", ["nvidia-ctk"], ["dkms", "does not answer"]),
    ("CUDA error: CUDA driver is a stub library",
     "cuda.smi-failed.stub", ["stubs"], ["dkms"]),
    ("RuntimeError: nms is not compiled with GPU support",
     "cuda.not-compiled.library", ["that very library"], ["pip install torch"]),
    ("  (External) CUDA error: PaddlePaddle is not compiled with CUDA",
     "cuda.not-compiled.paddle", ["paddlepaddle-gpu"], ["torch"]),
    ("RuntimeError: No HIP GPUs are available",
     "rocm.no-gpus", ["HIP_VISIBLE_DEVICES"], ["nvidia-smi"]),
    (" But your machine only has: [0]",
     "cuda.no-gpus.fewer", ["it sees: 0"], ["found no GPU"]),
    ("RuntimeError: No CUDA GPUs are available",
     "cuda.no-gpus", ["num_gpus"], ["echo"]),
    ("CUDA error: an illegal memory access was encountered\n"
     "  current device: 7, in function ggml_backend_cuda_synchronize at /s.cu:1",
     "ggml.illegal-address", ["GPU 7", "ggml_backend_cuda_synchronize"], []),
    ("OSError: (External) CUDNN error(9), CUDNN_STATUS_NOT_SUPPORTED.",
     "cudnn.not-supported", ["does not support"], ["no engine", "nvidia-smi"]),
    ("RuntimeError: CUDA error: out of memory",
     "torch.oom.cuda-error", ["nvidia-smi"], ["allocator", "fraction"]),
    ("RuntimeError: HIP error: out of memory",
     "torch.oom.cuda-error", ["rocm-smi"], ["nvidia-smi"]),
    ("ERROR 01-01 00:00:00 [core.py:396] RuntimeError: Cannot re-initialize CUDA "
     "in forked subprocess.",
     "torch.fork.vllm", ["PYTORCH_NVML_BASED_CUDA_CHECK"], ["harmless"]),
    ("RuntimeError: Rank 2, node n1, device 2, iteration -1: Unexpected result "
     "nan (message='found NaN in local grad norm for bucket #0')",
     "megatron.non-finite", ["rank 2"], ["--rerun-mode", "iteration -1"]),
    ("ERROR:megatron.core.rerun_state_machine:Unexpected result nan on rank 3 at "
     "iteration #3 invocation #2",
     "megatron.non-finite", ["--rerun-mode", "at iteration 3"], []),
    ("[Init] listen on ip[10.0.0.9] and specific port[16666] fail.",
     "npu.port", ["16666, on 10.0.0.9"], ["HCCL_IF_BASE_PORT"]),
    ("[Init] listen on ip[10.0.0.9] and port[60000] fail.",
     "npu.port", ["HCCL_IF_BASE_PORT"], []),
    ("llama_context: pipeline parallelism enabled (n_copies=4)\n"
     "allocating 279356.51 MiB on device 0: cudaMalloc failed: out of memory\n"
     "ggml_gallocr_reserve_n: failed to allocate CUDA0 buffer of size "
     "292926534144",
     "ggml.oom-compute", ["compute buffer", "GGML_SCHED_MAX_COPIES=1"],
     ["KV cache", "fewer layers"]),
    ("/p/Indexing.cu:12: indexSelectLargeIndex: block: [1,0,0], thread: [7,0,0] "
     "Assertion `srcIndex < srcSelectDimSize` failed.",
     "torch.assert.line", ["rows of the table"], ["outside of the classes"]),
    ("/p/Loss.cu:250: nll_loss_forward: block: [0,0,0], thread: [3,0,0] "
     "Assertion `t >= 0 && t < n_classes` failed.",
     "torch.assert.line", ["outside of the classes"], ["rows of the table"]),
    ("/p/Loss.cu:115: operator(): block: [0,0,0], thread: [3,0,0] Assertion "
     "`input_val >= zero && input_val <= one` failed.",
     "torch.assert.unit-range", ["0 to 1"], ["token ids"]),
    ("ValueError: Expected more than 1 value per channel when training, got "
     "input size torch.Size([1, 512])",
     "data.shape.batch-norm", ["[1, 512]", "drop_last"], ["do not fit"]),
    ("TypeError: can't convert cuda:0 device type tensor to numpy.",
     "data.device.numpy", [".cpu()"], ["different devices"]),
    ("IndexError: index 10 is out of bounds for dimension 0 with size 9",
     "data.index", ["10, of 9"], []),
    ("rocBLAS error: Cannot read /opt/TensileLibrary.dat: No such file or "
     "directory for GPU arch : gfx1031",
     "rocm.rocblas", ["10.3.0"], ["11.0.0"]),
    ("jaxlib version 0.4.30 is newer than and incompatible with jax version "
     "0.4.26.", "jax.pair", ["0.4.30", "0.4.26"], ["VERSION"]),
)


def finding(log, rule):
    """The finding of a rule in a log, as text, with its steps."""
    name = f"advice-{os.getpid()}.log"
    with open(name, "w", encoding="utf-8") as file:
        file.write(log + "\n")
    run = subprocess.run(
        [INQUEST, "diagnose", "--format", "json", "--log", name],
        capture_output=True, text=True, timeout=60, check=False)
    os.unlink(name)
    answer = json.loads(run.stdout)
    found = [one for one in answer["findings"] if one["rule"] == rule]
    return answer["verdict"].get("rule"), found


def words_of(one):
    steps = [part for step in one.get("fixes", [])
             for part in (step["text"], step.get("command", ""))]
    return "\n".join([one["title"], one.get("message", ""), *steps])


class AdviceTest(unittest.TestCase):
    def test_cases(self):
        for log, rule, present, absent in CASES:
            with self.subTest(rule=rule, log=log):
                verdict, found = finding(log, rule)
                self.assertEqual(verdict, rule)
                text = words_of(found[0])
                for word in present:
                    self.assertIn(word, text)
                for word in absent:
                    self.assertNotIn(word, text)


if __name__ == "__main__":
    unittest.main()

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
     "cuda.no-gpus", ["CUDA_VISIBLE_DEVICES"], ["num_gpus"]),
    ("ray.exceptions.RayTaskError: No CUDA GPUs are available",
     "cuda.no-gpus", ["num_gpus"], ["echo"]),
    ("nvidia-container-cli: initialization error: driver error: failed to "
     "process request: unknown",
     "cuda.smi-failed.container", ["nvidia-smi -L", "failed to process request"],
     ["the device", "ls -lZ"]),
    ("nvidia-container-cli: device error: GPU-0a1b: unknown device: unknown",
     "cuda.smi-failed.container", ["the device GPU-0a1b exists"], ["ls -lZ"]),
    ("stderr: nvidia-container-cli.real: initialization error: nvml error: "
     "insufficient permissions: unknown",
     "cuda.smi-failed.container", ["ls -lZ", "nvidia-smi -L"], ["the device "]),
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
     "megatron.non-finite", ["another GPU", "at iteration 3"], []),
    ("[Init] listen on ip[10.0.0.9] and specific port[16666] fail.",
     "npu.port", ["on 10.0.0.9, port 16666"], ["HCCL_IF_BASE_PORT"]),
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
    ("ROCm error: CUBLAS_STATUS_INTERNAL_ERROR\n"
     "  current device: 0, in function ggml_cuda_mul_mat at /s.cu:1",
     "ggml.hipblas", ["hipBLAS", "AMD_SERIALIZE_KERNEL"],
     ["nvidia-smi", "libcublas", "CUDA_LAUNCH_BLOCKING"]),
    ("[E] [TRT] ../rtSafe/safeRuntime.cpp (25) - Cuda Error in allocate: 2 "
     "(out of memory)",
     "tensorrt.oom", ["setMaxWorkspaceSize"], ["trtexec --memPoolSize"]),
    ("ValueError: Free memory on device cuda:1 (19.77/22.05 GiB) on startup is "
     "less than desired GPU memory utilization (0.9, 19.84 GiB).",
     "memory.vllm.start", ["--gpu-memory-utilization 0.89", "leftover"],
     ["card that is free"]),
    ("ValueError: Free memory on device cuda:1 (2.05/22.05 GiB) on startup is "
     "less than desired GPU memory utilization (0.9, 19.84 GiB).",
     "memory.vllm.start", ["card that is free"], ["--gpu-memory-utilization"]),
    ("torch.AcceleratorError: CUDA error: device kernel image is invalid Search "
     "for `hipErrorInvalidImage' in https://rocm.docs.amd.com/",
     "rocm.image", ["get_arch_list"], ["dmesg", "AMD_SERIALIZE_KERNEL"]),
    ("NVRM: Xid (PCI:0000:01:00): 31, pid=7, name=python, Ch 00000030, intr "
     "00000000. MMU Fault: ENGINE HOST0 HUBCLIENT_ESC faulted @ 0x10_00200000. "
     "Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
     "kernel.xid.mmu-fault", ["front end"], ["compute-sanitizer"]),
    ("RuntimeError: CUDA out of memory. Tried to allocate 60.00 MiB (GPU 0; "
     "11.17 GiB total capacity; 505.96 MiB already allocated; 12.50 MiB free; "
     "530.00 MiB reserved in total by PyTorch)",
     "memory.log.other-pool", ["most likely", "pool"], ["this process"]),
    ("InternalError: WhereOp: Could not launch cub::DeviceReduce::Sum to count "
     "true indices, status: too many resources requested for launch",
     "cuda.launch-resources.op", ["WhereOp"], ["maxrregcount"]),
    ("ERROR: Unexpected bus error encountered in worker. This might be caused by "
     "insufficient shared memory (shm).",
     "host.shm.bus-error", ["most likely"], ["ran out"]),
    ("Failed to initialize NVML: GPU access blocked by the operating system",
     "cuda.smi-failed.wsl", ["wsl --shutdown"], ["dkms", "lsmod"]),
    ("[9.1] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=a,o",
     "host.oom.constraint-cut", ["whole node"], ["raise the limit"]),
    ("TDRV:tensor_allocate  Failed to allocate 536870912 bytes on DEVICE\n"
     "TDRV:log_dev_mem  Failed to allocate 512.000MB (usage: tensors) on ND 0:NC "
     "1, current utilization:",
     "npu.neuron.memory", ["core 1"], ["Deeplearning4j", "nvidia-smi"]),
    ("ggml_cuda_init: found 1 CUDA devices:\n"
     "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED",
     "cublas.handle", ["-ngl"], ["TF_FORCE", "token ids"]),
    ("E tensorflow/stream_executor/cuda/cuda_blas.cc:226] failed to create "
     "cublas handle: CUBLAS_STATUS_NOT_INITIALIZED",
     "cublas.handle", ["TF_FORCE"], ["-ngl"]),
    ("CUDA error 2 at D:\\dev\\llama.cpp\\ggml-cuda.cu:462: out of memory",
     "cuda.number.oom", ["-ngl", "Get-Counter"], ["query-compute-apps"]),
    ('  File "/sglang/python/sglang/srt/model_runner.py", line 7, in forward\n'
     "CUDA Error: out of memory (2) /x/handler.cuh: line 100",
     "cuda.number.oom", ["--mem-fraction-static"], ["-ngl"]),
    ('  File "C:\\Users\\u\\vllm\\config.py", line 7, in __init__\n'
     "RuntimeError: Failed to infer device type",
     "cuda.no-gpus.vllm", ["WSL"], ["nvidia-smi", "VLLM_LOGGING_LEVEL"]),
    ("RuntimeError: Failed to infer device type",
     "cuda.no-gpus.vllm", ["VLLM_LOGGING_LEVEL"], ["WSL"]),
    ('  File "/tmp/ray/session_1/runtime_resources/working_dir_files/a/t.py", '
     "line 7, in f\n"
     "RuntimeError: CUDA error: an illegal memory access was encountered",
     "cuda.illegal-address", ["runtime-env-json"], ["export CUDA_LAUNCH"]),
    ('DriverError(CUDA_ERROR_NOT_SUPPORTED, "operation not supported")',
     "codes.cuda-plain", ["memory pools"], ["CUDA_LAUNCH_BLOCKING"]),
    ("OSError: /x/bitsandbytes/libbitsandbytes_cpu.so: cannot open shared object "
     "file: No such file or directory",
     "version.missing.file", ["no file /x/"], ["LD_LIBRARY_PATH", "loader's"]),
    ("numpy.core._exceptions._ArrayMemoryError: Unable to allocate 58.0 GiB for "
     "an array with shape (176351, 176460) and data type uint16",
     "host.alloc.numpy", ["176460"], ["smaller type"]),
    ("FloatingPointError: Loss became infinite or NaN at iteration=0!",
     "data.non-finite", ["at iteration 0", "first batch"], ["each step"]),
    ("FloatingPointError: Loss became infinite or NaN at iteration=70!",
     "data.non-finite", ["at iteration 70", "each step"], ["first batch"]),
    ("| 0| [level_zero:gpu:0]|  Intel Arc A770 Graphics|  1.5|  512|  16704M|\n"
     "ggml_gallocr_reserve_n: failed to allocate SYCL0 buffer of size 7573604352",
     "ggml.oom-buffer", ["RELAXED_ALLOCATION"], ["fewer layers"]),
    ("ggml_gallocr_reserve_n: failed to allocate SYCL0 buffer of size 2147483648",
     "ggml.oom-buffer", ["fewer layers"], ["RELAXED_ALLOCATION"]),
    ("Exception: >- DeepSpeed Op Builder: Installed CUDA version 9.1 does not "
     "match the version torch was compiled with 11.8, unable to compile",
     "version.cuda.deepspeed", ["cuda-11.8"], ["a build of PyTorch"]),
    ("Epoch 1: | 3/3712 [00:21<5:11:37,  5.04s/it, total_it=3]\n"
     "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling "
     "`cublasSgemm( handle, opa )`",
     "cublas.failed", ["CUDA_LAUNCH_BLOCKING"], ["LD_LIBRARY_PATH"]),
    ("RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling "
     "`cublasSgemm( handle, opa )`", "cublas.failed", ["LD_LIBRARY_PATH"], []),
    ("  what():  CUDA error: unknown error\n"
     "frame #1: c10d::ProcessGroupNCCL::WorkNCCL::isCompleted() + 0x58",
     "cuda.error.unknown", ["CUDA_LAUNCH_BLOCKING"], ["rmmod"]),
    ("RuntimeError: CUDA error: unknown error",
     "cuda.error.unknown", ["rmmod"], ["CUDA_LAUNCH_BLOCKING"]),
    ("ERROR: [Errno 98] error while attempting to bind on address ('0.0.0.0', "
     "8000): address already in use",
     "distributed.server-port", ["taken already"], ["another process"]),
    ("[/x/dist-packages/torch/nn/modules/linear.py](https://localhost:8080/#) in "
     "forward(self, input)\nRuntimeError: CUDA error: "
     "CUBLAS_STATUS_INTERNAL_ERROR when calling cublasLtMatmul with m 4",
     "cublas.failed", ["%env CUDA_LAUNCH_BLOCKING"], ["export"]),
    ("Memory access fault by GPU node-2 (Agent handle: 0x55f0) on address "
     "0x7fc133800000. Reason: Unknown.",
     "kernel.amd.memory-fault", ["AMD_LOG_LEVEL=3", "ShaderName"], []),
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

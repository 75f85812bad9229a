# SPDX-License-Identifier: Apache-2.0
"""What kills a made job: for each cause the lines of the rank or node where it
begins, in the words of the software that prints them (PyTorch, NCCL, the Linux
kernel and NVIDIA's driver, Slurm), and what it does to the other ranks."""
import dataclasses

TRACE = """Traceback (most recent call last):
  File "/app/train.py", line 412, in <module>
    main()
  File "/app/train.py", line 388, in main
    loss = step(model, batch)
  File "/app/train.py", line {line}, in {function}
    {code}"""


@dataclasses.dataclass
class Begin:
    """Where and how it begins. `lines` are of the rank (None: it prints
    nothing more), `kernel` of its node's kernel log, both as (seconds after the
    fault, text); `node` is that of which kernel lines tell."""
    causes: set
    lines: list
    kernel: list = dataclasses.field(default_factory=list)
    everywhere: list = dataclasses.field(default_factory=list)  # on all ranks
    launcher: list = dataclasses.field(default_factory=list)
    exit_signal: int = 0     # 0: the exit code is 1
    dies: bool = True        # else it stands still, and the others time out
    all_die: bool = False    # no rank is the first
    unit: str = "rank"       # what the verdict must name: rank, node or job
    needs_kernel: bool = False  # the kernel's log alone tells it


def _raised(code, error, function="step", line=231):
    text = TRACE.format(line=line, function=function, code=code) + "\n" + error
    return [(0.0, one) for one in text.split("\n")]


def out_of_memory(job, rank):
    wanted, free = job.random.choice([("2.00 GiB", "1.12 GiB"), ("512.00 MiB", "210.38 MiB"), ("20.00 MiB", "11.56 MiB")])
    return Begin({"memory/capacity"}, _raised(
        "hidden = torch.nn.functional.gelu(self.up(hidden))",
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {wanted}. GPU {job.local(rank)} has a total capacity of 79.15 GiB of "
        f"which {free} is free. Including non-PyTorch memory, this process has 77.90 GiB memory in use. Of the allocated memory 76.02 GiB is "
        "allocated by PyTorch, and 131.20 MiB is reserved by PyTorch but unallocated.", "forward"))


def exception(job, rank):
    error, code = job.random.choice([
        ("KeyError: 'labels'", "targets = batch['labels']"),
        ("ValueError: cannot reshape array of size 4095 into shape (64,64)", "tokens = row.reshape(64, 64)"),
        ("AssertionError: shard 3 has no samples left", "assert self.left > 0, f'shard {self.shard} has no samples left'"),
        ("json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)", "record = json.loads(line)")])
    return Begin({"process/exception"}, _raised(code, error))


def device_assert(job, rank):
    where = "../aten/src/ATen/native/cuda/Indexing.cu:1292: indexSelectLargeIndex"
    lines = [(0.0, f"{where}: block: [{block},0,0], thread: [{32 + n},0,0] Assertion `srcIndex < srcSelectDimSize` failed.")
             for n, block in enumerate((11, 11, 12))]
    return Begin({"kernel/device-assert"}, lines + _raised(
        "loss.item()", "torch.AcceleratorError: CUDA error: device-side assert triggered"))


def illegal_access(job, rank):
    return Begin({"kernel/illegal-access"}, _raised(
        "torch.cuda.synchronize()", "RuntimeError: CUDA error: an illegal memory access was encountered"),
        [(-0.2, f"NVRM: Xid (PCI:{job.bus(rank)}): 31, pid={job.pid(rank)}, name=python3, Ch 0000000b, intr 00000000. MMU Fault: ENGINE GRAPHICS "
                "GPCCLIENT_T1_5 faulted @ 0x7f2a_4c000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ")])


def off_bus(job, rank):
    bus, pid = job.bus(rank), job.pid(rank)
    return Begin({"hardware/off-bus"}, _raised(
        "loss.backward()", "RuntimeError: CUDA error: unspecified launch failure", "backward"),
        [(-0.5, f"NVRM: Xid (PCI:{bus}): 79, pid={pid}, name=python3, GPU has fallen off the bus."),
         (-0.5, f"NVRM: GPU {bus}.0: GPU has fallen off the bus."),
         (-0.4, f"NVRM: Xid (PCI:{bus}): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)")],
        unit="node", needs_kernel=True)


def memory_error(job, rank):
    bus, pid = job.bus(rank), job.pid(rank)
    return Begin({"hardware/ecc"}, _raised(
        "loss.backward()", "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered", "backward"),
        [(-0.6, f"NVRM: Xid (PCI:{bus}): 48, pid={pid}, name=python3, An uncorrectable double bit error (DBE) has been detected on GPU in the "
                "framebuffer at physAddr 0x1f0a0040 partition 4, subpartition 1."),
         (-0.5, f"NVRM: Xid (PCI:{bus}): 63, pid={pid}, name=python3, Row Remapper: New row (0x0000000001f0a004) marked for remapping, reset gpu to activate."),
         (-0.3, f"NVRM: Xid (PCI:{bus}): 45, pid={pid}, name=python3, Ch 00000008")], unit="node")


def firmware(job, rank):
    bus, pid = job.bus(rank), job.pid(rank)
    return Begin({"hardware/gsp"}, None,
                 [(0.0, f"NVRM: Xid (PCI:{bus}): 119, pid={pid}, name=python3, Timeout after 6s of waiting for RPC response from GPU{job.local(rank)} GSP! "
                        "Expected function 76 (GSP_RM_CONTROL) (0x2080014b 0x4)."),
                  (6.0, f"NVRM: Xid (PCI:{bus}): 119, pid={pid}, name=python3, Timeout after 6s of waiting for RPC response from GPU{job.local(rank)} GSP! "
                        "Expected function 103 (GSP_RM_ALLOC) (0x0 0x6c).")],
                 dies=False, unit="node", needs_kernel=True)


def nvlink(job, rank):
    bus, pid = job.bus(rank), job.pid(rank)
    return Begin({"hardware/nvlink"}, _raised(
        "dist.all_reduce(grad)", "RuntimeError: CUDA error: unspecified launch failure", "backward"),
        [(-0.4, f"NVRM: Xid (PCI:{bus}): 74, pid={pid}, name=python3, NVLink: fatal error detected on link 11(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)"),
         (-0.2, f"NVRM: Xid (PCI:{bus}): 45, pid={pid}, name=python3, Ch 00000012")], unit="node", needs_kernel=True)


def host_memory(job, rank):
    return Begin({"memory/host"}, None,
                 [(0.0, "python3 invoked oom-killer: gfp_mask=0x1100cca(GFP_HIGHUSER_MOVABLE), order=0, oom_score_adj=0"),
                  (0.1, f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0-1,oom_memcg=/slurm/uid_1001/job_{job.number},"
                        f"task_memcg=/slurm/uid_1001/job_{job.number}/step_0/task_{job.local(rank)},task=python3,pid={job.pid(rank)},uid=1001"),
                  (0.1, f"Memory cgroup out of memory: Killed process {job.pid(rank)} (python3) total-vm:205718412kB, anon-rss:128311040kB, "
                        "file-rss:71240kB, shmem-rss:51200kB, UID:1001 pgtables:262144kB oom_score_adj:0")],
                 exit_signal=9, unit="node", needs_kernel=True)


def storage(job, rank):
    server = job.random.choice(["nas01", "10.4.0.12"])
    return Begin({"storage/failed"}, None,
                 [(5.0, f"nfs: server {server} not responding, still trying"),
                  (125.0, f"INFO: task python3:{job.pid(rank)} blocked for more than 120 seconds."),
                  (125.0, "      Tainted: P           OE     5.15.0-105-generic #115-Ubuntu"),
                  (125.0, '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.'),
                  (125.0, f"task:python3         state:D stack:    0 pid:{job.pid(rank)} ppid:  4001 flags:0x00004002"),
                  (125.0, "Call Trace:"), (125.0, " <TASK>"), (125.0, " __schedule+0x2cd/0x890"),
                  (125.0, " rpc_wait_bit_killable+0x24/0xb0 [sunrpc]"), (125.0, " nfs_file_fsync+0x8e/0x1a0 [nfs]"), (125.0, " </TASK>")],
                 dies=False, unit="node", needs_kernel=True)


def disk_full(job, rank):
    return Begin({"storage/full"}, _raised(
        "torch.save(state, path)", "OSError: [Errno 28] No space left on device: '/scratch/ckpt/step_900.pt'", "save"))


def loader(job, rank):
    return Begin({"data/loader-stalled"}, _raised(
        "batch = next(loader)", "RuntimeError: DataLoader timed out after 300 seconds", "load"))


def network(job, rank):
    nccl = f"{job.host(rank)}:{job.pid(rank)}:{job.pid(rank) + 99} [{job.local(rank)}] NCCL WARN "
    lines = [(0.0, nccl + f"NET/IB : mlx5_{job.local(rank)}:1 Got async event : port error"),
             (4.0, nccl + f"NET/IB : Got completion from peer 10.9.0.{7 + job.node(rank)}<40553> with status=12 opcode=0 len=0 vendor err 129 (Recv) "
                          f"localGid fe80::1 remoteGids fe80::2 hca mlx5_{job.local(rank)}"),
             (4.1, f"{job.host(rank)}:{job.pid(rank)}:{job.pid(rank) + 99} [{job.local(rank)}] NCCL INFO transport/net.cc:1298 -> 6")]
    kernel = [(-0.5, f"mlx5_core 0000:9a:00.{job.local(rank) % 2} ibs{job.local(rank)}: Link down")]
    return Begin({"hardware/fabric"}, lines + [(t + 4.2, x) for t, x in _raised(
        "dist.all_reduce(grad)", "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2251, remote "
        "process exited or there was a network error, NCCL version 2.21.5", "backward")], kernel, unit="node")


def segfault(job, rank):
    return Begin({"process/segfault"}, [
        (0.0, "Fatal Python error: Segmentation fault"), (0.0, ""),
        (0.0, "Current thread 0x00007f3c5a7fe640 (most recent call first):"),
        (0.0, '  File "/app/fast_tokens.py", line 77 in pack'),
        (0.0, '  File "/app/train.py", line 231 in step')], exit_signal=11)


def preempted(job, rank):
    why = job.random.choice(["PREEMPTION", "TIME LIMIT"])
    return Begin({"process/preempted"}, [], launcher=[
        (0.0, f"slurmstepd: error: *** STEP {job.number}.0 ON {job.hosts[0]} CANCELLED AT {{stamp}} DUE TO {why} ***"),
        (0.1, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")], all_die=True, exit_signal=15, unit="job")


def node_lost(job, rank):
    host = job.host(rank)
    return Begin({"host/node-lost"}, None, launcher=[
        (60.0, f"srun: error: Node failure on {host}"),
        (60.2, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish."),
        (60.3, f"slurmstepd: error: *** STEP {job.number}.0 ON {job.hosts[0]} CANCELLED AT {{stamp}} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***")],
        exit_signal=9, unit="node")


CAUSES = {one.__name__: one for one in (
    out_of_memory, exception, device_assert, illegal_access, off_bus, memory_error, firmware, nvlink, host_memory, storage, disk_full, loader,
    network, segfault, preempted, node_lost)}

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the folder of a wide job: N ranks of which one ran out of memory and all
others waited for it until NCCL's watchdog ended them. Each rank has a folder with
its log and, with --trace-mib, the recording of its process; with --lines, each has
a log of so many lines and nothing else. Equal arguments make equal jobs.

    make_wide_job.py FOLDER --ranks 64 --log-mib 10 --trace-mib 10
    make_wide_job.py FOLDER --ranks 20000 --lines 1
"""
import argparse
import datetime
import pathlib
import shutil
import sqlite3
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
MAKE_TRACE = HERE.parent / "build/release/bench/bench_make_trace"
BEGAN = datetime.datetime(2031, 5, 6, 7, 8, 9, tzinfo=datetime.timezone.utc)
PER_NODE = 8
EVENT_BYTES = 36  # of a trace, about
SEQ = 4711


def stamp(seconds, digits=3):
    at = BEGAN + datetime.timedelta(seconds=seconds)
    return f"{at:%Y-%m-%d %H:%M:%S}," + f"{at:%f}"[:digits]


def node(rank):
    return f"node{rank // PER_NODE:04}"


def bulk(size):
    """Steps of a training run, with what else a log has; the same for all ranks.
    Returns the text and the seconds it took."""
    lines, length, step, seconds = [], 0, 0, 60.0
    while length < size:
        step += 1
        seconds += 0.25
        lines.append(f"{stamp(seconds)} INFO train: step {step}/900000 loss={2 + 6 / (1 + step / 5000):.4f} "
                     f"grad_norm={0.8 + step % 7 / 50:.3f} lr=3.0e-04 tokens_per_s={39000 + step * 37 % 900}")
        if step % 50 == 0:
            lines.append(f"{stamp(seconds)} INFO data: shard train-{step // 50:06}.tar opened, 4096 samples, 1.2 GiB, cache hit 97%")
        if step % 1000 == 0:
            lines.append(f"{stamp(seconds)} WARNING train: gradient norm clipped to 1.0 in {step % 13} of the last 1000 steps")
        length += sum(len(one) + 1 for one in lines[-3:]) if step % 1000 == 0 else len(lines[-1]) + 1
    return "\n".join(lines) + "\n", seconds


def head(rank, ranks):
    lead = f"{node(rank)}:{4000 + rank}:{4000 + rank} [{rank % PER_NODE}] NCCL INFO "
    return (lead + "cudaDriverVersion 12040\n" + lead +
            f"ncclCommInitRank comm 0x55d0{rank:08x} rank {rank} nranks {ranks} cudaDev {rank % PER_NODE} "
            f"nvmlDev {rank % PER_NODE} busId {0x1a + 17 * (rank % PER_NODE):02x}000 commId 0x7a11c0ffee - Init COMPLETE\n")


def out_of_memory(rank, seconds):
    return (f"{stamp(seconds)} ERROR train: the step failed\n"
            f"[rank{rank}]: Traceback (most recent call last):\n"
            f'[rank{rank}]:   File "/app/train.py", line 240, in backward\n'
            f"[rank{rank}]:     loss.backward()\n"
            f"[rank{rank}]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU {rank % PER_NODE} has a total "
            "capacity of 79.15 GiB of which 1.06 GiB is free. Including non-PyTorch memory, this process has 78.08 GiB memory in use. "
            "Of the allocated memory 75.10 GiB is allocated by PyTorch, and 1.32 GiB is reserved by PyTorch but unallocated.\n")


def watchdog(rank, seconds):
    at = BEGAN + datetime.timedelta(seconds=seconds)
    glog = f"[rank{rank}]:[E{at:%m%d %H:%M:%S.%f}123 ProcessGroupNCCL.cpp"
    return (f"{glog}:632] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={SEQ}, OpType=ALLREDUCE, "
            f"NumelIn=524288, NumelOut=524288, Timeout(ms)=600000) ran for 600{rank % 1000:03} milliseconds before timing out.\n"
            f"{glog}:684] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, "
            "subsequent GPU operations might run on corrupted/incomplete data.\n"
            f"{glog}:698] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.\n")


def end(rank, culprit, seconds):
    return out_of_memory(rank, seconds) if rank == culprit else watchdog(rank, seconds + 600 + rank % 100 / 250)


def make_trace(path, size):
    """The recording of a process that the watchdog killed: no refused request."""
    subprocess.run([str(MAKE_TRACE), str(path), str(int(size / EVENT_BYTES))], check=True)
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM memory_event WHERE result <> 0")
        for table in ("device_memory", "device_process"):
            db.execute(f"DELETE FROM {table} WHERE reason = 'failure'")
        db.execute("DELETE FROM api_error")
        db.execute("DELETE FROM device_event")
        db.execute("UPDATE meta SET value = '0' WHERE key = 'clean_end'")
        db.execute("UPDATE meta SET value = 'analyzer' WHERE key = 'finished_by'")
        db.execute("UPDATE clock_anchor SET realtime_ns = ?", (int(BEGAN.timestamp()) * 10**9,))


def give_trace(made, path, rank, ranks):
    shutil.copyfile(made, path)
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("UPDATE process SET pid = ?, host = ?, rank = ?, local_rank = ?, world_size = ?",
                   (4000 + rank, node(rank), rank, rank % PER_NODE, ranks))
        db.execute("UPDATE device SET uuid = ?", (f"GPU-{rank:08x}",))


def make(folder, ranks, log_mib, trace_mib, lines, culprit):
    folder.mkdir(parents=True)
    if lines:
        for rank in range(ranks):
            text = end(rank, culprit, 5000).splitlines()
            wanted = [one for one in text if "OutOfMemoryError" in one or "Watchdog caught" in one][:lines]
            (folder / f"rank{rank}.log").write_text("\n".join(wanted) + "\n")
        return
    text, seconds = bulk(int(log_mib * 2**20))
    made = folder.parent / (folder.name + ".made.sqlite")
    if trace_mib:
        make_trace(made, trace_mib * 2**20)
    for rank in range(ranks):
        own = folder / node(rank) / f"rank{rank}"
        own.mkdir(parents=True)
        (own / "console.log").write_text(head(rank, ranks) + text + end(rank, culprit, seconds))
        if trace_mib:
            give_trace(made, own / f"{4000 + rank}.trace.sqlite", rank, ranks)
    made.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--log-mib", type=float, default=10)
    parser.add_argument("--trace-mib", type=float, default=0)
    parser.add_argument("--lines", type=int, default=0)
    parser.add_argument("--culprit", type=int)
    options = parser.parse_args()
    culprit = options.culprit if options.culprit is not None else options.ranks * 5 // 8
    make(options.folder, options.ranks, options.log_mib, options.trace_mib, options.lines, culprit)


if __name__ == "__main__":
    main()

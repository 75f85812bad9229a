# SPDX-License-Identifier: Apache-2.0
"""Jobs of many ranks whose pages are looked at: logs with times, flight
recorders, stacks of a hang."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
for folder in ("jobs", "importers"):
    sys.path.append(str(HERE.parent / folder))
from flights import Job as Flights  # noqa: E402

MINUTE = 60


def stamp(seconds):
    return (f"2031-02-03 {4 + seconds // 3600:02}:{seconds // 60 % 60:02}:"
            f"{seconds % 60:02},000")


def watchdog(rank, seconds):
    """As PyTorch says it: 203 is the third of February."""
    clock = stamp(seconds)[11:19]
    return (f"[E203 {clock}.000000000 ProcessGroupNCCL.cpp:632] [Rank {rank}] "
            "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=77, "
            "OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran "
            "for 600012 milliseconds before timing out.")


def logs(folder, ranks, culprit, missing=(), dateless=(), error=None):
    """Half an hour of steps; then `culprit` prints an error, the others wait
    ten minutes for it. Lines of `dateless` ranks have no times."""
    folder.mkdir(parents=True)
    error = error or "RuntimeError: CUDA error: device-side assert triggered"
    for rank in range(ranks):
        if rank in missing:
            continue
        lines = [f"{stamp(60 * i)} INFO train: step {i * 10}/20000 loss=2.1"
                 for i in range(30)]
        if rank == culprit:
            lines.append(f"{stamp(30 * MINUTE)} ERROR train: {error}")
        else:
            lines.append(watchdog(rank, 40 * MINUTE))
        if rank in dateless:
            lines = [f"step {i * 10}/20000 loss=2.1" for i in range(30)]
        (folder / f"rank{rank}.log").write_text("\n".join(lines) + "\n")
    return folder


def flights(folder, ranks, culprit, entries=20):
    """`culprit` does not come to the last collective."""
    folder.mkdir(parents=True)
    job = Flights(ranks)
    for _ in range(entries):
        job.all("0", "all_reduce")
    for rank in range(ranks):
        if rank != culprit:
            job.enter(rank, "0", "all_reduce", state="started", retired=True)
    return job.write(folder)


_WAITS = """Process {pid}: python train.py
Python v3.11.9 (/usr/bin/python3.11)

Thread {pid} (active): "MainThread"
    all_reduce (torch/distributed/distributed_c10d.py:2501)
    wrapper (torch/distributed/c10d_logger.py:81)
    reduce_loss (train/loop.py:88)
    epoch (train/loop.py:40)
    run (train/loop.py:21)
    main (train.py:12)
"""
_STANDS = """Process {pid}: python train.py
Python v3.11.9 (/usr/bin/python3.11)

Thread {pid} (active): "MainThread"
    {function} (train/prep.py:71)
    epoch (train/loop.py:33)
    run (train/loop.py:21)
    main (train.py:12)
"""


def stacks(folder, ranks, culprit, function="tokenize"):
    folder.mkdir(parents=True)
    for rank in range(ranks):
        text = _STANDS if rank == culprit else _WAITS
        (folder / f"stack_rank{rank}.txt").write_text(
            text.format(pid=4000 + rank, function=function))
    return folder

# SPDX-License-Identifier: Apache-2.0
"""A job of 16 ranks on the simulated GPU: each rank is recorded by the unmodified
collector, one dies in the way of a sample or stands still, and the others wait for
it until NCCL's watchdog ends them. Beside the recordings lie the nodes' kernel
logs and what a hang leaves: flight-recorder dumps, an NCCL RAS report, py-spy's
stacks. The verdict names the sample's cause and its rank."""
import concurrent.futures
import datetime
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "scenarios"), str(HERE.parent / "importers")]
import flights  # noqa: E402
from scenario import BUILD, INQUEST, simulated_environment  # noqa: E402

RANKS, PER_NODE, CULPRIT = 16, 8, 11
OTHERS = [rank for rank in range(RANKS) if rank != CULPRIT]
# What kills the culprit, and what the verdict calls it.
SAMPLES = {
    "batch_too_large": "memory/capacity", "fragmenting_allocator": "memory/fragmentation", "leaking_loop": "memory/leak",
    "pool_takes_all": "memory/pool-headroom", "second_run": "memory/other-process", "two_models": "memory/earlier-run",
    "mixed_cudnn": "version/cudnn-mismatch"}
STACK = """Process {pid}: python -u train.py
Python v3.11.9 (/usr/bin/python3.11)

Thread {pid} (idle): "MainThread"
    {frame}
    step (train.py:131)
    main (train.py:222)
"""
WAITS = "all_reduce (torch/distributed/distributed_c10d.py:2501)"
LOADS = "_try_get_data (torch/utils/data/dataloader.py:1243)"
RAS = """NCCL version 2.28.3 compiled with CUDA 12.9
CUDA runtime version 12090, driver version 12090

Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      2          8            1         16       16

Communicators... (0.00s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         2         8        16        16   RUNNING  MISMATCH

Errors
======

Warnings
========

#0-0 (9f3a1b2c4d5e6f70) MISMATCH
  Communicator ranks have different AllReduce operation counts
    15 ranks have launched up to operation 78
    Rank 11 has launched up to operation 77 -- GPU 3 managed by process 5011 on node node1

"""


def watchdog(rank):
    now = datetime.datetime.now(datetime.timezone.utc)
    return (f"[rank{rank}]:[E{now.month}{now.day:02} {now:%H:%M:%S}.{rank:09} ProcessGroupNCCL.cpp:688] [Rank {rank}] Watchdog caught collective "
            "operation timeout: WorkNCCL(SeqNum=78, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for 600012 milliseconds "
            "before timing out.")


def record(folder, rank, command, sample):
    """Records a command as a rank; its console is in the run directory."""
    place = folder / f"node{rank // PER_NODE}" / f"rank{rank}"
    place.parent.mkdir(parents=True, exist_ok=True)
    environment = {**simulated_environment(sample), "RANK": str(rank), "LOCAL_RANK": str(rank % PER_NODE), "WORLD_SIZE": str(RANKS),
                   "SLURMD_NODENAME": f"node{rank // PER_NODE}"}
    return subprocess.run([INQUEST, "record", "-o", str(place), "--", *command], capture_output=True, text=True, env=environment, timeout=240, check=False)


def waiting(folder, rank):
    script = f'"{BUILD}/samples/healthy" --steps 20; printf "%s\\n" "$0" >&2; exit 1'
    return record(folder, rank, ["sh", "-c", script, watchdog(rank)], "healthy")


class SimulatedJob(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="inquest-")
        cls.addClassCleanup(holder.cleanup)
        cls.others = pathlib.Path(holder.name) / "others"
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            done = list(pool.map(lambda rank: waiting(cls.others, rank), OTHERS))
        for one in done:
            assert one.returncode == 1, one.stderr
        for node in range(RANKS // PER_NODE):
            (cls.others / f"dmesg-node{node}.txt").write_text("[    9.512345] usb 1-1: new high-speed USB device number 2 using xhci_hcd\n")

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="inquest-")
        self.addCleanup(holder.cleanup)
        self.job = pathlib.Path(holder.name) / "job"
        shutil.copytree(self.others, self.job)

    def diagnose(self):
        done = subprocess.run([INQUEST, "diagnose", str(self.job), "--format", "json"], capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def check(self, cause):
        answer = self.diagnose()
        verdict = answer["verdict"]
        self.assertEqual((verdict["cause"], verdict["unit"]["rank"]), (cause, CULPRIT), json.dumps(verdict, indent=1))
        self.assertEqual(answer["job"]["ranks"]["count"], RANKS)
        return answer

    def put_stacks(self, frame):
        for rank in range(RANKS):
            text = STACK.format(pid=5000 + rank, frame=frame if rank == CULPRIT else WAITS)
            (self.job / f"stacks-rank{rank}.txt").write_text(text)

    def put_flight_recorders(self):
        job = flights.Job(RANKS)
        for _ in range(77):
            job.all("0", "all_reduce")
        for rank in OTHERS:
            job.enter(rank, "0", "all_reduce", state="started")
        job.write(self.job)

    def test_each_sample_is_named_with_its_rank(self):
        for sample, cause in SAMPLES.items():
            with self.subTest(sample):
                place = self.job / f"node{CULPRIT // PER_NODE}" / f"rank{CULPRIT}"
                shutil.rmtree(place, ignore_errors=True)
                record(self.job, CULPRIT, [str(BUILD / "samples" / sample)], sample)
                answer = self.check(cause)
                waits, = answer["job"]["waits"]
                self.assertEqual((waits["seqnum"], waits["ranks"]["ranges"]), (78, "0–10, 12–15"))

    def stands_still(self):
        """The culprit's recording: it lived, and was ended by its launcher."""
        script = f'"{BUILD}/samples/healthy" --steps 20; kill -TERM $$'
        record(self.job, CULPRIT, ["sh", "-c", script], "healthy")

    def test_flight_recorders_name_the_rank_that_stood_still(self):
        self.stands_still()
        self.put_flight_recorders()
        verdict = self.check("distributed/collective-timeout")["verdict"]
        self.assertEqual(verdict["rule"], "distributed.flight.missing")
        self.assertIn("rank 11 never came to all_reduce 78", verdict["summary"])

    def test_a_ras_report_names_it(self):
        self.stands_still()
        (self.job / "ras.txt").write_text(RAS)
        self.check("process/hang")

    def test_stacks_name_it_and_its_line(self):
        self.stands_still()
        self.put_stacks("tokenize (train/prep.py:71)")
        self.assertIn("tokenize (train/prep.py:71)", self.check("process/hang")["verdict"]["summary"])
        self.put_stacks(LOADS)
        self.check("data/loader-stalled")

    def test_all_of_them_agree(self):
        self.stands_still()
        self.put_flight_recorders()
        (self.job / "ras.txt").write_text(RAS)
        self.put_stacks(LOADS)
        self.check("data/loader-stalled")

    def test_without_any_of_them_the_silent_rank_is_where_to_look(self):
        self.stands_still()
        answer = self.diagnose()
        self.assertEqual([one["rank"] for one in answer["job"]["suspects"]], [CULPRIT])
        self.assertEqual(answer["verdict"]["unit"]["rank"], CULPRIT)


if __name__ == "__main__":
    if not (BUILD / "samples" / "healthy").exists():
        print("skipped: the samples are not built here (they need the CUDA headers)")
        sys.exit(77)
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Artefacts of jobs that stand still, made up in the tools' formats: a dump of
each rank in its own file, lines of several ranks mixed, RAS reports in JSON,
and texts that break off anywhere."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

INQUEST = os.environ["INQUEST"]

WAITS = """Process {pid}: python train.py
Python v3.11.9 (/usr/bin/python3.11)

Thread {pid} (active): "MainThread"
    all_reduce (torch/distributed/distributed_c10d.py:2501)
    wrapper (torch/distributed/c10d_logger.py:81)
    reduce_loss (train/loop.py:88)
    main (train.py:12)
"""
STANDS = """Process {pid}: python train.py
Python v3.11.9 (/usr/bin/python3.11)

Thread {pid} (active): "MainThread"
    tokenize (train/prep.py:71)
    main (train.py:9)
"""
RAS = {
    "nccl_version": "2.29.2",
    "communicators_count": 1,
    "communicators": [{
        "hash": "0xf31e", "size": 3, "ranks_count": 3,
        "missing_ranks_count": 0,
        "ranks": [{"rank": rank, "host": "node1", "pid": 4710 + rank,
                   "cuda_dev": rank,
                   "collective_counts": {"AllReduce": count}}
                  for rank, count in ((0, 101), (1, 101), (2, 99))],
        "missing_ranks": []}],
    "ras": {"collection_time_sec": 0.001, "timeouts_count": 0},
}


class HangsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def diagnose(self, *arguments):
        done = subprocess.run(
            [INQUEST, "diagnose", *arguments, "--format", "json"],
            capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        return json.loads(done.stdout)["verdict"]

    def test_a_dump_of_each_rank_in_its_own_file(self):
        logs = []
        for rank in range(16):
            text = (STANDS if rank == 11 else WAITS).format(pid=4000 + rank)
            logs += ["--log", self.write(f"stack_rank{rank}.txt", text)]
        verdict = self.diagnose(*logs)
        self.assertEqual(verdict["cause"], "process/hang")
        self.assertEqual(verdict["rule"], "distributed.stack.outlier")
        self.assertIn("rank 11 (pid 4011)", verdict["summary"])
        self.assertIn("train/prep.py:71", verdict["summary"])
        self.assertIn("ranks 0–10, 12–15 in all_reduce", verdict["summary"])

    def test_lines_of_ranks_that_are_mixed(self):
        waits = WAITS.format(pid=1).splitlines()
        stands = STANDS.format(pid=2).splitlines()
        mixed = []
        for i in range(max(len(waits), len(stands))):
            for rank, lines in ((0, waits), (1, stands), (2, waits)):
                if i < len(lines):
                    mixed.append(f"[rank{rank}]: {lines[i]}")
        verdict = self.diagnose(
            "--log", self.write("job.log", "\n".join(mixed) + "\n"))
        self.assertEqual(verdict["rule"], "distributed.stack.outlier")
        self.assertIn("rank 1", verdict["summary"])
        self.assertIn("train/prep.py:71", verdict["summary"])

    def test_a_report_of_ras_in_json_needs_no_option(self):
        path = self.write("ras.json", json.dumps(RAS, indent=2) + "\n")
        verdict = self.diagnose(path)
        self.assertEqual(verdict["rule"], "nccl.ras.behind")
        self.assertEqual(verdict["facts"]["rank"], 2)
        self.assertEqual(verdict["facts"]["launched"], 99)

    def test_operations_of_one_report_of_ras_are_not_mixed_up(self):
        path = self.write("ras.txt", "".join(
            ["#0-0 (27a079b828ff1a75) MISMATCH\n",
             "  Communicator ranks have different AllReduce operation counts\n",
             "  3 ranks have launched up to operation 101\n",
             "  Rank 2 has launched up to operation 99\n",
             "  Communicator ranks have different Broadcast operation counts\n",
             "  3 ranks have launched up to operation 7\n",
             "  Rank 1 has launched up to operation 6\n",
             f"  {'9' * 26} ranks have status FINALIZE\n"]))
        done = subprocess.run(
            [INQUEST, "query", "--log", path, "--format", "csv",
             "SELECT kind, operation, rank, launched FROM ras_state"],
            capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.splitlines()[1:],
                         ["behind,AllReduce,2,99", "behind,Broadcast,1,6"])

    def test_texts_that_break_off(self):
        whole = WAITS.format(pid=1) + STANDS.format(pid=2) + json.dumps(
            RAS, indent=2)
        for end in range(1, len(whole), 211):
            self.diagnose("--log", self.write("cut.txt", whole[:end]))


if __name__ == "__main__":
    unittest.main()

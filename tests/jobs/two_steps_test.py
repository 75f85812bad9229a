# SPDX-License-Identifier: Apache-2.0
"""A job read in shares, each to a file of facts, and merged: the answer is that of
reading all at once, to the byte, whatever the shares."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import made_job

CASES = [("exception", "rank-files", "clocks"), ("memory_error", "node-folders", "none"), ("out_of_memory", "torchrun", "missing"),
         ("node_lost", "slurm-tasks", "clocks+missing+truncated"), ("exception", "srun-labels", "none")]
STACK = """Process {pid}: python train.py
Python v3.11.9 (/usr/bin/python3.11)

Thread {pid} (idle): "MainThread"
    {where}
    step (train.py:88)
"""


class TwoSteps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "job"
        self.facts = pathlib.Path(self.folder.name) / "facts"
        self.facts.mkdir()

    def inquest(self, *words, code=0):
        run = subprocess.run([os.environ["INQUEST"], *map(str, words)], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(run.returncode, code, run.stderr)
        return run.stdout + run.stderr if code else run.stdout

    def ingest(self, shares):
        for i in range(shares):
            self.inquest("ingest", self.path, "-o", self.facts / f"{i:02}.facts", "--shard", f"{i}/{shares}")

    def check_equal(self, shares=3):
        once = self.inquest("diagnose", self.path, "--format", "json")
        self.ingest(shares)
        self.assertEqual(self.inquest("merge", self.facts, "--format", "json"), once)
        self.assertEqual(self.inquest("diagnose", self.path, "--jobs", "2", "--format", "json"), once)
        return json.loads(once)

    def test_made_jobs(self):
        for seed, (cause, layout, disturbance) in enumerate(CASES):
            with self.subTest(cause=cause, layout=layout), tempfile.TemporaryDirectory() as folder:
                self.path = pathlib.Path(folder) / "job"
                self.facts = pathlib.Path(folder) / "facts"
                self.facts.mkdir()
                made_job.Job(seed, cause, layout, disturbance).write(self.path)
                self.assertNotEqual(self.check_equal()["verdict"]["cause"], "unknown")

    def put_stacks(self):
        for rank in range(8):
            where = "load_batch (train.py:41)" if rank == 5 else "all_reduce (torch/distributed/distributed_c10d.py:2501)"
            file = self.path / f"rank{rank}.log"
            file.parent.mkdir(exist_ok=True)
            file.write_text(STACK.format(pid=4000 + rank, where=where))

    def test_stacks_are_compared_over_all_shares(self):
        self.put_stacks()
        answer = self.check_equal(4)
        self.assertEqual(answer["verdict"]["unit"]["rank"], 5)

    def test_a_second_time_nothing_is_done(self):
        self.put_stacks()
        file = self.facts / "a.facts"
        self.assertIn("made", self.inquest("ingest", self.path, "-o", file))
        before = file.stat().st_mtime_ns
        self.assertIn("is up to date", self.inquest("ingest", self.path, "-o", file))
        self.assertEqual(file.stat().st_mtime_ns, before)
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        with (self.path / "rank0.log").open("a") as log:
            log.write("one more line\n")
        self.assertIn("made", self.inquest("ingest", self.path, "-o", file))
        # Given twice, it counts once.
        (self.facts / "b.facts").write_bytes(file.read_bytes())
        self.assertEqual(len(json.loads(self.inquest("merge", self.facts, "--format", "json"))["logs"]), 8)

    def test_what_does_not_fit_is_refused(self):
        self.put_stacks()
        file = self.facts / "a.facts"
        self.inquest("ingest", self.path, "-o", file)
        self.assertIn("other files of facts only", self.inquest("diagnose", file, self.path / "rank0.log", code=2))
        self.assertIn("other rules", self.inquest("merge", file, "--no-default-rules", code=2))
        self.assertIn("not I/N", self.inquest("ingest", self.path, "-o", file, "--shard", "4/4", code=2))

    def test_shares_that_are_missing_or_of_another_division(self):
        self.put_stacks()
        self.ingest(4)
        (self.facts / "02.facts").unlink()
        self.assertIn("of 4 shares of the job, 1 is missing: 2", self.inquest("merge", self.facts, code=4))
        self.inquest("ingest", self.path, "-o", self.facts / "b.facts", "--shard", "2/3")
        self.assertIn("do not belong together", self.inquest("merge", self.facts, code=2))

    def test_stacks_of_py_spy_in_json(self):
        self.path.mkdir()
        for rank in range(4):
            frames = [{"name": "load_batch" if rank == 2 else "all_reduce", "filename": "/x/a.py", "module": None,
                       "short_filename": "train.py" if rank == 2 else "torch/distributed/distributed_c10d.py", "line": 41, "locals": None,
                       "is_entry": False}, {"name": "step", "filename": "/w/train.py", "module": None, "short_filename": "train.py",
                                            "line": 88, "locals": None, "is_entry": True}]
            (self.path / f"rank{rank}.json").write_text(json.dumps([{
                "pid": 4000 + rank, "thread_id": 1, "thread_name": "MainThread", "os_thread_id": 4000 + rank, "active": False,
                "owns_gil": False, "frames": frames, "process_info": None}]))
        verdict = json.loads(self.inquest("diagnose", self.path, "--format", "json"))["verdict"]
        self.assertEqual(verdict["cause"], "process/hang")
        self.assertIn("load_batch", verdict["summary"])


if __name__ == "__main__":
    unittest.main()

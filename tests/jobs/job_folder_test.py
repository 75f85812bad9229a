# SPDX-License-Identifier: Apache-2.0
"""`inquest diagnose JOBDIR`: what is found in the folder of a job, which rank and
node each file is said to be of, and what the report says of the job."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import made_job

OOM = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 79.15 GiB of which 1.12 GiB is free. "
       "Including non-PyTorch memory, this process has 77.90 GiB memory in use. Of the allocated memory 76.02 GiB is allocated by PyTorch, and "
       "131.20 MiB is reserved by PyTorch but unallocated.\n")
STEP = "2031-02-03 04:05:{:02},000 INFO train: step {} loss=2.1\n"


def watchdog(rank, group=None, stamp="04:16:00.000000001"):
    return (f"[E203 {stamp} ProcessGroupNCCL.cpp:632] [Rank {rank if group is None else group}] Watchdog caught collective operation timeout: "
            "WorkNCCL(SeqNum=77, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for 600012 milliseconds before timing out.\n")


class JobFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "job"

    def put(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_inquest(self, *options, code=0):
        run = subprocess.run([os.environ["INQUEST"], "diagnose", str(self.path), *options], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(run.returncode, code, run.stderr)
        return run

    def diagnose(self, *options):
        return json.loads(self.run_inquest("--format", "json", *options).stdout)

    def units(self, answer):
        return {str(pathlib.Path(one["path"]).relative_to(self.path)): (one["rank"], one["host"]) for one in answer["logs"]}

    def test_names_tell_ranks_and_nodes(self):
        for name in ("rank3.log", "node12/rank_4.txt", "slurm-812_5.out", "log.6", "7/stderr", "task8.log", "dmesg-node7.txt", "train-worker-2/rank9.log"):
            self.put(name, STEP.format(1, 1) * 3)
        self.assertEqual(self.units(self.diagnose()), {
            "rank3.log": (3, None), "node12/rank_4.txt": (4, "node12"), "slurm-812_5.out": (5, None), "log.6": (6, None), "7/stderr": (7, None),
            "task8.log": (8, None), "dmesg-node7.txt": (None, "node7"), "train-worker-2/rank9.log": (9, "train-worker-2")})

    def test_lines_are_believed_before_bare_numbers_and_patterns_before_both(self):
        self.put("slurm-812_5.out", "[rank21]: Traceback\n[rank21]: KeyError: 'x'\n")
        self.assertEqual(self.units(self.diagnose())["slurm-812_5.out"], (21, None))
        answer = self.diagnose("--rank-pattern", r"slurm-\d+_(?P<rank>\d+)\.out")
        self.assertEqual(answer["logs"][0]["rank"], 5)
        self.assertEqual(answer["logs"][0]["rank_by"], "--rank-pattern")

    def test_bad_patterns_are_refused(self):
        self.put("rank0.log", "x\n")
        for pattern, word in (("(?P<rank>", "not a regular expression"), (r"(?P<rnk>\d+)", "unknown group"), (r"\d+", "none of the groups")):
            self.assertIn(word, self.run_inquest("--rank-pattern", pattern, code=2).stderr)

    def test_torchruns_folders_count_on_the_node(self):
        for host in ("node1", "node2"):
            for local in range(2):
                self.put(f"{host}/812_x/attempt_0/{local}/stderr.log", STEP.format(1, 1))
        answer = self.diagnose()
        self.assertEqual({unit for unit in self.units(answer).values()}, {(None, "node1"), (None, "node2")})
        for host in ("node1", "node2"):
            for local in range(2):
                rank = local + (2 if host == "node2" else 0)
                self.put(f"{host}/812_x/attempt_0/{local}/stderr.log", f"{host}:99{rank}:995 [{local}] NCCL INFO ncclCommInitRank comm 0x1a rank {rank} "
                         f"nranks 4 cudaDev {local} nvmlDev {local} busId {local}a000 commId 0x1 - Init COMPLETE\n" + STEP.format(1, 1))
        self.assertEqual(sorted(self.units(self.diagnose()).values()), [(0, "node1"), (1, "node1"), (2, "node2"), (3, "node2")])

    def test_the_last_attempt_counts(self):
        self.put("none_x/attempt_0/0/stderr.log", OOM)
        self.put("none_x/attempt_1/0/stderr.log", "Traceback (most recent call last):\nKeyError: 'labels'\n")
        answer = self.diagnose()
        self.assertEqual(answer["verdict"]["cause"], "process/exception")
        self.assertIn("of attempt 0; the last one is 1", self.run_inquest().stderr)

    def test_error_files_are_read(self):
        self.put("none_x/attempt_0/1/error.json", json.dumps({"message": {"message": "KeyError: 'labels'", "extraInfo": {
            "py_callstack": "Traceback (most recent call last):\n  File \"/w/train.py\", line 6, in step\n    x['labels']\nKeyError: 'labels'\n", "timestamp": "1929000000"}}}))
        self.put("none_x/attempt_0/0/stderr.log", watchdog(0))
        verdict = self.diagnose()["verdict"]
        self.assertEqual((verdict["cause"], verdict["unit"]["rank"]), ("process/exception", 1))

    def test_a_programs_source_and_settings_are_no_evidence(self):
        self.put("train.py", "raise RuntimeError('CUDA out of memory. Tried to allocate 2.00 GiB')\n")
        self.put("config.json", '{"a": 1}')
        self.put("model.pt", "PK\x03\x04")
        self.put("core", "\x7fELF\x00\x01\x02" * 50)
        self.run_inquest(code=2)
        self.put("rank0.log", STEP.format(1, 1))
        run = self.run_inquest("--format", "json")
        self.assertEqual(json.loads(run.stdout)["verdict"]["cause"], "unknown")
        self.assertIn("not read", run.stderr)

    def test_links_are_not_followed(self):
        self.put("rank0.log", STEP.format(1, 1))
        (self.path / "rank1.log").symlink_to("/etc/hostname")
        (self.path / "loop").symlink_to(self.path)
        run = self.run_inquest("--format", "json")
        self.assertEqual(len(json.loads(run.stdout)["logs"]), 1)
        self.assertIn("a link", run.stderr)

    def test_a_rank_in_a_group_is_not_the_rank_of_the_job(self):
        self.put("rank9.log", watchdog(9, group=1))
        self.put("rank8.log", OOM)
        answer = self.diagnose()
        self.assertEqual(answer["job"]["waits"], [{"optype": "ALLREDUCE", "seqnum": 77, "ranks": {"count": 1, "ranges": "9"}}])

    def test_missing_cut_and_silent_ranks_are_told(self):
        for rank in (0, 1, 3, 4, 5, 7):
            self.put(f"rank{rank}.log", "WORLD_SIZE=8\n" + "".join(STEP.format(i, i) for i in range(9)) + watchdog(rank))
        self.put("rank6.log", "WORLD_SIZE=8\n" + "".join(STEP.format(i, i) for i in range(9)) + "2031-02-03 04:05:10,0")
        answer = self.diagnose()
        job = answer["job"]
        self.assertEqual((job["world"], job["missing"]["ranges"], job["cut"]["ranges"]), (8, "2", "6"))
        self.assertEqual(job["waits"][0]["ranks"]["ranges"], "0, 1, 3–5, 7")
        self.assertEqual([one["rank"] for one in job["suspects"]], [2, 6])
        text = self.run_inquest().stdout
        self.assertIn("ranks 0, 1, 3–5, 7 waited in ALLREDUCE 77", text)
        self.assertIn("nothing of rank 2", text)

    def test_a_rank_that_waited_is_not_where_it_began(self):
        for rank in range(8):
            words = "2031-02-03 04:05:09,000 INFO train: saving checkpoint to /lustre/ckpt/step_9\n" if rank == 5 else watchdog(rank)
            self.put(f"node{rank // 4}/rank{rank}.log", "WORLD_SIZE=8\n" + "".join(STEP.format(i, i) for i in range(9)) + words)
        answer = self.diagnose()
        verdict = answer["verdict"]
        self.assertEqual((verdict["cause"], verdict["unit"]["rank"], verdict["unit"]["host"]), ("distributed/collective-timeout", 5, "node1"))
        self.assertIn("on ranks 0–4, 6, 7, 2 hosts; look at rank 5 on node1", verdict["summary"])
        self.assertNotIn("seen on", verdict["summary"])
        self.assertIn("its last words: 2031-02-03 04:05:09,000 INFO train: saving checkpoint to /lustre/ckpt/step_9", answer["job"]["suspects"][0]["why"])
        self.assertIn("possible, rank 5, on node1, rule", self.run_inquest().stdout)

    def test_where_all_waited_no_rank_is_named(self):
        for rank in range(4):
            self.put(f"rank{rank}.log", "WORLD_SIZE=4\n" + watchdog(rank))
        verdict = self.diagnose()["verdict"]
        self.assertIsNone(verdict["unit"]["rank"])
        self.assertIn("on ranks 0–3", verdict["summary"])

    def test_the_same_exception_everywhere_is_no_machines_fault(self):
        error = "Traceback (most recent call last):\n  File \"/w/train.py\", line 6, in step\n    x['labels']\nKeyError: 'labels'\n"
        for rank in range(8):
            self.put(f"node{rank // 4}/rank{rank}.log", STEP.format(1, 1) + error)
        verdict = self.diagnose()["verdict"]
        self.assertEqual((verdict["cause"], verdict["unit"]["rank"], verdict["unit"]["host"]), ("process/exception", None, None))
        self.assertIn("the same on every rank, which speaks for the program or its input", verdict["summary"])
        self.put("node1/rank7.log", STEP.format(1, 1) + error.replace("labels", "tokens"))
        self.assertNotIn("the same on every rank", self.diagnose()["verdict"]["summary"])

    def test_a_kernel_log_with_seconds_since_boot_is_dated_by_the_hardwares_clock(self):
        lost = "NVRM: Xid (PCI:0000:1a:00): 79, pid=4001, name=python3, GPU has fallen off the bus."
        self.put("node0/rank0.log", "".join(STEP.format(i, i) for i in range(9)) + watchdog(0))
        self.put("dmesg-node0.txt", "[    0.500000] rtc_cmos 00:04: setting system clock to 2031-02-02T04:05:00 UTC (1927771500)\n"
                 f"[86410.500000] {lost}\n")
        self.assertEqual(self.time_of_xid(), 1927857910)  # 2031-02-03 04:05:10
        self.put("dmesg-node0.txt", f"[86410.500000] {lost}\n")
        self.assertIsNone(self.time_of_xid())

    def time_of_xid(self):
        run = subprocess.run([os.environ["INQUEST"], "query", str(self.path), "--format", "ndjson", "--sql",
                              "SELECT time / 1000000000 AS at FROM log_event WHERE fact = 'xid'"],
                             capture_output=True, text=True, timeout=60, check=True)
        return json.loads(run.stdout.splitlines()[0])["at"]

    def test_clocks_are_related_by_equal_steps(self):
        for rank, ahead in ((0, 0), (1, 23)):
            self.put(f"node{rank}/rank{rank}.log", "".join(f"2031-02-03 04:{5 + (i + ahead) // 60:02}:{(i + ahead) % 60:02},000 INFO train: step {i} loss=2.1\n" for i in range(30)))
        clocks = {one["clock"]: one for one in self.diagnose()["job"]["clocks"]}
        apart = abs(clocks["node0"]["offset_ns"] - clocks["node1"]["offset_ns"])
        self.assertAlmostEqual(apart / 1e9, 23, delta=0.01)
        self.assertLess(max(one["error_ns"] for one in clocks.values()), 2e9)

    def test_actions_follow_the_driver_and_the_history(self):
        xid = "[{:12.6f}] NVRM: Xid (PCI:0000:1a:00): {}\n"
        made_job.Job(5, "off_bus", "node-folders").write(self.path)
        actions = self.diagnose()["actions"]
        self.assertEqual(actions[0]["action"], "reboot")
        self.assertIn("cut its power", actions[0]["why"])
        self.assertTrue(any(one.startswith("scontrol update NodeName") for one in actions[0]["commands"]))
        self.assertTrue(any(one.startswith("kubectl cordon") for one in actions[0]["commands"]))
        self.put("dmesg-node77.txt", xid.format(10, "95, pid=1, name=python, Uncontained: FBHUB. RST: Yes, D-RST: No"))
        action = {one["host"]: one for one in self.diagnose()["actions"]}["node77"]
        self.assertEqual(action["action"], "reset-gpu")
        self.put("dmesg-node77.txt", xid.format(10, "64, Row Remapper Error: (0x1) - All reserved rows for bank are remapped"))
        action = {one["host"]: one for one in self.diagnose()["actions"]}["node77"]
        self.assertEqual(action["action"], "contact-vendor")

    def test_who_is_at_fault_of_what_a_program_may_do(self):
        def action(places, processes=4, others=""):
            sm = "[{0}.0] NVRM: Xid (PCI:0000:1a:00): 13, pid={0}, name=python, Graphics SM Warp Exception on (GPC {1}, TPC {2}, SM 0): Out Of Range Address\n"
            lines = [sm.format(100 + i % processes, i % places, i // 8 % places) for i in range(80)]
            self.put("dmesg-node3.txt", "".join(lines) + others)
            [one] = [one for one in self.diagnose()["actions"] if one["pci"] == "0000:1a:00"]
            return one["action"], one["why"]
        everywhere = action(places=8)
        self.assertEqual(everywhere[0], "fix-program")
        self.assertIn("64 places of the chip", everywhere[1])
        self.assertEqual(action(places=1), ("drain", "Xid 13; 4 processes met it on this GPU, always at the same place of the chip, which speaks for the GPU"))
        # A log that names one GPU does not tell what others met.
        self.assertIn("a run on another GPU tells", action(places=2)[1])
        idle = "[900.0] NVRM: Xid (PCI:0000:5e:00): 63, Row Remapper: New row marked for remapping\n"
        self.assertIn("on this GPU and on no other", action(places=2, others=idle)[1])

    def test_a_name_from_a_log_is_no_command(self):
        self.put("rank0.log", OOM)
        self.put("rank1.log", "srun: error: Node failure on node7;reboot\n")
        for one in self.diagnose()["actions"]:
            self.assertEqual(one["commands"], [])

    def test_ranks_are_read_in_parallel_with_the_same_result(self):
        made_job.Job(3, "network", "rank-files").write(self.path)
        first = self.diagnose()
        for _ in range(5):
            self.assertEqual(self.diagnose(), first)


if __name__ == "__main__":
    unittest.main()

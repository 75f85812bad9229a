# SPDX-License-Identifier: Apache-2.0
"""Epilog, job array and accounting on a real Slurm, where it is installed.
INQUEST_TRANSCRIPT names a file for what the commands of Slurm print."""
import contextlib
import json
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import slurm
from questions import INQUEST, LOGS, inquest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jobs"))
import made_job  # noqa: E402

ROOT = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
EPILOG = ROOT / "integrations/slurm/epilog.sh"
ACCOUNTS = ("sacct", "--parsable2", "--allocations",
            "--format=JobID,JobIDRaw,ElapsedRaw,AllocTRES,State,NodeList")


class SlurmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix="inquest-")
        cls.folder = pathlib.Path(cls.holder.name)
        cls.folder.chmod(0o755)
        cls.addClassCleanup(cls.holder.cleanup)
        cls.out = cls.folder / "spool"
        # slurmd gives its epilog no environment of ours. A busy machine gets
        # more than the ten seconds that a node has.
        cls.seconds = os.environ.get("INQUEST_EPILOG_SECONDS", "120")
        wrapper = cls.folder / "epilog"
        wrapper.write_text(
            f"#!/bin/bash\nexport INQUEST={INQUEST} INQUEST_EPILOG_KERNEL=0 "
            f"INQUEST_EPILOG_DIR={cls.out} "
            f"INQUEST_EPILOG_SECONDS={cls.seconds}\n"
            f"begun=$(date +%s%N)\n{EPILOG}\ncode=$?\n"
            f"echo $code $(( $(date +%s%N) - begun )) "
            f">>{cls.folder}/took.$SLURMD_NODENAME\n")
        wrapper.chmod(0o755)
        path = f"{pathlib.Path(INQUEST).parent}:{os.environ['PATH']}"
        cls.cluster = slurm.Slurm(nodes=4, epilog=wrapper,
                                  environment={"PATH": path + ":/usr/sbin"})
        cls.cluster.__enter__()
        cls.addClassCleanup(cls.cluster.__exit__)
        cls.tell("sinfo")

    @classmethod
    def tell(cls, *words):
        text = cls.cluster(*words)
        path = os.environ.get("INQUEST_TRANSCRIPT")
        if path:
            with open(path, "a") as out:
                out.write(f"$ {' '.join(map(str, words))}\n{text}\n")
        return text

    def submit(self, text, *options):
        """A job whose output is the text, and which then fails."""
        source = self.folder / "output.log"
        source.write_text(text)
        return self.cluster(
            "sbatch", "--parsable", f"--output={self.folder}/slurm-%j.out",
            *options, "--wrap", f"cat {source}; exit 1").strip()

    def wait_for(self, what, seconds=180):
        end = time.monotonic() + seconds
        while not what() and time.monotonic() < end:
            time.sleep(0.1)
        self.assertTrue(what(), self.cluster.logs())

    def test_a_failed_job_is_named(self):
        job = self.submit((LOGS / "torch-fragmented.log").read_text(),
                          "--nodes=2", "--gres=gpu:4")
        result = self.out / f"{job}-0.diagnosis.json"
        self.wait_for(result.exists)
        self.assertIn("memory/fragmentation",
                      (self.out / f"{job}-0.txt").read_text())
        self.assertEqual(json.loads(result.read_text())["run"]["job"], job)
        self.assertEqual(len(list(self.out.glob(f"{job}-*.json"))), 1)
        self.tell("squeue")
        if not slurm.has_accounting():
            return
        ask = ("sacct", "-X", "-j", job, "--noheader", "--parsable2",
               "--format=AdminComment")
        self.wait_for(lambda: "memory/fragmentation" in self.cluster(*ask))
        self.tell("sacct", "-X", "-j", job,
                  "--format=JobID,State,ExitCode,NodeList,AdminComment%150")
        self.load_with_hours()

    def are_accounted(self):
        """Whether the accounts have the end and the GPUs of each job that left
        a result: a busy machine writes them later, and asks another job."""
        lines = [line.split("|") for line in
                 self.cluster(*ACCOUNTS).splitlines()]
        ended = {line[0] for line in lines if "gres/gpu=8" in line[3] and
                 line[4].startswith("FAILED") and line[2] != ""}
        results = {path.name.split("-")[0] for path in
                   self.out.glob("*.diagnosis.json")}
        return results <= ended

    def load_with_hours(self):
        accounts = self.folder / "sacct.txt"
        self.wait_for(self.are_accounted)
        accounts.write_text(self.tell(*ACCOUNTS))
        database = self.folder / "fleet.sqlite"
        done = inquest("fleet", "load", "--database", database, self.out,
                       "--sacct", accounts)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = inquest("fleet", "report", "--database", database, "--format",
                       "json", "--only", "overview")
        sums = json.loads(done.stdout)["sections"][0]["rows"][0]
        self.assertEqual((sums["without_gpu_count"], sums["without_duration"]),
                         (0, 0))

    def test_jobs_that_did_not_fail_are_left_alone(self):
        job = self.cluster("sbatch", "--parsable", "--wrap", "true",
                           f"--output={self.folder}/slurm-%j.out").strip()
        self.wait_for(lambda: "COMPLETED" in self.cluster(
            "scontrol", "show", "job", job))
        time.sleep(1)
        self.assertEqual(list(self.out.glob(f"{job}-*")), [])

    def test_what_a_user_wrote_is_read_with_the_users_rights(self):
        nobody = pwd.getpwnam("nobody").pw_uid
        home = self.folder / "home"
        home.mkdir()
        os.chown(home, nobody, -1)
        log = self.folder / "theirs.log"
        log.write_text((LOGS / "torch-fragmented.log").read_text())
        log.chmod(0o644)

        def fail(name):
            return self.cluster(
                "sbatch", "--parsable", "--uid=nobody", f"--chdir={home}",
                f"--output={home}/{name}", "--wrap",
                f"umask 077; cat {log}; exit 1").strip()

        job = fail("slurm-%j.out")
        result = self.out / f"{job}-0.diagnosis.json"
        self.wait_for(result.exists)
        facts = result.stat()
        self.assertEqual((facts.st_uid, facts.st_mode & 0o777), (0, 0o600))
        # A secret of root that the user's output turns out to be.
        secret = self.folder / "secret"
        secret.write_text(log.read_text())
        secret.chmod(0o600)
        job = fail("link")
        self.wait_for(lambda: "FAILED" in self.cluster("scontrol", "show",
                                                       "job", job))
        self.wait_for((self.out / f"{job}-0.diagnosis.json").exists)
        (self.out / f"{job}-0.txt").unlink()
        (home / "link").unlink()
        (home / "link").symlink_to(secret)
        self.rerun_epilog(job, nobody)
        self.assertFalse((self.out / f"{job}-0.txt").exists())

    def test_what_goes_on_outlives_the_epilogs_processes(self):
        """slurmd kills the epilog's process group once the epilog has ended;
        a busy node starts the new session late."""
        tools = self.folder / "late"
        tools.mkdir()
        late = tools / "setsid"
        late.write_text(f'#!/bin/sh\nsleep 0.5\n'
                        f'exec {shutil.which("setsid")} "$@"\n')
        late.chmod(0o755)
        job = self.submit((LOGS / "torch-fragmented.log").read_text())
        result = self.out / f"{job}-0.diagnosis.json"
        self.wait_for(result.exists)
        result.unlink()
        path = f"{tools}:{self.cluster.environment['PATH']}"
        epilog = subprocess.Popen(
            [EPILOG], start_new_session=True, env=self.as_slurmd(
                job, PATH=path, INQUEST_EPILOG_SECONDS=self.seconds))
        self.assertEqual(epilog.wait(10), 0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(epilog.pid, signal.SIGKILL)
        self.wait_for(result.exists)

    def as_slurmd(self, job, **more):
        """The environment that the first node gives its epilog."""
        return dict(self.cluster.environment, INQUEST=INQUEST,
                    SLURM_JOB_ID=job, SLURM_NODELIST="n0",
                    SLURMD_NODENAME="n0", INQUEST_EPILOG_KERNEL="0",
                    INQUEST_EPILOG_DIR=str(self.out)) | more

    def rerun_epilog(self, job, user):
        """The part that slurmd would leave in the background."""
        done = subprocess.run(
            [EPILOG, "--work"], timeout=60, env=self.as_slurmd(
                job, SLURM_JOB_UID=str(user), SLURM_JOB_GID=str(user)))
        self.assertEqual(done.returncode, 0)

    def test_the_recipe_without_an_epilog(self):
        recipe = next(block for block in
                      (ROOT / "docs/fleet.md").read_text().split("```")
                      if "afternotok" in block)
        (self.folder / "train.sbatch").write_text(
            f"#!/bin/bash\ncat {LOGS}/torch-fragmented.log\nexit 1\n")
        env = dict(self.cluster.environment,
                   INQUEST_FLEET=str(self.folder / "recipe.sqlite"))
        done = subprocess.run(["bash", "-ec", recipe], cwd=self.folder, env=env,
                              text=True, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = ("fleet", "report", "--only", "causes", "--database",
                  self.folder / "recipe.sqlite")
        self.wait_for(lambda: "memory/fragmentation" in inquest(*report).stdout)

    def test_the_epilog_takes_no_time_and_drains_no_node(self):
        jobs = [self.submit((LOGS / "nccl-timeout.log").read_text())
                for _ in range(int(os.environ.get("INQUEST_EPILOG_JOBS", 8)))]
        self.wait_for(lambda: self.cluster("squeue", "-h") == "", 600)
        # What is not done by then is not done.
        results = [self.out / f"{job}-0.diagnosis.json" for job in jobs]
        end = time.monotonic() + int(self.seconds) + 2
        while time.monotonic() < end and not all(map(
                pathlib.Path.exists, results)):
            time.sleep(0.1)
        done = sum(map(pathlib.Path.exists, results))
        self.assertGreater(done, 0)
        took = [line.split() for file in self.folder.glob("took.*")
                for line in file.read_text().splitlines()]
        self.assertEqual({code for code, _ in took}, {"0"})
        seconds = sorted(int(ns) / 1e9 for _, ns in took)
        self.assertLess(seconds[-1], 10)
        states = set(self.cluster("sinfo", "-h", "-o", "%T").split())
        self.assertLessEqual(states, {"idle", "planned", "mixed"})
        if os.environ.get("INQUEST_TRANSCRIPT"):
            with open(os.environ["INQUEST_TRANSCRIPT"], "a") as out:
                out.write(f"epilogs {len(seconds)}: median "
                          f"{seconds[len(seconds) // 2]:.3f} s, p99 "
                          f"{seconds[int(len(seconds) * 0.99)]:.3f} s, longest "
                          f"{seconds[-1]:.3f} s; verdicts within "
                          f"{self.seconds} s: {done} of {len(jobs)}\n\n")

    def test_an_array_over_many_runs(self):
        runs = []
        for n in range(10):
            run = self.folder / f"run-{n}.log"
            name = ("xid79", "torch-fragmented", "healthy")[n % 3]
            run.write_text(f"node r{n}\n" + (LOGS / f"{name}.log").read_text())
            runs.append(run)
        runs.append(self.folder / "gone.log")
        work = self.folder / "array"
        database = self.folder / "array.sqlite"
        done = inquest("fleet", "slurm", *runs, "--output", work, "--each", 4,
                       "--database", database, "--submit",
                       env=self.cluster.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("submitted: array ", done.stdout)
        self.tell("squeue")
        self.wait_for((work / "load.log").exists, 120)
        self.wait_for(lambda: "results" in (work / "load.log").read_text(), 60)
        self.assertIn("10 results", (work / "load.log").read_text())
        self.assertIn("gone.log", (work / "array-1.log").read_text())
        done = inquest("fleet", "report", "--database", database, "--format",
                       "json", "--only", "causes")
        causes = {one["cause"]: one["runs"] for one in
                  json.loads(done.stdout)["sections"][0]["rows"]}
        self.assertEqual(causes, {"hardware/off-bus": 4,
                                  "memory/fragmentation": 3,
                                  "unknown": 3})

    def test_a_wide_job_is_read_on_several_nodes(self):
        made = made_job.Job(4, "out_of_memory", "node-folders")
        made.write(self.folder / "wide")
        work = self.folder / "shares"
        done = inquest("fleet", "slurm", "--job", self.folder / "wide",
                       "--nodes", 3, "--output", work, "--submit",
                       env=self.cluster.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        ask = ("squeue", "--states=all", "--noheader", "--name",
               "inquest-ingest,inquest-merge", "--format=%j %D %T")
        self.wait_for(lambda: sorted(self.cluster(*ask).splitlines()) == [
            "inquest-ingest 3 COMPLETED", "inquest-merge 1 COMPLETED"], 120)
        self.assertEqual({one.name for one in (work / "facts").iterdir()},
                         {"0.facts", "1.facts", "2.facts"})
        verdict = json.loads((work / "verdict.json").read_text())["verdict"]
        self.assertEqual((verdict["cause"], verdict["unit"]["rank"]),
                         ("memory/capacity", made.culprit))
        self.assertIn("memory/capacity", (work / "verdict.txt").read_text())
        self.tell(*ask)


if __name__ == "__main__":
    if slurm.missing():
        print("skipped: " + slurm.missing())
        sys.exit(77)
    # ctest's end, too, stops the cluster.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""The files of integrations/ do what they say, without their engines: the
commands of the manifests run, the dashboard asks for metrics that exist, and
the epilog never fails or waits."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import textwrap
import time
import unittest

from made import ndjson
from questions import INQUEST, LOGS, inquest, month

INTEGRATIONS = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"]) / "integrations"
EPILOG = INTEGRATIONS / "slurm/epilog.sh"


def script_of(manifest):
    """The text below the first `- |`."""
    lines = (INTEGRATIONS / "kubernetes" / manifest).read_text().splitlines()
    start = next(n for n, line in enumerate(lines) if line.strip() == "- |")
    depth = len(lines[start]) - len(lines[start].lstrip()) + 2
    body = []
    for line in lines[start + 1:]:
        if line.strip() and len(line) - len(line.lstrip()) < depth:
            break
        body.append(line)
    return textwrap.dedent("\n".join(body))


class Folder(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory(prefix="inquest-")
        self.folder = pathlib.Path(self.holder.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        (self.bin / "inquest").symlink_to(INQUEST)

    def tearDown(self):
        self.holder.cleanup()

    def environment(self, **more):
        return dict(os.environ, PATH=f"{self.bin}:{os.environ['PATH']}",
                    **{name: str(value) for name, value in more.items()})

    def tool(self, name, text):
        path = self.bin / name
        path.write_text("#!/bin/bash\n" + text)
        path.chmod(0o755)


class KubernetesTest(Folder):
    def run_script(self, manifest, **environment):
        text = script_of(manifest)
        for inside in ("/runs", "/results", "/dev/termination-log"):
            text = text.replace(inside, str(self.folder / inside[1:]))
        return subprocess.run(["bash", "-c", text], text=True,
                              capture_output=True, timeout=120,
                              env=self.environment(**environment))

    def test_an_indexed_job_and_its_load(self):
        (self.folder / "runs").mkdir()
        (self.folder / "dev").mkdir()
        paths = [LOGS / "xid79.log", LOGS / "torch-fragmented.log",
                 self.folder / "gone.log"]
        (self.folder / "runs/list.txt").write_text(
            "\n".join(map(str, paths)) + "\n")
        told = []
        for index in range(2):
            done = self.run_script("fleet-job.yaml", COMPLETIONS=2,
                                   JOB_COMPLETION_INDEX=index)
            self.assertEqual(done.returncode, 0, done.stderr)
            told.append((self.folder / "dev/termination-log").read_text())
        self.assertIn("hardware/off-bus", told[0])
        self.assertIn("gone.log: not diagnosed", told[0])
        self.assertIn("memory/fragmentation", told[1])
        done = self.run_script("fleet-load.yaml",
                               INQUEST_FLEET=self.folder / "fleet.sqlite")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 results", done.stdout)

    def test_a_training_pod(self):
        (self.folder / "runs").mkdir()
        (self.folder / "dev").mkdir()
        self.tool("python3", f"cat {LOGS}/torch-fragmented.log; exit 7\n")
        done = self.run_script("training-pod.yaml", HOSTNAME="pod-1")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("memory/fragmentation",
                      (self.folder / "dev/termination-log").read_text())


class DashboardTest(Folder):
    def test_each_metric_exists(self):
        database = self.folder / "fleet.sqlite"
        inquest("fleet", "load", "--database", database,
                input=ndjson(month()))
        text = inquest("fleet", "metrics", "--database", database).stdout
        made = set(re.findall(r"^# TYPE (\w+)", text, re.M))
        labels = set(re.findall(r"(\w+)=\"", text))
        board = json.loads((INTEGRATIONS / "grafana/fleet.json").read_text())
        asked = set()
        for panel in board["panels"]:
            for target in panel["targets"]:
                asked |= set(re.findall(r"inquest_\w+", target["expr"]))
                for by in re.findall(r"by \(([\w, ]+)\)", target["expr"]):
                    self.assertLessEqual(set(by.split(", ")), labels)
        self.assertEqual(asked, made)


class EpilogTest(Folder):
    JOB = ("JobId=7 JobName=x JobState=FAILED Reason=NonZeroExitCode "
           "Restarts=1 ExitCode=1:0 StartTime=2026-11-20T10:00:00 "
           "WorkDir={0} StdErr={0}/slurm-7.out StdOut={0}/slurm-7.out")

    def setUp(self):
        super().setUp()
        self.out = self.folder / "spool"
        (self.folder / "slurm-7.out").write_text(
            (LOGS / "torch-fragmented.log").read_text())
        self.facts = self.JOB.format(self.folder)
        self.tool("scontrol", f"echo scontrol \"$@\" >>{self.folder}/calls\n"
                  "case $* in *hostnames*) echo n0; echo n1 ;;\n"
                  f"*show*) cat {self.folder}/facts ;; *) exit 1 ;; esac\n")
        self.tool("sacctmgr", f"echo sacctmgr \"$@\" >>{self.folder}/calls\n")
        self.tool("dmesg", "exit 1\n")

    def epilog(self, **more):
        (self.folder / "facts").write_text(self.facts + "\n")
        begun = time.monotonic()
        environment = {
            "SLURM_JOB_ID": 7, "SLURM_NODELIST": "n[0-1]",
            "SLURMD_NODENAME": "n0", "SLURM_JOB_UID": os.getuid(),
            "SLURM_JOB_GID": os.getgid(), "INQUEST_EPILOG_DIR": self.out,
            "INQUEST_EPILOG_SETTINGS": self.folder / "none",
            # A busy machine needs more than a node's epilog is given.
            "INQUEST_EPILOG_SECONDS": 100, **more}
        done = subprocess.run([EPILOG], env=self.environment(**environment),
                              timeout=60)
        self.assertEqual(done.returncode, 0)
        return time.monotonic() - begun

    def wait_for(self, path, seconds=120):
        end = time.monotonic() + seconds
        while not path.exists() and time.monotonic() < end:
            time.sleep(0.05)
        return path

    def calls(self):
        path = self.folder / "calls"
        return path.read_text() if path.exists() else ""

    def test_a_failed_job(self):
        self.epilog()
        facts = self.wait_for(self.out / "7-1.diagnosis.json")
        result = json.loads(facts.read_text())
        text = (self.out / "7-1.txt").read_text()
        self.assertIn("memory/fragmentation", text)
        self.assertEqual(result["run"]["job"], "7")
        end = time.monotonic() + 60
        # The last of its calls; a folder in use cannot be removed.
        while "update JobId" not in self.calls() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertIn("where JobID=7 set AdminComment=\"inquest: ",
                      self.calls())

    def test_the_kernels_words_count(self):
        (self.folder / "slurm-7.out").write_text("step 1\n")
        self.tool("dmesg", f"cat {LOGS}/xid79.log\n")
        self.epilog()
        self.assertIn("hardware/off-bus",
                      self.wait_for(self.out / "7-1.txt").read_text())

    def test_jobs_and_nodes_that_are_left_alone(self):
        self.epilog(SLURMD_NODENAME="n1")
        self.facts = self.facts.replace("FAILED", "COMPLETED").replace(
            "1:0", "0:0")
        self.epilog()
        time.sleep(1)
        self.assertEqual(list(self.out.glob("*")) if self.out.exists() else [],
                         [])

    def test_it_never_waits_and_never_stays(self):
        self.tool("scontrol", "case $* in *hostnames*) echo n0 ;;\n"
                  f"*) echo $$ >{self.folder}/pid; exec sleep 300 ;; esac\n")
        # It asks scontrol, which sleeps for five minutes.
        self.assertLess(self.epilog(INQUEST_EPILOG_SECONDS=2), 30)
        pid = self.wait_for(self.folder / "pid")
        time.sleep(0.2)
        path = pathlib.Path("/proc") / pid.read_text().strip()
        end = time.monotonic() + 100
        while path.exists() and time.monotonic() < end:
            time.sleep(0.1)
        self.assertFalse(path.exists())

    def test_nothing_works(self):
        for name in ("scontrol", "sacctmgr"):
            self.tool(name, "exit 1\n")
        self.epilog()
        self.epilog(SLURM_JOB_ID="")
        self.epilog(INQUEST="/nonexistent", INQUEST_EPILOG_DIR="/proc/none")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the simulated GPU under `inquest record`: each case of
programs/simulated_torch.py, and what its verdict and its facts must be."""
import json
import os
import pathlib
import subprocess

PROGRAM = pathlib.Path(__file__).resolve().parent / "programs/simulated_torch.py"
# In place of the real ones, which PyTorch's libraries find by their RPATH.
STAND_INS = ("cuda", "cudart", "cupti", "nvidia-ml", "cudnn")
MIB = 1 << 20
SECONDS = 300


class Case:
    """One recorded run."""

    def __init__(self, environment, build, scratch, case, launcher=(),
                 program=None, **extra):
        self.inquest = build / "cli/inquest"
        self.directory = pathlib.Path(scratch) / case
        libraries = build / "simgpu/lib"
        preload = [build / "collector/libinquest_collector.so"]
        for name in STAND_INS:
            preload += sorted(libraries.glob(f"lib{name}.so.*"))
        self.done = subprocess.run(
            [self.inquest, "record", "-o", self.directory, "--",
             environment.python, *launcher, *(program or (PROGRAM, case))],
            env={**os.environ, "SIMGPU_MEMORY": "2GiB",
                 "LD_LIBRARY_PATH": str(libraries),
                 "LD_PRELOAD": ":".join(map(str, preload)), **extra},
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=SECONDS, check=False)
        self.report = json.loads(self.ask("diagnose", "--format", "json"))
        self.verdict = self.report["verdict"]
        self.said = self.ask("diagnose").split("\n")[1].strip()

    def ask(self, command, *arguments):
        return subprocess.run(
            [self.inquest, command, self.directory, *arguments],
            capture_output=True, text=True, timeout=SECONDS, check=False).stdout

    def rows(self, sql):
        lines = self.ask("query", "--format", "ndjson", sql).splitlines()
        return [json.loads(line) for line in lines]

    def value(self, sql):
        rows = self.rows(sql)
        return next(iter(rows[0].values())) if rows else None


def printed(case, word):
    for line in case.done.stdout.splitlines():
        if line.startswith(word + " "):
            return line[len(word) + 1:]
    return None


def allocator(case, outcome):
    outcome.figure("torch", printed(case, "torch"))
    outcome.equal(case.done.returncode, 0, "allocator: it ends with 0")
    outcome.equal(case.verdict["cause"], "none", "allocator: verdict")
    reserved = case.value("SELECT sum(bytes) AS n FROM memory_event WHERE "
                          "op='alloc' AND kind='device' AND result=0")
    outcome.equal(printed(case, "reserved"), str(reserved),
                  "allocator: PyTorch's reserved bytes are the driver's")
    outcome.equal(printed(case, "after empty_cache"), "0",
                  "allocator: it gave all back")
    freed = case.value("SELECT count(*) AS n FROM memory_event WHERE op='free' "
                       "AND kind='device' AND result=0")
    outcome.check(freed and freed >= 1, "allocator: frees recorded", freed)


def out_of_memory(case, outcome):
    outcome.equal(case.done.returncode, 1, "out of memory: it ends with 1")
    outcome.equal(case.verdict["cause"], "memory/capacity",
                  "out of memory: verdict")
    outcome.equal(case.value("SELECT count(*) AS n FROM framework_oom"), 1,
                  "out of memory: the allocator's own word")
    outcome.check("simulated_torch.py" in json.dumps(case.report),
                  "out of memory: the line of Python is named")


def leak(case, outcome):
    outcome.equal(case.done.returncode, 1, "leak: it ends with 1")
    outcome.equal(case.verdict["cause"], "memory/leak", "leak: verdict")
    outcome.check("simulated_torch.py" in json.dumps(case.report),
                  "leak: the line of Python is named")


def loader(case, outcome):
    outcome.equal(case.done.returncode, 0, "DataLoader: it ends with 0")
    outcome.equal(printed(case, "batches"), "8", "DataLoader: all batches")
    outcome.equal(case.verdict["cause"], "none", "DataLoader: verdict")
    traces = len(list(case.directory.glob("*.trace.sqlite")))
    outcome.equal(traces, 1, "DataLoader: the workers leave no trace")


def rank_dies(case, outcome):
    outcome.check(case.done.returncode != 0, "torchrun: it fails")
    ranks = case.rows("SELECT rank FROM process WHERE rank IS NOT NULL "
                      "ORDER BY rank")
    outcome.equal([row["rank"] for row in ranks], [0, 1],
                  "torchrun: a trace of each rank")
    outcome.equal(case.verdict["cause"], "distributed/peer-lost",
                  "torchrun: verdict")
    outcome.check("exitcode" in case.done.stderr + case.done.stdout,
                  "torchrun: its own summary is in the console")


def profiler(case, outcome):
    outcome.equal(case.done.returncode, 0, "torch.profiler: it ends with 0")
    states = [row["state"] for row in case.rows(
        "SELECT state FROM coverage WHERE source='cupti' ORDER BY from_time")]
    outcome.equal(states[:2], ["on", "off"],
                  "torch.profiler: CUPTI is given up, and the gap is recorded")
    outcome.equal(case.value("SELECT count(*) AS n FROM memory_event WHERE "
                             f"op='alloc' AND bytes={32 * MIB}"), 1,
                  "torch.profiler: what was before it is recorded")


# TEARDOWN_CUPTI: PyTorch's profiler then subscribes to CUPTI's callbacks.
CASES = {
    allocator: {}, out_of_memory: {}, leak: {}, loader: {},
    rank_dies: {"launcher": ("-m", "torch.distributed.run", "--standalone",
                             "--nproc-per-node=2")},
    profiler: {"TEARDOWN_CUPTI": "1"},
}


def check_simulated(environment, build, scratch, outcome):
    for check, how in CASES.items():
        case = Case(environment, build, scratch, check.__name__, **how)
        outcome.figure(check.__name__.replace("_", " "),
                       f"{case.verdict['cause']}, exit {case.done.returncode}, "
                       f"{case.said}")
        try:
            check(case, outcome)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            outcome.check(False, f"{check.__name__}: {error!r}",
                          case.done.stderr[-1000:])

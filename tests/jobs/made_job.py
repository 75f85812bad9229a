# SPDX-License-Identifier: Apache-2.0
"""Makes the folder of a job of many ranks that died: logs of all ranks in one of
the layouts that launchers leave, kernel logs of the nodes, the first fault on one
rank or node and what the others print because of it; and disturbs it: clocks that
differ, ranks whose logs are missing, logs that are cut, one file for all ranks.
Equal seeds make equal jobs.

    made_job.py FOLDER --cause exception --layout torchrun --seed 7
"""
import argparse
import datetime
import json
import pathlib
import random

import job_causes

LAYOUTS = ["rank-files", "node-folders", "torchrun", "slurm-tasks", "srun-labels", "torchrun-console", "mpirun", "pods"]
ONE_FILE = {"srun-labels", "torchrun-console", "mpirun"}
DISTURBANCES = ["none", "clocks", "missing", "truncated", "clocks+missing+truncated", "culprit-lost"]
UTC = datetime.timezone.utc


class Job:
    def __init__(self, seed, cause, layout, disturbance="none"):
        self.random = random.Random(f"{seed} {cause} {layout} {disturbance}")
        draw = self.random
        self.cause, self.layout, self.disturbance = cause, layout, disturbance
        self.per_node = draw.choice([4, 8])
        self.ranks = self.per_node * draw.choice([2, 2, 3])
        first = draw.randrange(1, 60)
        pattern = draw.choice(["node{}", "gpu-{:03}", "hgx{:02}"])
        self.hosts = [pattern.format(first + i) for i in range(self.ranks // self.per_node)]
        self.number = draw.randrange(100000, 999999)
        self.culprit = draw.randrange(self.ranks)
        self.began = datetime.datetime(2031, draw.randrange(1, 13), draw.randrange(1, 28), draw.randrange(24), 4, 5, tzinfo=UTC).timestamp()
        self.fault = self.began + draw.uniform(200, 4000)
        spread = 30 if "clocks" in disturbance else 0.02
        self.offsets = [draw.uniform(-spread, spread) for _ in self.hosts]
        self.step_seconds = draw.choice([0.8, 2.5, 11])
        self.logger = draw.choice(["logging", "bare", "deepspeed"])
        self.peers = draw.choice(["watchdog", "watchdog", "lost"])
        self.kernel_clock = draw.choice(["boot", "wall", "syslog"])
        self.boot = self.began - draw.uniform(1e5, 4e6)
        self.seq = draw.randrange(500, 90000)
        self.lines = {rank: [] for rank in range(self.ranks)}  # (true time, text)
        self.kernel = {node: [] for node in range(len(self.hosts))}
        self.launcher = []
        self.gone = set()  # ranks without a log
        self.cut = set()
        self._play()

    # Who is where.
    def node(self, rank):
        return rank // self.per_node

    def local(self, rank):
        return rank % self.per_node

    def host(self, rank):
        return self.hosts[self.node(rank)]

    def pid(self, rank):
        return 40000 + 131 * self.node(rank) + 7 * self.local(rank)

    def bus(self, rank):
        return f"0000:{0x1a + 0x11 * self.local(rank):02x}:00"

    # What happens.
    def _play(self):
        self.begin = job_causes.CAUSES[self.cause](self, self.culprit)
        for rank in range(self.ranks):
            self._work(rank)
        for node in self.kernel:
            self.kernel[node] += [(self.began - 900 + i * 40, text) for i, text in enumerate([
                "nvidia-nvlink: Nvlink Core is being initialized, major device number 510",
                "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024",
                "nvidia-uvm: Loaded the UVM driver, major device number 508."])]
        self._fail()
        self._disturb()

    def say(self, rank, seconds, text):
        self.lines[rank].append((seconds, text))

    def _work(self, rank):
        head = f"{self.host(rank)}:{self.pid(rank)}:{self.pid(rank) + 50} [{self.local(rank)}] NCCL INFO "
        self.say(rank, self.began, f"{self.host(rank)}:{self.pid(rank)}:{self.pid(rank)} [{self.local(rank)}] NCCL INFO cudaDriverVersion 12040")
        self.say(rank, self.began + 3, head + f"ncclCommInitRank comm 0x55d0{rank:04x}a0 rank {rank} nranks {self.ranks} cudaDev {self.local(rank)} "
                 f"nvmlDev {self.local(rank)} busId {self.bus(rank)[5:7]}000 commId 0x7a11{self.number:x} - Init COMPLETE")
        steps = int((self.fault - self.began - 5) / self.step_seconds)
        shown = sorted(set(range(10, steps, max(10, steps // 40))) | {max(1, steps - 1)})
        for step in shown:
            jitter = self.random.uniform(0, 0.02)
            self.say(rank, self.began + 5 + step * self.step_seconds + jitter, self._step(rank, step))

    def _step(self, rank, step):
        loss = 2 + 6 / (1 + step / 50)
        if self.logger == "deepspeed":
            return f"{{comma}}[INFO] [logging.py:96:log_dist] [Rank {rank}] step={step}, skipped=0, lr=[5e-05], mom=[[0.9, 0.999]]"
        if self.logger == "logging":
            return f"{{dash}}INFO train: step {step}/20000 loss={loss:.4f} grad_norm=0.91"
        return f"step:{step}/20000 train_loss:{loss:.4f} step_avg:{self.step_seconds * 1000:.2f}ms"

    def _fail(self):
        begin, fault = self.begin, self.fault
        # From 2.2 PyTorch marks the lines of a traceback with the rank.
        marks = self.layout == "torchrun-console" or self.random.random() < 0.6
        for seconds, text in begin.lines or []:
            python = marks and not text.startswith(("../", self.host(self.culprit), "Fatal", "Current", "  File \"/app/fast"))
            self.say(self.culprit, fault + seconds, (f"[rank{self.culprit}]: " if python else "") + text)
        self.kernel[self.node(self.culprit)] += [(fault + s, text) for s, text in begin.kernel]
        self.launcher += [(fault + s, text) for s, text in begin.launcher]
        if begin.all_die:
            self.launcher.append((fault + 1.5, self._srun_end()))
            return
        lost = {self.culprit} if self.cause != "node_lost" else {r for r in range(self.ranks) if self.host(r) == self.host(self.culprit)}
        waiting = 600 if self.peers == "watchdog" or not begin.dies else self.random.uniform(0.05, 2)
        for rank in set(range(self.ranks)) - lost:
            self._suffer(rank, fault + waiting + self.random.uniform(0, 0.6), waiting > 100)
        if self.layout in ("torchrun", "torchrun-console") and begin.dies and self.cause != "node_lost":
            self._elastic_end(fault + waiting + 8)
        elif self.layout in ("slurm-tasks", "srun-labels"):
            self.launcher.append((fault + waiting + 5, self._srun_end()))

    def _srun_end(self):
        code = "exit code 1" if not self.begin.exit_signal else {9: "Killed", 11: "Segmentation fault (core dumped)", 15: "Terminated"}[self.begin.exit_signal]
        word = "Exited with " if code.startswith("exit") else ""
        ranks = f"0-{self.ranks - 1}" if self.begin.all_die else str(self.culprit)
        return f"srun: error: {self.host(self.culprit)}: task{'s' if self.begin.all_die else ''} {ranks}: {word}{code}"

    def _suffer(self, rank, at, timeout):
        pg = f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}]"
        if timeout:
            ran = 600000 + self.random.randrange(10, 900)
            self.say(rank, at, f"{{rank}}{{e}}ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={self.seq}, "
                     f"OpType=ALLREDUCE, NumelIn=524288, NumelOut=524288, Timeout(ms)=600000) ran for {ran} milliseconds before timing out.")
            self.say(rank, at + 0.1, f"{{rank}}{{e}}ProcessGroupNCCL.cpp:2268] {pg}  failure detected by watchdog at work sequence id: {self.seq} PG status: "
                     f"last enqueued work: {self.seq + 3}, last completed work: {self.seq - 1}")
            self.say(rank, at + 61, f"{{rank}}{{e}}ProcessGroupNCCL.cpp:684] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous "
                     "nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.")
            self.say(rank, at + 61, f"{{rank}}{{e}}ProcessGroupNCCL.cpp:698] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.")
            self.say(rank, at + 61.2, f"terminate called after throwing an instance of 'c10::DistBackendError'")
            self.say(rank, at + 61.2, f"  what():  {pg} Process group watchdog thread terminated with exception: [Rank {rank}] Watchdog caught collective operation "
                     f"timeout: WorkNCCL(SeqNum={self.seq}, OpType=ALLREDUCE, NumelIn=524288, NumelOut=524288, Timeout(ms)=600000) ran for {ran} milliseconds before timing out.")
            return
        text = job_causes.TRACE.format(line=240, function="backward", code="dist.all_reduce(grad)")
        for one in text.split("\n"):
            self.say(rank, at, "{rank}" + one)
        self.say(rank, at, "{rank}torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2251, remote process exited or "
                 "there was a network error, NCCL version 2.21.5")
        self.say(rank, at, "{rank}ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.")
        self.say(rank, at, f"{{rank}}Last error:")
        self.say(rank, at, f"{{rank}}socketProgressOpt: Call to recv from 10.9.0.{7 + self.node(self.culprit)}<41837> failed : Connection reset by peer")

    def _elastic_end(self, at):
        code = -self.begin.exit_signal or 1
        when = datetime.datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d_%H:%M:%S")
        text = f"Signal {-code} (SIG{ {9: 'KILL', 11: 'SEGV'}.get(-code, 'TERM')}) received by PID {self.pid(self.culprit)}" if code < 0 else \
            "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
        rank = self.culprit
        for line in ("=" * 60, "/app/train.py FAILED", "-" * 60, "Failures:", "  <NO_OTHER_FAILURES>", "-" * 60, "Root Cause (first observed failure):",
                     "[0]:", f"  time      : {when}", f"  host      : {self.host(rank)}", f"  rank      : {rank} (local_rank: {self.local(rank)})",
                     f"  exitcode  : {code} (pid: {self.pid(rank)})", "  error_file: <N/A>", f"  traceback : {text}", "=" * 60):
            self.launcher.append((at, line))

    # How it is disturbed.
    def _disturb(self):
        others = [r for r in range(self.ranks) if r != self.culprit]
        few = max(1, self.ranks // 8)
        if "culprit" in self.disturbance and not self.begin.all_die:
            self.gone = {self.culprit}
        if "missing" in self.disturbance:
            self.gone = set(self.random.sample(others, few))
        if "truncated" in self.disturbance:
            self.cut = set(self.random.sample([r for r in others if r not in self.gone], few))

    def clock(self, node, seconds):
        return seconds + self.offsets[node]

    def _filled(self, rank, seconds, text):
        at = datetime.datetime.fromtimestamp(self.clock(self.node(rank), seconds), UTC)
        micro = f"{at:%f}"
        return (text.replace("{dash}", f"{at:%Y-%m-%d %H:%M:%S},{micro[:3]} ").replace("{comma}", f"[{at:%Y-%m-%d %H:%M:%S},{micro[:3]}] ")
                .replace("{e}", f"[E{at.month}{at:%d} {at:%H:%M:%S}.{micro}123 ").replace("{rank}", f"[rank{rank}]:"))

    def texts(self, rank):
        return [self._filled(rank, seconds, text) for seconds, text in self.lines[rank]]

    def _whole(self, rank):
        text = "\n".join(self.texts(rank)) + "\n"
        return text[:max(200, int(len(text) * self.random.uniform(0.4, 0.9)))] if rank in self.cut else text

    def _stamped(self, seconds, text):
        at = datetime.datetime.fromtimestamp(self.clock(0, seconds), UTC)
        return text.replace("{stamp}", f"{at:%Y-%m-%dT%H:%M:%S}")

    def _kernel_text(self, node):
        lines = []
        for seconds, text in sorted(self.kernel[node]):
            at = datetime.datetime.fromtimestamp(self.clock(node, seconds), UTC)
            if self.kernel_clock == "boot":
                lines.append(f"[{seconds - self.boot:12.6f}] {text}")
            elif self.kernel_clock == "wall":
                lines.append(f"[{at:%a %b} {at.day:2} {at:%H:%M:%S %Y}] {text}")
            else:
                lines.append(f"{at:%b} {at.day:2} {at:%H:%M:%S} {self.hosts[node]} kernel: [{seconds - self.boot:12.6f}] {text}")
        return "\n".join(lines) + "\n"

    # Where it is written.
    def write(self, folder):
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        getattr(self, "_write_" + self.layout.replace("-", "_"))(folder)
        if self.layout not in ONE_FILE and self.launcher and self.layout != "torchrun":
            self._put(folder / f"slurm-{self.number}.out", "\n".join(self._stamped(s, t) for s, t in sorted(self.launcher)) + "\n")
        nodes = [n for n in self.kernel if self.begin.kernel or n]
        for node in nodes:
            name = folder / f"dmesg-{self.hosts[node]}.txt"
            if self.layout == "node-folders":
                name = folder / self.hosts[node] / "dmesg.txt"
            self._put(name, self._kernel_text(node))
        return self

    @staticmethod
    def _put(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def _there(self):
        return [r for r in range(self.ranks) if r not in self.gone]

    def _write_rank_files(self, folder):
        for rank in self._there():
            self._put(folder / f"rank{rank}.log", self._whole(rank))

    def _write_node_folders(self, folder):
        for rank in self._there():
            self._put(folder / self.host(rank) / f"rank_{rank}.log", self._whole(rank))

    def _write_torchrun(self, folder):
        for rank in self._there():
            below = folder / self.host(rank) / f"{self.number}_x1y2z3" / "attempt_0" / str(self.local(rank))
            text = self._whole(rank)
            self._put(below / "stderr.log", text)
            self._put(below / "stdout.log", "")
            raised = [t for _, t in self.begin.lines or []]
            if rank == self.culprit and any(t.startswith("Traceback") for t in raised):
                begin = next(i for i, t in enumerate(raised) if t.startswith("Traceback"))
                stack = "\n".join(raised[begin:]) + "\n"
                self._put(below / "error.json", json.dumps({"message": {"message": raised[-1], "extraInfo": {
                    "py_callstack": stack, "timestamp": str(int(self.clock(self.node(rank), self.fault)))}}}))
        if self.launcher:
            self._put(folder / self.hosts[0] / "torchrun.log", "\n".join(self._stamped(s, t) for s, t in sorted(self.launcher)) + "\n")

    def _write_slurm_tasks(self, folder):
        for rank in self._there():
            self._put(folder / f"slurm-{self.number}_{rank}.out", self._whole(rank))

    def _write_pods(self, folder):
        for rank in self._there():
            self._put(folder / f"train-{self.number}-worker-{self.node(rank)}" / f"rank{rank}.log", self._whole(rank))

    def _interleaved(self, label):
        lines = []
        for rank in self._there():
            mine = list(zip(self.lines[rank], self.texts(rank)))
            if rank in self.cut:
                mine = mine[:int(len(mine) * 0.6)]
            lines += [(seconds, label(rank) + text) for (seconds, _), text in mine]
        lines += [(s, self._stamped(s, t)) for s, t in self.launcher]
        return "\n".join(text for _, text in sorted(lines, key=lambda one: one[0])) + "\n"

    def _write_srun_labels(self, folder):
        width = len(str(self.ranks - 1))
        self._put(folder / f"slurm-{self.number}.out", self._interleaved(lambda rank: f"{rank:>{width}}: "))

    def _write_torchrun_console(self, folder):
        self._put(folder / f"slurm-{self.number}.out", self._interleaved(lambda rank: f"[default{self.local(rank)}]:"))

    def _write_mpirun(self, folder):
        self._put(folder / "mpirun.log", self._interleaved(lambda rank: f"[1,{rank}]<stderr>:"))

    # What the verdict must say.
    def judge(self, answer):
        """Whether the first domino is named, and what was said."""
        verdict = answer.get("verdict") or {}
        unit = verdict.get("unit") or {}
        said = (verdict.get("cause"), unit.get("rank"), unit.get("host"))
        if self.culprit in self.gone:
            # Its cause may be nowhere; then the report must say where to look.
            suspects = [one["rank"] for one in (answer.get("job") or {}).get("suspects", [])]
            said += (suspects,)
            few = len(suspects) <= max(2, self.ranks // 4)
            here = unit.get("rank") == self.culprit or (
                verdict.get("cause") in self.begin.causes and unit.get("host") == self.host(self.culprit))
            if here or (few and self.culprit in suspects):
                return True, said
        if verdict.get("cause") not in self.begin.causes:
            return False, said
        if self.begin.unit == "job":
            return True, said
        right = unit.get("rank") == self.culprit
        if self.begin.unit == "node":
            right = right or (unit.get("rank") is None and unit.get("host") == self.host(self.culprit))
        return right, said


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--cause", choices=sorted(job_causes.CAUSES), default="exception")
    parser.add_argument("--layout", choices=LAYOUTS, default="rank-files")
    parser.add_argument("--disturbance", choices=DISTURBANCES, default="none")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    made = Job(options.seed, options.cause, options.layout, options.disturbance).write(options.folder)
    print(f"{made.cause} on rank {made.culprit} of {made.ranks}, {made.host(made.culprit)}")

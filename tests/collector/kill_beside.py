# SPDX-License-Identifier: Apache-2.0
"""What goes on beside a recorded process until it is killed, for kill_matrix.py:
readers that see the live run from another PID namespace or another machine,
copies that the process makes of its own run, a disk that fills and is freed.
"""

import collections
import glob
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

import harness
from kill_checks import Outcome, acknowledged, examine, rolled_back, stems

INQUEST = os.environ.get("INQUEST", os.path.join(harness.BUILD, "cli/inquest"))
OTHER_NODE = os.path.join(harness.HERE, "libcollector_other_node.so")
# As root of the machine the run is the reader's own, which is what matters.
NAMESPACE = ["unshare", *([] if os.geteuid() == 0 else ["-r"]), "-p", "-f",
             "--mount-proc"]


def permitted(*command):
    try:
        return subprocess.run(command, capture_output=True,
                              check=False).returncode == 0
    except OSError:
        return False


def contents(folder):
    """Of a run's files; the index of a write-ahead log is made by readers."""
    return {path: pathlib.Path(path).read_bytes()
            for path in glob.glob(os.path.join(folder, "run", "*"))
            if not path.endswith("-shm")}


class Beside:
    """Nothing goes on beside the process."""

    def __init__(self, folder, environment, dice):
        self.folder, self.environment, self.dice = folder, environment, dice
        self.complaints = []
        self.seen = collections.Counter()  # what was tried, for the table

    @staticmethod
    def cannot():
        """Why it cannot be tried here, if so."""
        return ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def command(self, host):
        return host

    def status(self, status):
        return status

    def after(self, outcome):
        """The process is dead, and nobody has finished its run yet."""


class Reader(Beside):
    """Opens the live run again and again, and once more after the death."""
    prefix = ()
    own = {}

    def __enter__(self):
        self.stop = threading.Event()
        self.dice = random.Random(self.dice.random())  # of its own thread
        self.reads = threading.Thread(target=self.read_until_stopped)
        self.own = {**os.environ, **self.own}
        self.reads.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.reads.join()

    def read_until_stopped(self):
        while not self.stop.is_set():
            if self.dice.random() < 0.2:
                self.diagnose()
            for stem in stems(self.folder):
                self.read(stem + ".trace.sqlite")
            time.sleep(0.005)

    def diagnose(self):
        if not stems(self.folder):
            return
        run = os.path.join(self.folder, "run")
        done = subprocess.run([*self.prefix, INQUEST, "diagnose", run],
                              env=self.own, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True,
                              timeout=harness.DEADLINE, check=False)
        self.seen["diagnoses of the live run"] += 1
        # Of a process that has only begun there may be no trace yet, or one
        # without anything in it.
        begun = done.returncode == 4 and "has only begun" in done.stderr
        if done.returncode and not begun:
            self.complaints.append(f"diagnose: {done.returncode} {done.stderr}")

    def read(self, trace):
        """What this reader finds missing of all that was acknowledged before
        it began, if it takes the process for dead."""
        acked = acknowledged(os.path.join(self.folder, "ack"))
        copy = os.path.join(self.folder, "elsewhere.sqlite")
        done = subprocess.run([*self.prefix, harness.FINISH, trace, copy],
                              env=self.own, capture_output=True, text=True,
                              timeout=harness.DEADLINE, check=False)
        outcome = Outcome()
        alive = "process_alive 1" in done.stdout
        self.seen["found alive" if alive else "not known to be alive"] += 1
        if done.returncode:
            self.complaints.append(done.stderr)
        elif os.path.exists(copy) and "nothing_yet 1" not in done.stdout:
            examine(outcome, acked, copy)
            if alive:
                outcome.missing = 0  # the last records are not there yet
            if outcome.unreadable or outcome.missing:
                self.complaints.append(f"elsewhere: {outcome}")
        if os.path.exists(copy):
            os.unlink(copy)

    def after(self, outcome):
        before = contents(self.folder)
        for stem in stems(self.folder):
            self.read(stem + ".trace.sqlite")
        if contents(self.folder) != before:
            self.complaints.append("a reader elsewhere has changed the run")


class OtherNamespace(Reader):
    prefix = tuple(NAMESPACE)

    @staticmethod
    def cannot():
        return "" if permitted(*NAMESPACE, "true") else "no PID namespace is permitted"


class OtherNode(Reader):
    def __init__(self, folder, environment, dice):
        super().__init__(folder, environment, dice)
        shift = dice.choice([0, 500, -500, 180_000, -180_000, 1_000_000])
        self.own = {"LD_PRELOAD": OTHER_NODE,
                    "INQUEST_TEST_CLOCK_SHIFT_MS": str(shift)}


class Copying(Beside):
    """The process copies its own run. Of a copy that was made while the files
    changed, what is not there must be told: counted, or refused in words."""

    def after(self, outcome):
        for begun in glob.glob(os.path.join(self.folder, "copy-*.begun")):
            acked = acknowledged(os.path.join(self.folder, "ack"),
                                 int(pathlib.Path(begun).read_text() or 0))
            for stem in stems(self.folder, begun.removesuffix(".begun")):
                self.check(stem + ".trace.sqlite", acked)

    def check(self, trace, acked):
        done = subprocess.run([harness.FINISH, trace], capture_output=True,
                              text=True, timeout=harness.DEADLINE, check=False)
        self.seen["copies"] += 1
        outcome = Outcome()
        if done.returncode:
            self.seen["copies refused"] += 1
            return
        examine(outcome, acked, trace)
        # The journal of the copy is younger than its trace, and has already
        # handed over what is not there yet.
        told = rolled_back(trace)
        self.seen["copies with losses told"] += told > 0
        if outcome.missing > told or outcome.unreadable:
            self.complaints.append(f"copy: {outcome}, {told} told")


# By names without a folder, so that it never leaves its file system, and with
# bounds of its own in case that it is forgotten: no disk but this may be filled.
FILL = """
import os, random, signal, sys, time
dice = random.Random(sys.argv[1])
signal.alarm(60)
if not os.path.ismount("."):
    sys.exit("not a file system of its own")
while not any(name.endswith(".journal") for name in os.listdir(".")):
    time.sleep(0.001)
while True:
    time.sleep(dice.random() * 0.05)
    with open("filler", "wb") as file:
        size = 1 << 24
        while size >= 4096 and file.tell() < 1 << 26:
            try:
                os.posix_fallocate(file.fileno(), file.tell(), size)
                file.seek(0, 2)
            except OSError:
                size //= 2
        os.write(1, b".")
        time.sleep(dice.random() * 0.1)
    os.unlink("filler")
"""


class FillingDisk(Beside):
    """A file system of its own that somebody fills and frees. Its namespace
    ends with the process; what lies there is copied out before."""

    @staticmethod
    def cannot():
        here = permitted("unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs",
                         "/mnt")
        return "" if here else "mounting is not permitted"

    def command(self, host):
        place = os.path.join(self.folder, "mount")
        os.makedirs(place, exist_ok=True)
        run = os.path.join(self.folder, "run")
        size = self.dice.choice(["6m", "12m", "24m"])
        script = (
            f"mount -t tmpfs -o size={size} tmpfs {place} && cd {place} || "
            "exit 99\n"
            f"{sys.executable} -S -I -c '{FILL}' {self.dice.random()} "
            f">{self.folder}/fillings &\nfiller=$!\n"
            f'INQUEST_DIR={place} LD_PRELOAD="$PRELOAD" "$@" & host=$!\n'
            "wait $host; status=$?\nkill $filler; wait $filler\n"
            f"rm -f filler; cp -r . {run}\nexit $status")
        self.environment["PRELOAD"] = self.environment.pop("LD_PRELOAD")
        return ["unshare", "-rm", "sh", "-c", script, "sh", *host]

    def status(self, status):
        """A shell's word for a signal."""
        return 128 - status if status > 128 else status

    def after(self, outcome):
        fillings = os.path.join(self.folder, "fillings")
        if os.path.exists(fillings):
            self.seen["times the disk was filled"] += os.path.getsize(fillings)

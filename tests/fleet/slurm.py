# SPDX-License-Identifier: Apache-2.0
"""Slurm and munge of the distribution as a cluster of several nodes on this
machine, with accounting where slurmdbd and MariaDB are installed. Everything
is in a folder of its own, on ports of its own, and ends with the test."""
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time

NEEDED = ("slurmctld", "slurmd", "munged", "sbatch", "scontrol", "sinfo")
ACCOUNTING = ("slurmdbd", "mariadbd", "mariadb-install-db", "sacctmgr")
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"


def missing():
    """Why no cluster can be started here; empty if one can."""
    lacking = [one for one in NEEDED if not shutil.which(one, path=PATH)]
    if lacking:
        return (f"Slurm is not installed ({', '.join(lacking)}; apt-get "
                "install slurm-wlm munge)")
    if os.getuid() != 0:
        return "starting several slurmd needs root"
    return ""


def has_accounting():
    return all(shutil.which(one, path=PATH) for one in ACCOUNTING)


def ports(count):
    """Free ones; bound until all are known, so that they differ."""
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    numbers = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return numbers


class Slurm:
    """`with Slurm(epilog=…) as cluster: cluster("sinfo")`"""

    def __init__(self, nodes=4, epilog=None, environment=None):
        self.nodes = nodes
        self.epilog = epilog
        self.processes = []
        self.environment = {**os.environ, "PATH": PATH, **(environment or {})}

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="isl-", dir="/tmp"))
        os.chmod(self.folder, 0o755)
        self.environment["SLURM_CONF"] = str(self.folder / "slurm.conf")
        try:
            self.start_munge()
            self.configure()
            if has_accounting():
                self.start_accounting()
            self.start_slurm()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __call__(self, *words, code=0):
        """A command of Slurm; its output."""
        done = subprocess.run([str(one) for one in words], text=True,
                              capture_output=True, timeout=120,
                              env=self.environment, cwd=self.folder)
        if code is not None and done.returncode != code:
            raise RuntimeError(f"{words}: {done.returncode}: {done.stderr}")
        return done.stdout

    def spawn(self, name, *words, env=None):
        log = open(self.folder / f"{name}.out", "wb")
        self.processes.append(subprocess.Popen(
            [str(one) for one in words], stdout=log, stderr=log,
            stdin=subprocess.DEVNULL, env=env or self.environment, cwd="/"))
        log.close()

    def wait_for(self, what, seconds=60):
        end = time.monotonic() + seconds
        while not what():
            if time.monotonic() > end:
                raise RuntimeError("the cluster does not answer: " + self.logs())
            time.sleep(0.1)

    def logs(self):
        return "\n".join(f"== {one.name}\n{one.read_text(errors='replace')[-1500:]}"
                         for one in sorted(self.folder.glob("*.out")))

    def start_munge(self):
        home = self.folder / "munge"
        home.mkdir(mode=0o755)
        key = home / "key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        self.munge = home / "socket"
        # The folder's own parents may be writable for others.
        self.spawn("munged", "munged", "--foreground", "--force",
                   f"--key-file={key}", f"--socket={self.munge}",
                   f"--pid-file={home}/pid", f"--log-file={home}/log",
                   f"--seed-file={home}/seed")
        self.wait_for(self.munge.exists)

    def configure(self):
        host = socket.gethostname().split(".")[0]
        numbers = ports(self.nodes + 3)
        self.database_port, self.accounting_port = numbers[-1], numbers[-2]
        lines = [
            "ClusterName=inquest", f"SlurmctldHost={host}(127.0.0.1)",
            "SlurmUser=root", "SlurmdUser=root", "AuthType=auth/munge",
            f"AuthInfo=socket={self.munge}", "CredType=cred/munge",
            f"SlurmctldPort={numbers[0]}",
            f"StateSaveLocation={self.folder}/state",
            f"SlurmdSpoolDir={self.folder}/spool.%n",
            f"SlurmctldPidFile={self.folder}/slurmctld.pid",
            f"SlurmdPidFile={self.folder}/slurmd.%n.pid",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none",
            "JobAcctGatherType=jobacct_gather/none", "MpiDefault=none",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core",
            "GresTypes=gpu", "ReturnToService=2",
            "SlurmdParameters=config_overrides", "MinJobAge=600",
            "SchedulerParameters=batch_sched_delay=0,sched_min_interval=0",
            "InactiveLimit=0", "KillWait=2", "MaxArraySize=1001"]
        if self.epilog:
            lines.append(f"Epilog={self.epilog}")
        if has_accounting():
            lines += ["AccountingStorageType=accounting_storage/slurmdbd",
                      "AccountingStorageHost=127.0.0.1",
                      f"AccountingStoragePort={self.accounting_port}",
                      f"AccountingStoragePass={self.munge}",
                      "AccountingStorageTRES=gres/gpu",
                      "AccountingStoreFlags=job_comment"]
        for n in range(self.nodes):
            lines.append(f"NodeName=n{n} NodeHostname={host} "
                         f"NodeAddr=127.0.0.1 Port={numbers[n + 1]} CPUs=8 "
                         "Gres=gpu:8 State=UNKNOWN")
        lines.append(f"PartitionName=all Nodes=n[0-{self.nodes - 1}] "
                     "Default=YES MaxTime=INFINITE State=UP")
        (self.folder / "slurm.conf").write_text("\n".join(lines) + "\n")
        # Slurm counts files, whatever they are.
        for n in range(8):
            (self.folder / f"gpu{n}").touch()
        (self.folder / "gres.conf").write_text(
            f"Name=gpu File={self.folder}/gpu[0-7]\n")
        (self.folder / "state").mkdir()

    def start_accounting(self):
        data = self.folder / "mariadb"
        where = f"{self.folder}/mariadb.socket"
        self("mariadb-install-db", f"--datadir={data}", "--user=root",
             "--auth-root-authentication-method=socket", "--skip-test-db")
        self.spawn("mariadbd", "mariadbd", "--no-defaults",
                   f"--datadir={data}", "--user=root", f"--socket={where}",
                   "--bind-address=127.0.0.1", f"--port={self.database_port}",
                   f"--pid-file={self.folder}/mariadb.pid",
                   "--innodb-buffer-pool-size=64M",
                   "--innodb-lock-wait-timeout=900")
        self.wait_for(pathlib.Path(where).exists)
        self("mariadb", f"--socket={where}", "-e",
             "CREATE USER 'slurm'@'127.0.0.1' IDENTIFIED BY 'slurm'; "
             "CREATE USER 'slurm'@'localhost' IDENTIFIED BY 'slurm'; "
             "GRANT ALL ON *.* TO 'slurm'@'127.0.0.1'; "
             "GRANT ALL ON *.* TO 'slurm'@'localhost'")
        conf = self.folder / "slurmdbd.conf"
        conf.write_text("\n".join([
            "AuthType=auth/munge", f"AuthInfo=socket={self.munge}",
            "DbdHost=localhost", f"DbdPort={self.accounting_port}",
            "SlurmUser=root", f"PidFile={self.folder}/slurmdbd.pid",
            "StorageType=accounting_storage/mysql", "StorageHost=127.0.0.1",
            f"StoragePort={self.database_port}", "StorageUser=slurm",
            "StoragePass=slurm", "StorageLoc=slurm_acct"]) + "\n")
        conf.chmod(0o600)
        self.spawn("slurmdbd", "slurmdbd", "-D")
        self.wait_for(lambda: "already exists" in self(
            "sacctmgr", "-i", "add", "cluster", "inquest", code=None))

    def start_slurm(self):
        self.spawn("slurmctld", "slurmctld", "-D")
        for n in range(self.nodes):
            self.spawn(f"slurmd-{n}", "slurmd", "-D", "-N", f"n{n}")
        if has_accounting():
            # Jobs that begin before that are accounted for without GPUs.
            self.wait_for(lambda: "gres" in self("sacctmgr", "-nP", "show",
                                                 "tres", code=None))
            self.wait_for(lambda: int(self(
                "sacctmgr", "-nP", "show", "cluster", "format=ControlPort",
                code=None).strip() or 0) > 0)
        self.wait_for(lambda: self("sinfo", "-h", "-o", "%D %t",
                                   code=None).strip() == f"{self.nodes} idle")

# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL of the distribution, started for a test and stopped after it,
in a folder of its own and without the network."""
import glob
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile


def programs():
    """The folder of initdb and pg_ctl; None where they are not installed."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    if found:
        return pathlib.Path(found[-1]).parent
    initdb = shutil.which("initdb")
    return pathlib.Path(initdb).resolve().parent if initdb else None


def missing():
    """Why no server can be started here; empty if one can."""
    if programs() is None:
        return "PostgreSQL is not installed (apt-get install postgresql)"
    if os.getuid() == 0 and user() is None:
        return "PostgreSQL does not run as root, and there is no other user"
    return ""


def user():
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


class Postgres:
    """`with Postgres() as url:` — a connection string."""

    def __enter__(self):
        # Short: the path of a socket has 107 bytes at most.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ipg-", dir="/tmp"))
        self.data = self.folder / "data"
        if os.getuid() == 0:
            os.chown(self.folder, user().pw_uid, user().pw_gid)
        else:
            os.chmod(self.folder, 0o700)
        try:
            self.run("initdb", "-D", self.data, "-A", "trust", "-U", "fleet",
                     "-E", "UTF8", "--no-locale", "--no-sync")
            self.run("pg_ctl", "-D", self.data, "-w", "-l",
                     self.folder / "log", "-o",
                     f"-k {self.folder} -c listen_addresses='' -c fsync=off",
                     "start")
        except BaseException:
            self.__exit__()
            raise
        return f"postgresql://fleet@/postgres?host={self.folder}"

    def __exit__(self, *_):
        if (self.data / "postmaster.pid").exists():
            self.run("pg_ctl", "-D", self.data, "-m", "immediate", "-w",
                     "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, name, *arguments):
        words = [str(programs() / name), *map(str, arguments)]
        who = {}
        if os.getuid() == 0:
            who = {"user": user().pw_uid, "group": user().pw_gid,
                   "extra_groups": []}
        done = subprocess.run(words, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, cwd="/", timeout=120,
                              **who)
        if done.returncode != 0:
            raise RuntimeError(f"{name}: {done.stderr.decode()}")

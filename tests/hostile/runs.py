# SPDX-License-Identifier: Apache-2.0
"""Runs for the hostile tests, and how the program is started on them."""
import os
import pathlib
import sqlite3
import struct
import subprocess
import tarfile
import tempfile
import unittest

INQUEST = os.environ["INQUEST"]
SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
HANG_SECONDS = 180  # a slow machine that others use takes 70
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"


# The peak memory of a process includes that of its parent at the fork, so a
# separate small parent starts and measures it: arguments are a time limit and
# the command; descriptor 3 gets [exit code, bytes, seconds].
MEASURE = """
import json, os, sys, time
start = time.monotonic()
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
while True:
    done, status, usage = os.wait4(pid, os.WNOHANG)
    if done:
        break
    if time.monotonic() - start > float(sys.argv[1]):
        os.kill(pid, 9)
    time.sleep(0.002)
print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024,
                  time.monotonic() - start]), file=os.fdopen(3, "w"))
"""


def make_trace(path, events=2000):
    db = sqlite3.connect(path)
    db.execute("PRAGMA synchronous=OFF")  # the disk is not waited for
    db.executescript((SOURCE / "trace/schema.sql").read_text())
    db.execute("INSERT INTO process VALUES (1, 0, 0, 'h', 'e', 'c', 0, 0, 1, '')")
    db.execute("INSERT INTO clock_anchor VALUES (0, 0)")
    db.executemany("INSERT INTO meta VALUES (?, ?)",
                   [("schema_version", "1"), ("drained_ticket", "0"),
                    ("clean_end", "1"), ("end_ns", "1000000000")])
    db.executemany(
        "INSERT INTO memory_event VALUES (?, ?, ?, 1, 0, 1, 0, 0, ?, ?, 0, 1, 0)",
        ((i, i, 1 + i % 2, 4096 + (i // 2) * 8192, 4096 * (1 - i % 2))
         for i in range(events)))
    db.commit()
    db.close()
    return path


def boot_hash():
    """As trace/journal/process_clock.cc computes it: FNV-1a."""
    value = 14695981039346656037
    for byte in pathlib.Path("/proc/sys/kernel/random/boot_id").read_bytes():
        value = (value ^ byte) * 1099511628211 % (1 << 64)
    return value


def died_here(journal):
    """Makes the journal's process one of this machine, which has ended."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    with open(journal, "r+b") as file:
        file.seek(24)  # JournalHeader: pid, start, pid namespace, boot
        file.write(struct.pack("<qQQQ", ended.pid, 1,
                               os.stat("/proc/self/ns/pid").st_ino,
                               boot_hash()))


def lives_here(journal):
    """Makes the journal's process this one."""
    died_here(journal)
    with open("/proc/self/stat", encoding="ascii") as stat:
        start = int(stat.read().rpartition(")")[2].split()[19])
    with open(journal, "r+b") as file:
        file.seek(24)
        file.write(struct.pack("<qQ", os.getpid(), start))


def sparse_journal(path, slots=1 << 22):
    """A journal as large as one may be, of which only the header was written:
    it takes 4 KiB on the disk."""
    header = bytearray(4096)
    header[:8] = b"INQJRNL\1"
    struct.pack_into("<IIQ", header, 8, 2, len(header), slots)
    struct.pack_into("<Q", header, 72, slots)  # the first ticket
    struct.pack_into("<Q", header, 128, (1 << 63) - 1)  # the next one
    struct.pack_into("<Q", header, 192, slots)  # the first that is not stored
    path.write_bytes(header)
    os.truncate(path, len(header) + slots * 64)


def killed_run(folder, here=True):
    """A recorded run whose process was killed, on this machine unless `here` is
    false: a trace and a journal. Returns the trace."""
    with tarfile.open(SOURCE / "tests/trace/stored-0.1.tar.gz") as archive:
        for member in archive.getmembers():
            if not member.isfile() or "killed" not in member.name:
                continue
            member.name = pathlib.PurePath(member.name).name
            archive.extract(member, folder)
    if here:
        died_here(next(folder.glob("*.journal")))
    return next(folder.glob("*.trace.sqlite"))


def contents(folder):
    """Every name in the folder, with the bytes of plain files."""
    return {path.relative_to(folder).as_posix():
            path.read_bytes() if path.is_file() and not path.is_symlink()
            else path.lstat().st_mode for path in sorted(folder.rglob("*"))}


class HostileTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="inquest-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.run_folder = self.folder / "run"
        self.run_folder.mkdir()

    def inquest(self, *arguments, **options):
        """Text is read as bytes of Latin 1, so that nothing is lost."""
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stdin", subprocess.DEVNULL)
        environment = {**os.environ, "TMPDIR": str(self.temporary)}
        return subprocess.run(
            [INQUEST, *map(str, arguments)], stderr=subprocess.PIPE,
            encoding="latin-1", timeout=HANG_SECONDS, env=environment, **options)

    def refused(self, *arguments, says=(), code=2, **options):
        result = self.inquest(*arguments, **options)
        self.assertEqual(result.returncode, code, result.stderr)
        for words in says:
            self.assertIn(words, result.stderr)
        return result

    def nothing_left(self):
        self.assertEqual(list(self.temporary.iterdir()), [])

# SPDX-License-Identifier: Apache-2.0
"""Reading a stranger's run harms nobody: pipes, devices and links in the place
of its files end at once with a clear word, nothing is written through links or
into a directory that is not ours, and code in a trace is not run."""
import os
import pathlib
import resource
import shutil
import socket
import sqlite3
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from runs import (OOM, HostileTest, contents, died_here,  # noqa: E402
                  killed_run, lives_here, make_trace, sparse_journal)


def make_pipe(path):
    os.mkfifo(path)


def make_folder(path):
    path.mkdir()


def link_to_zeros(path):
    path.symlink_to("/dev/zero")


def make_socket(path):
    where = os.getcwd()
    os.chdir(path.parent)  # the address has room for 100 characters only
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path.name)
    os.chdir(where)


TRAPS = {make_pipe: "named pipe", make_folder: "folder",
         link_to_zeros: "symbolic link", make_socket: "socket"}
NAMES = ("run.json", "console.log", "p.trace.sqlite", "p.journal",
         "p.trace.sqlite-wal", "p.trace.sqlite-journal", "p.trace.sqlite-shm")


class OpeningTest(HostileTest):
    def trap(self, make, name):
        folder = self.folder / f"{make.__name__}-{name}"
        folder.mkdir()
        ours = name.startswith("p.trace.sqlite-")
        make_trace(folder / ("p.trace.sqlite" if ours else "good.trace.sqlite"))
        make(folder / name)
        return folder

    def test_traps_in_a_run(self):
        for make, words in TRAPS.items():
            for name in NAMES:
                with self.subTest(f"{make.__name__} {name}"):
                    folder = self.trap(make, name)
                    self.refused("diagnose", folder, says=[name, words])

    def test_named_by_the_user(self):
        for make, words in TRAPS.items():
            path = self.folder / make.__name__
            make(path)
            words = "device" if make is link_to_zeros else words
            if make is not make_folder:
                self.refused("diagnose", path, says=[words])
            self.refused("diagnose", "--log", path, says=[words])
            for kind in ("trace", "torch-snapshot", "nsys", "pprof"):
                with self.subTest(f"{kind} {make.__name__}"):
                    self.refused("diagnose", "--source", f"{kind}={path}")

    def test_links_that_the_user_names(self):
        log = self.folder / "real.log"
        log.write_text(OOM)
        (self.folder / "link.log").symlink_to(log)
        make_trace(self.folder / "real.trace.sqlite")
        (self.folder / "link.trace.sqlite").symlink_to("real.trace.sqlite")
        for name in ("link.log", "link.trace.sqlite"):
            result = self.inquest("diagnose", self.folder / name)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_pipes_that_are_open(self):
        for name in ("-", "/dev/stdin", "/dev/fd/0"):
            read, write = os.pipe()
            os.write(write, OOM.encode())
            os.close(write)
            with os.fdopen(read) as pipe:
                result = self.inquest("diagnose", name, stdin=pipe)
            self.assertIn("2.00 GiB", result.stdout, result.stderr)

    def test_a_run_json_of_any_size(self):
        path = self.run_folder / "run.json"
        path.touch()
        os.truncate(path, 1 << 40)  # takes no room
        self.refused("diagnose", self.run_folder, says=["more than"])

    @unittest.skipIf(os.environ.get("INQUEST_SANITIZE"), "needs more memory")
    def test_journals_as_large_as_may_be(self):
        for ours in (False, True):
            names = ["p.journal"] + [f"p.journal.{i}" for i in range(2, 9)]
            for name in names:
                sparse_journal(self.run_folder / name)
                if ours:
                    died_here(self.run_folder / name)
            result = self.inquest(
                "diagnose", self.run_folder, preexec_fn=lambda:
                resource.setrlimit(resource.RLIMIT_DATA, (200 << 20,) * 2))
            self.assertIn(result.returncode, (0, 4), result.stderr)
            self.nothing_left()


class FactsTest(HostileTest):
    """Files of facts, as `ingest` makes them and `merge` reads them."""
    def made(self):
        log = self.folder / "run.log"
        log.write_text(OOM)
        facts = self.folder / "a.facts"
        self.assertEqual(self.inquest("ingest", log, "-o", facts).returncode, 0)
        return facts

    def test_views_in_the_place_of_tables(self):
        facts = self.made()
        for table in ("part_info", "part_problem", "part_limit",
                      "part_contradiction", "part_log", "part_block",
                      "part_trace", "part_log_event", "process"):
            with self.subTest(table):
                path = self.folder / f"{table}.facts"
                shutil.copy(facts, path)
                with sqlite3.connect(path) as db:
                    columns = [row[1] for row in db.execute(
                        f"PRAGMA table_info({table})")]
                    db.execute(f"DROP TABLE {table}")
                    db.execute(f"CREATE VIEW {table} AS " + endless(columns))
                db.close()
                self.refused("merge", path, says=[path.name, table])

    def test_a_file_that_was_cut(self):
        path = self.made()
        os.truncate(path, path.stat().st_size // 2)
        self.refused("merge", path, says=[path.name])


class WritingTest(HostileTest):
    def setUp(self):
        super().setUp()
        self.trace = killed_run(self.run_folder)
        self.journal = next(self.run_folder.glob("*.journal"))

    def rows(self, path):
        result = self.inquest("query", path, "--format", "csv",
                              "SELECT count(*) FROM memory_event")
        self.assertEqual(result.returncode, 0, result.stderr)
        return int(result.stdout.split()[1])

    def test_what_is_ours_is_finished_in_place(self):
        self.assertGreater(self.rows(self.run_folder), 0)
        self.assertFalse(self.journal.exists())
        self.nothing_left()

    def test_a_process_that_has_only_begun(self):
        lives_here(self.journal)
        for path in self.run_folder.glob("*.trace.sqlite*"):
            path.unlink()
        for make in (lambda: None, self.trace.touch):  # no trace, no table yet
            make()
            before = contents(self.run_folder)
            for command in (["diagnose", self.run_folder],
                            ["query", self.run_folder, "SELECT 1"]):
                self.refused(*command, code=4,
                             says=[self.trace.name, "has only begun"])
            self.assertEqual(contents(self.run_folder), before)

    def not_ours(self):
        before = contents(self.run_folder)
        copied = self.rows(self.run_folder)
        self.assertEqual(contents(self.run_folder), before)
        self.nothing_left()
        own = self.folder / "own"
        own.mkdir()
        self.assertEqual(copied, self.rows(killed_run(own).parent))

    def test_a_process_that_may_live_on_another_machine(self):
        for path in self.run_folder.iterdir():
            path.unlink()
        killed_run(self.run_folder, here=False)
        self.not_ours()

    def test_a_file_with_a_second_name(self):
        os.link(self.journal, self.folder / "second")
        self.not_ours()

    @unittest.skipUnless(os.geteuid() == 0, "needs root to give files away")
    def test_a_file_of_another_user(self):
        os.chown(self.journal, 65534, 65534)
        self.not_ours()

    @unittest.skipUnless(os.geteuid() == 0, "needs root to give files away")
    def test_root_leaves_a_users_run_to_the_user(self):
        for path in (self.run_folder, *self.run_folder.iterdir()):
            os.chown(path, 65534, 65534)
        self.not_ours()

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_directory_that_cannot_be_written(self):
        self.run_folder.chmod(0o500)
        self.addCleanup(self.run_folder.chmod, 0o700)
        self.not_ours()

    def test_messages_name_the_original(self):
        os.link(self.journal, self.folder / "second")
        self.trace.unlink()
        with sqlite3.connect(make_trace(self.trace)) as db:
            db.execute("PRAGMA user_version = 7")
        db.close()
        result = self.refused("diagnose", self.run_folder,
                              says=[str(self.trace), "schema 7"])
        self.assertNotIn(str(self.temporary), result.stderr)
        self.nothing_left()

    def test_no_place_for_a_copy(self):
        os.link(self.journal, self.folder / "second")
        self.temporary = self.folder / "not there"
        result = self.inquest("diagnose", self.run_folder)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("TMPDIR", result.stderr)

    def test_links_in_the_place_of_files(self):
        secret = self.folder / "secret"
        for victim in (self.trace, self.journal):
            shutil.move(victim, secret)
            before = secret.read_bytes()
            victim.symlink_to(secret)
            self.refused("diagnose", self.run_folder, says=["symbolic link"])
            self.assertEqual(secret.read_bytes(), before)
            victim.unlink()
            shutil.move(secret, victim)

    def test_a_rollback_that_deletes_a_file(self):
        # SQLite removes the file that such a journal names, after the rollback.
        for path in self.run_folder.iterdir():
            path.unlink()
        trace = make_trace(self.run_folder / "p.trace.sqlite")
        db = sqlite3.connect(trace, isolation_level=None)
        db.execute("PRAGMA cache_size=1")
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE memory_event SET bytes = bytes + 1")
        kept = self.folder / "kept"
        kept.mkdir()
        for path in self.run_folder.iterdir():
            shutil.copy(path, kept)
        db.close()
        secret = self.folder / "secret"
        secret.write_text("precious")
        name = str(secret).encode()
        page = (0x40000000 // 4096 + 1).to_bytes(4, "big")
        with (kept / "p.trace.sqlite-journal").open("ab") as journal:
            journal.write(page + name + len(name).to_bytes(4, "big") +
                          sum(name).to_bytes(4, "big") +
                          bytes.fromhex("d9d505f920a163d7"))
        self.refused("diagnose", kept, says=["SQLite would delete"])
        self.assertEqual(secret.read_text(), "precious")


def endless(columns):
    return ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
            "SELECT " + ", ".join(f'x AS "{one}"' for one in columns) + " FROM c")


class SchemaTest(HostileTest):
    """Code in the schema of a trace is refused before any of it runs."""

    def hostile(self, *statements):
        path = make_trace(self.folder / "p.trace.sqlite")
        with sqlite3.connect(path) as db:
            for statement in statements:
                db.execute(statement)
        db.close()
        for command in (["diagnose", path],
                        ["query", "--timeout-ms", "1000", path, "SELECT 1"],
                        ["explain", path], ["whatif", path],
                        ["diff", path, path]):
            result = self.refused(*command,
                                  says=["p.trace.sqlite", "plain tables"])
            self.assertEqual(result.stdout, "")
        path.unlink()

    def test_views_in_the_place_of_tables(self):
        for table in ("memory_event", "clock_anchor", "process", "meta", "stack"):
            path = make_trace(self.folder / "columns.sqlite", 0)
            db = sqlite3.connect(path)
            columns = [row[1] for row in
                       db.execute(f"PRAGMA table_info({table})")]
            db.close()
            path.unlink()
            with self.subTest(table):
                self.hostile(f"DROP TABLE {table}",
                             f"CREATE VIEW {table} AS {endless(columns)}")

    def test_other_code(self):
        for statement in (
                "CREATE VIEW extra AS " + endless(["a"]),
                "CREATE TRIGGER t AFTER INSERT ON message BEGIN "
                "DELETE FROM message; END",
                "CREATE VIRTUAL TABLE v USING rtree(id, a, b)",
                "ALTER TABLE message ADD COLUMN slow AS (length(text))",
                "CREATE INDEX i ON message(length(text))"):
            with self.subTest(statement):
                try:
                    self.hostile(statement)
                except sqlite3.OperationalError as error:
                    self.skipTest(str(error))  # no rtree in this Python


class DamageTest(HostileTest):
    """A damaged trace is named, what can be read is used, and exit 2."""

    def damaged(self, every, at):
        path = make_trace(self.run_folder / "p.trace.sqlite", 20_000)
        content = bytearray(path.read_bytes())
        middle = range(len(content) // 8192 * 4096, len(content) - 4096, every)
        for page in middle:
            content[page + at:page + at + 64] = b"\xff" * 64
        path.write_bytes(content)
        return path, bytes(content)

    def check(self, every, at):
        path, content = self.damaged(every, at)
        (self.run_folder / "console.log").write_text(OOM)
        query = self.refused(
            "query", self.run_folder, "--format", "csv",
            "SELECT count(*), min(id), max(id) FROM memory_event",
            says=["p.trace.sqlite", "damaged", "memory_event", "rows"])
        rows, first, last = map(int, query.stdout.split()[1].split(","))
        self.assertGreater(rows, 5000)
        self.assertLess(rows, 20_000)
        self.assertEqual((first, last), (0, 19_999))
        report = self.refused("diagnose", self.run_folder,
                              says=["p.trace.sqlite"])
        self.assertIn("memory/capacity", report.stdout)
        for command in (["explain", path], ["whatif", path],
                        ["diff", path, path]):
            self.refused(*command, says=["p.trace.sqlite"])
        self.assertEqual(path.read_bytes(), content)
        path.unlink()

    def test_pages_that_are_none(self):
        self.check(16 * 4096, 0)

    def test_rows_that_are_none(self):
        self.check(16 * 4096, 2048)

    def test_a_trace_that_was_cut(self):
        path = make_trace(self.folder / "p.trace.sqlite", 20_000)
        os.truncate(path, path.stat().st_size // 2)
        self.refused("diagnose", path, says=["p.trace.sqlite"])

    def test_finishing_a_damaged_trace(self):
        trace = killed_run(self.run_folder)
        for path in self.run_folder.glob("*-journal"):
            path.unlink()
        content = bytearray(trace.read_bytes())
        for page in range(4096, len(content), 4096):
            content[page:page + 64] = b"\xff" * 64
        trace.write_bytes(content)
        self.refused("diagnose", self.run_folder, says=[trace.name])


class NumbersTest(HostileTest):
    """Numbers at the ends of the range; the sanitizers watch the sums."""

    def test_numbers_at_the_ends(self):
        ends = (-(1 << 63), (1 << 63) - 1)
        path = make_trace(self.folder / "p.trace.sqlite", 0)
        with sqlite3.connect(path) as db:
            db.execute("INSERT INTO device VALUES "
                       "(0, 'd', 'u', 'p', ?, '9.0', '1', 1, 1)", (ends[1],))
            for number in ends:
                db.execute("INSERT INTO clock_anchor VALUES (?, ?)",
                           (number, -number - 1))
                db.execute("INSERT INTO device_memory VALUES (?, 0, ?, ?, "
                           "'failure')", (number, -number - 1, number))
            number = 0
            for step in range(200):
                for time in ends:
                    for op, size, result in ((1, ends[1], 0), (2, 0, 0),
                                             (1, ends[1], 2), (1, ends[0], 0)):
                        number += 1
                        db.execute(
                            "INSERT INTO memory_event VALUES (?, ?, ?, 1, 0, "
                            "1, 0, 0, ?, ?, ?, 1, 0)",
                            (number, time + (1 if time < 0 else -1) * step, op,
                             (step % 7) << 60, size, result))
            db.execute("UPDATE memory_event SET id = ? WHERE id = ?",
                       (ends[1], number))
        db.close()
        for command in (["diagnose", path], ["explain", path], ["whatif", path],
                        ["diff", path, path],
                        ["query", path, "SELECT * FROM allocation_site"]):
            with self.subTest(command[0]):
                result = self.inquest(*command)
                self.assertIn(result.returncode, (0, 2, 4), result.stderr)
                self.assertNotIn("runtime error", result.stderr)


class TimeTest(HostileTest):
    def test_the_time_is_for_all_statements(self):
        path = make_trace(self.folder / "p.trace.sqlite", 300_000)
        for command in (["diagnose"], ["explain"], ["whatif"],
                        ["query", "--sql", "SELECT 1"]):
            with self.subTest(command[0]):
                self.refused(*command, path, "--timeout-ms", "1", code=4,
                             says=["the time that was given is over"])

    def test_numbers_of_options(self):
        path = make_trace(self.folder / "p.trace.sqlite", 10)
        for option, values in (
                ("--timeout-ms", ("0", "-1", "9223372036854775807",
                                  "99999999999999999999", "x")),
                ("--max-rows", ("-1", "99999999999999999999", "1e3"))):
            for value in values:
                with self.subTest(f"{option} {value}"):
                    self.refused("query", path, option, value, "SELECT 1",
                                 says=[option])


if __name__ == "__main__":
    unittest.main()

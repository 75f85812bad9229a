# SPDX-License-Identifier: Apache-2.0
"""What is printed does the reader's terminal no harm, and output that cannot be
written is told."""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from runs import INQUEST, OOM, HostileTest, make_trace  # noqa: E402

# ESC, BEL, CR, DEL, U+009B, U+202E, U+2066, U+200F
EVIL = "\x1b[31m\a\r\x7f\x9b\u202e\u2066\u200f"
BAD = [mark.encode() for mark in "\x1b\a\r\x7f\x9b\u202e\u2066\u200f"]


class OutputTest(HostileTest):
    def setUp(self):
        super().setUp()
        self.trace = make_trace(self.folder / "p.trace.sqlite")
        self.commands = [
            ["--version"], ["--help"], ["diagnose", "--help"],
            ["facts", "list"], ["rules", "list"], ["rules", "schema"],
            ["diagnose", self.trace], ["explain", self.trace],
            ["whatif", self.trace], ["diff", self.trace, self.trace],
            ["query", self.trace, "--sql", "SELECT 1"],
            ["report", self.trace, "-o", "-"],
            ["diagnose", self.trace, "--format", "json"]]

    def test_a_full_disk(self):
        for command in self.commands:
            with self.subTest(command), open("/dev/full", "wb") as full:
                self.refused(*command, stdout=full,
                             says=["standard output", "No space left"])

    def test_a_closed_stream(self):
        for command in self.commands:
            with self.subTest(command):
                result = subprocess.run(
                    ["sh", "-c", '"$@" >&-', "sh", INQUEST, *map(str, command)],
                    stderr=subprocess.PIPE, text=True, timeout=60)
                self.assertEqual(result.returncode, 2)
                self.assertIn("standard output", result.stderr)

    def test_nothing_is_opened_as_a_standard_stream(self):
        before = self.trace.read_bytes()
        for closed in ("<&- >&-", "<&- >&- 2>&-"):
            subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", INQUEST,
                            "diagnose", str(self.trace)], timeout=60)
            self.assertEqual(self.trace.read_bytes(), before)

    def test_a_reader_that_has_seen_enough(self):
        result = subprocess.run(
            ["bash", "-c", '"$@" | head -1; exit ${PIPESTATUS[0]}', "bash",
             INQUEST, "query", str(self.trace), "SELECT * FROM memory_event"],
            capture_output=True, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_file_that_cannot_be_written(self):
        self.refused("diagnose", self.trace, "-o", "/dev/full",
                     says=["/dev/full", "No space left"])
        self.refused("diagnose", self.trace, "-o", self.folder / "no" / "file",
                     says=["cannot write"])


class TerminalTest(HostileTest):
    def setUp(self):
        super().setUp()
        self.run_folder = self.folder / f"run{EVIL}"
        self.run_folder.mkdir()
        (self.run_folder / "console.log").write_text(OOM)
        trace = make_trace(self.run_folder / f"p{EVIL}.trace.sqlite")
        with sqlite3.connect(trace) as db:
            db.execute("UPDATE process SET host = ?, command = ?, job_id = ?",
                       (EVIL, EVIL, EVIL))
            db.execute("INSERT INTO environment VALUES (?, ?)",
                       ("CUDA_" + EVIL, EVIL))
        db.close()

    def check_clean(self, *arguments, code=0):
        result = self.inquest(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        said = (result.stdout + result.stderr).encode("latin-1")
        for mark in BAD:
            self.assertNotIn(mark, said)
        return result.stdout.encode("latin-1").decode()

    def test_each_command(self):
        run = self.run_folder
        for command in (["diagnose", run], ["explain", run], ["whatif", run],
                        ["diff", run, self.run_folder.parent / run.name],
                        ["query", run, "SELECT * FROM process"],
                        ["query", run, "SELECT * FROM environment"],
                        ["query", run, "--format", "csv",
                         "SELECT * FROM process"]):
            with self.subTest(command[0]):
                self.check_clean(*command)

    def test_json_still_says_what_is_there(self):
        text = self.check_clean("query", self.run_folder, "--format", "ndjson",
                                "SELECT host FROM process")
        self.assertEqual(json.loads(text)["host"], EVIL)
        for command in (["diagnose"], ["explain"], ["whatif"]):
            json.loads(self.check_clean(*command, self.run_folder, "--format",
                                        "json"))

    def test_messages(self):
        self.check_clean("diagnose", self.folder / f"no{EVIL}", code=2)
        self.check_clean("diagnose", "--" + EVIL, code=2)
        self.check_clean("query", self.run_folder, f"SELECT '{EVIL}'+", code=2)
        self.check_clean("query", self.run_folder, f"SELECT 1 AS \"{EVIL}\"")

    def test_a_report_in_a_file(self):
        to = self.folder / "report"
        self.check_clean("diagnose", self.run_folder, "-o", to)
        for mark in BAD:
            self.assertNotIn(mark, to.read_bytes())


class ImportTest(HostileTest):
    """Importing into a directory that has a run would shift its verdict."""

    def setUp(self):
        super().setUp()
        self.dump = self.folder / "dump.json"
        self.dump.write_text(json.dumps({"pg_config": {}, "entries": [{
            "record_id": 0, "pg_id": 0, "process_group": ["0", "default"],
            "collective_seq_id": 1, "op_id": 1, "state": "scheduled",
            "profiling_name": "nccl:all_reduce", "time_created_ns": 1}]}))

    def imported(self, folder, *more, **options):
        return self.inquest("import", self.dump, "-o", folder, *more, **options)

    def test_twice(self):
        folder = self.folder / "new"
        self.assertEqual(self.imported(folder).returncode, 0)
        before = sorted(folder.iterdir())
        self.refused("import", self.dump, "-o", folder,
                     says=["already", str(folder), "help"])
        self.assertEqual(sorted(folder.iterdir()), before)
        self.assertEqual(self.imported(folder, "--add").returncode, 0)
        self.assertGreater(len(list(folder.iterdir())), len(before))

    def test_into_a_recorded_run(self):
        for name in ("run.json", "console.log", "p.journal", "p.trace.sqlite"):
            with self.subTest(name):
                folder = self.folder / f"with {name}"
                folder.mkdir()
                (folder / name).touch()
                self.refused("import", self.dump, "-o", folder, says=[name])
                self.assertEqual(os.listdir(folder), [name])

    def test_into_an_empty_folder(self):
        self.assertEqual(self.imported(self.run_folder).returncode, 0)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Bad input gets a clear message and the documented exit code; nothing is
deleted or left half-written."""
import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import unittest

INQUEST = os.environ["INQUEST"]
SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])


def inquest(*arguments, **options):
    return subprocess.run([INQUEST, *map(str, arguments)], text=True,
                          capture_output=True, timeout=120, **options)


class BadInputTest(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory(prefix="inquest-")
        self.folder = pathlib.Path(self.holder.name)

    def tearDown(self):
        self.holder.cleanup()

    def refused(self, *arguments, code=2, says=()):
        result = inquest(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        for words in says:
            self.assertIn(words, result.stderr + result.stdout)
        return result

    def trace(self, name="p.trace.sqlite", version=1):
        path = self.folder / name
        schema = (SOURCE / "trace/schema.sql").read_text()
        with sqlite3.connect(path) as database:
            # The disk is not waited for.
            database.execute("PRAGMA synchronous=OFF")
            database.executescript(schema)
            database.execute(f"PRAGMA user_version = {version}")
            database.execute(
                "INSERT INTO process VALUES (1, 0, 0, 'h', '/bin/x', 'x', "
                "NULL, NULL, NULL, NULL)")
            database.execute("INSERT INTO clock_anchor VALUES (0, 1000)")
        database.close()
        return path

    def test_no_such_run(self):
        self.refused("diagnose", self.folder / "nothing",
                     says=["nothing", "No such file"])

    def test_not_a_run(self):
        self.refused("diagnose", self.folder,
                     says=["not a run directory", "help"])

    def test_trace_of_a_newer_schema(self):
        path = self.trace(version=99)
        before = path.read_bytes()
        self.refused("diagnose", path, says=["schema 99", "up to 1"])
        self.assertEqual(path.read_bytes(), before)

    def test_traces_of_an_older_program(self):
        # Attached ones and, beyond what SQLite attaches, copied ones.
        for number in range(10):
            path = self.trace(f"p-{number}.trace.sqlite")
            with sqlite3.connect(path) as database:
                database.execute("INSERT INTO cudnn_stat VALUES "
                                 "('cudnnAddTensor', 0, 1, 1, 1)")
                if number % 2 == 0:
                    database.executescript("DROP TABLE cudnn_interval;"
                                           "DROP TABLE cudnn_operation;")
                else:
                    database.execute("INSERT INTO cudnn_interval VALUES "
                                     "(1, 'f', 0, 1, 2, 3, 4, 5, 0, 7, 8, 9)")
            database.close()
        for fact, rows in (("cudnn_interval", 5), ("cudnn_stat", 10)):
            result = inquest("query", self.folder, "--format", "ndjson",
                             "--sql", f"SELECT count(*) AS n FROM {fact}")
            self.assertEqual(result.stdout, f'{{"n":{rows}}}\n',
                             result.stderr)

    def test_another_database(self):
        path = self.folder / "other.sqlite"
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE t (a)")
        database.close()
        self.refused("diagnose", path, says=["not a trace"])

    def test_corrupt_trace(self):
        path = self.trace()
        content = bytearray(path.read_bytes())
        content[200:] = b"\xff" * (len(content) - 200)
        path.write_bytes(content)
        self.refused("diagnose", path)
        self.assertEqual(path.read_bytes(), bytes(content))

    def test_truncated_trace(self):
        path = self.trace()
        content = path.read_bytes()
        path.write_bytes(content[:1000])
        self.refused("diagnose", path)

    def test_empty_trace(self):
        path = self.folder / "e.trace.sqlite"
        path.write_bytes(b"")
        self.refused("diagnose", path)

    def test_empty_journal(self):
        path = self.folder / "e.journal"
        path.write_bytes(b"")
        self.refused("diagnose", path, says=["e.journal"])
        self.assertTrue(path.exists())

    def test_truncated_journal(self):
        path = self.folder / "t.journal"
        path.write_bytes(b"\0" * 100)
        self.refused("diagnose", path, says=["t.journal"])
        self.assertTrue(path.exists())

    def test_a_good_trace_beside_a_bad_one_is_looked_at(self):
        self.trace("good.trace.sqlite")
        (self.folder / "bad.trace.sqlite").write_bytes(b"rubbish" * 100)
        result = inquest("diagnose", self.folder, "--format", "json")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("bad.trace.sqlite", result.stderr)
        self.assertEqual(json.loads(result.stdout)["schema"],
                         "inquest.diagnosis/1")

    def test_unreadable_log(self):
        self.refused("diagnose", "--log", self.folder / "no.log",
                     says=["no.log"])
        self.refused("diagnose", "--log", self.folder, says=["it is a folder"])

    def test_empty_log(self):
        path = self.folder / "empty.log"
        path.write_bytes(b"")
        result = inquest("diagnose", "--log", path, "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["verdict"]["cause"], "unknown")

    def test_binary_log(self):
        path = self.folder / "binary.log"
        path.write_bytes(os.urandom(1 << 20))
        self.refused("diagnose", "--log", path, says=["is not text"])
        self.refused("diagnose", path, says=["is not text"])
        text = self.folder / "a.log"
        text.write_text("RuntimeError: CUDA error: an illegal memory access "
                        "was encountered\n")
        result = inquest("diagnose", path, text, "--format", "json")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(json.loads(result.stdout)["verdict"]["cause"],
                         "kernel/illegal-access")

    def test_json_of_nobody(self):
        path = self.folder / "settings.json"
        path.write_text('{"a": 1}')
        self.refused("diagnose", path, says=["is JSON, but neither a log"])

    def test_wrong_rules(self):
        rules = self.folder / "wrong.yaml"
        rules.write_text("facts: 1\nsignatures:\n  - id: a\n    pattern: '('\n")
        log = self.folder / "a.log"
        log.write_text("hello\n")
        result = self.refused("diagnose", "--log", log, "--rules", rules,
                              code=3, says=["wrong.yaml:"])
        self.assertIn("unknown", result.stdout)  # the other rules still ran

    def test_unknown_flag_and_command(self):
        self.refused("diagnose", "--bogus")
        self.refused("autopsy")

    def test_a_misspelt_command_is_answered_with_the_nearest(self):
        self.refused("diagnos", "x",
                     says=["no command 'diagnos'", "mean 'diagnose'"])
        self.refused("rules", "tests",
                     says=["no command 'tests' of 'rules'", "mean 'test'"])
        self.refused("nothing-like-it", says=["one of: record"])

    def test_output_that_cannot_be_written(self):
        log = self.folder / "a.log"
        log.write_text("hello\n")
        self.refused("diagnose", "--log", log, "-o", "/nonexistent/x", code=2,
                     says=["/nonexistent/x"])

    def test_standard_input(self):
        result = inquest("diagnose", "-", "--format", "json",
                         input="CUDA error: an illegal memory access was "
                               "encountered\n")
        self.assertEqual(json.loads(result.stdout)["verdict"]["cause"],
                         "kernel/illegal-access")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""What a trace lacks is told: under the verdict, in JSON, by query; and a
verdict that rests on the trace is less sure."""
import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import unittest

INQUEST = os.environ["INQUEST"]
SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
GIB = 1 << 30
EVENTS = 1000
FULL = "dropped, the journal was full"


def make_trace(path, losses, gaps=(), source='cupti', clean_end=0):
    """A process that asks for 2 GiB of a card of 1 GiB, and dies."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA synchronous=OFF")  # the disk is not waited for
    db.executescript((SOURCE / "trace/schema.sql").read_text())
    db.execute("INSERT INTO process VALUES (1, 0, 0, 'h', 'e', 'c', 0, 0, 1, '')")
    db.execute("INSERT INTO clock_anchor VALUES (0, 0)")
    db.execute("INSERT INTO device VALUES (0, 'GPU', 'u', '0000:01:00.0', ?, "
               "'9.0', NULL, 13000, 13000)", (GIB,))
    db.execute("INSERT INTO device_memory VALUES (?, 0, ?, ?, 'failure')",
               (EVENTS, GIB // 2, GIB))
    db.executemany("INSERT INTO meta VALUES (?, ?)",
                   [("schema_version", "1"), ("drained_ticket", "0"),
                    ("clean_end", str(clean_end)), ("end_ns", "1000000000")])
    db.executemany(
        "INSERT INTO memory_event VALUES (?, ?, 1, 1, 0, 1, 0, 0, ?, 4096, 0, "
        "1, 0)", ((i, i, i * 8192) for i in range(1, EVENTS)))
    db.execute("INSERT INTO memory_event VALUES (?, ?, 1, 1, 0, 1, 0, 0, 0, ?, "
               "2, 1, 0)", (EVENTS, EVENTS, 2 * GIB))
    db.executemany("INSERT INTO loss VALUES (?, ?, ?)", losses)
    db.execute("INSERT INTO library (name, path, base, size, time_ns) VALUES "
               "('libcuda.so.1', '/usr/lib/libcuda.so.1', 1, 2, 0)")
    db.executemany("INSERT INTO coverage VALUES (?, ?, ?, 'off', ?)",
                   ((source, *gap) for gap in gaps))
    db.commit()
    db.close()


class LossesTest(unittest.TestCase):
    def inquest(self, losses, command, *arguments, **more):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.trace.sqlite")
            make_trace(path, losses, **more)
            return subprocess.run([INQUEST, command, path, *arguments],
                                  capture_output=True, text=True, timeout=60)

    def report(self, losses, gaps=(), **more):
        return json.loads(self.inquest(losses, "diagnose", "--format", "json",
                                       gaps=gaps, **more).stdout)

    def test_nothing_is_lost(self):
        report = self.report([])
        self.assertEqual(report["losses"], [])
        self.assertEqual((report["verdict"]["cause"],
                          report["verdict"]["confidence"]),
                         ("memory/capacity", "confirmed"))
        text = self.inquest([], "diagnose").stdout
        self.assertNotIn("not in the trace", text)

    def test_losses_are_told_and_weigh(self):
        losses = [("memory_event", 1234, FULL), ("stack", 7, FULL)]
        report = self.report(losses)
        self.assertEqual([(one["kind"], one["count"], one["note"])
                          for one in report["losses"]], losses)
        self.assertEqual((report["verdict"]["cause"],
                          report["verdict"]["confidence"]),
                         ("memory/capacity", "probable"))
        first = self.inquest(losses, "diagnose").stdout.splitlines()[:5]
        self.assertIn("1,234 memory events and 7 other records are not in the "
                      f"trace ({FULL})", "\n".join(first))
        said = self.inquest(losses, "query",
                            "SELECT count(*) FROM memory_event").stderr
        self.assertIn("1,234 memory events", said)

    def test_few_of_many_do_not_weigh(self):
        report = self.report([("memory_event", 3, FULL)])
        self.assertEqual(report["losses"][0]["count"], 3)
        self.assertEqual(report["verdict"]["confidence"], "confirmed")

    def test_what_is_thinned_on_purpose_is_no_loss(self):
        losses = [("device_memory (older)", 500, "every second one has gone"),
                  ("memory_event (failed, older)", 9, "all are counted"),
                  ("cut", 4, "records shortened to 4 KiB")]
        self.assertEqual(self.report(losses)["losses"], [])

    def test_gaps_are_told_and_weigh(self):
        gaps = [(100_000_000, 300_000_000, "the profiler has it")]
        self.assertEqual(self.report([], gaps)["verdict"]["confidence"],
                         "probable")
        for command in (["diagnose"], ["query", "SELECT 1"]):
            with self.subTest(command[0]):
                done = self.inquest([], *command, gaps=gaps)
                said = done.stderr if command[0] == "query" else "\n".join(
                    done.stdout.splitlines()[:6])
                self.assertIn("not recorded for 200 ms of 1 s (the profiler "
                              "has it)", " ".join(said.split()))

    def test_a_short_gap_is_told_and_does_not_weigh(self):
        gaps = [(0, 1_000_000, "the profiler has it")]
        self.assertEqual(self.report([], gaps)["verdict"]["confidence"],
                         "confirmed")

    def test_an_end_that_was_only_in_memory_is_told(self):
        memory = "the disk is nearly full: kept in memory, a kill loses it"
        more = {"gaps": [(500_000_000, None, memory)], "source": "journal"}
        self.assertEqual(self.report([], **more)["verdict"]["confidence"],
                         "probable")
        said = self.inquest([], "diagnose", **more).stdout.splitlines()[:6]
        self.assertIn(f"the end may not be in the trace ({memory})",
                      " ".join(" ".join(said).split()))
        self.assertNotIn("CUDA calls were", " ".join(said))
        # What a process that ended in order had in memory, it has stored.
        more["clean_end"] = 1
        self.assertEqual(self.report([], **more)["verdict"]["confidence"],
                         "confirmed")
        said = self.inquest([], "diagnose", **more).stdout
        self.assertNotIn("the end may not be", said)


class CleanEnds(unittest.TestCase):
    """A run that ended well, by a trace that lacks most of it."""

    def report(self, losses, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.trace.sqlite")
            make_trace(path, losses, clean_end=1)
            db = sqlite3.connect(path)
            db.execute("DELETE FROM memory_event WHERE result <> 0")
            db.execute("DELETE FROM device_memory")
            db.commit()
            db.close()
            log = pathlib.Path(folder) / "train.log"
            log.write_text("step 1 loss 0.5\nTraining completed.\n")
            return subprocess.run([INQUEST, "diagnose", *words, path, "--log",
                                   str(log)], capture_output=True, text=True,
                                  timeout=60).stdout

    def test_none_is_not_confirmed_over_a_lossy_trace(self):
        for lost, confidence in ((0, "confirmed"), (5000, "probable")):
            losses = [("memory_event", lost, FULL)]
            verdict = json.loads(
                self.report(losses, "--format", "json"))["verdict"]
            self.assertEqual((verdict["cause"], verdict["confidence"]),
                             ("none", confidence))

    def test_lost_steps_are_not_lost_memory(self):
        text = self.report([("step", 16, "more ranges a second than are kept")])
        self.assertIn("16 records are not in the trace (more ranges a second "
                      "than are kept): what is said of steps rests on the rest",
                      text)
        self.assertIn("what is said of memory rests on the rest",
                      self.report([("torn", 3, "no reason")]))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Real profiles, where a folder of them is there (shared.py): every
figure of their truth, which others computed, exact."""
import json
import unittest

import harness

FOLDER = harness.realdata()


def truth(kind, name="truth.jsonl"):
    path = FOLDER / kind / name
    lines = path.read_text().splitlines() if path.exists() else []
    return [(path.parent / case["file"], case)
            for case in map(json.loads, lines)]


class RealProfiles(unittest.TestCase):
    maxDiff = None

    def test_kineto(self):
        for path, want in truth("kineto"):
            for key, figures in want["devices"].items():
                kind, device = json.loads(key.replace("(", "[")
                                          .replace(")", "]"))
                device = device if kind else -1
                got = harness.row(path, f"""
                    SELECT framework_allocations AS allocs,
                           framework_frees AS frees,
                           framework_peak_bytes - framework_before_bytes
                             AS peak_net_bytes,
                           framework_live_bytes - framework_before_bytes
                             AS net_bytes
                      FROM device_usage WHERE device = {device}""")
                got.update(harness.row(path, f"""
                    SELECT sum(bytes) AS alloc_bytes,
                           max(bytes) AS largest_alloc FROM memory_event
                     WHERE device = {device} AND op = 'alloc'
                       AND result = 0"""))
                self.assertEqual(got, {name: figures[name] for name in got})
            gpus = harness.rows(path, "SELECT gpu FROM device ORDER BY device")
            self.assertEqual([one["gpu"] for one in gpus], want["gpus"])
            failed = harness.row(path, "SELECT count(*) AS n "
                                       "FROM framework_oom")
            self.assertEqual(failed["n"], want["oom_events"])

    def test_nsys(self):
        for path, want in truth("nsys"):
            gpus = harness.rows(path, "SELECT gpu, total_bytes, device "
                                      "FROM device ORDER BY device")
            self.assertEqual(
                [tuple(one.values()) for one in gpus],
                [(one["name"], one["totalMemory"], one["cuDevice"])
                 for one in want["gpus"]])
            got = harness.row(path, """
                SELECT (SELECT count(*) FROM memory_event) AS memory,
                       (SELECT count(*) FROM api_error) AS failed,
                       (SELECT count(*) FROM coverage
                         WHERE source = 'nsys-memory' AND state = 'off')
                         AS not_recorded,
                       (SELECT count(*) FROM coverage
                         WHERE source = 'nsys-cuda' AND state = 'on')
                         AS calls_recorded""")
            self.assertEqual(got, {
                "memory": want.get("memory_events", 0),
                "failed": len(want["failed_calls"]),
                "not_recorded": 0 if want.get("memory_events") else 1,
                "calls_recorded": 1})
            self.assertEqual(harness.diagnose(path)["verdict"]["cause"],
                             "unknown")

    def test_memory_timeline(self):
        for path, want in truth("kineto", "truth_memory_timeline.jsonl"):
            got = harness.diagnose(path)["summary"]["devices"][0]
            actions = want["rows_by_action"]
            self.assertEqual(
                (got["allocations"], got["frees"], got["peak_bytes"],
                 got["peak_time"], got["live_bytes_at_end"]),
                (actions["2"], actions["4"], want["peak_bytes"],
                 want["peak_time_ns"], want["live_end_bytes"]))


if __name__ == "__main__":
    harness.shared.exit_without(FOLDER, "realdata")
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Real logs of other people's jobs and kernels, where a folder of them is there
(shared.py): the cause of each, each dumped heap to the byte and each Xid counted."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import shared  # noqa: E402

INQUEST = os.environ["INQUEST"]
FOLDER = shared.folder("realdata")
IMPORTED = ("nsys/", "torch_snapshot/", "kineto/", "jax_pprof/")  # no logs


def truth(name):
    return [json.loads(line)
            for line in (FOLDER / name).read_text().splitlines()]


def inquest(*arguments):
    result = subprocess.run([INQUEST, *arguments], capture_output=True,
                            timeout=300)
    return result.stdout.decode()


def rows(path, sql):
    out = inquest("query", "--format", "ndjson", "--log", str(path), "--sql", sql)
    return [json.loads(line) for line in out.splitlines()]


class ArtefactsTest(unittest.TestCase):
    def test_causes(self):
        for case in truth("labels.jsonl"):
            paths = [FOLDER / name for name in case["files"]]
            if case["files"][0].startswith(IMPORTED) or not all(
                    path.exists() for path in paths):
                continue
            with self.subTest(case["files"][0]):
                logs = [word for path in paths for word in ("--log", str(path))]
                verdict = json.loads(
                    inquest("diagnose", "--format", "json", *logs))["verdict"]
                right = [case["cause"], *case["also"]]
                if "none" in right:  # a log without an end may be left open
                    right.append("unknown")
                self.assertIn(verdict["cause"], right)

    def test_dumped_heaps(self):
        for case in truth("tf_bfc/truth.jsonl"):
            path = FOLDER / "tf_bfc" / (case["file"] + ".gz")
            with self.subTest(case["file"]):
                found = rows(path, """
                    SELECT o.largest_free_bytes, o.gap_bytes, o.in_use_bytes,
                           o.limit_bytes, sum(h.state = 'live') AS live,
                           sum(h.state = 'free') AS free,
                           sum(h.bytes * (h.state = 'live')) AS live_bytes
                      FROM oom AS o JOIN heap_block AS h USING (oom)
                     GROUP BY o.oom ORDER BY o.oom""")
                self.assertEqual([tuple(row.values()) for row in found], [
                    (dump["largest_free"], dump["free_bytes"],
                     dump["stats"]["InUse"], dump["stats"]["Limit"],
                     dump["in_use"], dump["free"], dump["in_use_bytes"])
                    for dump in case["dumps"]])

    def test_xids(self):
        for case in truth("xid/truth.jsonl"):
            wanted = case.get("xid_by_device_and_code") or {}
            with self.subTest(case["file"]):
                found = rows(FOLDER / case["file"], "SELECT pci, xid FROM xid")
                self.assertEqual(
                    collections.Counter(f"{one['pci']} {one['xid']}"
                                        for one in found), wanted)


if __name__ == "__main__":
    shared.exit_without(FOLDER, "realdata")
    unittest.main()

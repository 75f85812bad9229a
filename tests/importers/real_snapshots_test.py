# SPDX-License-Identifier: Apache-2.0
"""Real memory snapshots of PyTorch, where a folder of them is there
(shared.py): every figure of their truth, which others computed, exact."""
import gzip
import json
import pickle
import unittest

import harness

FOLDER = harness.realdata("torch_snapshot")


def truth():
    for line in (FOLDER / "truth.jsonl").read_text().splitlines():
        case = json.loads(line)
        for device, figures in case["devices"].items():
            yield FOLDER / case["file"], int(device), figures, case


class RealSnapshots(unittest.TestCase):
    maxDiff = None

    def test_segments(self):
        for path, device, want, _ in truth():
            got = harness.row(path, f"""
                SELECT count(*) AS segments, sum(bytes) AS reserved_bytes,
                       sum(allocated_bytes) AS allocated_bytes,
                       sum(active_bytes) AS active_bytes,
                       sum(requested_bytes) AS requested_bytes_of_segments,
                       sum(expandable) AS expandable_segments
                  FROM pool_segment WHERE device = {device}""")
            self.assertEqual(got, {name: want[name] for name in got})
            types = harness.rows(path, f"""
                SELECT type, count(*) AS n FROM pool_segment
                 WHERE device = {device} GROUP BY type""")
            self.assertEqual({one["type"]: one["n"] for one in types},
                             want["segments_by_type"])
            streams = harness.rows(path, f"""
                SELECT DISTINCT stream FROM pool_segment
                 WHERE device = {device} ORDER BY stream""")
            self.assertEqual([one["stream"] for one in streams],
                             want["streams"])

    def test_blocks(self):
        words = {"active_allocated": "live", "inactive": "free",
                 "active_pending_free": "pending",
                 "active_awaiting_free": "pending"}
        for path, device, want, _ in truth():
            got = harness.rows(path, f"""
                SELECT state, count(*) AS count, sum(bytes) AS bytes_rounded,
                       sum(requested_bytes) AS bytes_requested
                  FROM pool_block WHERE device = {device} GROUP BY state""")
            self.assertEqual(
                {one.pop("state"): one for one in got},
                {words[state]: one
                 for state, one in want["blocks_by_state"].items()})
            largest = harness.row(path, f"""
                SELECT coalesce(max(bytes), 0) AS bytes FROM pool_block
                 WHERE device = {device} AND state = 'free'""")
            self.assertEqual(largest["bytes"], want["largest_inactive_block"])

    def test_largest_blocks_and_their_lines(self):
        for path, device, want, _ in truth():
            got = harness.rows(path, f"""
                SELECT b.requested_bytes AS requested, b.bytes AS rounded,
                       b.address AS addr,
                       (SELECT f.file || ':' || f.line || ':' || f.function
                          FROM python_frame AS f WHERE f.stack = b.stack
                         ORDER BY f.depth LIMIT 1) AS py
                  FROM pool_block AS b
                 WHERE b.device = {device} AND b.state = 'live'
                 ORDER BY b.requested_bytes DESC, b.address LIMIT 5""")
            for block in want["largest_live_at_end"]:
                block.pop("user")
            # The truth's names of folders are changed, the rest is not.
            for block in got + want["largest_live_at_end"]:
                block["py"] = block["py"] and block["py"].split("/")[-1]
            self.assertEqual(got, want["largest_live_at_end"])

    def test_history(self):
        for path, device, want, _ in truth():
            note = harness.row(path, f"""
                SELECT note FROM coverage WHERE source = 'torch-snapshot'
                   AND state = 'on' AND note LIKE 'GPU {device}:%'""")["note"]
            counts = dict(reversed(part.strip().split())
                          for part in note.split("entries:")[1].split(","))
            self.assertEqual({word: int(n) for word, n in counts.items()},
                             want["events_by_action"])
            got = harness.row(path, f"""
                SELECT coalesce(sum(bytes), 0) AS bytes,
                       coalesce(max(bytes), 0) AS largest
                  FROM memory_event WHERE device = {device}
                   AND kind = 'framework' AND op = 'alloc' AND result = 0""")
            self.assertEqual((got["bytes"], got["largest"]),
                             (want["alloc_bytes"],
                              want["largest_alloc_in_trace"]))

    def test_replay(self):
        for path, device, want, _ in truth():
            found = harness.diagnose(path)
            self.assertEqual(found["verdict"]["cause"], "unknown")
            got = [one for one in found["summary"]["devices"]
                   if one["device"] == device][0]
            actions = want["events_by_action"]
            self.assertEqual(
                (got["allocations"], got["frees"], got["failed"]),
                (actions.get("alloc", 0), actions.get("free_completed", 0),
                 len(want["oom_events"])))
            self.assertEqual(
                (got["peak_bytes"], got["live_bytes_at_end"],
                 got["reserved_peak_bytes"], got["reserved_bytes_at_end"]),
                (want["peak_live_bytes_requested"],
                 want["live_end_trace_bytes"], want["peak_reserved_bytes"],
                 want["reserved_bytes"]))
            self.assertEqual(got.get("live_bytes_before", 0),
                             want["live_before_trace_bytes"])
            usage = harness.row(path, f"""
                SELECT unknown_frees, overlaps FROM device_usage
                 WHERE device = {device}""")
            self.assertEqual(list(usage.values()), [0, 0])
            coverage = " ".join(one["note"] for one in found["coverage"])
            self.assertIn(
                "{} blocks of {} bytes were live before".format(
                    want["preexisting_freed_in_trace"]["count"] +
                    want["preexisting_live_at_end"]["count"],
                    want["live_before_trace_bytes"]), coverage)
            self.assertNotIn("not in the state at the end", coverage)

    def test_who_held_what_at_the_end(self):
        """Sites add up to what is live, to the byte."""
        for path, device, want, _ in truth():
            got = harness.row(path, f"""
                SELECT sum(live_bytes) AS bytes FROM allocation_site
                 WHERE device = {device}""")
            self.assertEqual(got["bytes"], want["live_end_trace_bytes"])

    def test_heap_map_at_a_refusal(self):
        """A refusal at the end sees the blocks that the allocator then had,
        each in its place, by the history and the rules of rounding alone."""
        folder = harness.scratch(self)
        for path, device, _, _ in truth():
            with gzip.open(path) as packed:
                made = pickle.load(packed)
            last = made["device_traces"][device][-1].get("time_us", 0)
            made["device_traces"][device].append(
                {"action": "oom", "device_free": 512, "size": 1 << 39,
                 "stream": 0, "time_us": last, "frames": []})
            changed = folder / "refused.pickle"
            changed.write_bytes(pickle.dumps(made))
            want = [(b["address"], b["bytes"], b["state"]) for b in
                    harness.rows(path, f"""
                        SELECT address, bytes, CASE state WHEN 'free' THEN state
                               ELSE 'live' END AS state
                          FROM pool_block WHERE device = {device} ORDER BY 1""")]
            got = [tuple(b.values()) for b in
                   harness.rows(changed, """
                       SELECT address, bytes, state FROM heap_block
                        ORDER BY 1""")]
            self.assertEqual(got, want)
            self.assertEqual(harness.diagnose(changed)["verdict"]["cause"],
                             "memory/capacity")

    def test_native_functions_that_python_called(self):
        path = FOLDER / "wedsonlin_medium_512_training.pickle.gz"
        folded = harness.run("diagnose", path, "--format", "folded")
        lines = folded.stdout.decode().splitlines()
        held, = harness.rows(path, "SELECT sum(live_bytes) AS bytes "
                                   "FROM allocation_site")
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in lines),
                         held["bytes"])
        of_moments = [line for line in lines if "optimizer.py:76 in step;" in line]
        self.assertTrue(of_moments)
        for line in of_moments:
            self.assertRegex(line, r"in step;.*torch::autograd::THPVariable_add;"
                                   r".*;at::detail::empty_cuda;")
            self.assertNotIn("_PyEval", line)

    def test_settings(self):
        for path, _, _, case in truth():
            got = {one["name"]: one["value"] for one in
                   harness.rows(path, "SELECT name, value FROM environment")}
            if "PYTORCH_CUDA_ALLOC_CONF" not in case:
                self.assertEqual(got, {})
                continue
            self.assertEqual(got["PYTORCH_CUDA_ALLOC_CONF"],
                             case["PYTORCH_CUDA_ALLOC_CONF"])
            self.assertEqual(got["torch.allocator.expandable_segments"],
                             str(case["expandable_segments"]))


if __name__ == "__main__":
    harness.shared.exit_without(FOLDER, "realdata")
    unittest.main()

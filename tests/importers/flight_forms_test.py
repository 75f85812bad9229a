# SPDX-License-Identifier: Apache-2.0
"""Dumps of PyTorch's flight recorder in all forms and versions, damaged ones,
and real ones where a folder of them is there: every figure of their truth,
exact."""
import gzip
import json
import pickle
import unittest

import harness
from flights import Job, as_json, as_of_2023, hung


class Forms(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = harness.scratch(self)
        self.job = Job(2, {"0": ("default_pg", [0, 1]), "1": ("tp", [0, 1])})
        self.job.all("0", "all_reduce", size=(2, 3))
        self.job.enter(0, "1", "send 0->1", point=True)
        self.job.enter(1, "1", "recv 1<-0", point=True, state="started")
        self.job.enter(1, "1", "_all_gather_base", out=32, state="scheduled")

    def entries(self, path):
        return harness.rows(path, """
            SELECT rank, record, pg, group_name, seqnum, p2p_seqnum, op, optype,
                   profiling_name, state, is_p2p, retired, time, started_time,
                   completed_time, duration_ms, timeout_ms, input_sizes,
                   output_dtypes,
                   (SELECT group_concat(file || ':' || line || ' ' || function)
                      FROM python_frame AS f
                     WHERE f.stack = e.stack) AS stack
              FROM collective_entry AS e ORDER BY rank, id""")

    def want(self, **changed):
        wanted = []
        for rank in range(2):
            for e in self.job.entries[rank]:
                name = e["profiling_name"]
                wanted.append({
                    "rank": rank, "record": e["record_id"], "pg": e["pg_id"],
                    "group_name": e["process_group"][0],
                    "seqnum": e["collective_seq_id"],
                    "p2p_seqnum": e["p2p_seq_id"], "op": e["op_id"],
                    "optype": name.split(":")[1].split()[0],
                    "profiling_name": name, "state": e["state"],
                    "is_p2p": int(e["is_p2p"]), "retired": int(e["retired"]),
                    "time": e["time_created_ns"],
                    "started_time": e["time_discovered_started_ns"],
                    "completed_time": e["time_discovered_completed_ns"],
                    "duration_ms": e.get("duration_ms"),
                    "timeout_ms": e["timeout_ms"],
                    "input_sizes": json.dumps(e["input_sizes"])
                    .replace(" ", ""),
                    "output_dtypes": json.dumps(e["output_dtypes"]),
                    "stack": "/home/me/train.py:57 step,"
                             "/home/me/train.py:90 <module>", **changed})
        return wanted

    def test_pickles_of_all_protocols(self):
        for protocol in range(6):
            self.job.write(self.folder,
                           form=lambda d: pickle.dumps(d, protocol))
            self.assertEqual(self.entries(self.folder), self.want())

    def test_json(self):
        self.job.write(self.folder, form=as_json)
        self.assertEqual(self.entries(self.folder), self.want(stack=None))
        got = harness.rows(self.folder, """
            SELECT rank, pg, group_name, description, ranks, last_enqueued,
                   last_completed FROM collective_group ORDER BY 1, 2""")
        self.assertEqual([tuple(one.values()) for one in got], [
            (0, 0, "0", "default_pg", "[0,1]", 1, 1),
            (0, 1, "1", "tp", "[0,1]", 1, 1),
            (1, 0, "0", "default_pg", "[0,1]", 1, 1),
            (1, 1, "1", "tp", "[0,1]", 1, -1)])
        self.assertEqual(harness.row(self.folder, """
            SELECT sum(pending) AS n, count(batch) AS b
              FROM collective_entry"""), {"n": 2, "b": 0})

    def test_packed(self):
        self.job.write(self.folder,
                       form=lambda d: gzip.compress(pickle.dumps(d)))
        self.assertEqual(self.entries(self.folder), self.want())

    def test_is_told_from_a_snapshot(self):
        import snapshots
        pool = snapshots.Pool()
        pool.segment(snapshots.MIB)
        pool.alloc(512, snapshots.frames(("a.py", 1, "_pg_config_of_device")))
        path = self.folder / "mem.pickle"
        path.write_bytes(pickle.dumps(snapshots.snapshot(pool)))
        self.assertEqual(harness.row(path, """
            SELECT count(*) AS n FROM pool_segment""")["n"], 1)
        job = Job(1, {"0": ("device address", [0])})
        job.all("0", "all_reduce")
        for entry in job.entries[0]:
            entry["frames"] = [{"name": "segments", "filename": "/device.py",
                                "line": 1}]
        for form in pickle.dumps, as_of_2023:
            path.write_bytes(form(job.dump(0)))
            self.assertEqual(harness.row(path, """
                SELECT count(*) AS n FROM collective_entry""")["n"], 1)

    def test_logs_are_no_dumps(self):
        path = self.folder / "train.log"
        for text in ('[rank0]: pg_config "pg_config" {', '{rank} "pg_config"',
                     "(dump pg_config", "}"):
            path.write_text(text + "\nstep 1 loss 2.0\n")
            self.assertEqual(
                harness.row(path, "SELECT count(*) AS n FROM log_source")["n"],
                1, text)

    def test_the_first_form(self):
        job = hung()
        job.write(self.folder, form=as_of_2023)
        verdict = harness.diagnose(self.folder)["verdict"]
        self.assertEqual(
            (verdict["facts"]["missing_ranks"], verdict["facts"]["seqnum"]),
            ("2", 3))

    def test_of_which_rank(self):
        one = Job(2, {"0": ("default_pg", [0, 1]), "1": ("mine", [1])})
        one.all("0", "all_reduce")
        for name, want in (("_dump_1", 1), ("nccl_trace_rank_1", 1),
                           ("rank1.pickle", 1), ("trace.1", 1),
                           ("dump", 1), ("20310101_120000", 1)):
            path = self.folder / name
            path.write_bytes(pickle.dumps(one.dump(1)))
            got = harness.row(path, "SELECT rank FROM collective_dump")
            self.assertEqual(got["rank"], want, name)
            path.unlink()

    def test_versions(self):
        self.job.write(self.folder)
        self.assertEqual(harness.rows(self.folder, """
            SELECT rank, version, nccl_version, entries, pending
              FROM collective_dump ORDER BY rank"""), [
                  {"rank": 0, "version": "2.10", "nccl_version": "2.27.3",
                   "entries": 2, "pending": 0},
                  {"rank": 1, "version": "2.10", "nccl_version": "2.27.3",
                   "entries": 3, "pending": 2}])

    def test_not_a_dump(self):
        for data in (pickle.dumps({"pg_config_": 1, "x": "pg_config"}),
                     b'{"a": "\\"pg_config\\""}'):
            path = self.folder / "odd"
            path.write_bytes(data)
            result = harness.run("query", "--source", f"flight-recorder={path}",
                                 "--sql", "SELECT 1")
            self.assertEqual(result.returncode, 2)
            self.assertIn(b"not a dump of a flight recorder", result.stderr)

    def test_a_pickle_that_means_harm(self):
        class Harm:
            def __reduce__(self):
                return print, ("harm",)
        path = self.folder / "_dump_0"
        path.write_bytes(pickle.dumps({"pg_config": {}, "entries": [Harm()]}))
        result = harness.run("diagnose", path)
        self.assertIn(b"refused", result.stderr)
        self.assertNotIn(b"harm", result.stdout)

    def test_cut_short(self):
        for form in pickle.dumps, as_json:
            whole = form(self.job.dump(1))
            path = self.folder / "_dump_1"
            for size in list(range(0, len(whole), 499)) + [len(whole) - 1]:
                path.write_bytes(whole[:size])
                result = harness.run("query", "--source",
                                     f"flight-recorder={path}", "--sql",
                                     "SELECT count(*) FROM collective_entry")
                self.assertIn(result.returncode, (2, 4), size)
            path.write_bytes(whole[:-2])
            got = harness.rows(path, "SELECT entries FROM collective_dump")
            self.assertEqual(got, [{"entries": 3}])
            self.assertEqual(harness.run("diagnose", path).returncode, 4)

    def test_one_damaged_of_many(self):
        hung().write(self.folder)
        path = self.folder / "nccl_trace_rank_3"
        path.write_bytes(path.read_bytes()[:-9])
        result = harness.run("diagnose", self.folder)
        self.assertEqual(result.returncode, 4)
        self.assertIn(b"nccl_trace_rank_3", result.stderr)
        self.assertIn(b"distributed/collective-timeout", result.stdout)

    def test_strange_values(self):
        strange = {"record_id": "x", "pg_id": 1 << 80, "process_group": [[]],
                   "collective_seq_id": 2.5, "state": None,
                   "profiling_name": "nccl:send 9999->0", "is_p2p": "yes",
                   "input_sizes": [[1 << 62, 1 << 62]], "frames": [1, {}],
                   "output_sizes": "no", "time_created_ns": -5}
        loop = []
        loop.append(loop)
        dump = self.job.dump(0) | {
            "entries": self.job.dump(0)["entries"] + [strange],
            "pg_config": {"0": {"name": 1, "desc": loop, "ranks": "[0, x"},
                          5: None}, "pg_status": [3]}
        path = self.folder / "_dump_0"
        path.write_bytes(pickle.dumps(dump))
        self.assertEqual(harness.run("diagnose", path).returncode, 0)
        del dump["pg_config"]["0"]["desc"]
        path.write_text(json.dumps(dump))
        self.assertEqual(harness.run("diagnose", path).returncode, 0)


class RealOnes(unittest.TestCase):
    maxDiff = None

    def test_truth(self):
        folder = harness.realdata("flight_recorder")
        if not folder.is_dir():
            self.skipTest(harness.shared.missing("realdata"))
        lines = (folder / "truth.jsonl").read_text().splitlines()
        for want in map(json.loads, lines):
            self.check(folder / want["set"], want)

    def check(self, path, want):
        dumps = harness.rows(path, "SELECT * FROM collective_dump")
        self.assertEqual(len(dumps), want["ranks"])
        self.assertEqual({str(d["rank"]): d["entries"] for d in dumps},
                         want["entries_per_rank"])
        self.assertEqual(sorted({d["version"] for d in dumps}), want["version"])
        self.assertEqual(sorted({d["nccl_version"] for d in dumps}),
                         want["nccl_version"])
        self.assertEqual([d["rank"] for d in sorted(
            dumps, key=lambda d: d["rank"]) if d["entries"] == 0],
            want["ranks_with_no_entries"])
        counts = lambda sql: {str(one["name"]): one["n"]
                              for one in harness.rows(path, sql)}
        for key, column in (("states", "state"), ("timeout_ms", "timeout_ms"),
                            ("op_names", "'nccl:' || optype")):
            self.assertEqual(counts(f"SELECT {column} AS name, count(*) AS n "
                                    "FROM collective_entry GROUP BY 1"),
                             want[key])
        self.assertEqual(harness.row(path, """
            SELECT sum(is_p2p) AS p2p, count(*) AS n FROM collective_entry"""),
            {"p2p": want["p2p_entries"], "n": want["entries_total"]})
        self.assertEqual(counts("""
            SELECT rank AS name, count(*) AS n FROM collective_group
             WHERE ranks IS NOT NULL GROUP BY 1"""), want["pg_config_per_rank"])
        self.assertEqual(counts("""
            SELECT rank AS name, last_enqueued AS n FROM collective_group
             WHERE description = 'default_pg'"""),
            want["default_pg_last_enqueued"])
        self.check_stalls(path, want)

    def check_stalls(self, path, want):
        stalls = {one["group_name"]: one for one in harness.rows(
            path, "SELECT * FROM collective_stall")}
        groups = want["groups_with_pending_collectives"]
        self.assertEqual(set(stalls), {one["group"] for one in groups})
        for group in groups:
            stall = stalls[group["group"]]
            ranks = lambda text: [int(one) for one in (text or "").split(", ")
                                  if one]
            self.assertEqual(
                (stall["description"], stall["members"], stall["seqnum"],
                 ranks(stall["missing_ranks"])),
                (group["desc"], len(group["members"]),
                 min(filter(None, group["first_pending_seq"].values())),
                 group["members_without_pending"]))
            for key, worst in (("first", "min"), ("last", "max")):
                got = {str(one["rank"]): one["seq"] for one in harness.rows(
                    path, f"""SELECT rank, {worst}(seqnum) AS seq
                                FROM collective_entry
                               WHERE group_name = '{group["group"]}'
                                 AND NOT is_p2p AND state <> 'completed'
                               GROUP BY 1""")}
                self.assertEqual({r: seq for r, seq in
                                  group[f"{key}_pending_seq"].items() if seq},
                                 got)
        verdict = harness.diagnose(path)["verdict"]
        faults = ", ".join(map(str, want["ranks_with_no_entries"]))
        self.assertEqual(verdict["facts"]["missing_ranks"], faults)
        row = want["upstream_reference"][-1].split("|")
        self.assertEqual(verdict["facts"]["group_name"], row[0].strip())
        self.assertEqual("nccl:" + verdict["facts"]["optype"], row[2].strip())


if __name__ == "__main__":
    unittest.main()

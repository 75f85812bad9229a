# SPDX-License-Identifier: Apache-2.0
"""Dumps of PyTorch's flight recorder: of simulated jobs in all forms and
versions, damaged ones, and who is found at fault. Real ones, where a folder of
them is there: every figure of their truth, exact."""
import gzip
import json
import pathlib
import pickle
import random
import unittest

import harness
from flights import Job, as_json, as_of_2023


def hung(ranks=4, missing=(2,), **more):
    """Ranks that never came to the third collective."""
    job = Job(ranks, **more)
    job.all("0", "broadcast")
    job.all("0", "all_reduce")
    for rank in set(range(ranks)) - set(missing):
        job.enter(rank, "0", "all_gather", size=8, out=8 * ranks,
                  state="scheduled")
    return job


class Verdicts(unittest.TestCase):
    def setUp(self):
        self.folder = harness.scratch(self)

    def verdict(self, job, *paths, **more):
        job.write(self.folder, **more)
        return harness.diagnose(*(paths or (self.folder,)))["verdict"]

    def roles(self):
        return {one["rank"]: one["role"] for one in harness.rows(
            self.folder, "SELECT rank, role FROM collective_rank")}

    def test_a_rank_that_never_came(self):
        for ring, only_active in ((None, False), (2, False), (None, True)):
            verdict = self.verdict(hung(), ring=ring, only_active=only_active)
            self.assertEqual(
                (verdict["cause"], verdict["rule"], verdict["unit"]["rank"]),
                ("distributed/collective-timeout",
                 "distributed.flight.missing", 2))
            facts = verdict["facts"]
            self.assertEqual(
                (facts["missing_ranks"], facts["entered_ranks"],
                 facts["seqnum"], facts["optype"], facts["timeout_ms"]),
                ("2", "0, 1, 3", 3, "all_gather", 600000))
            self.assertEqual(self.roles(), {0: "waiting", 1: "waiting",
                                            2: "culprit", 3: "waiting"})

    def test_several_and_named_each(self):
        verdict = self.verdict(hung(16, (9, 14)))
        self.assertEqual(verdict["facts"]["missing_ranks"], "9, 14")
        self.assertIn("ranks 9, 14 never came to", verdict["summary"])

    def test_file_by_file(self):
        job = hung()
        job.write(self.folder)
        files = sorted(self.folder.iterdir())
        verdict = harness.diagnose(*files)["verdict"]
        self.assertEqual(verdict["facts"]["missing_ranks"], "2")
        run = self.folder / "run"
        self.assertEqual(harness.run("import", *files, "-o", run).returncode, 0)
        self.assertEqual(len(list(run.iterdir())), 1)
        self.assertEqual(
            harness.diagnose(run)["verdict"]["facts"]["missing_ranks"], "2")

    def test_common_beginning_of_names(self):
        job = hung()
        job.write(self.folder, prefix="_dump_")
        verdict = harness.diagnose(
            "--source", f"flight-recorder={self.folder}/_dump_")["verdict"]
        self.assertEqual(verdict["facts"]["missing_ranks"], "2")

    def test_through_import_of_a_folder(self):
        job = hung()
        job.write(self.folder)
        run = self.folder / "run"
        self.assertEqual(harness.run("import", self.folder, "-o",
                                     run).returncode, 0)
        self.assertEqual(
            harness.diagnose(run)["verdict"]["facts"]["missing_ranks"], "2")

    def test_healthy(self):
        job = Job(4)
        for _ in range(20):
            job.all("0", "all_reduce")
        job.enter(1, "0", "all_reduce")  # the others' record ends before
        self.assertEqual(self.verdict(job)["cause"], "unknown")
        self.assertEqual(set(self.roles().values()), {"idle"})

    def test_a_ring_that_forgot_is_not_missing(self):
        """Rank 1 is far ahead: what the others wait in has left its ring."""
        job = Job(2, {"0": ("default_pg", [0, 1]), "1": ("tp", [0, 1])})
        job.all("1", "all_reduce")
        job.all("0", "all_reduce")
        job.entries[0][-1]["state"] = "started"
        for _ in range(50):
            job.enter(1, "1", "all_reduce")
        self.verdict(job, ring=20)
        self.assertEqual(harness.rows(
            self.folder, "SELECT 1 AS x FROM collective_stall "
                         "WHERE kind = 'missing'"), [])

    def test_operation_type_and_size(self):
        for change, differs, found in (
                ({"name": "broadcast"}, "operation", "broadcast"),
                ({"dtype": "Half"}, "type", '["Half"] to ["Half"]'),
                ({"size": (3, 5)}, "size", "15 elements to 15")):
            job = Job(4)
            job.all("0", "barrier", size=1)
            for rank in range(4):
                usual = {"name": "all_reduce", "state": "started"}
                job.enter(rank, "0", **(usual | change if rank == 3
                                        else usual))
            verdict = self.verdict(job)
            self.assertEqual(
                (verdict["cause"], verdict["unit"]["rank"]),
                ("distributed/desync", 3), differs)
            self.assertEqual(
                (verdict["facts"]["differs"], verdict["facts"]["found"],
                 verdict["facts"]["odd_ranks"]), (differs, found, "3"))

    def test_shapes_that_hold_as_much_are_no_mismatch(self):
        job = Job(2)
        job.enter(0, "0", "all_reduce", size=(4, 4), state="started")
        job.enter(1, "0", "all_reduce", size=16, state="started")
        self.assertEqual(self.verdict(job)["cause"], "unknown")

    def test_uneven_operations(self):
        job = Job(2)
        job.enter(0, "0", "all_to_all", size=10, out=6, state="started")
        job.enter(1, "0", "all_to_all", size=4, out=8, state="started")
        self.assertEqual(self.verdict(job)["cause"], "unknown")
        job.entries[1][-1]["output_sizes"] = [[9]]
        self.assertEqual(self.verdict(job)["cause"], "distributed/desync")
        job.version = "2.3"  # which had no sizes of these
        self.assertEqual(self.verdict(job)["cause"], "unknown")
        for name, sizes in (("gather", ((4, 8), (4, 0))),
                            ("scatter", ((8, 4), (0, 4)))):
            job = Job(2)
            for rank, (size, out) in enumerate(sizes):
                job.enter(rank, "0", name, size=size, out=out, state="started")
            self.assertEqual(self.verdict(job)["cause"], "unknown", name)

    def test_waits_in_chains_end_at_one(self):
        """Rank 3 sleeps; 2 waits for it, 1 for 2, 0 for 1, each elsewhere."""
        groups = {"0": ("default_pg", [0, 1, 2, 3]), "1": ("a", [0, 1]),
                  "2": ("b", [1, 2]), "3": ("c", [2, 3])}
        job = Job(4, groups)
        job.all("0", "all_reduce")
        for rank, group in ((0, "1"), (1, "2"), (2, "3")):
            job.enter(rank, group, "all_reduce", state="started")
        verdict = self.verdict(job)
        self.assertEqual(verdict["facts"]["missing_ranks"], "3")
        self.assertEqual(self.roles(), {0: "waiting", 1: "waiting",
                                        2: "waiting", 3: "culprit"})

    def test_a_ring_of_waits(self):
        groups = {"0": ("default_pg", [0, 1]), "1": ("a", [0, 1]),
                  "2": ("b", [0, 1])}
        job = Job(2, groups)
        job.enter(0, "1", "all_reduce", state="started")
        job.enter(1, "2", "all_reduce", state="started")
        verdict = self.verdict(job)
        self.assertEqual((verdict["cause"], verdict["rule"]),
                         ("distributed/desync", "distributed.flight.deadlock"))

    def test_send_without_receive(self):
        job = Job(3)
        job.all("0", "all_reduce")
        job.enter(0, "0", "send 0->1", state="scheduled", point=True)
        job.enter(1, "0", "recv 1<-0", state="scheduled", point=True)
        self.assertEqual(self.verdict(job)["cause"], "unknown")
        job.enter(1, "0", "recv 1<-2", state="scheduled", point=True)
        verdict = self.verdict(job)
        self.assertEqual((verdict["cause"], verdict["unit"]["rank"]),
                         ("distributed/collective-timeout", 2))

    def test_send_and_receive_of_different_sizes(self):
        job = Job(2)
        job.enter(0, "0", "send 0->1", size=8, state="started", point=True)
        job.enter(1, "0", "recv 1<-0", size=9, state="started", point=True)
        verdict = self.verdict(job)
        self.assertEqual(
            (verdict["cause"], verdict["facts"]["expected"],
             verdict["facts"]["found"]),
            ("distributed/desync", "8 elements sent by 0", "9 expected by 1"))

    def test_timed_out_by_the_clock(self):
        groups = {"0": ("default_pg", [0, 1]), "1": ("other", [0, 1])}
        job = Job(2, groups, timeout_ms=5)
        job.all("0", "all_reduce", state="started")
        self.assertEqual(self.verdict(job)["cause"], "unknown")
        for _ in range(9):
            job.all("1", "all_reduce")  # a millisecond each
        verdict = self.verdict(job)
        self.assertEqual((verdict["rule"], verdict["facts"]["timed_out"]),
                         ("distributed.flight.stuck", 1))

    def test_batches(self):
        """Of what is coalesced only the last entry tells the state."""
        job = Job(3)
        job.all("0", "all_reduce")
        job.batch(0, "0", ["send 0->1", "recv 0<-1"])
        job.batch(1, "0", ["send 1->0", "recv 1<-0"])
        for only_active in False, True:
            verdict = self.verdict(job, only_active=only_active)
            self.assertEqual(verdict["cause"], "unknown", only_active)
            self.assertEqual(harness.row(self.folder, """
                SELECT sum(role <> 'idle') AS n FROM collective_rank""")["n"],
                             0)
        job.batch(0, "0", ["send 0->1", "recv 0<-2"], state="scheduled")
        job.batch(1, "0", ["recv 1<-0"], state="scheduled")
        for only_active in False, True:
            verdict = self.verdict(job, only_active=only_active)
            self.assertEqual(verdict["unit"]["rank"], 2)
            self.assertEqual(self.roles(),
                             {0: "waiting", 1: "waiting", 2: "culprit"})

    def test_no_dump_of_a_rank(self):
        job = hung(3, missing=(1,))
        verdict = self.verdict(job, ranks=(0, 2))
        self.assertEqual(
            (verdict["rule"], verdict["confidence"],
             verdict["facts"]["dumpless_ranks"]),
            ("distributed.flight.dumpless", "possible", "1"))

    def test_timed_out_though_all_came(self):
        job = Job(2)
        job.all("0", "all_reduce", state="started", retired=True)
        self.assertEqual(self.verdict(job)["rule"],
                         "distributed.flight.stuck")

    def test_names_of_groups_that_are_shared(self):
        """Two groups of one name, made by splitting: told apart by ranks."""
        job = Job(4, {"0": ("default_pg", [0, 1, 2, 3]),
                      "7": ("half", [0, 1])})
        other = Job(4, {"0": ("default_pg", [0, 1, 2, 3]),
                        "7": ("half", [2, 3])})
        for rank in (0, 1):
            job.enter(rank, "7", "all_reduce", state="started")
        other.enter(2, "7", "all_reduce", size=99, state="started")
        job.write(self.folder, ranks=(0, 1))
        other.write(self.folder, ranks=(2, 3))
        verdict = harness.diagnose(self.folder)["verdict"]
        self.assertEqual(verdict["facts"]["missing_ranks"], "3")

    def standing(self, state="scheduled", name="all_reduce"):
        """Rank 1 has one collective pending that all others completed, and they
        wait for it in the next."""
        job = Job(4)
        job.all("0", name)
        job.all("0", name)
        job.entries[1][-1].update(state=state, retired=False)
        for rank in (0, 2, 3):
            job.enter(rank, "0", "all_gather", size=8, out=32,
                      state="scheduled")
        return job

    def test_a_rank_that_stands_where_its_peers_have_passed(self):
        for only_active in (False, True):
            verdict = self.verdict(self.standing(), only_active=only_active)
            self.assertEqual(
                (verdict["rule"], verdict["unit"]["rank"]),
                ("distributed.flight.behind", 1))
            facts = verdict["facts"]
            self.assertEqual(
                (facts["stuck_ranks"], facts["seqnum"], facts["optype"],
                 facts["waiting"]), ("1", 2, "all_reduce", 3))
            self.assertEqual(self.roles(), {0: "waiting", 1: "culprit",
                                            2: "waiting", 3: "waiting"})

    def test_a_root_may_leave_before_the_others(self):
        """That others have completed a broadcast says nothing of rank 1; that
        it does not come to the next collective does."""
        self.verdict(self.standing(name="broadcast"))
        self.assertEqual(harness.rows(
            self.folder, "SELECT sum(behind) AS n FROM collective_rank"),
            [{"n": 0}])

    def test_behind_in_a_run_that_lives(self):
        """Its dump was written a moment before those of the others."""
        job = Job(4)
        for _ in range(3):
            job.all("0", "all_reduce")
        job.entries[1][-1].update(state="started", retired=False)
        self.assertEqual(self.verdict(job)["cause"], "unknown")
        self.assertNotIn("culprit", self.roles().values())

    def test_random_hangs(self):
        """In a world with rows and columns of ranks some stop at a random
        collective; the others go on until they have to wait."""
        chance = random.Random(3)
        for trial in range(6):
            rows = {str(1 + i): ("row", [i * 3, i * 3 + 1, i * 3 + 2])
                    for i in range(3)}
            columns = {str(4 + i): ("column", [i, i + 3, i + 6])
                       for i in range(3)}
            job = Job(9, {"0": ("default_pg", list(range(9))), **rows,
                          **columns})
            plan = [chance.choice((["0"], list(rows), list(columns)))
                    for _ in range(30)]
            stops = {rank: chance.randrange(30)
                     for rank in chance.sample(range(9), chance.choice((1, 2)))}
            waiting = set()
            for step, groups in enumerate(plan):
                for group in groups:
                    members = job.groups[group][1]
                    here = [r for r in members if r not in waiting and
                            stops.get(r, 99) > step]
                    state = "completed" if here == members else "started"
                    for rank in here:
                        job.enter(rank, group, "all_reduce", state=state)
                    if state != "completed":
                        waiting.update(here)
            if not waiting:
                continue
            found = harness.scratch(self)
            job.write(found)
            roles = {one["rank"]: one["role"] for one in harness.rows(
                found, "SELECT rank, role FROM collective_rank")}
            self.assertEqual({r for r, role in roles.items()
                              if role == "waiting"}, waiting, trial)
            self.assertEqual({r for r, role in roles.items()
                              if role == "culprit"},
                             set(range(9)) - waiting, trial)


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

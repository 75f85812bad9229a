# SPDX-License-Identifier: Apache-2.0
"""Dumps of PyTorch's flight recorder of simulated jobs: who is found at
fault."""
import json
import random
import unittest

import harness
from flights import Job, hung


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

    def pipeline(self):
        """Ranks 2 to 5 are the second stage: 5 sleeps, so 2, 3 and 4 wait in an
        all_reduce, and 0 and 1 for what 2 and 5 should send."""
        job = Job(6, {"0": ("default_pg", list(range(6))),
                      "1": ("pp", list(range(6))), "2": ("dp", [2, 3, 4, 5])})
        job.all("0", "all_reduce")
        for rank in (2, 3, 4):
            job.enter(rank, "2", "all_reduce", state="scheduled")
        job.enter(0, "1", "recv 0<-2", state="scheduled", point=True)
        job.enter(1, "1", "recv 1<-5", state="scheduled", point=True)
        return job

    def test_the_stuck_rank_left_no_dump(self):
        """Who waits for it is not to blame, though others wait for him."""
        verdict = self.verdict(self.pipeline(), ranks=range(5))
        facts = verdict["facts"]
        self.assertEqual(
            (verdict["rule"], verdict["unit"]["rank"], facts["dumpless_ranks"],
             facts["waiting_ranks"], facts["waiting_elsewhere"],
             facts["waiting_in_turn"], facts["optype"]),
            ("distributed.flight.dumpless", 5, "5", "2, 3, 4", "1", "0",
             "all_reduce"))
        self.assertNotIn("culprit", self.roles().values())

    def test_a_dump_that_was_cut_off_says_nothing_of_absence(self):
        """Rank 3's file ends before its entries."""
        self.pipeline().write(self.folder)
        path = self.folder / "nccl_trace_rank_3"
        whole = path.read_bytes()
        path.write_bytes(whole[:whole.index(b"pg_status") + 9])
        result = harness.run("diagnose", self.folder, "--format", "json")
        self.assertEqual(result.returncode, 4)
        verdict = json.loads(result.stdout)["verdict"]
        self.assertEqual(
            (verdict["facts"]["missing_ranks"],
             verdict["facts"]["dumpless_ranks"]), ("5", "3"))
        self.assertIn("no whole dump of rank 3", verdict["summary"])
        (self.folder / "nccl_trace_rank_5").unlink()
        text = harness.run("diagnose", self.folder).stdout.decode()
        self.assertIn("there is no whole dump of ranks 3, 5", text)
        self.assertIn("rank 3 (nccl_trace_rank_3): the dump is cut off", text)

    def test_no_ring_through_a_rank_without_a_dump(self):
        """0 and 1 wait for each other, and for 2, which may be the cause."""
        job = Job(3, {"0": ("default_pg", [0, 1, 2]), "1": ("a", [0, 1]),
                      "2": ("b", [0, 1]), "3": ("c", [1, 2])})
        job.enter(0, "1", "all_reduce", state="started")
        job.enter(1, "2", "all_reduce", state="started")
        job.enter(1, "3", "all_reduce", state="started")
        self.assertEqual(self.verdict(job, ranks=(0, 1))["rule"],
                         "distributed.flight.dumpless")

    def test_only_sends_wait_for_ranks_without_dumps(self):
        job = self.pipeline()
        self.assertEqual(self.verdict(job, ranks=(0, 1))["summary"],
                         "there is no whole dump of ranks 2, 5, awaited by "
                         "rank 0 in recv 1 of group 1 (pp) and by rank 1 "
                         "elsewhere")
        text = harness.run("diagnose", self.folder).stdout.decode()
        self.assertIn("ranks 0, 1 (2) of 6; nothing of ranks 2–5", text)

    def test_a_culprit_whom_only_receives_await_has_a_place(self):
        job = Job(3)
        job.enter(0, "0", "recv 0<-2", state="scheduled", point=True)
        self.assertEqual(
            self.verdict(job)["summary"],
            "rank 2 never came to recv 1 of group 0 (default_pg); ranks that "
            "wait: 1")

    def test_where_all_stand(self):
        """No rank stayed away, and no watchdog gave up."""
        job = Job(4)
        job.all("0", "all_reduce", state="started")
        verdict = self.verdict(job)
        self.assertEqual(verdict["cause"], "unknown")
        self.assertIn("ranks 0–3 stood in all_reduce 1 of group 0 (default_pg) "
                      "since 08:00:00.000 UTC (time limit 10 min)",
                      verdict["summary"])
        self.assertIn("the first of 4 dumps of flight recorders",
                      harness.run("diagnose", self.folder).stdout.decode())

    def test_who_waits_for_whom(self):
        summary = self.verdict(hung())["summary"]
        self.assertIn("ranks that wait: 3", summary)
        self.assertNotIn("for others that wait", summary)
        for file in self.folder.iterdir():
            file.unlink()
        self.assertIn("ranks that wait: 5, of which 1 for others that wait",
                      self.verdict(self.pipeline())["summary"])

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


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""What the page of a job has: a strip for each rank with its times, what they
wait for, what fell first; merged stacks; and what is not known."""
import unittest

import made_jobs
from hostile_test import EVIL, MARKS, assert_shown_as_text
from pages import MOST_BYTES, PageTest, Parsed, skeleton, strings_in
from made_trace import MIB, MadeTrace

DONE, PENDING, TIMED_OUT, STEP = range(4)
SECOND = 10**9


class JobTest(PageTest):
    def ranks(self, *inputs):
        self.data = self.parsed(*inputs).data
        return self.data["ranks"]

    def spans(self, ranks, state):
        return {(rank, ranks["names"][name]): (begin, length)
                for rank, begin, length, name, kind in ranks["spans"]
                if kind == state}

    def test_logs_with_times(self):
        ranks = self.ranks(made_jobs.logs(self.folder / "job", 8, culprit=5,
                                          missing=[6], dateless=[2]))
        rows = {row[0]: row for row in ranks["rows"]}
        self.assertEqual(sorted(rows), list(range(8)))
        self.assertEqual(rows[0][2:], [0, 40 * 60 * SECOND])
        self.assertEqual(rows[2][2:], [None, None])
        self.assertEqual(rows[6][2:], [None, None, 1])
        self.assertEqual(ranks["first"]["ranks"], [5])
        self.assertEqual(ranks["first"]["at"], 30 * 60 * SECOND)
        waits = self.spans(ranks, TIMED_OUT)
        self.assertEqual({rank for rank, _ in waits}, {0, 1, 3, 4, 7})
        self.assertEqual(waits[0, "ALLREDUCE 77"],
                         (30 * 60 * SECOND, 600 * SECOND))
        marked = {mark[0]: mark[1] for mark in ranks["marks"]}
        self.assertEqual(marked[5], 30 * 60 * SECOND)

    def test_of_many_logs_the_verdict_s_comes_first(self):
        self.ranks(made_jobs.logs(self.folder / "job", 128, culprit=77))
        logs = self.data["logs"]
        first = logs["logs"][0]
        self.assertTrue(first["path"].endswith("/rank77.log"))
        piece, = self.data["verdict"]["evidence"]
        self.assertEqual(piece["source"], first["source"])
        self.assertIn(piece["line"], [line[0] for line in first["lines"]])
        self.assertEqual([log["path"].rsplit("/")[-1] for log in logs["logs"][1:4]],
                         ["rank0.log", "rank1.log", "rank2.log"])
        self.assertEqual(len(logs["logs"]) + logs["more"], 128)

    def test_findings_that_differ_in_the_rank_alone_share_a_line(self):
        self.ranks(made_jobs.logs(self.folder / "job", 128, culprit=77))
        verdict = self.data["verdict"]
        timeout, = [one for one in verdict["findings"]
                    if one["cause"] == "distributed/collective-timeout"]
        self.assertEqual(timeout["often"], " (127×: ranks 0–76, 78–127)")
        self.assertEqual((timeout["alike"], len(timeout["members"])), (126, 100))
        self.assertLess(len(verdict["findings"]), 5)
        self.assertEqual(verdict["more_findings"], 0)

    def test_of_many_logs_coverage_has_one_row(self):
        self.ranks(made_jobs.logs(self.folder / "job", 16, culprit=7))
        coverage = self.data["tables"]["coverage"]
        rows = [dict(zip(coverage["columns"], row)) for row in coverage["rows"]]
        self.assertEqual([row["note"] for row in rows
                          if row["source"] == "log"], ["16 logs"])

    def test_flight_recorders(self):
        ranks = self.ranks(made_jobs.flights(self.folder / "job", 8, culprit=3))
        pending = {**self.spans(ranks, PENDING), **self.spans(ranks, TIMED_OUT)}
        self.assertEqual({rank for rank, _ in pending}, set(range(8)) - {3})
        self.assertEqual({name for _, name in pending}, {"nccl:all_reduce 21"})
        self.assertEqual(len(self.spans(ranks, DONE)), 8 * 20)
        self.assertEqual(ranks["first"]["ranks"], [3])
        stall = dict(zip(ranks["stalls"]["columns"], ranks["stalls"]["rows"][0]))
        self.assertEqual((stall["kind"], stall["missing_ranks"]),
                         ("missing", "3"))
        self.assertEqual(ranks["roles"]["rows"][0][:2], [3, "culprit"])

    def test_traces(self):
        job = self.folder / "job"
        job.mkdir()
        for rank in range(4):
            trace = MadeTrace(job / f"rank{rank}.trace.sqlite", rank=rank,
                              pid=100 + rank)
            for step in range(12):
                trace.alloc(step * MIB, MIB)
                trace.step(step)
            if rank == 2:
                trace.event(1, 0, 2**40, result=2)
            trace.close()
        ranks = self.ranks(job)
        self.assertEqual([row[0] for row in ranks["rows"]], [0, 1, 2, 3])
        for row in ranks["rows"]:
            self.assertLess(row[2], row[3])
        self.assertEqual(set(self.spans(ranks, STEP)),
                         {(rank, f"step {step}") for rank in range(4)
                          for step in range(12)})
        marks = [(mark[0], ranks["names"][mark[2]]) for mark in ranks["marks"]]
        self.assertEqual(marks, [(2, "refused")])
        self.assertEqual(ranks["first"]["ranks"], [2])

    def test_merged_stacks(self):
        job = made_jobs.stacks(self.folder / "job", 16, culprit=11)
        data = self.parsed(job).data
        tree = [dict(zip(data["stacks"]["tree"]["columns"], row))
                for row in data["stacks"]["tree"]["rows"]]
        main, = [one for one in tree if one["parent"] is None]
        self.assertEqual((main["function"], main["processes"]), ("main", 16))
        leaf, = [one for one in tree if one["function"] == "tokenize"]
        self.assertEqual((leaf["processes"], leaf["ends"]), (1, 1))
        where = [dict(zip(data["stacks"]["processes"]["columns"], row))
                 for row in data["stacks"]["processes"]["rows"]]
        self.assertEqual([(one["role"], one["processes"]) for one in where],
                         [("holds-up", 1), ("waits", 15)])
        self.assertEqual(where[0]["who"], "11")
        # Of stacks alone nothing tells a time.
        self.assertEqual({tuple(row[2:4]) for row in data["ranks"]["rows"]},
                         {(None, None)})

    def test_one_rank_has_no_strips(self):
        data = self.parsed(self.write("a.log", "CUDA out of memory\n")).data
        self.assertNotIn("ranks", data)
        self.assertNotIn("stacks", data)

    def test_a_thousand_ranks_are_a_small_page(self):
        job = made_jobs.logs(self.folder / "job", 1024, culprit=700,
                             missing=[5, 900])
        text = self.page(job)
        self.assertLess(len(text), MOST_BYTES)
        ranks = Parsed(text).data["ranks"]
        self.assertEqual(len(ranks["rows"]), 1024)
        self.assertEqual(ranks["first"]["ranks"], [700])
        self.assertEqual(len(self.spans(ranks, TIMED_OUT)), 1021)
        self.assertIn(700, {mark[0] for mark in ranks["marks"]})

    def test_a_thousand_flight_recorders(self):
        text = self.page(made_jobs.flights(self.folder / "job", 1024, 700, 40))
        self.assertLess(len(text), MOST_BYTES)
        ranks = Parsed(text).data["ranks"]
        each = {}
        for rank, *_ in ranks["spans"]:
            each[rank] = each.get(rank, 0) + 1
        # What did not complete stays, however many completed after it.
        self.assertEqual(len(each), 1024)
        self.assertLessEqual(max(each.values()), 12)
        late = {**self.spans(ranks, PENDING), **self.spans(ranks, TIMED_OUT)}
        self.assertEqual(len(late), 1023)

    def test_hostile_strings(self):
        plain = skeleton(self.parsed(self.write("plain.log", "x\n")))
        evil = "".join(EVIL).replace("/", "")
        job = made_jobs.logs(self.folder / f"job {evil[:120]}", 4, culprit=1,
                             error="RuntimeError: CUDA error: device-side "
                                   "assert triggered " + " ".join(
                                       [*EVIL, *MARKS]))
        made_jobs.stacks(job / "stacks", 4, 1, function=EVIL[1] + "\x1b[31m")
        text = self.page(job)
        parsed = Parsed(text)
        self.assertEqual(skeleton(parsed), plain)
        assert_shown_as_text(self, text)
        self.assertIn("alert(1)", "\n".join(strings_in(parsed.data["ranks"])))

    def test_redacted(self):
        job = self.folder / "job"
        for node in ("zebra-node17", "zebra-node18"):
            made_jobs.logs(job / node, 2, culprit=1)
        self.assertIn("zebra-node17", self.page(job))
        data = Parsed(self.page(job, "--redact")).data
        self.assertNotIn("zebra", "\n".join(strings_in(data)))
        self.assertTrue(any(one.startswith("HOST-")
                            for one in data["ranks"]["names"]))


if __name__ == "__main__":
    unittest.main()

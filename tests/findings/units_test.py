# SPDX-License-Identifier: Apache-2.0
"""Whom a report names: the unit, others of the same lines, and nodes to take
out of service."""
import json
import pathlib
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "importers")]
import harness  # noqa: E402

REFUSED = ("node1:471{0}:5308 [{0}] include/alloc.h:103 NCCL WARN Cuda failure "
           "2 'out of memory'\n")
DESTROYED = ("{0}:283{1}:2832 [1] NCCL INFO comm 0x55c6f1c65b50 rank {1} nranks "
             "2 cudaDev {1} busId 3000 - Destroy COMPLETE\n")
UNDELIVERED = ("[rank{}]: NET/OFI Request 0x7f14cc5b60c0 completed with error. "
               "RC: 113. Error: 2 (UNDELIVERABLE). Completed length: 0\n")

WAITED = ("[rank{0}]:[E ProcessGroupNCCL.cpp:523] [Rank {0}] Watchdog caught "
          "collective operation timeout: WorkNCCL(SeqNum=327, OpType=ALLGATHER, "
          "NumelIn=1, NumelOut=5, Timeout(ms)=1800000) ran for 1800341 "
          "milliseconds before timing out.\n")


class UnitsTest(unittest.TestCase):
    def setUp(self):
        self.log = harness.scratch(self) / "run.log"

    def text(self, lines):
        self.log.write_text(lines)
        return harness.run("diagnose", "--log", self.log).stdout.decode()

    def job(self, lines):
        self.log.write_text(lines)
        done = harness.run("diagnose", "--format", "json", "--log", self.log)
        return json.loads(done.stdout)["job"]

    def test_other_units_of_the_same_lines_are_named(self):
        text = self.text("".join(map(REFUSED.format, (0, 7))))
        self.assertIn("GPU 0 (also 7), pid 4710 (also 4717), on node1", text)
        text = self.text("".join(map(REFUSED.format, range(8))))
        self.assertIn("GPU 0 (also 1–7)", text)
        self.assertNotIn("also", self.text(REFUSED.format(0)))

    def test_ranks_that_two_nodes_count_alike_have_no_place(self):
        def lines(*hosts):
            return "".join(DESTROYED.format(host, rank) for host in hosts
                           for rank in (0, 1))
        self.assertEqual(self.job(lines("node1"))["hosts"], ["node1"])
        self.assertIsNone(self.job(lines("node1", "node2")))

    def test_who_alone_does_not_say_that_it_waited_is_named(self):
        lines = "".join(map(WAITED.format, (1, 2, 3, 4)))
        size = "[INFO] [launch.py:163:main] dist_world_size={}\n"
        suspects = self.job(size.format(5) + lines)["suspects"]
        self.assertEqual([one["rank"] for one in suspects], [0])
        # Of half of the ranks nothing may have been kept.
        self.assertEqual(self.job(size.format(9) + lines)["suspects"], [])
        self.assertEqual(self.job(lines)["suspects"], [])

    def test_what_most_ranks_have_in_common_sets_none_apart(self):
        step = "[rank{}]: step 7, loss 2.31\n"
        others = "".join(map(step.format, (0, 2, 3)))
        alone = WAITED.format(1)
        self.assertEqual(self.job(others + alone)["suspects"], [])
        [other] = self.job(step.format(0) + alone)["suspects"]
        self.assertEqual(other["rank"], 0)
        self.assertIn("waited, as rank 1 does", other["why"])

    def test_no_unnamed_node_is_drained(self):
        text = self.text(UNDELIVERED.format(2) + UNDELIVERED.format(3))
        self.assertIn("hardware/fabric", text)
        self.assertNotIn("drain", text)


if __name__ == "__main__":
    unittest.main()

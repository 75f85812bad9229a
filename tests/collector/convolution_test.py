# SPDX-License-Identifier: Apache-2.0
"""Convolutions on the simulated cuDNN: which layer, with which algorithm and
workspace, from when to when; and what diagnose makes of a change."""

import json
import os
import subprocess
import time
import unittest

from harness import HERE, CollectorTest

FORWARD = "cudnnConvolutionForward"
LAYER = ("x f32 8x64x56x56, w 64x64x3x3, pad 1x1, stride 1x1, "
         "y 8x64x56x56")
BIG = 2 * 8 * 64 * 56 * 56 * 4  # what the simulated algorithm 7 wants
SMALL = 64 * 64 * 3 * 3 * 4 + 4096
INTERVALS = ("SELECT function, algorithm, workspace_bytes, calls, failed "
             "FROM cudnn_interval ORDER BY id")


class Convolutions(CollectorTest):
    def convolutions(self, *how, **extra):
        done = self.host("convolution_host", *how, **extra)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_a_switch(self):
        self.convolutions("switch", "20")
        self.assertEqual(self.query(INTERVALS), [
            (FORWARD, 7, BIG, 20, 0), (FORWARD, 1, SMALL, 20, 0)])
        # The program asked for each before it took it.
        self.assertEqual(self.query(
            "SELECT algorithm, workspace_bytes, workspace_asked FROM "
            "cudnn_choice ORDER BY algorithm"),
            [(1, SMALL, SMALL), (7, BIG, BIG)])
        ((number, function, text),) = self.query(
            "SELECT * FROM cudnn_operation")
        self.assertGreater(number, 0)
        self.assertEqual((function, text), (FORWARD, LAYER))
        for row in self.query("SELECT operation, first_ns, last_ns, calls, "
                              "total_ns, min_ns, max_ns FROM cudnn_interval"):
            operation, first, last, calls, total, least, most = row
            self.assertEqual(operation, number)
            self.assertLess(first, last)
            self.assertLessEqual(least * calls, total)
            self.assertLessEqual(total, most * calls)
        # They are counted with all others, and what we asked is not.
        self.assertEqual(
            self.query("SELECT calls FROM cudnn_stat WHERE function = "
                       f"'{FORWARD}' AND result = 0"), [(40,)])
        self.assertEqual(
            self.query("SELECT function FROM cudnn_stat WHERE function IN "
                       "('cudnnGetTensorNdDescriptor', "
                       "'cudnnGetFilterNdDescriptor')"), [])
        self.assert_nothing_lost()
        self.assert_clean()

    def test_killed_in_the_middle(self):
        program = os.path.join(HERE, "collector_convolution_host")
        with subprocess.Popen([program, "stay", "30"], cwd=self.scratch,
                              env=self.environment(), text=True,
                              stdout=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), "done\n")
            time.sleep(0.2)
            process.kill()
        result = self.finish()
        self.assertEqual((result["had_journal"], result["clean_end"]), (1, 0))
        first, second = self.query(INTERVALS)
        self.assertEqual(first, (FORWARD, 7, BIG, 30, 0))
        self.assertEqual(second[:3], (FORWARD, 1, SMALL))
        self.assertGreater(second[3], 30)
        self.assertEqual(self.query("SELECT text FROM cudnn_operation"),
                         [(LAYER,)])

    def test_each_layer_is_told_apart(self):
        self.convolutions("layers", "50")
        self.assertEqual(self.query(
            "SELECT count(DISTINCT operation), count(*), min(calls), "
            "max(calls) FROM cudnn_interval WHERE operation > 0"),
            [(50, 50, 1, 1)])
        self.assertEqual(self.query(
            "SELECT count(DISTINCT text) FROM cudnn_operation"), [(50,)])

    def test_more_layers_than_the_table_holds(self):
        self.convolutions("layers", "10000")
        known = self.value("SELECT count(*) FROM cudnn_operation")
        self.assertGreater(known, 6000)
        self.assertLessEqual(known, 8192)
        self.assertEqual(self.value(
            "SELECT sum(calls) FROM cudnn_interval WHERE operation = 0"),
            10000 - known)
        self.assertGreater(self.value(
            "SELECT count FROM loss WHERE kind = 'cudnn_operation'"), 0)

    def test_a_forked_child_says_its_layers_again(self):
        self.convolutions("fork")
        counted = []
        for trace in self.traces():
            self.finish(trace)
            self.assertEqual(self.query("SELECT text FROM cudnn_operation",
                                        trace), [(LAYER,)])
            counted += self.query("SELECT calls, failed FROM cudnn_interval "
                                  "WHERE operation > 0", trace)
        self.assertEqual(sorted(counted), [(2, 2), (3, 0)])

    def test_failures(self):
        plain = self.convolutions("failing", preload=False)
        self.assertEqual(self.convolutions("failing"), plain)
        # Descriptors that are known to live are read although a parameter of
        # their call is bad.
        self.assertEqual(
            [row[1:] for row in self.query(INTERVALS)],
            [(3, 1024, 1, 1), (1, 1024, 1, 1)])
        self.assertEqual(self.query(
            "SELECT i.algorithm, o.text FROM cudnn_interval AS i LEFT JOIN "
            "cudnn_operation AS o ON o.id = i.operation ORDER BY i.id"),
            [(3, LAYER), (1, LAYER)])
        self.assertEqual(self.query("SELECT detail ->> '$.range' FROM "
                                    "cudnn_call WHERE result <> 0 ORDER BY id"),
                         [(None,), ("layer4.conv2",)])

    @unittest.skipUnless(os.path.exists(os.environ["INQUEST"]),
                         "the analyzer is not part of this build")
    def test_diagnose_names_the_risk(self):
        self.convolutions("switch", "20")
        done = subprocess.run(
            [os.environ["INQUEST"], "diagnose", self.run_dir, "--format",
             "json"], check=False, capture_output=True, text=True, timeout=120)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["verdict"]["cause"], "none")
        risk, = (r for r in answer["risks"]
                 if r["rule"] == "trace.cudnn.engine-switch")
        facts = risk["facts"]
        self.assertEqual((facts["call"], facts["operation"]),
                         (FORWARD, LAYER))
        self.assertEqual((facts["algorithm_before"], facts["algorithm"]),
                         (7, 1))
        self.assertEqual((facts["workspace_before"], facts["workspace_bytes"]),
                         (BIG, SMALL))
        self.assertGreater(facts["factor"], 0)
        self.assertIn("of GPU 0", facts["room"])
        self.assertGreater(facts["peak_bytes"], 0.9 * (1 << 30))


if __name__ == "__main__":
    unittest.main()

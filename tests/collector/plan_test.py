# SPDX-License-Identifier: Apache-2.0
"""Plans of cuDNN's backend API: which graph, with which engine, knobs and
workspace; on the simulated cuDNN, and on the real one as far as it goes without
a GPU."""

import json
import os
import subprocess
import sys
import time
import unittest

from harness import HERE, CollectorTest

EXECUTE = "cudnnBackendExecute"
GRAPH = ("convolution forward: x f32 8x64x56x56, w f32 64x64x3x3, pad 1x1, "
         "stride 1x1, y f32 8x64x56x56; pointwise: mode relu fwd, "
         "x f32 8x64x56x56, y f32 8x64x56x56")
BYTES = (4 * 8 * 64 * 56 * 56 + 64 * 64 * 3 * 3) * 4  # wanted by engine 1
INTERVALS = ("SELECT function, algorithm, workspace_bytes, calls, failed "
             "FROM cudnn_interval ORDER BY id")
CHOICES = ("SELECT o.text, c.algorithm, c.workspace_bytes, c.workspace_asked, "
           "c.knobs, sum(i.calls) FROM cudnn_interval AS i "
           "JOIN cudnn_interval_choice AS l ON l.interval = i.id "
           "JOIN cudnn_choice AS c ON c.id = l.choice "
           "LEFT JOIN cudnn_operation AS o ON o.id = c.operation "
           "GROUP BY c.id ORDER BY min(i.id)")


class Plans(CollectorTest):
    def plans(self, *how, **extra):
        done = self.host("plan_host", *how, **extra)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_a_switch(self):
        self.plans("switch", "20")
        self.assertEqual(self.query(INTERVALS), [
            (EXECUTE, 1, BYTES, 20, 0), (EXECUTE, 0, 0, 20, 0)])
        self.assertEqual(self.query(CHOICES), [
            (GRAPH, 1, BYTES, BYTES, "tile size 4, stages 2", 20),
            (GRAPH, 0, 0, 0, None, 20)])
        # What we asked of the library is not the program's doing.
        self.assertEqual(self.value(
            "SELECT calls FROM cudnn_stat WHERE "
            "function = 'cudnnBackendGetAttribute'"), 5)
        self.assertEqual(self.query("SELECT * FROM api_error"), [])
        self.assert_nothing_lost()
        self.assert_clean()

    def test_killed_in_the_middle(self):
        program = os.path.join(HERE, "collector_plan_host")
        with subprocess.Popen([program, "stay", "30"], cwd=self.scratch,
                              env=self.environment(), text=True,
                              stdout=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), "done\n")
            time.sleep(0.2)
            process.kill()
        self.assertEqual(self.finish()["clean_end"], 0)
        first, second = self.query(CHOICES)
        self.assertEqual(first[-1], 30)
        self.assertEqual(second[:2], (GRAPH, 0))
        self.assertGreater(second[-1], 30)

    def test_refused_for_want_of_a_workspace(self):
        self.assertEqual(self.plans("refused"),
                         self.plans("refused", preload=False))
        self.assertEqual(self.query(INTERVALS), [(EXECUTE, 1, 0, 1, 1)])
        self.assertEqual(self.query(CHOICES), [
            (GRAPH, 1, 0, BYTES, "tile size 4, stages 2", 1)])
        self.assertEqual(self.query("SELECT function, name FROM api_error"),
                         [(EXECUTE, "CUDNN_STATUS_BAD_PARAM_NULL_POINTER")])
        self.assertEqual(self.query(
            "SELECT o.text, c.detail ->> '$.algorithm', "
            "c.detail ->> '$.workspace_bytes' FROM cudnn_call AS c "
            "JOIN cudnn_operation AS o ON o.id = c.detail ->> '$.operation' "
            "WHERE c.result <> 0"), [(GRAPH, 1, 0)])

    def test_each_graph_is_told_apart(self):
        self.plans("graphs", "50")
        self.assertEqual(self.query(
            "SELECT count(DISTINCT operation), count(*), max(calls) "
            "FROM cudnn_interval WHERE operation > 0"), [(50, 50, 1)])

    def test_a_forked_child_knows_no_plans(self):
        self.plans("fork")
        counted = []
        for trace in self.traces():
            self.finish(trace)
            counted += self.query("SELECT operation > 0, algorithm, calls, "
                                  "failed FROM cudnn_interval", trace)
        self.assertEqual(sorted(counted), [(0, -1, 2, 2), (1, 0, 3, 0)])

    def test_threads(self):
        self.plans("threads", "100")
        self.assertEqual(self.query(
            "SELECT count(DISTINCT operation), sum(calls), sum(failed) FROM "
            "cudnn_interval WHERE operation > 0"), [(4, 400, 0)])
        self.assertEqual(self.value("SELECT count(*) FROM cudnn_choice"), 8)
        self.assert_nothing_lost()

    def test_more_descriptors_than_are_noted(self):
        self.plans("crowd", "40000")
        self.assertEqual(self.query(
            "SELECT operation > 0, calls, failed FROM cudnn_interval "
            "ORDER BY id"), [(0, 1, 0), (1, 1, 0)])
        self.assertGreater(self.value(
            "SELECT count FROM loss WHERE kind = 'cudnn_descriptor'"), 3000)
        self.assert_clean()

    @unittest.skipUnless(os.path.exists(os.environ["INQUEST"]),
                         "the analyzer is not part of this build")
    def test_diagnose_names_the_slower_engine(self):
        self.plans("switch", "20", SIMGPU_FAULT="call=cudnnBackendExecute,"
                   "after=20,count=0,delay_us=2000")
        done = subprocess.run(
            [os.environ["INQUEST"], "diagnose", self.run_dir, "--format",
             "json"], check=False, capture_output=True, text=True, timeout=120)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["verdict"]["cause"], "none")
        risk, = (r for r in answer["risks"]
                 if r["rule"] == "trace.cudnn.engine-switch")
        facts = risk["facts"]
        self.assertEqual((facts["call"], facts["operation"]), (EXECUTE, GRAPH))
        self.assertEqual((facts["algorithm_before"], facts["algorithm"]),
                         (1, 0))
        self.assertEqual((facts["workspace_before"], facts["workspace_bytes"]),
                         (BYTES, 0))
        self.assertGreater(facts["factor"], 3)
        self.assertIn("engine 1 (tile size 4, stages 2)", risk["message"])


class Layers(CollectorTest):
    def layers(self, *how):
        done = self.host("layers_host", *how)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {function: rest for function, *rest in self.query(
            "SELECT c.function, o.text, c.algorithm, c.workspace_bytes, "
            "c.workspace_asked FROM cudnn_choice AS c "
            "JOIN cudnn_operation AS o ON o.id = c.operation")}

    def test_each_kind(self):
        of = self.layers()
        big = "8x64x56x56 nhwc"
        self.assertEqual(of["cudnnBatchNormalizationForwardTraining"], [
            f"x f16 {big}, y {big}, bnScaleBiasMeanVar f32 1x64x1x1, "
            "mode spatial", -1, 0, None])
        self.assertEqual(of["cudnnPoolingForward"], [
            f"pool max 2x2, pad 0x0, stride 2x2, x f16 {big}, "
            "y 8x64x28x28 nhwc", -1, 0, None])
        self.assertEqual(of["cudnnSoftmaxForward"], [
            "x f16 8x1000x1x1, y 8x1000x1x1, mode channel", 2, 0, None])
        self.assertEqual(of["cudnnActivationForward"], [
            f"activation relu, x f16 {big}, y {big}", -1, 0, None])
        asked = 20 * 2 * 128 * 2 * 2
        self.assertEqual(of["cudnnRNNForward"], [
            "cell lstm f16, algorithm standard, bidirectional, input 64, "
            "hidden 128, layers 2, x 20x2x64, y 20x2x256, fwdMode training",
            -1, 2 * asked, asked])
        asked = 2 * 128 * 128 * 16 * 8
        self.assertEqual(of["cudnnMultiHeadAttnForward"], [
            "heads 8 f16, q 512, k 512, v 512, projections 64x64x64x512, "
            "longest 128x128, batch 16, beam 1, q 128x16x1x512, "
            "k 128x16x1x512, v 128x16x1x512, o 128x16x1x512",
            -1, asked, asked])
        self.assert_nothing_lost()

    def test_a_descriptor_that_changes(self):
        self.layers("again")
        self.assertEqual(self.query(
            "SELECT o.text, i.calls FROM cudnn_interval AS i "
            "JOIN cudnn_operation AS o ON o.id = i.operation ORDER BY i.id"), [
                (f"activation {mode}, x f16 {n}x64x56x56 nhwc, "
                 f"y {n}x64x56x56 nhwc", calls)
                for mode, n, calls in (("relu", 8, 4), ("tanh", 8, 1),
                                       ("tanh", 4, 1))])


# Since 9.8 a plan can be made for a device that is only described.
DEVICE = {
    "deviceName": "NVIDIA A100-SXM4-40GB", "deviceVer": 800,
    "driverVer": 13000, "cudaDeviceId": 0, "pciDeviceId": 0x20b0,
    "multiProcessorCount": 108, "maxGridSize": [2147483647, 65535, 65535],
    "maxBlockSize": [1024, 1024, 64], "warpSize": 32,
    "regsPerBlock": 65536, "maxRegistersPerSM": 65536, "maxCtasPerSM": 32,
    "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048,
    "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 166912,
    "reservedSharedMemoryPerBlock": 1024, "l2CacheSize": 41943040,
    "totalGlobalMem": 42949672960, "smClockRateKHz": 1410000,
    "memClockRateKHz": 1215000, "isTccDriver": 0, "supportCoopLaunch": 1}
REAL = os.environ.get("INQUEST_REAL_CUDNN", "")
REAL_PLAN = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                         "real_plan.py")


def real_cudnn():
    program = ("import ctypes; print(ctypes.CDLL('libcudnn.so.9')"
               ".cudnnGetVersion())")
    done = subprocess.run([sys.executable, "-c", program], check=False,
                          env={**os.environ, "LD_LIBRARY_PATH": REAL},
                          capture_output=True, text=True, timeout=60)
    return int(done.stdout) if done.returncode == 0 else 0


@unittest.skipUnless(REAL and real_cudnn() >= 90800,
                     "no real libcudnn.so.9 from 9.8 on was found")
class RealPlans(CollectorTest):
    def test_engine_knobs_and_workspace(self):
        plain = self.host(sys.executable, REAL_PLAN, json.dumps(DEVICE),
                          preload=False, LD_LIBRARY_PATH=REAL)
        if plain.returncode != 0 and "cublasLt" in plain.stderr:
            self.skipTest("the real cuDNN makes plans only with libcublasLt, "
                          "which is not on this machine")
        done = self.host(sys.executable, REAL_PLAN, json.dumps(DEVICE),
                         LD_LIBRARY_PATH=REAL)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(done.stdout)
        graph = ("convolution forward: x f16 32x64x56x56 nhwc, w f16 "
                 "64x64x3x3 nhwc, y f16 32x64x56x56 nhwc, pad 1x1, stride 1x1")
        rows = self.query(CHOICES)
        self.assertEqual([row[:2] + row[3:4] for row in rows[:-1]],
                         [(graph, engine, asked)
                          for engine, asked, _ in told["plans"]])
        for row, (_, _, knobs) in zip(rows, told["plans"]):
            numbers = [int(knob.rsplit(" ", 1)[1])
                       for knob in (row[4] or "").split(", ") if knob]
            self.assertEqual(numbers, knobs)
        # A plan made from text: the same engine, its graph by its own words.
        self.assertEqual(rows[-1][0], "serialized plan: CONVOLUTION_FORWARD, "
                         "32,64,56,56, 64,64,3,3, 32,64,56,56")
        self.assertEqual(rows[-1][1], told["plans"][-1][0])
        # The library said not a word about our questions.
        self.assertEqual(self.query("SELECT text FROM message WHERE "
                                    "text LIKE '%GetAttribute%'"), [])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Calls that cuDNN rejects: which descriptors they were about, also those whose
setter was rejected, in what these contradict each other, and where in Python
the call was. On the simulated cuDNN, and on the real one as far as it checks
without a GPU."""

import json
import os
import subprocess
import sys
import unittest

from harness import CollectorTest

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "rejected_calls.py")
REAL = os.environ.get("INQUEST_REAL_CUDNN", "")
LAYER = "pad 1x1, stride 1x1"
# By mistake: the recorded operands and what they contradict.
EITHER = {
    "channels": (f"{LAYER}, inputTensor f32 8x48x56x56, filter 64x64x3x3",
                 "inputTensor has 48 channels, filter expects 64"),
    "groups": (f"{LAYER}, groups 2, inputTensor f32 8x48x56x56, "
               "filter 64x32x3x3",
               "inputTensor has 48 channels, filter expects 64 "
               "(32 in each of 2 groups)"),
    "setter": ("n 8, c -3, h 224, w 224", "c is -3"),
    "list": ("nbDims 4, dimA 8x3x0x224, strideA 8x3x0x224", "dimA is 0"),
    "used": (f"{LAYER}, inputTensor not set (cudnnSetTensor4dDescriptor "
             "refused f32, n 8, c -3, h 224, w 224), filter f32 64x3x7x7",
             "inputTensor was not set (cudnnSetTensor4dDescriptor refused f32, "
             "n 8, c -3, h 224, w 224)"),
    "kept": (f"{LAYER}, inputTensor f32 8x3x224x224 "
             "(cudnnSetTensor4dDescriptor refused f32, n 8, c 64, h 0, w 224), "
             "filter 64x64x7x7",
             "inputTensor has 3 channels, filter expects 64"),
    "unset": (f"{LAYER}, inputTensor not set, filter f32 64x48x7x7",
              "inputTensor was not set"),
    "graph": ("convolution forward: x f32 8x48x56x56, w f32 64x64x3x3, "
              f"y f32 8x64x56x56, {LAYER}",
              "x has 48 channels, w expects 64"),
    "graph batch": ("convolution forward: x f32 8x64x56x56, w f32 64x64x3x3, "
                    f"y f32 7x64x56x56, {LAYER}",
                    "y is 7x64x56x56, but x with w gives 8x64x56x56"),
    "graph filter": ("convolution forward: x f32 8x64x56x56, "
                     f"y f32 8x64x56x56, {LAYER}",
                     "the operation has no filter"),
    "strides": ("tensor f32 8x3x4x4 strides 48x16x4x-1",
                "tensor has the strides 48x16x4x-1"),
}
SIMULATED = {
    **EITHER,
    "null": (f"{LAYER}, inputTensor null, filter f32 64x48x7x7",
             "inputTensor is null"),
    "types": (f"x f32 8x64x56x56, w f16 64x64x3x3, {LAYER}, "
              "y f32 8x64x56x56", "x is f32, w is f16"),
    "output": (f"x f32 8x64x56x56, w 64x64x3x3, {LAYER}, y 8x64x55x56",
               "y is 8x64x55x56, but x with w gives 8x64x56x56"),
    # Nothing contradicts itself: nobody asked how much is needed.
    "workspace": (f"x f32 8x64x56x56, w 64x64x3x3, {LAYER}, y 8x64x56x56",
                  None),
}


@unittest.skipUnless(os.path.exists(os.environ["INQUEST"]),
                     "the analyzer is not part of this build")
class Rejected(CollectorTest):
    def run_rejected(self, mistake, **extra):
        """As it is alone, a status other than 0 among it."""
        plain, done = (self.host(sys.executable, PROGRAM, mistake,
                                 preload=preload, **extra)
                       for preload in (False, True))
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, plain.stdout, plain.stderr))
        self.assertNotEqual(done.stdout, "0\n")

    def rejection(self, mistake, **extra):
        """Operands and conflict of the last failed call."""
        self.run_rejected(mistake, **extra)
        rows = self.inquest(
            "query", "--format", "ndjson", self.run_dir,
            "SELECT operands, conflict FROM cudnn_rejection ORDER BY error")
        last = json.loads(rows.splitlines()[-1])
        return last["operands"], last["conflict"]

    def inquest(self, *arguments):
        done = subprocess.run([os.environ["INQUEST"], *arguments], check=False,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def check(self, mistakes, **extra):
        for mistake, expected in mistakes.items():
            with self.subTest(mistake):
                self.run_dir = os.path.join(self.scratch, mistake)
                self.assertEqual(self.rejection(mistake, **extra), expected)

    def test_simulated(self):
        self.check(SIMULATED)

    @unittest.skipUnless(REAL, "no real libcudnn was found at configure time")
    def test_real(self):
        self.check(EITHER, LD_LIBRARY_PATH=REAL)

    def test_the_sentence_and_its_place(self):
        self.run_rejected("graph")
        answer = json.loads(self.inquest("diagnose", "--format", "json",
                                         self.run_dir))
        finding, = (one for one in answer["findings"]
                    if one["rule"] == "trace.cudnn.bad-param")
        self.assertEqual(finding["cause"], "cudnn/bad-param")
        self.assertTrue(finding["message"].endswith(
            "returned CUDNN_STATUS_BAD_PARAM: x has 48 channels, "
            "w expects 64"), finding["message"])
        self.assertIn("rejected_calls.py:", json.dumps(finding["evidence"]))


if __name__ == "__main__":
    unittest.main()

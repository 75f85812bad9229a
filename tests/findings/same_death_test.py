# SPDX-License-Identifier: Apache-2.0
"""What a report takes from the other lines of the same death: the rank that the
launcher saw fail first, the place in a traceback, and what the log ended with."""
import os
import pathlib
import subprocess
import tempfile
import unittest

INQUEST = os.environ["INQUEST"]

TRACEBACK = """\
Traceback (most recent call last):
  File "/home/u/train.py", line 61, in main
    loss = step(batch)
  File "/home/u/train.py", line 40, in step
    out = table[ids]
"""
TORCHRUN = """\
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2031-02-03_04:06:06
  host      : node7
  rank      : 3 (local_rank: 3)
  exitcode  : 1 (pid: 4723)
  error_file: <N/A>
============================================================
"""


def report(text):
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "run.log"
        log.write_text(text)
        return subprocess.run([INQUEST, "diagnose", log], capture_output=True,
                              text=True, timeout=60, check=True).stdout


class SameDeathTest(unittest.TestCase):
    def test_the_launcher_saw_which_rank_failed_first(self):
        text = report(TRACEBACK + "KeyError: 'en-US'\n" + TORCHRUN)
        self.assertIn("it ended with KeyError: 'en-US'; the first that its "
                      "launcher saw fail was rank 3 on node7\n", text)

    def test_how_full_the_card_was_says_nothing_of_an_exception(self):
        text = report("pciBusID 0000:17:00.0\nTotal memory: 15.89GiB\n"
                      "Free memory: 15.60GiB\n" + TRACEBACK +
                      "TabError: inconsistent use of tabs and spaces\n")
        self.assertIn("TabError", text)
        self.assertNotIn("Figures", text)

    def test_a_signal_is_told_once(self):
        text = report("Fatal Python error: Segmentation fault\n\n"
                      "Current thread 0x00007f1 (most recent call first):\n"
                      '  File "/home/u/train.py", line 40 in step\n')
        self.assertIn("segmentation fault", text)
        self.assertNotIn("SIGSEGV", text)

    def test_a_line_with_its_rank_needs_no_launcher(self):
        text = report("".join(f"[rank1]: {line}\n" for line in TRACEBACK.split(
            "\n")) + "[rank1]: KeyError: 'en-US'\n" + TORCHRUN)
        self.assertIn("rank 1", text)
        self.assertNotIn("saw fail", text)

    def test_what_the_program_died_of_is_quoted_beside_its_cause(self):
        text = report(
            "WARNING: no kernels: ImportError('libtorch_hip.so: cannot open "
            "shared object file: No such file or directory')\n" + TRACEBACK +
            "RuntimeError: there is no class kernels.Scalar\n")
        self.assertIn("  the last exception: ", text)
        self.assertIn(":7: RuntimeError: there is no class kernels.Scalar\n",
                      text)

    def test_an_allocator_s_refusal_has_the_place_of_its_traceback(self):
        words = "OOM when allocating tensor with shape[2,64] and type float"
        text = report(
            "2031-02-03 04:05:06.1: W tensorflow/core/common_runtime/"
            "bfc_allocator.cc:267] Allocator (GPU_0_bfc) ran out of memory "
            "trying to allocate 2.39GiB.  Current allocation summary "
            "follows.\n"
            "2031-02-03 04:05:06.2: W tensorflow/core/framework/"
            f"op_kernel.cc:1273] OP_REQUIRES failed at x.cc:160 : {words}\n" +
            TRACEBACK + "tensorflow.python.framework.errors_impl."
            f"ResourceExhaustedError: {words}\n")
        self.assertIn("  in step (train.py:40)\n", text)
        self.assertNotIn("last exception", text)

    def test_lines_that_the_verdict_quotes_are_no_look_alikes(self):
        text = report("ERROR the tracker of shard 7 gave up\n" * 3 +
                      "Aborted (core dumped)\n")
        self.assertEqual(text.count("core dumped"), 1)

    def test_what_is_ignored_ends_with_its_own_exception(self):
        ignored = ("Exception ignored in: <function Iterator.__del__ at 0x7f>\n"
                   + TRACEBACK + "AssertionError: can only join a child\n")
        steps = "step 1 loss 2.0\n"
        text = report(steps + ignored + steps + TRACEBACK + "KeyError: 'en'\n")
        self.assertIn("it ended with KeyError: 'en'\n", text)
        self.assertNotIn("KeyError", report(steps + TRACEBACK.replace(
            "Traceback", "Exception ignored in: <x>\nTraceback") +
            "KeyError: 'en'\nTraining completed.\n"))

    def test_words_that_go_on_below_the_exception_s_line(self):
        text = report(TRACEBACK + "TypeError: missing values in Settings for "
                      "the following fields:\n  - data.path\n\nbye\n")
        self.assertIn("the following fields: data.path\n", text)
        text = report(TRACEBACK + "pydantic_core._pydantic_core.ValidationError"
                      ": 1 validation error for Settings\nlr\n"
                      "  Input should be a valid number\n"
                      "    For further information visit https://e.org\n")
        self.assertIn("1 validation error for Settings: lr Input should be a "
                      "valid number\n", text)

    def test_parts_of_a_chain_are_no_look_alikes(self):
        text = report(TRACEBACK + "binascii.Error: Incorrect padding\n\n"
                      "During handling of the above exception, another "
                      "exception occurred:\n\n" + TRACEBACK +
                      "CustomTrouble: no such file\n"
                      "Aborted (core dumped)\n")
        self.assertNotIn("binascii", text)

    def test_a_survived_exception_is_named_by_its_words(self):
        text = report(TRACEBACK + "ValueError: 5418 tokens are too many\n" +
                      "".join(f"step {i} loss 2.{i}\n" for i in range(9)) +
                      "Training completed.\n")
        self.assertIn("ValueError: 5418 tokens are too many", text)
        self.assertNotIn("A Python traceback begins", text)


if __name__ == "__main__":
    unittest.main()

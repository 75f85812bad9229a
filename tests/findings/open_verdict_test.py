# SPDX-License-Identifier: Apache-2.0
"""What a report says where no line tells how a run ended, and what it leaves
out because the log does not say it."""
import os
import pathlib
import subprocess
import tempfile
import unittest

INQUEST = os.environ["INQUEST"]
SUSPECTS = "Lines that look like errors"


class ReportTest(unittest.TestCase):
    def report(self, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "run.log"
            log.write_text(text)
            result = subprocess.run([INQUEST, "diagnose", *options, log],
                                    capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout


class HowFarTest(ReportTest):
    def test_a_timed_command_has_ended_after_its_last_epoch(self):
        text = self.report(
            "Namespace(batch_size=4, epochs=200, lr=0.001)\n"
            "training mse at epoch 0: mse=0.020209\n"
            "training mse at epoch 199: mse=0.004085\n"
            "\nreal\t6m36.315s\nuser\t15m1.850s\nsys\t0m16.327s\n")
        self.assertIn("unknown  The command ended", text)
        self.assertIn("epoch 199 of 200", text)

    def test_what_was_survived_is_told_in_the_words_that_say_most(self):
        text = self.report(
            "2024-03-05 14:57:34.729707: W external/org_tensorflow/tensorflow/"
            "tsl/platform/default/dso_loader.cc:66] Could not load dynamic "
            "library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared "
            "object file: No such file or directory\n"
            "I0305 16:54:55.143276 4711 run_alphafold.py:277] Final timings "
            "for query: {'features': 3216.2}\n")
        self.assertIn("it survived this: TensorFlow did not find the "
                      "library of NVIDIA's driver", text)
        self.assertNotIn("A shared library could not be found", text)

    def test_what_was_survived_is_told_once(self):
        failed = ("[rank7]:[E ProcessGroupNCCL.cpp:542] [Rank 7] NCCL error: "
                  "unhandled system error, NCCL version 2.21.5\n")
        text = self.report("step 1 loss 2.1\nstep 2 loss 2.0\n" + failed +
                           failed.replace("7]", "5]") +
                           "step 3 loss 2.0\nTraining finished.\n")
        self.assertEqual(text.count("network call of NCCL failed"), 1, text)

    def test_a_prompt_below_the_last_words(self):
        text = self.report("Bandwidth: 23.1 GB/s\n(base) user@node1:~/run>\n")
        self.assertIn("the shell asks for the next command", text)

    def test_a_server_that_came_up_is_said_to(self):
        text = self.report(
            "WARNING 06-22 02:54:47 [utils.py:101] Unable to detect current "
            "VLLM config. Defaulting to NHD kv cache layout.\n"
            "INFO 06-22 02:55:02 [core.py:172] init engine (profile, create kv "
            "cache, warmup model) took 44.51 seconds\n")
        self.assertIn("it came as far as this: the inference engine", text)
        self.assertNotIn(SUSPECTS, text)

    def test_a_context_line_is_still_one_that_looks_like_an_error(self):
        text = self.report("ERROR - C:\\Users\\u\\train.py has no shard 7\n")
        self.assertIn(SUSPECTS, text)

    def test_an_error_before_many_steps_ended_nothing(self):
        error = "ERROR the tracker of shard 7 gave up\n"
        steps = "".join(f"step {i} loss 2.{i}\n" for i in range(12))
        self.assertNotIn(SUSPECTS, self.report(error + steps))
        self.assertIn(SUSPECTS, self.report(steps + error))

    def test_a_kernel_log_is_asked_for_no_exit_status(self):
        text = self.report(
            "[    1.000000] Linux version 5.15.0 (gcc)\n"
            "[    2.100000] snd_hda_intel 0000:00:1f.3: failed to get codec\n"
            "[    3.200000] usb 1-1: new device found, idVendor=1d6b\n")
        self.assertIn("a kernel log does not say how a program ended", text)
        self.assertIn("what would decide: the program's own log", text)
        self.assertNotIn("exit status", text)
        self.assertNotIn(SUSPECTS, text)

    def test_refusals_in_the_last_lines_are_told(self):
        text = self.report(
            "2021-08-30 02:24:23.165630: I tensorflow/stream_executor/cuda/"
            "cuda_driver.cc:775] failed to allocate 177.62M (186253312 bytes) "
            "from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory\n" * 2)
        self.assertIn("refusals of GPU memory", text)

    def test_a_gradient_that_turned_nan_is_told(self):
        step = (" iteration {}/ 8000 | elapsed time per iteration (ms): 6956.6 |"
                " global batch size: 64 | number of skipped iterations: {} |\n")
        warned = "***WARNING*** Bad grad_norm detected (grad_norm=nan)\n"
        text = self.report(step.format(7, 0) + warned + step.format(8, 1))
        self.assertIn("the norm of the gradients was NaN", text)
        self.assertIn("run.log:2", "".join(text.splitlines()[:3]))
        later = "".join(step.format(i, 0) for i in range(8, 30))
        self.assertNotIn("NaN", "".join(
            self.report(warned + later).splitlines()[:3]))

    def test_a_traceback_that_was_kept_whole_is_not_asked_for(self):
        begun = ("Traceback (most recent call last):\n"
                 "  File \"/home/u/t.py\", line 3, in main\n"
                 "    one = jobs.get(timeout=3)\n")
        self.assertIn("keep the end of the log", self.report(begun))
        whole = begun + "_queue.Empty\nthe pool is closed\n"
        self.assertNotIn("keep the end of the log", self.report(whole))

    def test_the_first_error_of_the_last_block_is_quoted(self):
        text = self.report(
            "[ERROR] the reader of shard 9 was slow\n" + "reading on\n" * 40 +
            "[ERROR] copy of the field failed at move.cc:133\n"
            "[ERROR] the dot product has no input\n"
            "solver returned 0\n"
            "[ERROR] release of the field failed at move.cc:43\n")
        self.assertIn("line 42 says \"[ERROR] copy of", text.splitlines()[1])

    def test_a_quoted_line_has_no_frame_of_a_panel(self):
        text = self.report(
            "│ ❱ 158 │   raise PoolException(message)            │\n"
            "│   159 │                                           │\n")
        self.assertIn("says \"158 │ raise PoolException(message)\"", text)

    def test_what_stands_above_a_traceback_that_breaks_off(self):
        text = self.report(
            "[ERROR] the reader of shard 9 gave up\n"
            "Traceback (most recent call last):\n"
            "  File \"/home/u/t.py\", line 3, in main\n")
        self.assertIn("the last error above it: \"[ERROR] the reader",
                      text.splitlines()[1])

    def test_a_sign_of_trouble_above_a_traceback_that_breaks_off(self):
        text = self.report(
            "***WARNING*** Bad grad_norm detected (grad_norm=nan)\n"
            "Traceback (most recent call last):\n"
            "  File \"/home/u/t.py\", line 3, in main\n")
        self.assertIn("the norm of the gradients was NaN",
                      text.splitlines()[1])

    def test_an_exception_after_the_training_is_a_death(self):
        ended = "Epoch 00013: early stopping\nTraining finished.\n"
        traceback = ("Traceback (most recent call last):\n"
                     "  File \"/home/u/t.py\", line 3, in main\n")
        self.assertIn("none  Nothing fatal", self.report(ended))
        self.assertIn("unknown  ", self.report(ended + traceback))
        self.assertIn("process/exception  ", self.report(
            ended + traceback + "KeyError: 'shard'\n"))

    def test_the_end_of_a_fold_is_not_that_of_the_run(self):
        fold = "Epoch {}/100\n 10/100 [==>....] - ETA: 3:00 - loss: 0.5\n"
        ended = fold.format(12) + "Epoch 00012: early stopping\n"
        self.assertIn("none  Nothing fatal", self.report(ended))
        self.assertIn("unknown  ", self.report(ended + fold.format(1)))

    def test_the_stack_of_a_crash_is_the_one_below_it(self):
        stack = ("  File \"/opt/python/lib/python3.12/threading.py\", line 1009 "
                 "in _bootstrap\n")
        crash = ("Windows fatal exception: access violation\n\n"
                 "Stack (most recent call first):\n"
                 "  File \"/home/u/ops.py\", line 549 in load_weights\n"
                 "  File \"/home/u/main.py\", line 12 in work\n")
        text = self.report(stack + crash)
        self.assertIn("load_weights (ops.py:549)", text)
        self.assertNotIn("_bootstrap", text)
        # A dump that begins in its middle, of a thread that nobody can name.
        self.assertNotIn("_bootstrap", self.report(
            stack + "Windows fatal exception: access violation\n"))

    def test_stacks_of_an_idle_process(self):
        text = self.report(
            "Process 4711: python serve.py\n"
            "Python v3.9.7 (/usr/bin/python3.9)\n\n"
            "Thread 0x7F6D3C29D740 (idle): \"MainThread\"\n"
            "    wait (threading.py:312)\n"
            "    result (concurrent/futures/_base.py:435)\n"
            "    main (slurmeventd.py:208)\n"
            "    <module> (slurmeventd.py:217)\n")
        self.assertIn("what would decide: stacks of the same process", text)


class OnlyWhatIsKnownTest(ReportTest):
    def test_only_what_can_be_recorded_is_to_be_recorded(self):
        cut = ("Traceback (most recent call last):\n"
               "  File \"/home/u/{}.py\", line 3, in main\n")
        amd = ("torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 "
               "GiB. GPU 0 has a total capacity of 23.98 GiB of which 1.20 GiB is "
               "free.\n")
        self.assertIn("inquest record", self.report(cut.format("torch_train")))
        self.assertNotIn("inquest record", self.report(cut.format("shop")))
        self.assertNotIn("inquest record", self.report(amd))
        self.assertIn("inquest record",
                      self.report(amd.replace("HIP", "CUDA")))

    def test_sizes_of_other_lines_about_the_same_refusal(self):
        dump = "2026-03-09 10:00:0{}.0: I bfc_allocator.cc:11{}] {}\n"
        text = self.report(
            dump.format(1, 19, "Total size in pool: 89.77GiB memory_limit_: "
                        "89.77GiB available size: 153B "
                        "curr_region_allocation_bytes_: 179.55GiB") +
            dump.format(1, 28, "Stats: ") +
            "Limit:                        96389803540\n"
            "InUse:                        86973087744\n"
            "MaxInUse:                     86973087744\n"
            "NumAllocs:                              3\n"
            "MaxAllocSize:                 28991029248\n")
        self.assertIn("81.00 GiB of the 89.77 GiB", text.splitlines()[1])

    def test_a_gap_in_one_log_is_no_missing_rank(self):
        store = ("[rank{0}]:[W810 23:02:42.7 ProcessGroupNCCL.cpp:1826] [PG ID 0 "
                 "PG GUID 0 Rank {0}] Failed to check the \"should dump\" flag on "
                 "TCPStore, (maybe TCPStore server has shut down too early), with "
                 "error: Failed to recv, got 0 bytes.\n")
        text = self.report(store.format(2) + store.format(4))
        self.assertNotIn("look at rank", text)
        self.assertNotIn("nothing of rank", text)

    def test_rounded_sizes_have_no_small_difference(self):
        text = self.report(
            "RuntimeError: CUDA out of memory. Tried to allocate 93.75 GiB (GPU "
            "4; 79.17 GiB total capacity; 1.52 GiB already allocated; 74.14 GiB "
            "free; 1.54 GiB reserved in total by PyTorch)\n")
        self.assertNotIn("reserved but not in use", text)

    def test_an_event_is_not_its_own_consequence(self):
        xid = ("[Fri Aug 30 11:43:09 2024] NVRM: Xid (PCI:0000:cb:00): 13, "
               "pid='<unknown>', name=<unknown>, Graphics ")
        text = self.report(
            xid + "SM Warp Exception on (GPC 7, TPC 7, SM 0): Illegal "
            "Instruction Parameter\n" +
            xid + "SM Global Exception on (GPC 7, TPC 7, SM 0): Multiple Warp "
            "Errors\n" +
            xid + "Exception: ESR 0x57c730=0xc04000b 0x57c734=0x24\n")
        self.assertNotIn("consequences", text)

    def test_that_an_exception_was_raised_is_no_consequence_to_read(self):
        text = self.report(
            "Traceback (most recent call last):\n"
            "  File \"train.py\", line 3, in main\n"
            "RuntimeError: CUDA error: an illegal memory access was "
            "encountered\n")
        self.assertNotIn("xception was raised", text)

    def test_a_spoiled_push_buffer_is_not_laid_at_the_program(self):
        text = self.report("NVRM: Xid (PCI:0000:cb:00): 32, pid=4711, name=python3"
                           ", Channel ID 00000008 intr0 00040000\n")
        self.assertNotIn("fix-program", text)

    def test_lines_are_counted_as_lines(self):
        xid = ("kernel: NVRM: Xid (PCI:0000:{}:00): 45, pid={}, name=python3, "
               "Ch 00000001 caused by previous Xid 43\n")
        text = self.report(xid.format("dc", 4711) + xid.format("ed", 4712))
        self.assertIn("the first of 2 such lines; others name 0000:ed:00", text)

    def test_all_ranks_that_lines_name_are_told(self):
        same = ("[rank{0}]: Duplicate GPU detected : rank {0} and rank 0 both on "
                "CUDA device f000\n")
        text = self.report(same.format(3) + same.format(7))
        self.assertIn("0, 3, 7", text)

    def test_the_rank_on_the_other_side_belongs_to_the_job(self):
        text = self.report(
            "[rank2]: RuntimeError: Detected mismatch between collectives on "
            "ranks. Rank 2 is running collective: CollectiveFingerPrint("
            "SequenceNumber=12, OpType=ALLGATHER, TensorShape=[1]), but Rank 0 "
            "is running collective: CollectiveFingerPrint(SequenceNumber=12, "
            "OpType=REDUCE, TensorShape=[2]).Collectives differ\n"
            "[rank3]: Traceback (most recent call last):\n")
        self.assertIn("ranks 0, 2, 3 (3)", text)

    def test_a_process_holds_no_less_than_its_own_pool(self):
        refusal = (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.75 "
            "GiB. GPU 5 has a total capacity of 24.00 GiB of which 192.00 MiB is "
            "free. Including non-PyTorch memory, this process has {} memory in "
            "use. Of the allocated memory 22.50 GiB is allocated by PyTorch, and "
            "256.00 MiB is reserved by PyTorch but unallocated.\n")
        # The line is cut before the figure, so only a sentence could have it.
        self.assertNotIn("this process held",
                         self.report(refusal.format("0 bytes")))

    def test_sizes_in_lines_below_a_refusal_are_told_at_once(self):
        text = self.report(
            "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed "
            "memory. (out of memory)\nCurrently allocated     : 4.75 GiB\n"
            "Requested               : 160.00 MiB\n"
            "Device limit            : 6.00 GiB\n")
        self.assertIn("160.00 MiB", text.splitlines()[1])
        self.assertIn("4.75 GiB", text.splitlines()[1])

    def test_a_source_line_is_no_evidence_beside_the_message(self):
        text = self.report(
            "Traceback (most recent call last):\n"
            "  File \"train_net.py\", line 39, in write_metrics\n"
            "    f\"Loss became infinite or NaN at iteration={storage.iter}!\"\n"
            "FloatingPointError: Loss became infinite or NaN at iteration=0!\n")
        self.assertIn("run.log:4", text)
        self.assertNotIn("run.log:3", text)

    def test_a_stop_in_a_debugger_is_no_death(self):
        text = self.report(
            "^C\nThread 1 \"sycl_hang\" received signal SIGINT, Interrupt.\n"
            "0x00007ffff727223b in sched_yield () at syscall-template.S:120\n")
        self.assertNotIn("SIGINT", text.splitlines()[0])


if __name__ == "__main__":
    unittest.main()

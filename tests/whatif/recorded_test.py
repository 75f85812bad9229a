# SPDX-License-Identifier: Apache-2.0
"""`inquest whatif` on traces as the collector writes them."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import traces
from naive_models import KIB, MIB
from programs import Run, training
from traces import Trace

INQUEST = os.environ["INQUEST"]
GIB = 1 << 30


class RecordedTest(unittest.TestCase):
    def trace(self, **options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Trace(str(pathlib.Path(folder.name) / "run.trace.sqlite"),
                     **options)

    def whatif(self, trace, *words):
        result = subprocess.run(
            [INQUEST, "whatif", "--format", "json", trace.close(), *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["devices"]

    def names(self, device, kind):
        return [one["name"] for one in device["changes"]
                if one["kind"] == kind]


class DriverCalls(RecordedTest):
    def test_capacity(self):
        trace = self.trace(total=1 * GIB)
        for i in range(4):
            trace.alloc((i + 1) << 30, 100 * MIB)
        trace.free(1 << 30)
        trace.refuse(500 * MIB, 400 * MIB)
        device, = self.whatif(trace)
        self.assertEqual(device["requests_to"], "driver")
        self.assertEqual(device["room"]["bytes"], 700 * MIB)
        self.assertEqual(device["room"]["device_bytes"], GIB)
        self.assertFalse(device["room"]["one_piece"])
        self.assertTrue(device["check"]["model"]["refuses_the_same"])
        recorded = device["changes"][0]
        self.assertEqual((recorded["survives"], recorded["margin_bytes"]),
                         (False, -100 * MIB))
        self.assertEqual(recorded["refused"]["bytes"], 500 * MIB)
        larger = device["changes"][-1]
        self.assertEqual(larger["family"], "device")
        self.assertEqual(larger["name"], "a device of 1.10 GiB")
        # What was refused is held there, beside the rest.
        self.assertEqual(larger["peak_allocated_bytes"], 800 * MIB)

    def test_pages_that_must_be_neighbours(self):
        """Refused though enough pages were free: so the driver wants one
        piece, and pools that ask for less at a time survive."""
        trace = self.trace(total=256 * MIB)
        base = 1 << 30
        for i in range(8):
            trace.alloc(base + i * 20 * MIB, 20 * MIB)
        for i in range(0, 8, 2):
            trace.free(base + i * 20 * MIB)
        trace.refuse(60 * MIB, 90 * MIB)
        device, = self.whatif(trace)
        self.assertTrue(device["room"]["one_piece"])
        self.assertTrue(device["check"]["model"]["refuses_the_same"])
        by_name = {one["name"]: one for one in device["changes"]}
        self.assertTrue(by_name["cudaMallocAsync"]["survives"])
        self.assertTrue(by_name[
            "PyTorch's allocator, expandable_segments:True"]["survives"])
        self.assertIn("PyTorch's allocator", self.names(device, "comparison"))

    def test_what_is_not_the_device_s(self):
        trace = self.trace(total=GIB)
        trace.alloc(1 << 30, 100 * MIB)
        trace.alloc(1 << 40, 5 * GIB, kind=traces.HOST, device=-1)
        trace.alloc(1 << 30, 10 * MIB, kind=traces.PHYSICAL)  # a handle
        trace.refuse(GIB, 500 * MIB)
        device, = self.whatif(trace)
        self.assertEqual(device["check"]["recorded"]["peak_requested_bytes"],
                         110 * MIB)
        self.assertEqual(device["room"]["bytes"], 610 * MIB)

    def test_frees_that_failed_and_contexts(self):
        trace = self.trace(total=GIB)
        trace.alloc(1 << 30, 100 * MIB)
        trace.free(1 << 30)
        trace.event(traces.FREE_FAILED, 1 << 30)
        trace.alloc(2 << 30, 50 * MIB, context=2)
        trace.event(traces.CONTEXT_DESTROY, 0, context=2)
        trace.refuse(GIB, 500 * MIB)
        device, = self.whatif(trace)
        self.assertEqual(device["room"]["bytes"], 600 * MIB)
        self.assertEqual(device["changes"][0]["refused"]["allocated_bytes"],
                         100 * MIB)

    def test_other_process(self):
        trace = self.trace(total=GIB)
        trace.alloc(1 << 30, 100 * MIB)
        trace.refuse(500 * MIB, 300 * MIB)
        trace.other(99, 400 * MIB)
        device, = self.whatif(trace)
        self.assertEqual(device["room"]["other_processes_bytes"], 400 * MIB)
        alone, = [one for one in device["changes"]
                  if one["family"] == "other-process"]
        self.assertTrue(alone["survives"])
        self.assertEqual(alone["margin_bytes"], 200 * MIB)

    def test_a_request_that_was_got_over(self):
        trace = self.trace(total=GIB)
        trace.alloc(1 << 30, 400 * MIB)
        trace.refuse(700 * MIB, 500 * MIB)
        trace.free(1 << 30)
        trace.alloc(1 << 30, 700 * MIB)
        device, = self.whatif(trace)
        self.assertEqual(device["refusals"], 1)
        self.assertTrue(device["changes"][0]["survives"])
        self.assertNotIn("refuses_the_same", device["check"]["model"])

    def test_settings_need_the_framework_s_requests(self):
        trace = self.trace(total=GIB, packages=["torch"])
        trace.alloc(1 << 30, 20 * MIB)
        trace.refuse(GIB, 500 * MIB)
        device, = self.whatif(trace)
        self.assertEqual(self.names(device, "setting"), [])
        self.assertIn("only the driver's calls", device["not_tried"][0])

    def test_a_pool_that_left_no_room(self):
        trace = self.trace(total=GIB, packages=["jax", "jaxlib"])
        trace.alloc(1 << 30, 768 * MIB)
        trace.refuse(200 * MIB, 100 * MIB)
        device, = self.whatif(trace)
        pool, = [one for one in device["changes"] if one["family"] == "pool"]
        self.assertTrue(pool["survives"])
        self.assertTrue(pool["estimate"])
        # 100 MiB less: 668 of 1024 MiB, rounded down.
        self.assertIn("XLA_PYTHON_CLIENT_MEM_FRACTION=0.65", pool["setting"])


class Unknown(RecordedTest):
    """What the record does not say, nobody says."""

    def text(self, trace, *words):
        result = subprocess.run([INQUEST, "whatif", *words, trace.path],
                                stdout=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(result.returncode, 0)
        return result.stdout

    def test_a_refusal_without_its_size(self):
        """As Nsight Systems exports them."""
        trace = self.trace(total=GIB)
        for i in range(4):
            trace.alloc((i + 1) << 30, 100 * MIB)
        trace.event(traces.ALLOC, 0, 0, result=2)
        for words in ((), ("--device-memory", "2GiB")):
            device, = self.whatif(trace, *words)
            for change in device["changes"]:
                self.assertNotIn("survives", change)
                self.assertNotIn("margin_bytes", change)
            self.assertNotIn("device", [one["family"] for one in device["changes"]])
            self.assertIn("does not have the size of the request",
                          " ".join(device["not_tried"]))
            self.assertNotIn("--device-memory", " ".join(device["not_tried"]))
        self.assertRegex(self.text(trace), r"as recorded +- .*needs more than")

    def test_a_device_of_known_size_without_a_sample(self):
        trace = self.trace(total=GIB)
        for i in range(4):
            trace.alloc((i + 1) << 30, 100 * MIB)
        device, = self.whatif(trace)
        self.assertIn("the device has 1.00 GiB", " ".join(device["not_tried"]))
        self.assertIn("--device-memory 1024MiB", " ".join(device["not_tried"]))
        given, = self.whatif(trace, "--device-memory", "1024MiB")
        self.assertTrue(given["changes"][0]["survives"])

    def test_losses(self):
        trace = self.trace(total=GIB)
        trace.alloc(1 << 30, 100 * MIB)
        trace.refuse(GIB, 500 * MIB)
        trace.add("loss", "memory_event", 5000, "dropped, the journal was full")
        trace.close()
        self.assertTrue(self.text(trace).startswith(
            "5,000 memory events are not in the trace"))

    def test_a_verdict_that_is_not_of_memory(self):
        trace = self.trace(total=GIB)
        trace.alloc(1 << 30, 100 * MIB)
        trace.add("device_memory", trace.time + 10, 0, 500 * MIB, GIB, "sample")
        trace.close()
        log = pathlib.Path(trace.path).parent / "train.log"
        log.write_text("RuntimeError: CUDA error: an illegal memory access was "
                       "encountered\n")
        words = ("--log", str(log))
        self.assertIn("The verdict is kernel/illegal-access, no want of GPU "
                      "memory", self.text(trace, *words))
        result = subprocess.run(
            [INQUEST, "whatif", "--format", "json", *words, trace.path],
            stdout=subprocess.PIPE, timeout=60)
        self.assertEqual(json.loads(result.stdout)["verdict"],
                         {"cause": "kernel/illegal-access",
                          "wanted_device_memory": False})


class FrameworkBlocks(RecordedTest):
    """Blocks of PyTorch as its hooks told them."""

    def fill(self, trace, frees, reserved):
        trace.add("framework_memory", 1, 0, 0, trace.time, 100, frees, None,
                  reserved, None, reserved)

    def block(self, trace, address, size, made, freed=None):
        trace.id += 1
        trace.add("framework_block", trace.id, 0, address, "device", size, made,
                  freed, 1, 0, None, None)

    def test_senseless_rows(self):
        """Counted out or cut, and never fatal."""
        trace = self.trace(total=GIB)
        huge = (1 << 62) + 1
        for i in range(4):
            trace.alloc(i + 1, huge)
            trace.alloc(-i - 1, -huge)
            trace.alloc(1 << 40, 10 * MIB)  # on the other
            trace.free(12345)
            trace.event(99, 1, 1)
            trace.event(traces.ALLOC, 7, 512, kind=77)
        trace.refuse(huge, huge)
        trace.other(9, huge)
        device, = self.whatif(trace)
        self.assertEqual(device["refusals"], 1)
        self.assertLess(device["check"]["recorded"]["peak_requested_bytes"],
                        1 << 60)

    def whole_history(self, refused=None):
        trace = self.trace(total=GIB, packages=["torch"], environment=[
            ("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:512")])
        for i in range(10):
            self.block(trace, (1 << 30) + i * 40 * MIB, 30 * MIB, 100 * i,
                       5000 + i if i % 2 else None)
        if refused:
            trace.add("framework_oom", 100, 6000, 0, refused, 150 * MIB,
                      300 * MIB, 1, 0)
        trace.add("device_memory", 6005, 0, 50 * MIB, GIB, "failure")
        self.fill(trace, 5, 300 * MIB)
        device, = self.whatif(trace)
        self.assertEqual(device["requests_to"], "pool")
        self.assertEqual((device["allocations"], device["live_before"]),
                         (10, 0))
        if refused:
            self.assertEqual(device["room"]["bytes"], 350 * MIB)
        self.assertEqual(device["check"]["model"]["peak_reserved_bytes"],
                         300 * MIB)
        return device

    def test_a_record_that_the_model_contradicts(self):
        """The freed segments of 30 MiB go back, and 60 MiB have room: the model
        grants what was refused, so it is no model of this record."""
        device = self.whole_history(60 * MIB)
        self.assertTrue(device["withheld"])
        self.assertEqual(device["changes"], [])
        self.assertIn("grants the request", device["not_tried"][0])

    def test_a_refusal_on_a_device_of_unknown_size(self):
        """The record ends with the refusal, so the model is held against what
        was there before it, and the refused request against a given size."""
        for memory, survives in ((None, None), ("100MiB", False),
                                 ("1GiB", True)):
            with self.subTest(memory=memory):
                trace = self.trace(packages=["torch"])
                for i in range(2):
                    self.block(trace, (i + 1) << 30, 30 * MIB, 100 * i)
                trace.add("framework_oom", 100, 6000, 0, 60 * MIB, 60 * MIB,
                          60 * MIB, 1, 0)
                self.fill(trace, 0, 60 * MIB)
                device, = self.whatif(
                    trace, *(["--device-memory", memory] if memory else []))
                model = device["check"]["model"]
                self.assertEqual((model["peak_reserved_bytes"],
                                  model["reserved_bytes_at_end"]),
                                 (60 * MIB, 60 * MIB))
                self.assertFalse(device["withheld"], device["not_tried"])
                recorded = device["changes"][0]
                self.assertEqual(recorded.get("survives"), survives)
                self.assertEqual(recorded["needed_bytes"], 120 * MIB)

    def test_whole_history(self):
        device = self.whole_history()
        self.assertFalse(device["withheld"], device["not_tried"])
        self.assertTrue(device["changes"][0]["survives"])
        settings = [one["setting"] for one in device["changes"]
                    if one["family"] == "torch"]
        self.assertIn("PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:512,"
                      "expandable_segments:True", settings)

    def test_events_come_before_what_is_left_of_them(self):
        """As a profiler's file is imported: every block as an event, and no
        segment; the allocator's own sums stand beside the model's."""
        trace = self.trace(total=GIB)
        trace.add("coverage", "kineto", 0, None, "on", "")
        for i in range(5):
            trace.alloc((i + 1) << 30, 30 * MIB, kind=9)
            trace.free((i + 1) << 30, kind=9)
        self.block(trace, 6 << 30, 30 * MIB, 100)
        self.fill(trace, 5, 30 * MIB)
        device, = self.whatif(trace, "--device-memory", "1GiB")
        self.assertEqual((device["requests_to"], device["allocations"]),
                         ("pool", 5))
        self.assertEqual(device["check"]["recorded"]["peak_reserved_bytes"],
                         30 * MIB)
        self.assertEqual(device["check"]["model"]["peak_reserved_bytes"],
                         30 * MIB)
        self.assertIn("expandable_segments:True",
                      self.names(device, "setting"))

    def test_one_moment(self):
        trace = self.trace(total=GIB)
        trace.add("coverage", "bfc-dump", 0, None, "on", "")
        trace.alloc(1 << 30, 30 * MIB, kind=9)
        device, = self.whatif(trace)
        self.assertEqual(device["changes"], [])
        self.assertIn("one moment", device["not_tried"][0])

    def test_only_the_last_frees(self):
        trace = self.trace(total=GIB, packages=["torch"])
        self.block(trace, 1 << 30, 30 * MIB, 100)           # live at the end
        self.block(trace, 2 << 30, 30 * MIB, 200, 5000)     # the first known
        self.block(trace, 3 << 30, 30 * MIB, 6000, 7000)
        self.fill(trace, 50, 90 * MIB)
        device, = self.whatif(trace)
        self.assertEqual((device["allocations"], device["live_before"]),
                         (1, 2))
        self.assertEqual(device["check"]["model"]["reserved_bytes_at_end"],
                         60 * MIB)

    def record(self, run, kept, strangers=()):
        """As the collector would have: segments among what the driver gave,
        blocks live at the end and those that were freed last."""
        trace = self.trace(total=GIB, packages=["torch"])
        for size in strangers:
            trace.alloc((1 << 40) + size, size)
        told = {time: (size, held) for time, _, size, held in run.told}
        live, rows = {}, []
        for one in run.history:
            time = one["time_us"] * 1000
            if one["action"] == "segment_alloc":
                trace.time = time - 1000
                trace.alloc(one["addr"], one["size"])
            elif one["action"] == "segment_free":
                trace.time = time - 1000
                trace.free(one["addr"])
            elif one["action"] == "alloc":
                size, held = told[one["time_us"]]
                live[one["addr"]] = row = [one["addr"], size, time, None, held]
                rows.append(row)
            elif one["action"] == "free_completed":
                live.pop(one["addr"])[3] = time
            elif one["action"] == "oom":
                trace.add("framework_oom", 1, time, 0, one["size"], 0,
                          run.reserved, 1, 0)
                trace.add("device_memory", time, 0, one["device_free"], GIB,
                          "failure")
        freed = sorted(row[3] for row in rows if row[3])
        first = freed[-kept] if kept < len(freed) else 0
        for address, size, made, gone, held in rows:
            if gone is None or gone >= first:
                trace.id += 1
                trace.add("framework_block", trace.id, 0, address, "device",
                          size, made, gone, 1, 0, None, held)
        self.fill(trace, len(freed), run.reserved)
        return trace

    def test_segments_found_among_the_driver_s_blocks(self):
        run = Run(training(4, 20), 304 * MIB)
        self.assertTrue(run.died)
        self.assertIn("segment_free",
                      [one["action"] for one in run.history[-400:]])
        for kept in (10_000, 70, 25):
            for strangers in ((), (16 * MIB, 3 * MIB)):
                with self.subTest(kept=kept, strangers=strangers):
                    trace = self.record(run, kept, strangers)
                    device, = self.whatif(trace, "--only", "pool")
                    self.assertEqual(device["live_before"] > 0,
                                     kept < 10_000)
                    self.assertEqual("from_scratch" in device["check"],
                                     kept < 10_000)
                    model = device["check"]["model"]
                    self.assertEqual(
                        (model["reserved_bytes_at_end"],
                         model["segments_at_end"],
                         model["refuses_the_same"]),
                        (run.reserved, len(run.segments()), True))
                    self.assertEqual(device["room"]["bytes"],
                                     run.driver.capacity)

    def test_small_blocks(self):
        trace = self.trace(packages=["torch"])
        for i in range(8):
            self.block(trace, (1 << 30) + i * 256 * KIB, 256 * KIB, 10 * i)
        device, = self.whatif(trace)
        self.assertEqual(device["check"]["model"]["reserved_bytes_at_end"],
                         2 * MIB)
        self.assertNotIn("bytes", device["room"])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""The hooks of PyTorch's allocator: what it reports to c10 is recorded and
passed on, in each generation of the interface, from a library that was loaded
with RTLD_LOCAL; and what diagnose makes of a refusal."""

import json
import os
import subprocess
import sys
import time
import unittest

from harness import BUILD, HERE, CollectorTest

MIB = 1 << 20
OLDEST, SIGNED, UNSIGNED, WIDE = range(4)
BLOCKS = ("SELECT device, bytes, freed_ns IS NULL, allocated_bytes, "
          "reserved_bytes FROM framework_block ORDER BY id")


class TensorTest(CollectorTest):
    def tensors(self, era, how, *more, preload=True, **extra):
        pair = os.path.join(BUILD, "tests/collector/c10", str(era))
        return self.host("tensors_host", pair, how, *more, preload=preload,
                         **extra)

    def as_without_us(self, era, how, *more, **extra):
        """What the host prints holds all that arrived behind the hooks."""
        plain = self.tensors(era, how, *more, preload=False)
        done = self.tensors(era, how, *more, **extra)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (plain.returncode, plain.stdout, plain.stderr))
        return done


class Generations(TensorTest):
    EXPECTED = [(0, 3 * MIB, 1, 3 * MIB, 20 * MIB),
                (0, 5 * MIB, 0, 8 * MIB, 20 * MIB),
                (0, 7 * MIB, 1, 15 * MIB, 20 * MIB)]

    def assert_blocks(self, era):
        done = self.as_without_us(era, "few")
        self.assertIn("4 reports, 10485760 bytes", done.stdout)
        self.assertEqual(self.query(BLOCKS), self.EXPECTED)
        self.assertEqual(self.query(
            "SELECT allocations, frees, allocated_bytes, peak_allocated_bytes, "
            "reserved_bytes FROM framework_memory"),
            [(3, 1, 10 * MIB, 15 * MIB, 20 * MIB)])
        # Each lies in the segment that the driver gave.
        self.assertEqual(self.value(
            "SELECT count(*) FROM framework_block AS b, memory_event AS m "
            "WHERE m.op = 1 AND m.bytes = 20971520 AND b.address BETWEEN "
            "m.address AND m.address + m.bytes - b.bytes"), 3)
        self.assert_nothing_lost()
        self.assert_clean()

    def hooked(self):
        ((state, note),) = self.query(
            "SELECT state, note FROM coverage WHERE source = 'c10'")
        self.assertEqual(state, "on")
        return note

    def test_signed_sums(self):
        self.assert_blocks(SIGNED)
        note = self.hooked()
        self.assertIn("reportMemoryUsageToProfiler(void*, long, long, long, "
                      "Device); reportOutOfMemoryToProfiler(long, long, long, "
                      "Device), of ", note)
        self.assertIn("libc10.so", note)

    def test_unsigned_sums(self):
        self.assert_blocks(UNSIGNED)
        note = self.hooked()
        self.assertIn("(void*, long, unsigned long, unsigned long, Device)",
                      note)
        self.assertNotIn("(void*, long, long, long, Device)", note)

    def test_a_wider_device(self):
        self.assert_blocks(WIDE)

    def test_the_oldest_tells_no_sums_and_no_addresses(self):
        self.as_without_us(OLDEST, "few")
        self.assertEqual(
            [row[:3] + row[3:] for row in self.query(BLOCKS)],
            [row[:3] + (None, None) for row in self.EXPECTED])
        self.assertEqual(self.query(
            "SELECT DISTINCT address_is FROM framework_block"), [("handle",)])
        self.assertEqual(self.query(
            "SELECT allocated_bytes, peak_reserved_bytes FROM "
            "framework_memory"), [(None, None)])
        self.assertTrue(self.hooked().startswith(
            "hooked: reportMemoryUsageToProfiler(void*, long, Device), of "))

    def test_the_second_device(self):
        for era in (SIGNED, UNSIGNED, WIDE):
            with self.subTest(era=era):
                run = os.path.join(self.scratch, f"run{era}")
                self.as_without_us(era, "second", INQUEST_DIR=run)
                trace, = (os.path.join(run, name) for name in os.listdir(run))
                self.assertEqual(self.query("SELECT DISTINCT device FROM "
                                            "framework_block", trace), [(1,)])

    def test_four_threads(self):
        self.as_without_us(UNSIGNED, "threads", "500")
        self.assertEqual(self.query(
            "SELECT sum(allocations), sum(frees) FROM framework_memory"),
            [(2004, 2000)])
        self.assertEqual(self.query(
            "SELECT freed_ns IS NULL, count(*), count(DISTINCT thread) FROM "
            "framework_block GROUP BY 1"), [(0, 2000, 4), (1, 4, 4)])
        self.assert_nothing_lost()

    def test_other_devices_pass_by(self):
        done = self.as_without_us(UNSIGNED, "cpu")
        self.assertIn("4 reports", done.stdout)
        self.assertEqual(self.query(BLOCKS), [])


class Settings(TensorTest):
    def test_off(self):
        self.as_without_us(UNSIGNED, "few", INQUEST_TENSORS="off")
        self.assertEqual(self.query(BLOCKS), [])
        self.assertEqual(self.query("SELECT state, note FROM coverage WHERE "
                                    "source = 'c10'"),
                         [("off", "INQUEST_TENSORS=off")])

    def with_stacks(self):
        return self.value("SELECT count(*) FROM framework_block WHERE stack IN "
                          "(SELECT id FROM stack)")

    def test_large_blocks_have_stacks(self):
        self.tensors(UNSIGNED, "few")
        self.assertEqual(self.with_stacks(), 3)

    def test_small_ones_where_asked_for(self):
        for mode, expected in (("on", 0), ("stacks", 600), ("bare", 0)):
            with self.subTest(mode):
                self.run_dir = os.path.join(self.scratch, mode)
                self.tensors(UNSIGNED, "loop", "100", INQUEST_TENSORS=mode)
                self.assertEqual(self.with_stacks(), expected)

    def test_none_at_all(self):
        self.tensors(UNSIGNED, "few", INQUEST_TENSORS="bare")
        self.assertEqual(self.with_stacks(), 0)
        self.assertEqual(self.value("SELECT count(*) FROM framework_block"), 3)

    def test_lines_of_python(self):
        """The native stack is left out where there are any."""
        library = os.path.join(BUILD, "tests/collector/c10", str(UNSIGNED),
                               "libc10_cuda.so")
        program = os.path.join(self.scratch, "train.py")
        with open(program, "w") as file:
            file.write("import ctypes, sys\n"
                       "pool = ctypes.CDLL(sys.argv[1])\n"
                       "def forward():\n"
                       "    pool.C10CudaRun(b'few', 0)\n"
                       "forward()\n")
        done = self.host(sys.executable, program, library)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.query(
            "SELECT DISTINCT s.depth, f.function, f.line FROM framework_block "
            "JOIN python_stack AS s USING (stack) JOIN python_frame AS f ON "
            "f.id = s.frame ORDER BY 1"),
            [(0, "forward", 4), (1, "<module>", 5)])
        self.assertEqual(self.value(
            "SELECT sum(length(frames)) FROM stack WHERE id IN (SELECT stack "
            "FROM framework_block)"), 0)

    def test_only_the_last_freed_ones_stay(self):
        # Room for all of them: a busy machine drains late, and drops some.
        self.tensors(UNSIGNED, "loop", "60000", INQUEST_JOURNAL_SIZE="64m")
        self.assertEqual(self.query(
            "SELECT freed_ns IS NULL, count(*) FROM framework_block "
            "GROUP BY 1 ORDER BY 1"), [(0, 10000), (1, 500)])
        lost = self.query("SELECT count FROM loss WHERE "
                          "kind = 'framework_memory'")
        kept = self.value("SELECT sum(allocations) + sum(frees) FROM "
                          "framework_memory")
        self.assertEqual(kept + sum(count for count, in lost), 120500)

    def test_killed_in_the_middle(self):
        program = os.path.join(HERE, "collector_tensors_host")
        pair = os.path.join(BUILD, "tests/collector/c10", str(UNSIGNED))
        with subprocess.Popen([program, pair, "stay"], cwd=self.scratch,
                              env=self.environment(), text=True,
                              stdout=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), "done\n")
            time.sleep(0.3)
            process.kill()
        self.assertEqual(self.finish()["had_journal"], 1)
        live = self.query("SELECT bytes FROM framework_block WHERE freed_ns "
                          "IS NULL ORDER BY id LIMIT 2")
        self.assertEqual(live, [(3 * MIB,), (7 * MIB,)])
        self.assertGreater(self.value("SELECT sum(frees) FROM "
                                      "framework_memory"), 10)


@unittest.skipUnless(os.path.exists(os.environ["INQUEST"]),
                     "the analyzer is not part of this build")
class Verdicts(TensorTest):
    def verdict(self, how, status=1):
        done = self.as_without_us(UNSIGNED, how)
        self.assertEqual(done.returncode, status)
        answer = subprocess.run(
            [os.environ["INQUEST"], "diagnose", self.run_dir, "--format",
             "json"], check=False, capture_output=True, text=True, timeout=120)
        return json.loads(answer.stdout)["verdict"]

    def facts(self, sql):
        done = subprocess.run(
            [os.environ["INQUEST"], "query", self.trace(), "--format", "ndjson",
             "--sql", sql], check=True, capture_output=True, text=True,
            timeout=120)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def refusal(self):
        row, = self.query(
            "SELECT requested_bytes, allocated_bytes, reserved_bytes, "
            "stack > 0 FROM framework_oom")
        self.assertEqual(row[3], 1)
        return row[:3]

    def test_fragments(self):
        verdict = self.verdict("fragment")
        requested, allocated, reserved = self.refusal_of_the_large_one()
        self.assertEqual((verdict["cause"], verdict["rule"]),
                         ("memory/fragmentation",
                          "trace.allocator.fragmentation"))
        facts = verdict["facts"]
        self.assertEqual(
            (facts["requested_bytes"], facts["allocated_bytes"],
             facts["reserved_bytes"], facts["reserved_unallocated_bytes"]),
            (requested, allocated, reserved, reserved - allocated))
        self.assertEqual(verdict["confidence"], "confirmed")

    def refusal_of_the_large_one(self):
        (_, full, _), (requested, allocated, reserved) = self.query(
            "SELECT requested_bytes, allocated_bytes, reserved_bytes FROM "
            "framework_oom ORDER BY id")
        self.assertEqual(requested, 100 * MIB)
        self.assertGreaterEqual(reserved - allocated, requested)
        self.assertLess(allocated, full)
        return requested, allocated, reserved

    def test_a_device_full_of_tensors(self):
        verdict = self.verdict("full")
        requested, allocated, reserved = self.refusal()
        self.assertLess(reserved - allocated, requested)
        self.assertEqual(verdict["cause"], "memory/capacity")
        self.assertEqual(verdict["facts"]["requested_bytes"], requested)
        (held,) = self.facts("SELECT sum(bytes) AS bytes, framework_oom IS NULL "
                             "AS at_end FROM held_site")
        self.assertEqual(held, {"bytes": allocated, "at_end": 0})
        (oom,) = self.facts("SELECT DISTINCT o.allocated_bytes AS bytes FROM "
                            "held_site AS h JOIN framework_oom AS o ON o.id = "
                            "h.framework_oom")
        self.assertEqual(oom, {"bytes": allocated})

    def test_a_limit_of_the_allocator(self):
        verdict = self.verdict("limit")
        requested, _, reserved = self.refusal()
        self.assertEqual((verdict["cause"], verdict["rule"]),
                         ("memory/limit", "trace.allocator.limit"))
        facts = verdict["facts"]
        self.assertEqual((facts["requested_bytes"], facts["reserved_bytes"]),
                         (requested, reserved))
        self.assertGreater(facts["free_bytes"], requested)

    def test_a_program_that_tries_again(self):
        self.as_without_us(UNSIGNED, "again")
        self.assertEqual(
            self.facts("SELECT requested_bytes, survived FROM framework_oom"),
            [{"requested_bytes": 590 * MIB, "survived": 1}])
        # Nothing failed for good, so it is the end that counts.
        live = self.value("SELECT sum(bytes) FROM framework_block WHERE "
                          "freed_ns IS NULL")
        self.assertEqual(
            self.facts("SELECT sum(bytes) AS bytes, max(framework_oom) AS oom "
                       "FROM held_site"), [{"bytes": live, "oom": None}])


if __name__ == "__main__":
    unittest.main()

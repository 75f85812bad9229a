# SPDX-License-Identifier: Apache-2.0
"""What is recorded is what the simulated driver did: its own account, SIMGPU_LOG,
against the rows of memory_event."""

import os
import unittest

from driver_account import (ACCESS, CALLS, MAP, PHYSICAL, POOL_CREATE,
                            POOL_THRESHOLD, RESERVE, RETAIN, ROWS, TRIM,
                            UNRESERVE, rows_of)
from harness import CollectorTest

GIVES_BACK = "2, 3, 5, 7, 10"  # free, free failed, unmap, unreserve, unregister


class Families(CollectorTest):
    def setUp(self):
        super().setUp()
        self.log = os.path.join(self.scratch, "driver.log")
        done = self.host("families", SIMGPU_LOG=self.log)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.told = done.stdout.splitlines()

    def account(self):
        with open(self.log) as file:
            for line in file:
                _, call, address, size, result = line.split()[:5]
                yield call, int(address, 16), int(size), int(result)

    def test_rows_are_what_the_driver_did(self):
        account = list(self.account())
        self.assertLessEqual({call for call, *_ in account}, set(CALLS))
        made = rows_of(account)
        kept = self.query(ROWS)
        self.assertEqual(len(kept), len(made))
        self.assertEqual(kept, made)
        self.assert_nothing_lost()

    def test_the_programs_own_account_is_the_drivers(self):
        self.assertEqual(self.told.pop(), "done")
        told = [(call, int(address, 16), int(size), int(result))
                for call, address, size, result in map(str.split, self.told)]
        self.assertEqual(rows_of(told), rows_of(self.account()))

    def test_the_rest(self):
        self.assertEqual(
            self.query(f"SELECT op, bytes, pool <> 0 FROM memory_event "
                       f"WHERE op = {TRIM} ORDER BY id"),
            [(TRIM, 1024, 1), (TRIM, 0, 1)])
        self.assertEqual(
            self.query(f"SELECT op, bytes FROM memory_event WHERE op IN "
                       f"({RESERVE}, {UNRESERVE}) ORDER BY id"),
            [(RESERVE, 4 << 20), (UNRESERVE, 4 << 20)])
        self.assertEqual(
            self.value("SELECT count(DISTINCT pool) FROM memory_event "
                       "WHERE op = 1 AND kind = 3"), 2)

    def test_pools(self):
        self.assertEqual(
            self.query("SELECT op, device, bytes FROM memory_event WHERE op IN "
                       f"({POOL_CREATE}, {POOL_THRESHOLD}) ORDER BY id"),
            [(POOL_CREATE, 0, 0), (POOL_THRESHOLD, 0, 4 << 20)])

    def test_mapped_memory_is_known_by_its_handle(self):
        handle, = self.query("SELECT address FROM memory_event WHERE op = 1 "
                             f"AND kind = {PHYSICAL}")[0]
        self.assertEqual(
            self.query("SELECT op, address, pool FROM memory_event WHERE "
                       f"op IN ({MAP}, {RETAIN}) ORDER BY id")[0][2], handle)
        self.assertEqual(
            self.query("SELECT address FROM memory_event "
                       f"WHERE op = {RETAIN}"), [(handle,)])
        self.assertEqual(
            self.query("SELECT device, bytes FROM memory_event "
                       f"WHERE op = {ACCESS}"), [(0, 4 << 20)])

    def test_places(self):
        self.assertEqual(
            self.query("SELECT DISTINCT device FROM memory_event WHERE kind<>4 "
                       "AND result = 0 AND op <> 11"), [(0,)])
        self.assertEqual(
            self.query("SELECT DISTINCT device FROM memory_event "
                       "WHERE kind = 4"), [(-1,)])
        self.assertEqual(
            self.value("SELECT count(*) FROM memory_event WHERE op NOT IN "
                       f"({GIVES_BACK}) AND "
                       "stack NOT IN (SELECT id FROM stack)"), 0)

    def test_who_gave_back_is_asked_on_demand_only(self):
        gave_back = ("SELECT count(*), count(nullif(stack, 0)) "
                     f"FROM memory_event WHERE op IN ({GIVES_BACK})")
        (events, stacks), = self.query(gave_back)
        self.assertEqual((events > 8, stacks), (True, 0))
        self.run_dir += "-all"
        self.host("families", INQUEST_STACKS="all", INQUEST_DIR=self.run_dir)
        self.assertEqual(self.query(gave_back), [(events, events)])

    def test_failure_is_complete(self):
        self.assertEqual(
            self.query("SELECT address, bytes FROM memory_event "
                       "WHERE result = 2"), [(0, 1 << 50)])
        self.assertEqual(
            self.query("SELECT api, function, name, sticky FROM api_error "
                       "ORDER BY id")[0],
            ("driver", "cuMemAlloc_v2", "CUDA_ERROR_OUT_OF_MEMORY", 0))
        self.assertGreaterEqual(
            self.value("SELECT count(*) FROM device_memory "
                       "WHERE reason='failure' AND free_bytes > 0"), 1)

    def test_the_start_is_before_the_first_allocation(self):
        self.host("families", SIMGPU_CONTEXT_BYTES="32MiB",
                  INQUEST_DIR=self.run_dir + "-start")
        self.run_dir += "-start"
        self.assertEqual(
            self.query("SELECT total_bytes - free_bytes FROM device_memory "
                       "WHERE reason = 'start'"), [(32 << 20,)])

    def test_facts(self):
        self.assertEqual(
            self.query("SELECT ordinal, total_bytes FROM device"),
            [(0, 1 << 30)])
        self.assertEqual(self.value("SELECT count(*) FROM process"), 1)
        self.assertGreaterEqual(
            self.value("SELECT count(*) FROM clock_anchor"), 1)
        self.assertEqual(
            self.query("SELECT state FROM coverage WHERE source='cupti'"),
            [("on",)])
        names = [row[0] for row in self.query("SELECT name FROM library")]
        self.assertIn("libcuda.so.1", names)
        self.assertIn("collector_families", names)


class Settings(CollectorTest):
    def test_stacks_off(self):
        self.host("families", INQUEST_STACKS="off")
        self.assertEqual(self.value("SELECT count(*) FROM stack"), 0)
        self.assertEqual(
            self.query("SELECT DISTINCT stack FROM memory_event"), [(0,)])

    def test_only_allowed_variables(self):
        self.host("families", RANK="3", WORLD_SIZE="8", MY_SECRET="x",
                  SLURM_JOB_ID="77", CUDA_VISIBLE_DEVICES="0")
        self.assertEqual(
            self.query("SELECT rank, world_size, job_id FROM process"),
            [(3, 8, "77")])
        kept = dict(self.query("SELECT name, value FROM environment"))
        self.assertEqual(kept["CUDA_VISIBLE_DEVICES"], "0")
        self.assertNotIn("MY_SECRET", kept)
        self.assertNotIn("PATH", kept)

    def test_settings_of_frameworks(self):
        given = {name: f"value of {name}" for name in (
            "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF",
            "PYTORCH_NO_CUDA_MEMORY_CACHING", "TORCH_USE_CUDA_DSA",
            "TF_GPU_ALLOCATOR", "TF_GPU_THREAD_MODE",
            "TF_FORCE_GPU_ALLOW_GROWTH", "TF_BFC_MEMORY_DUMP",
            "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_MEM_FRACTION",
            "XLA_FLAGS", "JAX_PLATFORMS", "CUDA_LAUNCH_BLOCKING",
            "NCCL_SOCKET_IFNAME", "TORCH_NCCL_ASYNC_ERROR_HANDLING")}
        private = {name: "x" for name in (
            "HF_TOKEN", "WANDB_API_KEY", "TF_SECRET", "TORCH_HOME",
            "JAX_SECRET", "PYTORCH_SECRET")}
        self.host("families", **given, **private)
        kept = dict(self.query("SELECT name, value FROM environment"))
        self.assertEqual({name: kept.get(name) for name in given}, given)
        self.assertEqual([name for name in private if name in kept], [])

    def test_small_journal_loses_nothing(self):
        self.host("families", INQUEST_JOURNAL_SIZE="1")
        self.assert_nothing_lost()
        self.assert_clean()


if __name__ == "__main__":
    unittest.main()

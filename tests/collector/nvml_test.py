# SPDX-License-Identifier: Apache-2.0
"""What only NVML knows: the driver's version and who else is on the GPU."""

import os
import subprocess
import sys
import unittest

from harness import BUILD, CollectorTest


class Nvml(CollectorTest):
    def test_other_process(self):
        done = self.host("families", SIMGPU_OTHER="4711:100MiB:python3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            self.query("SELECT DISTINCT device, pid, used_bytes, name "
                       "FROM device_process"),
            [(0, 4711, 100 << 20, "python3")])
        reasons = {row[0] for row in
                   self.query("SELECT reason FROM device_process")}
        self.assertEqual(reasons, {"start", "failure", "end"})

    def beside_sleep(self, named):
        """What is recorded of a process that NVML names so."""
        other = subprocess.Popen(["sleep", "297"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        self.host("families", SIMGPU_OTHER=f"{other.pid}:100MiB:{named}")
        return self.value("SELECT DISTINCT name FROM device_process")

    def test_other_process_by_its_command(self):
        self.assertEqual(self.beside_sleep("/usr/bin/sleep"), "sleep 297")

    def test_other_process_whose_number_is_another_s_here(self):
        self.assertEqual(self.beside_sleep("python3"), "python3")

    def test_driver_version(self):
        self.host("families")
        self.assertRegex(self.value("SELECT driver_version FROM device"),
                         r"^\d+\.\d+")
        self.assertEqual(self.value("SELECT count(*) FROM device"), 1)

    def test_start_is_before_the_first_allocation(self):
        self.host("families")
        self.assertEqual(self.value(
            "SELECT count(*) FROM device_memory WHERE reason='start'"), 1)
        self.assertLess(
            self.value("SELECT time_ns FROM device_memory "
                       "WHERE reason='start'"),
            self.value("SELECT min(time_ns) FROM memory_event"))


class Events(CollectorTest):
    """A device that breaks while the program does not touch it."""
    PROGRAM = """if True:
        import ctypes, time
        cuda = ctypes.CDLL("libcuda.so.1")
        cuda.cuInit(0)
        context = ctypes.c_void_p()
        cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
        time.sleep({seconds})
    """
    # NVML has to be loaded before the device breaks, on a busy machine, too.
    MS = 600

    def breaks(self, xid):
        program = self.PROGRAM.format(seconds=2 * self.MS / 1000)
        done = self.host(sys.executable, "-c", program,
                         SIMGPU_FAULT=f"xid={xid},after_ms={self.MS}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_xid(self):
        self.breaks(62)
        self.assertEqual(
            self.query("SELECT device, kind, value, text FROM device_event "
                       "WHERE kind IN ('xid', 'ecc')"),
            [(0, "xid", 62, "Xid 62")])
        self.assertEqual(
            self.query("SELECT state FROM coverage "
                       "WHERE source = 'nvml-events'"), [("on",)])

    def test_memory_error(self):
        self.breaks(48)
        self.assertEqual(
            sorted(self.query("SELECT kind, value FROM device_event "
                              "WHERE kind IN ('xid', 'ecc')")),
            [("ecc", 1), ("xid", 48)])

    def test_lost(self):
        self.breaks(79)
        self.assertEqual(
            self.query("SELECT device, function, name FROM api_error "
                       "WHERE api = 'nvml'"),
            [(0, "nvmlDeviceGetMemoryInfo", "NVML_ERROR_GPU_IS_LOST")])


class Mixed(CollectorTest):
    def test_versions_of_sub_libraries(self):
        sample = os.path.join(BUILD, "samples/mixed_cudnn")
        if not os.path.exists(sample):
            self.skipTest("samples are not built")
        self.host(sample, SIMGPU_CUDNN_CNN_VERSION="90100")
        versions = dict(self.query(
            "SELECT name, version FROM library WHERE name LIKE 'libcudnn%'"))
        self.assertEqual(versions["libcudnn_cnn.so.9"], "9.1.0")
        self.assertNotEqual(versions["libcudnn_ops.so.9"], "9.1.0")
        self.assertEqual(
            self.query("SELECT function, name FROM api_error"),
            [("cudnnCnnVersionCheck",
              "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH")])

    def test_version_of_a_library_that_came_while_exiting(self):
        done = self.host("endings", "late",
                         SIMGPU_CUDNN_CNN_VERSION="90100")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            self.query("SELECT version, version_source FROM library "
                       "WHERE name = 'libcudnn_cnn.so.9'"),
            [("9.1.0", "symbol")])


if __name__ == "__main__":
    unittest.main()

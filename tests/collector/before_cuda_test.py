# SPDX-License-Identifier: Apache-2.0
"""What is recorded of a process that loads CUDA or a framework, also if cuInit
never succeeds or nobody calls it; and that nothing is of one that does not."""

import os
import shutil
import signal
import subprocess
import sys
import unittest

from harness import SIMGPU, CollectorTest



class BeforeCuda(CollectorTest):
    def setUp(self):
        super().setUp()
        self.root = os.path.join(self.scratch, "root")
        os.makedirs(self.root)

    def system(self, path, text=""):
        path = self.root + path
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def stand_in(self, name):
        """A library of that name, of which nothing is called."""
        path = os.path.join(self.scratch, name)
        shutil.copy(self.math_library(), path)
        return path

    @staticmethod
    def math_library():
        with open("/proc/self/maps", encoding="utf-8") as maps:
            for line in maps:
                if "/libm.so" in line or "/libm-" in line:
                    return line.split()[-1]
        return "/lib/x86_64-linux-gnu/libm.so.6"

    def python(self, program, **extra):
        extra.setdefault("LD_LIBRARY_PATH", None)
        return self.host(sys.executable, "-c", "import ctypes, os, sys\n" + program,
                         INQUEST_SYSTEM_ROOT=self.root, **extra)

    def load(self, path):
        # Looking up a name is what follows each load.
        return f"hasattr(ctypes.CDLL({path!r}), 'cos')\n"

    def driver(self):
        return self.query("SELECT loaded, library, kernel_version, device_files, "
                          "init_result, init_name FROM driver ORDER BY time_ns "
                          "DESC LIMIT 1")[0]

    def test_no_driver(self):
        done = self.python("ctypes.CDLL('libcuda.so.1')")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot open shared object file", done.stderr)
        self.assertEqual(self.driver(), (0, None, None, 0, None, None))
        self.assert_clean()

    def test_only_the_kernel_has_the_driver(self):
        self.system("/proc/driver/nvidia/version",
                    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  "
                    "580.95.05  Release Build  (x@y)  Tue Sep 23\n"
                    "GCC version:  gcc version 12.3.0\n")
        self.system("/dev/nvidia0")
        self.system("/dev/nvidia1")
        self.system("/dev/nvidiactl")
        self.python("ctypes.CDLL('libcuda.so.1')")
        self.assertEqual(self.driver(), (0, None, "580.95.05", 2, None, None))

    def test_a_driver_that_was_not_loaded_is_found(self):
        self.system("/usr/lib64/libcuda.so.570.10.01")
        os.symlink("libcuda.so.570.10.01", self.root + "/usr/lib64/libcuda.so.1")
        self.python(self.load(self.stand_in("libtorch_cpu.so")))
        self.assertEqual(self.query(
            "SELECT loaded, library, library_version FROM driver"),
            [(0, self.root + "/usr/lib64/libcuda.so.1", "570.10.01")])

    def test_what_cuinit_returned(self):
        done = self.python(
            "print(ctypes.CDLL('libcuda.so.1').cuInit(0))",
            LD_LIBRARY_PATH=SIMGPU, SIMGPU_FAULT="call=cuInit,result=803")
        self.assertEqual(done.stdout, "803\n", done.stderr)
        loaded, library, _, _, result, name = self.driver()
        self.assertEqual((loaded, result, name),
                         (1, 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"))
        self.assertTrue(library.startswith(SIMGPU), library)
        self.assertEqual(self.query("SELECT DISTINCT api, function, result FROM "
                                    "api_error"), [("driver", "cuInit", 803)])

    def test_a_cuinit_that_succeeds(self):
        done = self.python("print(ctypes.CDLL('libcuda.so.1').cuInit(0))",
                           LD_LIBRARY_PATH=SIMGPU)
        self.assertEqual(done.stdout, "0\n", done.stderr)
        self.assertEqual(self.driver()[4], 0)
        self.assertEqual(self.query("SELECT * FROM api_error"), [])

    def test_each_framework_is_recorded(self):
        for name in ("libtorch_cpu.so", "libtensorflow_framework.so.2",
                     "libjax_common.so", "libonnxruntime.so.1.31.1",
                     "libcudart.so.12", "libnccl.so.2", "libcudnn_ops.so.9"):
            with self.subTest(name):
                done = self.python(self.load(self.stand_in(name)))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(self.value(
                    f"SELECT count(*) FROM library WHERE name = '{name}'"), 1)
                self.assertEqual(self.value("SELECT count(*) FROM driver"), 1)
                shutil.rmtree(self.run_dir)

    def test_a_killed_process_keeps_what_it_loaded(self):
        done = self.python(self.load(self.stand_in("libtorch_cpu.so")) +
                           "import time; time.sleep(0.6)\n"
                           f"os.kill(os.getpid(), {signal.SIGKILL})")
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.finish()
        self.assertEqual(self.value("SELECT count(*) FROM library WHERE name = "
                                    "'libtorch_cpu.so'"), 1)

    def test_a_forked_child_has_no_trace_of_its_parents_libraries(self):
        # Since 3.12 Python warns of a fork beside our thread.
        done = self.python("import warnings; warnings.simplefilter('ignore')\n" +
                           self.load(self.stand_in("libtorch_cpu.so")) +
                           "if os.fork() == 0:\n"
                           "    import json; hasattr(ctypes.CDLL(None), 'sin')\n"
                           "    sys.exit(0)\n"
                           "os.wait()")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.trace()  # there is one

    def test_a_forked_child_that_loads_one_has_a_trace(self):
        done = self.python("if os.fork() == 0:\n    " +
                           self.load(self.stand_in("libtorch_cpu.so")) +
                           "    sys.exit(0)\nos.wait()")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.trace()

    def test_limits_of_memory(self):
        self.system("/proc/self/mountinfo",
                    "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        self.system("/proc/self/cgroup", "0::/job\n")
        self.system("/sys/fs/cgroup/job/memory.max", "8589934592\n")
        events = "low 0\nhigh 0\nmax 9\noom {0}\noom_kill {0}\n"
        self.system("/sys/fs/cgroup/job/memory.events", events.format(0))
        path = self.root + "/sys/fs/cgroup/job/memory.events"
        self.python(self.load(self.stand_in("libtorch_cpu.so")) +
                    "import time; time.sleep(0.5)\n"
                    f"open({path!r}, 'w').write({events.format(1)!r})")
        self.assertEqual(self.query(
            "SELECT path, limit_bytes, refusals, oom_kills FROM cgroup_memory "
            "ORDER BY time_ns"),
            [("/sys/fs/cgroup/job", 8589934592, 9, 0),
             ("/sys/fs/cgroup/job", 8589934592, 9, 1)])

    @unittest.skipIf(os.environ.get("INQUEST_SANITIZE"),
                     "a sanitizer's own dlopen is the caller there")
    def test_the_linker_still_searches_for_the_caller(self):
        """A library with an RPATH loads its neighbour by name."""
        os.mkdir(os.path.join(self.scratch, "parts"))
        for name, code, flags in (
                ("parts/libpart.so", "int part() { return 42; }", []),
                ("libwhole.so", "#include <dlfcn.h>\n"
                 "int whole() { return dlopen(\"libpart.so\", 2) != 0; }",
                 ["-Wl,-rpath,$ORIGIN/parts"])):
            source = os.path.join(self.scratch, "source.c")
            with open(source, "w", encoding="utf-8") as file:
                file.write(code)
            subprocess.run(["cc", "-shared", "-fPIC", "-o",
                            os.path.join(self.scratch, name), source, *flags],
                           check=True)
        done = self.python(
            f"print(ctypes.CDLL({self.scratch + '/libwhole.so'!r}).whole())")
        self.assertEqual((done.stdout, done.stderr), ("1\n", ""))
        self.assertFalse(os.path.exists(self.run_dir))

    def test_cudnns_parts_beside_it(self):
        folder = os.path.join(self.scratch, "x-packages/nvidia/cudnn/lib")
        os.makedirs(folder)
        info = os.path.join(self.scratch,
                            "x-packages/nvidia_cudnn_cu99-9.1.0.70.dist-info")
        os.makedirs(info)
        shutil.copy(self.math_library(), folder + "/libcudnn.so.9")
        with open(folder + "/libcudnn_ops.so.9", "w", encoding="utf-8") as file:
            file.write("1234")
        with open(folder + "/libcudnn_cnn.so.9", "w", encoding="utf-8") as file:
            file.write("1234")
        with open(info + "/RECORD", "w", encoding="utf-8") as file:
            file.write("nvidia/cudnn/lib/libcudnn_ops.so.9,sha256=x,4\n"
                       "nvidia/cudnn/lib/libcudnn_cnn.so.9,sha256=x,5\n"
                       "nvidia/cudnn/lib/libcudnn_adv.so.9,sha256=x,6\n")
        self.python(self.load(folder + "/libcudnn.so.9"))
        self.assertEqual(self.query(
            "SELECT name, present, package_version, of_package FROM "
            "library_part WHERE name IN ('libcudnn_ops.so.9', "
            "'libcudnn_cnn.so.9', 'libcudnn_adv.so.9') ORDER BY name"),
            [("libcudnn_adv.so.9", 0, "9.1.0.70", None),
             ("libcudnn_cnn.so.9", 1, "9.1.0.70", 0),
             ("libcudnn_ops.so.9", 1, "9.1.0.70", 1)])


if __name__ == "__main__":
    unittest.main()

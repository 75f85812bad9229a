# SPDX-License-Identifier: Apache-2.0
"""What `inquest doctor` says of machines that we make up: a folder instead of
/proc and /dev, the simulated GPU instead of a driver, a python3 of our own."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

INQUEST = os.environ["INQUEST"]
COLLECTOR = os.environ.get("INQUEST_COLLECTOR", "")
SIMGPU = pathlib.Path(os.environ["INQUEST_BUILD_DIR"], "simgpu", "lib")
PARTS = ("adv", "cnn", "engines_precompiled", "engines_runtime_compiled",
         "graph", "heuristic", "ops")
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("g++")


class DoctorTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="inquest-doctor-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.root = self.scratch / "root"
        (self.root / "dev" / "shm").mkdir(parents=True)
        self.site = self.scratch / "lib" / "python3" / "site-packages"
        self.site.mkdir(parents=True)
        self.bin = self.scratch / "bin"
        self.bin.mkdir()
        self.python(f"echo inquest; echo {self.bin}/python3; echo 3.12.1; "
                    f"echo {self.site}")
        self.environment = {
            "PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.scratch),
            "INQUEST_SYSTEM_ROOT": str(self.root)}
        for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS",
                     "INQUEST_COLLECTOR"):
            if os.environ.get(name):
                self.environment[name] = os.environ[name]

    def python(self, script):
        path = self.bin / "python3"
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def system(self, path, text=""):
        path = self.root / path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def simulated(self, *without):
        """A folder of the simulated driver's libraries, for LD_LIBRARY_PATH."""
        if not SIMGPU.is_dir():
            self.skipTest("no simulated GPU in this build (no CUDA headers)")
        folder = self.scratch / "driver"
        folder.mkdir(exist_ok=True)
        for library in SIMGPU.glob("*.so.*"):
            if not library.name.startswith(("libcudnn",) + without):
                os.symlink(library, folder / library.name)
        self.environment["LD_LIBRARY_PATH"] = str(folder)

    def doctor(self, directory=None, **variables):
        """The answer as JSON, with its checks by name."""
        done = subprocess.run(
            [INQUEST, "doctor", "--json", "-o", directory or str(self.scratch)],
            env={**self.environment, **variables}, capture_output=True,
            text=True, timeout=60, check=False)
        self.assertEqual(done.stderr, "")
        answer = json.loads(done.stdout)
        self.assertEqual(answer["schema"], "inquest.doctor/1")
        problems = [one for one in answer["checks"] if one["state"] == "problem"]
        self.assertEqual(done.returncode, 1 if problems else 0, done.stdout)
        self.assertEqual(answer["ok"], not problems)
        self.checks = {one["check"]: one for one in answer["checks"]}
        return answer

    def found(self, check, state, *words):
        one = self.checks[check]
        self.assertEqual(one["state"], state, one)
        said = one["text"] + " " + one.get("next", "")
        for word in words:
            self.assertIn(word, said)
        return one

    # The driver

    def test_a_machine_without_a_gpu_says_so(self):
        self.doctor()
        self.found("driver", "problem", "no NVIDIA driver and no GPU")
        self.assertNotIn("gpus", self.checks)
        done = subprocess.run([INQUEST, "doctor"], env=self.environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("a job here would fail, or not be recorded",
                      done.stdout.splitlines()[0])
        self.assertIn("next: ", done.stdout)

    def test_a_machine_on_which_all_is_well(self):
        self.simulated()
        if not COLLECTOR or os.environ.get("INQUEST_SANITIZE"):
            self.skipTest("needs a collector without a sanitizer")
        answer = self.doctor()
        self.assertTrue(answer["ok"], answer)
        driver = self.found("driver", "ok", "serves CUDA up to")
        self.assertRegex(driver["facts"]["cuda"], r"^\d+\.\d+$")
        self.found("gpus", "ok", "1: Simulated GPU, 8.00 GiB")
        self.found("cupti", "ok", "libcupti.so", "held by no other tool")
        line = self.found("preload", "ok")["facts"]["line"]
        self.assertEqual(line, f"LD_PRELOAD={os.path.realpath(COLLECTOR)}")

    def test_the_preload_line_records(self):
        self.simulated()
        if not COLLECTOR or os.environ.get("INQUEST_SANITIZE"):
            self.skipTest("needs a collector without a sanitizer")
        self.doctor()
        name, path = self.checks["preload"]["facts"]["line"].split("=", 1)
        done = subprocess.run(
            [shutil.which("python3"), "-c",
             "import ctypes; print(ctypes.CDLL('libcuda.so.1').cuInit(0))"],
            env={**self.environment, name: path,
                 "INQUEST_DIR": str(self.scratch / "run")},
            capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, "0\n", done.stderr)
        self.assertTrue(list((self.scratch / "run").glob("*.trace.sqlite")))

    def test_a_kernel_module_without_libcuda(self):
        self.system("/proc/driver/nvidia/version",
                    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  "
                    "Tue Sep 23\n")
        self.system("/dev/nvidia0")
        self.doctor()
        self.found("driver", "problem", "580.95.05", "libcuda.so.1 is not found")

    def test_a_libcuda_of_another_release(self):
        self.system("/proc/driver/nvidia/version",
                    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  "
                    "Tue Sep 23\n")
        self.system("/usr/lib64/libcuda.so.570.10.01")
        os.symlink("libcuda.so.570.10.01", self.root / "usr/lib64/libcuda.so.1")
        self.doctor()
        self.found("driver", "problem", "libcuda is of driver 570.10.01",
                   "kernel module of 580.95.05", "restart")

    def test_a_cuinit_that_fails(self):
        self.simulated()
        self.doctor(SIMGPU_FAULT="call=cuInit,result=803")
        self.found("driver", "problem", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH")

    def test_what_hangs_is_not_waited_for(self):
        self.simulated()
        self.doctor(SIMGPU_FAULT="call=nvmlInit_v2,delay_us=20000000")
        self.found("driver", "ok")
        self.found("gpus", "warning", "NVML gave no answer in time")
        self.doctor(SIMGPU_FAULT="call=cuInit,delay_us=20000000")
        self.found("driver", "problem", "cuInit did not answer in time")
        self.found("gpus", "ok")

    def test_no_nvml(self):
        self.simulated("libnvidia-ml")
        self.doctor()
        self.found("gpus", "warning", "no libnvidia-ml.so.1")

    def test_hidden_gpus(self):
        self.simulated()
        for value in ("", "-1"):
            self.doctor(CUDA_VISIBLE_DEVICES=value)
            self.found("gpus", "problem", f"CUDA_VISIBLE_DEVICES='{value}'")
        self.doctor(CUDA_VISIBLE_DEVICES="0")
        self.found("gpus", "ok")

    # CUPTI

    def test_cupti_of_another_tool(self):
        self.simulated()
        self.doctor(CUDA_INJECTION64_PATH="/opt/x/libToolsInjection64.so")
        self.found("cupti", "warning", "Nsight Systems",
                   "CUDA_INJECTION64_PATH=/opt/x/libToolsInjection64.so")
        self.doctor(CUDA_INJECTION64_PATH="/opt/libother.so")
        self.found("cupti", "warning", "another tool")
        self.doctor(CUDA_INJECTION64_PATH="/x/libinquest_collector.so",
                    LD_PRELOAD="")
        self.found("cupti", "ok")

    def test_nvtx_of_another_tool(self):
        self.doctor(NVTX_INJECTION64_PATH="/opt/libother.so")
        self.found("nvtx", "warning", "/opt/libother.so")

    def test_tools_at_work(self):
        self.system("/proc/77/comm", "nv-hostengine\n")
        self.system("/proc/78/comm", "python3\n")
        self.doctor()
        one = self.found("tools", "note", "nv-hostengine (pid 77)")
        self.assertEqual(len(one["facts"]["processes"]), 1)

    def test_settings_of_ours(self):
        self.simulated()
        self.doctor(INQUEST_CUPTI="off")
        self.found("cupti", "warning", "INQUEST_CUPTI=off")
        self.doctor(INQUEST_CUPTI="/nowhere/libcupti.so")
        self.found("cupti", "problem", "/nowhere/libcupti.so")
        self.doctor(INQUEST="off")
        self.found("preload", "problem", "INQUEST=off")

    # The collector

    def test_a_collector_that_cannot_be_loaded(self):
        broken = self.scratch / "libinquest_collector.so"
        broken.write_text("no library", encoding="utf-8")
        self.doctor(INQUEST_COLLECTOR=str(broken))
        self.found("preload", "problem", "does not load it", "cannot be preloaded")
        self.doctor(INQUEST_COLLECTOR="/nowhere/x.so")
        self.found("preload", "problem", "/nowhere/x.so")

    # Frameworks

    def library(self, path, needs=(), runpath="", rpath=""):
        """A shared object that needs these files, by their names alone."""
        if COMPILER is None:
            self.skipTest("no C compiler")
        path.parent.mkdir(parents=True, exist_ok=True)
        options = [f"-Wl,-soname,{path.name}", "-Wl,--no-as-needed"]
        if runpath:
            options.append(f"-Wl,--enable-new-dtags,-rpath,{runpath}")
        if rpath:
            options.append(f"-Wl,--disable-new-dtags,-rpath,{rpath}")
        subprocess.run(
            [COMPILER, "-shared", "-nostdlib", "-x", "c", "/dev/null", "-x",
             "none", *options, *map(str, needs), "-o", str(path)], check=True)
        return path

    def cudnn(self, folder, *without):
        for part in PARTS:
            if part not in without:
                self.library(folder / f"libcudnn_{part}.so.9")
        return self.library(folder / "libcudnn.so.9", runpath="$ORIGIN")

    def torch(self, needs, cuda="12.8", rpath="$ORIGIN/../../nvidia/cudnn/lib"):
        folder = self.site / "torch"
        self.library(folder / "lib" / "libc10.so")
        self.library(folder / "lib" / "libtorch_cuda.so", needs, rpath=rpath)
        (folder / "version.py").write_text(
            f"__version__ = '2.9.0+cu'\ncuda: str = '{cuda}'\n",
            encoding="utf-8")

    def test_a_torch_that_is_whole(self):
        whole = self.cudnn(self.site / "nvidia" / "cudnn" / "lib")
        self.torch([whole])
        self.doctor()
        torch = self.found("torch", "ok", "2.9.0+cu for CUDA 12.8")
        self.assertEqual(
            os.path.realpath(
                torch["facts"]["libraries"]["libcudnn.so.9"]["path"]),
            os.path.realpath(whole))
        self.found("cudnn", "ok", "for torch")

    def test_parts_of_cudnn_by_ld_library_path(self):
        whole = self.cudnn(self.site / "nvidia" / "cudnn" / "lib")
        self.torch([whole])
        stray = self.library(self.scratch / "old" / "libcudnn_ops.so.9")
        self.doctor(LD_LIBRARY_PATH=str(stray.parent))
        one = self.found("cudnn", "problem", "from another folder", str(stray))
        self.assertEqual(one["facts"]["elsewhere"], [str(stray)])

    def test_parts_of_cudnn_that_are_missing(self):
        whole = self.cudnn(self.site / "nvidia" / "cudnn" / "lib", "heuristic")
        self.torch([whole])
        self.doctor()
        self.found("cudnn", "problem", "libcudnn_heuristic.so.9")

    def test_a_library_that_is_missing(self):
        whole = self.cudnn(self.site / "nvidia" / "cudnn" / "lib")
        gone = self.library(self.scratch / "gone" / "libnccl_test.so.2")
        self.torch([whole, gone])
        gone.unlink()
        self.doctor()
        self.found("torch", "problem", "libnccl_test.so.2 (for libtorch_cuda.so)")

    def test_the_search_path_of_the_caller_of_the_caller(self):
        """DT_RPATH is inherited, DT_RUNPATH is not (ld.so(8))."""
        inner = self.library(self.site / "inner" / "libinner.so.1")
        outer = self.library(self.site / "nvidia/cudnn/lib/libouter.so.1",
                             [inner])
        self.torch([outer], rpath="$ORIGIN/../../nvidia/cudnn/lib:"
                                  "$ORIGIN/../../inner")
        self.doctor()
        self.found("torch", "ok")

    @unittest.skipUnless(shutil.which("ldd"), "no ldd here")
    def test_the_dynamic_linker_agrees(self):
        """Of two libcudnn the one that ldd names is the one that we name."""
        own = self.cudnn(self.site / "nvidia" / "cudnn" / "lib")
        other = self.cudnn(self.scratch / "other")
        library = self.site / "torch" / "lib" / "libtorch_cuda.so"
        beside = "$ORIGIN/../../nvidia/cudnn/lib"
        found = set()
        for tags in ({"rpath": beside}, {"runpath": beside}, {}):
            for path in ("", str(other.parent)):
                self.torch([own], rpath="")
                self.library(library, [own], **tags)
                self.doctor(LD_LIBRARY_PATH=path, INQUEST_SYSTEM_ROOT="")
                libraries = self.checks["torch"]["facts"]["libraries"]
                ours = libraries.get("libcudnn.so.9", {}).get("path", "")
                said = subprocess.run(
                    ["ldd", str(library)], capture_output=True, text=True,
                    env={"LD_LIBRARY_PATH": path, "PATH": "/usr/bin:/bin"},
                    check=True).stdout
                theirs = re.search(r"libcudnn\.so\.9 => (/\S+)", said)
                with self.subTest(tags=tags, path=path):
                    self.assertEqual(
                        os.path.realpath(ours) if ours else None,
                        os.path.realpath(theirs[1]) if theirs else None)
                found.add(ours and os.path.realpath(ours))
        self.assertLessEqual({os.path.realpath(own), os.path.realpath(other)},
                             found)

    def test_a_driver_that_is_too_old_for_torch(self):
        self.system("/proc/driver/nvidia/version",
                    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  "
                    "Tue Sep 23\n")
        self.torch([], cuda="13.0")
        self.doctor()
        self.found("torch", "problem", "need driver 580.65.06 or newer",
                   "535.54.03")
        self.torch([], cuda="12.4")
        self.doctor()
        self.found("torch", "ok")

    def test_no_python_and_one_that_hangs(self):
        self.python("exit 1")
        self.doctor()
        self.found("python", "note", "no python3 in PATH answered")
        self.python("exec sleep 20")
        self.doctor()
        self.found("python", "note")

    # Disk and limits

    def test_where_nothing_can_be_written(self):
        self.doctor("/proc/nowhere/runs")
        self.found("disk", "problem", "no file can be made")

    def test_little_room(self):
        self.doctor(INQUEST_MAX_DISK="100000GiB")
        self.found("disk", "warning", "INQUEST_MAX_DISK")
        self.assertEqual(os.listdir(self.scratch / "root"), ["dev"])

    def test_low_limits(self):
        done = subprocess.run(
            ["sh", "-c", f"ulimit -n 200; exec {INQUEST} doctor --json"],
            env=self.environment, capture_output=True, text=True, check=False)
        checks = {one["check"]: one
                  for one in json.loads(done.stdout)["checks"]}
        self.assertEqual(checks["limits"]["state"], "warning")
        self.assertIn("200 open files", checks["limits"]["text"])

    def test_a_control_group(self):
        self.system("/proc/self/cgroup", "0::/job\n")
        self.system("/proc/self/mountinfo",
                    "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        group = "/sys/fs/cgroup/job/"
        self.system(group + "cgroup.controllers", "memory\n")
        self.system(group + "memory.max", "1073741824\n")
        self.system(group + "memory.current", "1000000000\n")
        self.system(group + "memory.events", "oom 0\noom_kill 0\n")
        self.doctor()
        one = self.found("memory", "warning", "1.00 GiB")
        self.assertEqual(one["facts"]["limit_bytes"], 1073741824)

    def test_the_kernel_log(self):
        self.doctor()
        self.found("kernel log", "note", "dmesg -T")
        self.system("/dev/kmsg", "6,1,1,-;hello\n")
        self.doctor()
        self.found("kernel log", "ok")


if __name__ == "__main__":
    unittest.main()

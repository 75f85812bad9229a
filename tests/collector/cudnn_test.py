# SPDX-License-Identifier: Apache-2.0
"""The cuDNN hooks on the real libcudnn, which without a GPU still has versions,
descriptors, failing calls and a log callback."""

import ctypes
import os
import shutil
import sys
import unittest

from harness import HERE, SIMGPU, CollectorTest

REAL = os.environ.get("INQUEST_REAL_CUDNN", "")
USER = os.path.join(HERE, "libcollector_cudnn_user.so")


def real_cudnn_works():
    if not REAL or not os.path.exists(USER):
        return False
    try:
        library = ctypes.CDLL(os.path.join(REAL, "libcudnn.so"))
        return library.cudnnGetVersion() >= 90000
    except OSError:
        return False


@unittest.skipUnless(real_cudnn_works(),
                     "no real libcudnn.so.9 was found at configure time")
class RealCudnn(CollectorTest):
    def python(self, program, preload=True, **extra):
        extra.setdefault("LD_LIBRARY_PATH", REAL)
        done = self.host(sys.executable, "-c",
                         "import ctypes\n" + program, preload=preload, **extra)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    PLT = f"u = ctypes.CDLL({USER!r})\n"  # RTLD_LOCAL, as Python loads all
    DLSYM = ("c = ctypes.CDLL('libcudnn.so.9')\n"
             "d = ctypes.c_void_p()\n"
             "c.cudnnCreateTensorDescriptor(ctypes.byref(d))\n")

    def assert_failures(self):
        rows = self.query("SELECT api, function, result, name, text "
                          "FROM api_error ORDER BY id")
        self.assertEqual([row[:4] for row in rows], [
            ("cudnn", "cudnnSetTensor4dDescriptor", 2000,
             "CUDNN_STATUS_BAD_PARAM"),
            ("cudnn", "cudnnCreate", 1001, "CUDNN_STATUS_NOT_INITIALIZED")])
        self.assertIn("c <= 0", rows[0][4])
        self.assertIn("cudaGetDeviceCount", rows[1][4])
        self.assert_nothing_lost()
        self.assert_clean()

    def test_plt_of_a_local_library(self):
        program = self.PLT + ("print(u.user_version(), u.user_bad_shape(), "
                              "u.user_create())")
        self.assertEqual(self.python(program),
                         self.python(program, preload=False))
        self.assert_failures()
        self.assertEqual(self.query("SELECT state FROM coverage WHERE "
                                    "source='cudnn-plt'"), [("on",)])

    def test_dlsym(self):
        program = self.DLSYM + (
            "print(c.cudnnSetTensor4dDescriptor(d, 0, 0, 1, -3, 8, 8))\n"
            "h = ctypes.c_void_p()\nprint(c.cudnnCreate(ctypes.byref(h)))")
        self.assertEqual(self.python(program),
                         self.python(program, preload=False))
        self.assert_failures()
        self.assertEqual(self.query("SELECT state FROM coverage WHERE "
                                    "source='cudnn-dlsym'"), [("on",)])
        self.assertEqual(
            self.value("SELECT detail FROM cudnn_call WHERE result = 2000"),
            '{"format":0,"dataType":0,"n":1,"c":-3,"h":8,"w":8}')

    def test_only_the_hosts_calls(self):
        self.python(self.PLT + "u.user_good(1000); u.user_create()")
        self.assertEqual(
            self.query("SELECT function, result, calls FROM cudnn_stat"),
            [("cudnnCreate", 1001, 1), ("cudnnCreateTensorDescriptor", 0, 1),
             ("cudnnDestroyTensorDescriptor", 0, 1),
             ("cudnnSetTensor4dDescriptor", 0, 1000)])

    def test_its_own_words(self):
        self.python(self.PLT + "u.user_bad_shape()")
        source, severity, text = self.query(
            "SELECT source, severity, text FROM message")[0]
        self.assertEqual((source, severity), ("cudnn", "error"))
        self.assertIn("cudnnSetTensor4dDescriptor", text)
        self.assertIn("CUDNN_STATUS_BAD_PARAM", text)

    def test_the_host_still_gets_the_last_words(self):
        program = self.PLT + self.DLSYM + (
            "t = ctypes.create_string_buffer(500)\n"
            "u.user_bad_shape()\n"
            "for i in range(2):\n"
            "    t.value = b''\n"
            "    c.cudnnGetLastErrorString(t, 500); print(t.value)\n"
            "c.cudnnSetTensor4dDescriptor(d, 0, 0, 1, 3, -8, 8)\n"
            "c.cudnnSetTensor4dDescriptor(d, 0, 0, 1, 3, 8, 8)\n"
            "c.cudnnGetLastErrorString(t, 500); print(t.value)\n")
        self.assertEqual(self.python(program),
                         self.python(program, preload=False))

    def test_a_callback_of_the_hosts(self):
        program = self.PLT + "print(u.user_own_callback())"
        plain = self.python(program, preload=False)
        self.assertEqual(self.python(program), plain)
        self.assertGreaterEqual(int(plain[0]), 1)
        self.assertGreaterEqual(self.value("SELECT count(*) FROM message"), 1)

    def test_versions_and_provenance(self):
        self.python(self.DLSYM)
        rows = dict(self.query("SELECT name, version FROM library WHERE "
                               "name LIKE 'libcudnn%' AND version NOT NULL"))
        number = ctypes.CDLL(os.path.join(REAL, "libcudnn.so"))
        version = number.cudnnGetVersion()
        self.assertEqual(rows["libcudnn.so.9"],
                         f"{version // 10000}.{version // 100 % 100}."
                         f"{version % 100}")
        self.assertEqual(
            self.value("SELECT count(*) FROM library WHERE build_id IS NULL "
                       "AND name LIKE 'libcudnn%'"), 0)

    def test_names_that_no_cudnn_has(self):
        program = self.DLSYM + (
            "print(hasattr(c, 'cudnnNoSuchThing'), "
            "hasattr(ctypes.CDLL(None), 'cudnnNoSuchThing'))")
        self.assertEqual(self.python(program), ["False", "False"])


class Parts(CollectorTest):
    """What each part of the simulated cuDNN says of the others, and for which
    cuDNN a package was made."""

    def create(self, *libraries, **extra):
        loads = "".join(f"ctypes.CDLL({path!r})\n" for path in libraries)
        program = ("import ctypes, time\n" + loads +
                   "c = ctypes.CDLL('libcudnn.so.9')\n"
                   "h = ctypes.c_void_p()\n"
                   "print(c.cudnnCreate(ctypes.byref(h)))\n"
                   # The parts are noticed at the drain's next look.
                   "time.sleep(0.6)\n"
                   "c.cudnnGetVersion()\n")
        done = self.host(sys.executable, "-c", program, **extra)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def checks(self):
        return self.query("SELECT l.name, k.function, k.result, k.name FROM "
                          "library_check AS k JOIN library AS l USING (path) "
                          "ORDER BY l.name")

    def test_parts_that_fit(self):
        self.assertEqual(self.create(), "0\n")
        self.assertEqual(self.checks(), [
            ("libcudnn_graph.so.9", "cudnnGraphVersionCheck", 0,
             "CUDNN_STATUS_SUCCESS"),
            ("libcudnn_ops.so.9", "cudnnOpsVersionCheck", 0,
             "CUDNN_STATUS_SUCCESS")])
        self.assertEqual(self.query("SELECT * FROM api_error"), [])

    def test_a_part_of_another_release(self):
        self.assertEqual(self.create(SIMGPU_CUDNN_OPS_VERSION="9.1.0"),
                         "1002\n")
        self.assertEqual(self.checks()[1], (
            "libcudnn_ops.so.9", "cudnnOpsVersionCheck", 1002,
            "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"))
        self.assertEqual(self.value("SELECT version FROM library WHERE "
                                    "name = 'libcudnn_ops.so.9'"), "9.1.0")
        # The program's own failure, and no other.
        self.assertEqual(self.query("SELECT function FROM api_error"),
                         [("cudnnCreate",)])

    def test_what_a_package_was_made_for(self):
        site = os.path.join(self.scratch, "lib/site-packages")
        os.makedirs(os.path.join(site, "torch/lib"))
        os.makedirs(os.path.join(site, "torch-2.4.0.dist-info"))
        library = os.path.join(site, "torch/lib/libtorch_cuda.so")
        shutil.copy(os.path.join(SIMGPU, "libcudnn_adv.so.9"), library)
        metadata = os.path.join(site, "torch-2.4.0.dist-info/METADATA")
        for line, version in (
                ("nvidia-cudnn-cu12==9.1.0.70; platform_system == 'Linux'",
                 "9.1.0"), ("nvidia-cudnn-cu12 (==8.9.2.26)", "8.9.2"),
                ("nvidia-cudnn-cu12<10.0,>=9.8", None)):
            with open(metadata, "w", encoding="utf-8") as file:
                file.write(f"Name: torch\nRequires-Dist: {line}\n")
            shutil.rmtree(self.run_dir, ignore_errors=True)
            self.create(library)
            self.assertEqual(self.value("SELECT compiled_version FROM library "
                                        "WHERE name = 'libcudnn.so.9'"),
                             version)


class WithoutCudnn(CollectorTest):
    def test_default_scope_does_not_invent_cudnn(self):
        done = self.host(sys.executable, "-c",
                         "import ctypes\n"
                         "print(hasattr(ctypes.CDLL(None), 'cudnnCreate'))",
                         LD_LIBRARY_PATH=None)
        self.assertEqual(done.stdout, "False\n", done.stderr)
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()

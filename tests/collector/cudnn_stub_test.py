# SPDX-License-Identifier: Apache-2.0
"""A library with stubs of cuDNN in it, as TensorFlow's: its calls come through
the PLT, go on to its stub, and only the stub loads cuDNN."""

import os
import sys
import unittest

from harness import HERE, SIMGPU, CollectorTest, sanitizer_runtime

STUB = os.path.join(HERE, "libcollector_cudnn_stub.so")


class Stubs(CollectorTest):
    def python(self, program, preload=True):
        # The simulated cuDNN may be sanitized; python3 is not.
        extra = {} if preload else {
            "LD_PRELOAD": ":".join(sanitizer_runtime()) or None}
        done = self.host(sys.executable, "-c", "import ctypes\n"
                         f"stub = ctypes.CDLL({STUB!r})\n" + program,
                         preload=preload, LD_LIBRARY_PATH=SIMGPU, **extra)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def assert_known(self, way, program, calls):
        self.assertEqual(self.python(program),
                         self.python(program, preload=False))
        self.assertEqual(self.query("SELECT function, calls FROM cudnn_stat "
                                    "ORDER BY function"), calls)
        states = dict(self.query("SELECT source, state FROM coverage"))
        self.assertEqual(states[way], "on")
        # Neither can be had before the stub has loaded the library.
        self.assertEqual(states["cudnn-log"], "on")
        ((version, source),) = self.query(
            "SELECT version, version_source FROM library WHERE name LIKE "
            "'libcudnn.so%'")
        self.assertTrue(version.startswith("9."), version)
        self.assertNotEqual(source, None)
        self.assert_nothing_lost()

    def test_calls_inside_the_library(self):
        self.assert_known("cudnn-plt", "stub.StubRun()", [
            ("cudnnCreateTensorDescriptor", 1), ("cudnnGetVersion", 1)])

    def test_a_stub_that_is_found_by_dlsym(self):
        self.assert_known("cudnn-dlsym", "print(stub.cudnnGetVersion())",
                          [("cudnnGetVersion", 1)])

    def test_the_library_itself_after_its_stub(self):
        self.assert_known(
            "cudnn-plt", "stub.StubRun()\n"
            "print(ctypes.CDLL('libcudnn.so.9').cudnnGetVersion())",
            [("cudnnCreateTensorDescriptor", 1), ("cudnnGetVersion", 1)])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Versions of frameworks, read from the files of their Python packages: a
made-up site-packages in the forms that pip leaves, with stand-ins for the
libraries."""

import os
import shutil
import sys
import unittest

from harness import BUILD, SIMGPU, CollectorTest

PAIR = os.path.join(BUILD, "tests/collector/c10/2")
PROGRAM = """
import ctypes, sys
for path in sys.argv[2:]:
    ctypes.CDLL(path)
ctypes.CDLL(sys.argv[1]).C10CudaRun(b"few", 0)
"""


class Packages(CollectorTest):
    def setUp(self):
        super().setUp()
        self.site = os.path.join(self.scratch, "lib/site-packages")
        self.torch = self.library("torch/lib/libc10.so")
        shutil.copy(os.path.join(PAIR, "libc10_cuda.so"),
                    os.path.dirname(self.torch))

    def file(self, name, text):
        path = os.path.join(self.site, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def library(self, name):
        path = os.path.join(self.site, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return shutil.copy(os.path.join(PAIR, "libc10.so"), path)

    def packages(self, *libraries):
        """Name, version, CUDA and cuDNN of what was found, by name."""
        folder = os.path.dirname(self.torch)
        done = self.host(sys.executable, "-c", PROGRAM,
                         os.path.join(folder, "libc10_cuda.so"), *libraries,
                         LD_LIBRARY_PATH=folder + ":" + SIMGPU)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = self.query("SELECT name, version, version_source, cuda, cudnn, "
                          "path FROM package ORDER BY name")
        for *_, path in rows:
            self.assertTrue(path.startswith(self.site + "/"), path)
        return [row[:-1] for row in rows]

    def test_torch(self):
        self.file("torch/version.py",
                  "from typing import Optional\n"
                  "__all__ = ['__version__', 'debug', 'cuda']\n"
                  "__version__ = '9.1.0+cu999'\n"
                  "debug = False\n"
                  "cuda: Optional[str] = '99.9'\n")
        self.assertEqual(self.packages(), [
            ("torch", "9.1.0+cu999", "version.py", "99.9", None)])

    def test_torch_of_old_and_without_cuda(self):
        self.file("torch/version.py",
                  "__version__ = \"1.0.1\"\ncuda = None  # 'none'\n")
        self.assertEqual(self.packages(), [
            ("torch", "1.0.1", "version.py", None, None)])

    def test_no_file(self):
        self.assertEqual(self.packages(), [])

    def test_a_file_that_says_nothing(self):
        self.file("torch/version.py", "__version__ = compute()\n\xff'\n")
        self.assertEqual(self.packages(), [])

    def test_tensorflow(self):
        library = self.library("tensorflow/libtensorflow_framework.so.2")
        self.file("tensorflow_other-9.20.1.dist-info/top_level.txt",
                  "tensorflow\n")
        self.file("tensorflow_helper-1.0.dist-info/top_level.txt",
                  "tensorflow_helper\n")
        self.file("tensorflow/python/platform/build_info.py",
                  "build_info = collections.OrderedDict([('cpu_compiler', "
                  "'clang'), ('cuda_version', '88.5.1'), "
                  "('cudnn_version', '9'), ('is_cuda_build', True)])\n")
        self.assertEqual(self.packages(library), [
            ("tensorflow", "9.20.1", "dist-info", "88.5.1", "9")])

    def test_jax(self):
        jaxlib = self.library("jaxlib/libjax_common.so")
        plugin = self.library("jax_plugins/xla_cuda99/xla_cuda_plugin.so")
        self.file("jaxlib/version.py", "_version = \"9.10.2\"\n"
                  "_release_version: str = '9.10.3'\n"
                  "def _get():\n    return 1\n__version__ = _get()\n")
        self.file("jax/version.py", "__version__ = \"9.4.1\"\n")
        self.file("jax_plugins/xla_cuda99/version.py",
                  "_version = \"9.10.1\"\n_release_version: str = None\n")
        self.assertEqual(self.packages(jaxlib, plugin), [
            ("jax", "9.4.1", "version.py", None, None),
            ("jax_plugins.xla_cuda99", "9.10.1", "version.py", None, None),
            ("jaxlib", "9.10.3", "version.py", None, None)])

    def version_of(self, library):
        self.packages(library)
        return self.query("SELECT version, version_source FROM library WHERE "
                          f"path = '{library}'")

    def test_a_library_is_of_the_package_that_its_folder_is_named_after(self):
        self.file("nvidia_cudnn_cu99-9.1.0.70.dist-info/RECORD", "")
        library = self.library("nvidia/cudnn/lib/libcudnn_none.so.9")
        self.assertEqual(self.version_of(library), [("9.1.0.70", "package")])

    def test_a_library_in_a_shared_folder_is_of_the_package_that_lists_it(self):
        self.file("nvidia_cusolver-12.2.0.57.dist-info/RECORD",
                  "nvidia/cu99/lib/libcusolverMg.so.12,sha256=x,7\n")
        self.file("nvidia_curand-10.4.2.55.dist-info/RECORD",
                  "nvidia/__init__.py,sha256=x,0\n"
                  "nvidia/cu99/lib/libcurand.so.10,sha256=x,7\n")
        library = self.library("nvidia/cu99/lib/libcurand.so.10")
        self.assertEqual(self.version_of(library), [("10.4.2.55", "package")])

    def test_a_path_that_goes_up_again(self):
        self.file("tensorflow-9.20.1.dist-info/RECORD", "")
        self.file("nvidia_cudnn_cu99-9.1.0.70.dist-info/RECORD", "")
        self.library("nvidia/cudnn/lib/libcudnn_none.so.9")
        os.makedirs(os.path.join(self.site, "tensorflow"))
        path = os.path.join(
            self.site, "tensorflow/../nvidia/cudnn/./lib/libcudnn_none.so.9")
        self.assertEqual(self.version_of(path), [("9.1.0.70", "package")])


if __name__ == "__main__":
    unittest.main()

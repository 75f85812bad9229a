# SPDX-License-Identifier: Apache-2.0
"""What tests/gpu/bundle gathered, and the environment in which its programs
find the GPU: the machine's own, or the simulated one of a build."""

import glob
import os
import pathlib
import subprocess
import sys


class Bundle:
    def __init__(self, folder, build=None):
        """`build`: the release build whose simulated GPU is used; None, the
        real card of this machine."""
        self.folder = pathlib.Path(folder).resolve()
        self.simulated = build is not None
        self.build = build
        self.inquest = str(self.folder / "bin/inquest")
        if not os.path.exists(self.inquest):
            raise SystemExit(f"run: {folder} is no bundle (tests/gpu/bundle)")

    def sample(self, name):
        return str(self.folder / "samples" / name)

    def host(self, name):
        return str(self.folder / "hosts" / ("collector_" + name))

    def needs(self):
        """(what, which) of each line of needs.txt."""
        text = (self.folder / "needs.txt").read_text()
        return [tuple(line.split(" ", 1)) for line in text.splitlines()]

    def environment(self, sample="healthy"):
        """For samples and hosts; frameworks find their own libraries."""
        if self.simulated:
            return {**os.environ, **self.simulator_settings(sample)}
        path = [str(p) for p in library_folders()]
        return {**os.environ, "LD_LIBRARY_PATH": ":".join(path)}

    def simulator_settings(self, sample):
        source = pathlib.Path(__file__).resolve().parents[3]
        printed = subprocess.run(
            [source / "samples/run-simulated", self.build, sample, "--env"],
            check=True, capture_output=True, text=True).stdout
        return dict(line.split("=", 1) for line in printed.splitlines())


def library_folders():
    """Where this machine may have CUDA's libraries, the likeliest first. The
    packages that PyTorch brings go first: they are one release."""
    folders = []
    for entry in sys.path:
        folders += sorted(glob.glob(os.path.join(entry, "nvidia/*/lib")))
    folders += os.environ.get("LD_LIBRARY_PATH", "").split(":")
    for root in ("/usr/local/cuda", "/usr/local/nvidia"):
        folders += [root + "/lib64", root + "/extras/CUPTI/lib64",
                    root + "/lib"]
    return [pathlib.Path(f) for f in dict.fromkeys(folders)
            if f and os.path.isdir(f)]


def find_library(name):
    """The path of the shared library `name`, or None."""
    for folder in library_folders():
        if (folder / name).exists():
            return str(folder / name)
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True,
                            text=True, check=False).stdout
    for line in listed.splitlines():
        if line.split(" ")[0].strip() == name:
            return line.split(" => ")[-1]
    return None

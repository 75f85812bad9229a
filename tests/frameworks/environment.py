# SPDX-License-Identifier: Apache-2.0
"""A virtual environment with one framework in it."""
import pathlib
import subprocess
import sys


class Environment:
    def __init__(self, folder, packages):
        self.folder = pathlib.Path(folder)
        self.packages = packages
        self.name = self.folder.name

    @property
    def python(self):
        return self.folder / "bin/python"

    @property
    def site(self):
        return next(self.folder.glob("lib/python3.*/site-packages"))

    def make(self):
        """Makes it unless it is there; what is there is not brought up to date."""
        if self.python.exists():
            return
        print(f"{self.name}: installing {' '.join(self.packages)}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", self.folder], check=True)
        subprocess.run([self.python, "-m", "pip", "install", "--quiet",
                        "--no-cache-dir", *self.packages], check=True)

    def distributions(self):
        """Version by name, as pip's own files in the environment say."""
        found = {}
        for info in self.site.glob("*.dist-info"):
            name, version = info.name[:-len(".dist-info")].split("-", 1)
            found[name] = version
        return found

    def library(self, pattern):
        """The file of that name, wherever the wheels have put it."""
        return next(iter(sorted(self.site.rglob(pattern))), None)

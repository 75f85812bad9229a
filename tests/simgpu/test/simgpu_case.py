# SPDX-License-Identifier: Apache-2.0
"""What the simulator's Python tests share: where things are, and a runner."""
import os
import pathlib
import subprocess
import unittest

BUILD = pathlib.Path(os.environ.get('INQUEST_BUILD_DIR', 'build'))
SOURCE = pathlib.Path(os.environ.get(
    'INQUEST_SOURCE_DIR', pathlib.Path(__file__).resolve().parents[3]))
LIBRARIES = BUILD / 'simgpu' / 'lib'


class SimulatedGpu(unittest.TestCase):
    """A test that runs programs on the simulated GPU."""

    def environment(self, **settings):
        keep = {k: v for k, v in os.environ.items()
                if not k.startswith(('SIMGPU_', 'CUDA_', 'LD_PRELOAD'))}
        keep['LD_LIBRARY_PATH'] = str(LIBRARIES)
        keep.update({k: str(v) for k, v in settings.items()})
        return keep

    def run_program(self, *command, **settings):
        return subprocess.run(
            [str(part) for part in command], env=self.environment(**settings),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            timeout=120, check=False)

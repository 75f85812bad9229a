# SPDX-License-Identifier: Apache-2.0
"""Each sample on the simulated GPU: its own words and its exit code."""
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from simgpu_case import BUILD, SOURCE, SimulatedGpu

RUNNER = SOURCE / 'samples' / 'run-simulated'
ALL = ('batch_too_large', 'fragmenting_allocator', 'healthy', 'ignored_error',
       'leaking_loop', 'mixed_cudnn', 'pool_takes_all', 'second_run',
       'two_models')


class Samples(SimulatedGpu):

    def sample(self, name, *arguments, **settings):
        return self.run_program(RUNNER, BUILD, name, *arguments, **settings)

    def dies(self, name, *words, **settings):
        done = self.sample(name, **settings)
        self.assertEqual(done.returncode, 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        return done

    def test_batch_too_large(self):
        done = self.dies('batch_too_large', 'cudaErrorMemoryAllocation')
        self.assertIn('step 20 loss', done.stdout)

    def test_fragmenting_allocator(self):
        done = self.dies('fragmenting_allocator', 'cudaErrorMemoryAllocation',
                         'out of memory')
        holes = re.search(r'every other block, ([\d.]+) MiB', done.stdout)
        asked = re.search(r'tried to allocate ([\d.]+) MiB', done.stderr)
        self.assertGreater(float(holes[1]), float(asked[1]))

    def test_fragmenting_allocator_with_best_fit_and_a_large_card(self):
        self.dies('fragmenting_allocator', 'tried to allocate',
                  SIMGPU_FIT='best', SIMGPU_MEMORY='24GiB')

    def test_leaking_loop(self):
        done = self.dies('leaking_loop', 'leaking_loop.cc', 'out of memory')
        self.assertIn('step 50 loss', done.stdout)

    def test_leaking_loop_with_threads(self):
        done = self.sample('leaking_loop', '--threads', '4', '--steps', '20',
                           '--leak', '4096')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('done: 400 events', done.stdout)

    def test_leaking_loop_acknowledges_until_it_is_killed(self):
        with tempfile.TemporaryDirectory() as folder:
            ack = pathlib.Path(folder) / 'ack'
            log = pathlib.Path(folder) / 'log'
            child = subprocess.Popen(
                [str(RUNNER), str(BUILD), 'leaking_loop', '--ack', str(ack),
                 '--steps', '100000000', '--leak', '1'],
                env=self.environment(SIMGPU_LOG=log),
                stdout=subprocess.DEVNULL)
            while not ack.exists() or ack.stat().st_size < 10000:
                time.sleep(0.01)
            os.kill(child.pid, signal.SIGKILL)
            self.assertEqual(child.wait(), -signal.SIGKILL)
            lines = ack.read_text().splitlines()
            self.assertEqual([int(line.split()[0]) for line in lines],
                             list(range(1, len(lines) + 1)))
            made = sum('cuMem' in line for line in log.read_text().splitlines())
            self.assertIn(made - len(lines), (0, 1))

    def test_second_run_beside_an_invented_process(self):
        self.dies('second_run', 'tried to allocate')

    def test_second_run_beside_a_real_one(self):
        with tempfile.TemporaryDirectory() as folder:
            shared = pathlib.Path(folder) / 'shared'
            holder = subprocess.Popen(
                [str(RUNNER), str(BUILD), 'second_run', '--hold'],
                env=self.environment(SIMGPU_SHARED=shared),
                stdout=subprocess.PIPE, text=True)
            while not holder.stdout.readline().startswith('holding'):
                pass
            self.dies('second_run', 'tried to allocate', SIMGPU_SHARED=shared)
            holder.kill()
            holder.wait()
            holder.stdout.close()
            again = self.sample('second_run', SIMGPU_SHARED=shared)
            self.assertEqual(again.returncode, 0, again.stderr)

    def test_pool_takes_all(self):
        self.dies('pool_takes_all', 'cudnnCreate',
                  'CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED')

    def test_mixed_cudnn(self):
        self.dies('mixed_cudnn', 'CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH')
        self.dies('mixed_cudnn', 'Loaded runtime CuDNN library: 9.1.0 but '
                  'source was compiled with', SIMGPU_CUDNN_VERSION='90100')

    def test_ignored_error(self):
        done = self.dies('ignored_error', 'cudaErrorIllegalAddress')
        self.assertIn('saving the checkpoint', done.stdout)

    def test_healthy(self):
        done = self.sample('healthy')
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertTrue(done.stdout.endswith('done\n'))

    def test_help_and_wrong_options(self):
        for name in ALL:
            helped = self.sample(name, '--help')
            self.assertEqual(helped.returncode, 0, name)
            self.assertIn('--steps', helped.stdout)
            wrong = self.sample(name, '--stps', '3')
            self.assertEqual(wrong.returncode, 2, name)
            self.assertIn('--stps', wrong.stderr)

    def test_runner_prints_its_settings(self):
        lines = self.sample('mixed_cudnn', '--env').stdout.splitlines()
        settings = dict(line.split('=', 1) for line in lines)
        self.assertEqual(settings['SIMGPU_MEMORY'], '2GiB')
        self.assertEqual(settings['SIMGPU_CUDNN_CNN_VERSION'], '90100')
        self.assertTrue(settings['LD_LIBRARY_PATH'].startswith(
            str(BUILD / 'simgpu' / 'lib')))

    def test_runner_puts_a_command_in_front(self):
        done = self.sample('healthy', '--with', 'echo', 'a b', '---', '--',
                           '--steps', '3')
        program = BUILD / 'samples' / 'healthy'
        self.assertEqual(done.stdout, 'a b -- %s --steps 3\n' % program)
        done = self.sample('healthy', '--steps', '3',
                           RUN_SIMULATED_PREFIX='echo run --')
        self.assertEqual(done.stdout, 'run -- %s --steps 3\n' % program)


if __name__ == '__main__':
    unittest.main()

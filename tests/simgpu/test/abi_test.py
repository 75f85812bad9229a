# SPDX-License-Identifier: Apache-2.0
"""The stand-ins through the real names: values, errors, callbacks, faults."""
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from simgpu_case import BUILD, LIBRARIES, SimulatedGpu

PROBE = BUILD / 'simgpu' / 'test' / 'abi_probe'
INJECTION = BUILD / 'simgpu' / 'test' / 'libsimgpu_test_injection.so'


class Abi(SimulatedGpu):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def probe(self, part, **settings):
        settings.setdefault('SIMGPU_MEMORY', '2GiB')
        done = self.run_program(PROBE, part, **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.stderr = done.stderr
        return dict(line.split(' ', 1) for line in done.stdout.splitlines())

    def check(self, answers, **expected):
        for name, value in expected.items():
            self.assertEqual(answers[name], str(value), name)

    def test_allocations_and_last_error(self):
        self.check(self.probe('alloc'), malloc=0, roundtrip='good', overrun=1,
                   too_much=2, last=2, last_again=0, bad_free=1)

    def test_illegal_address_is_sticky_until_reset(self):
        self.check(self.probe('sticky'), load=0, missing=500, get=0, good=0,
                   sync=0, bad=0, sync_bad=700, malloc_bad=700, peek=700,
                   still=700, reset=0, malloc_reset=0)

    def test_pool_takes_a_segment_and_gives_it_back(self):
        self.check(self.probe('pools'), taken=32 << 20, free=0, left=0)
        self.assertEqual(self.probe('pools')['async'], '0')

    def test_virtual_memory(self):
        self.check(self.probe('virtual'), create=0, reserve=0, map=0,
                   map_twice=1, release=0, unmap=0, address_free=0, huge=2)

    def test_entry_points(self):
        self.check(self.probe('entry'), entry=0, is_v2=1, old=0, none=500,
                   status=1)
        self.assertEqual(self.probe('entry')['not_done'], '3')  # before cuInit

    def test_cudnn_reports_in_the_real_form(self):
        answers = self.probe('cudnn', SIMGPU_CUDNN_VERSION='9.1.0')
        self.check(answers, version=90100, create=0, bad_shape=2000,
                   not_done=3000, cnn=0,
                   last='(n <= 0) || (c <= 0) || (h <= 0) || (w <= 0)')
        self.assertIn('function cudnnSetTensor4dDescriptor() called:',
                      answers['message'])

    def test_cudnn_sub_library_of_another_version(self):
        self.check(self.probe('cudnn', SIMGPU_CUDNN_CNN_VERSION='90100'),
                   create=0, cnn=1002)
        self.check(self.probe('cudnn', SIMGPU_CUDNN_OPS_VERSION='90100'),
                   create=1002)

    def test_nvml_counts_other_processes_and_reports_an_xid(self):
        answers = self.probe('nvml', SIMGPU_OTHER='4711:1GiB:python3',
                             SIMGPU_FAULT='xid=79,after_ms=100')
        self.check(answers, init=0, handle=0, memory=0, used_before=1 << 30,
                   processes=2, process_other=1 << 30, event=0, xid=79,
                   after=15, cuda_after=999)
        own = int(answers['process_own'])
        self.assertEqual(own, (64 << 20) + (128 << 20))  # block and context
        self.assertEqual(int(answers['used']), own + (1 << 30))

    def test_shared_device_and_a_dead_owner(self):
        shared = str(self.folder / 'shared')
        settings = {'SIMGPU_SHARED': shared, 'SIMGPU_MEMORY': '1GiB'}
        holder = subprocess.Popen(
            [str(PROBE), 'hold'], env=self.environment(**settings),
            stdout=subprocess.PIPE, text=True)
        self.assertEqual(holder.stdout.readline(), 'hold 0\n')
        refused = subprocess.Popen(
            [str(PROBE), 'hold'], env=self.environment(**settings),
            stdout=subprocess.PIPE, text=True)
        self.assertEqual(refused.stdout.readline(), 'hold 2\n')
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        free = subprocess.Popen(
            [str(PROBE), 'hold'], env=self.environment(**settings),
            stdout=subprocess.PIPE, text=True)
        self.assertEqual(free.stdout.readline(), 'hold 0\n')
        for process in (refused, free):
            process.kill()
            process.wait()
        for process in (holder, refused, free):
            process.stdout.close()

    def test_a_forked_child_cannot_use_the_device(self):
        self.assertEqual(self.probe('fork')['child'], '3')

    def test_injected_faults(self):
        self.check(self.probe('alloc', SIMGPU_FAULT='call=cuMemAlloc_v2,result=2'),
                   malloc=2)
        answers = self.probe(
            'pools', SIMGPU_FAULT='call=cuMemAllocAsync,result=214,sticky=1')
        self.check(answers, free=214)

    def test_bad_settings_are_told_and_survived(self):
        answers = self.probe('alloc', SIMGPU_MEMORY='lots', SIMGPU_FIT='odd',
                             SIMGPU_SHARED='/nonexistent/file')
        self.check(answers, malloc=0)
        for name in ('SIMGPU_MEMORY', 'SIMGPU_FIT', 'SIMGPU_SHARED'):
            self.assertIn('simgpu: ' + name, self.stderr)

    def test_no_device(self):
        self.check(self.probe('alloc', SIMGPU_DEVICES=0), malloc=100)

    def test_an_old_driver(self):
        self.check(self.probe('alloc', SIMGPU_DRIVER_VERSION=11040), malloc=35)

    def test_log_is_an_independent_account(self):
        log = self.folder / 'log'
        self.probe('alloc', SIMGPU_LOG=log)
        lines = [line.split() for line in log.read_text().splitlines()]
        self.assertEqual([(l[1], l[3], l[4]) for l in lines],
                         [('cuMemAlloc_v2', '1000000', '0'),
                          ('cuMemAlloc_v2', str(1 << 40), '2'),
                          ('cuMemFree_v2', '0', '1')])

    def test_callbacks_nest_with_sizes_and_results(self):
        trace = self.folder / 'trace'
        self.probe('alloc', CUDA_INJECTION64_PATH=INJECTION,
                   SIMGPU_TEST_TRACE=trace)
        lines = trace.read_text().splitlines()
        self.assertEqual(lines[:2], ['subscribe 0', 'again 39'])
        self.assertIn('resource 5', lines)  # CU_INIT_FINISHED
        self.assertIn('resource 1', lines)  # CONTEXT_CREATED
        calls = [line.split() for line in lines
                 if 'emAlloc_v2' in line or 'cudaMalloc' in line]
        shown = [(c[0], c[2], c[3], int(c[4]), int(c[5])) for c in calls[-4:]]
        big = 1 << 40
        self.assertEqual(shown, [
            ('runtime', 'cudaMalloc', 'enter', big, -1),
            ('driver', 'cuMemAlloc_v2', 'enter', big, -1),
            ('driver', 'cuMemAlloc_v2', 'exit', big, 2),
            ('runtime', 'cudaMalloc', 'exit', big, 2)])
        self.assertEqual({c[7] for c in calls}, {'kept'})
        self.assertEqual({c[1] for c in calls if c[0] == 'driver'}, {'243'})

    def test_launches_carry_the_kernel_name(self):
        trace = self.folder / 'trace'
        self.probe('sticky', CUDA_INJECTION64_PATH=INJECTION,
                   SIMGPU_TEST_TRACE=trace)
        launches = [line.split() for line in trace.read_text().splitlines()
                    if ' cuLaunchKernel ' in line]
        self.assertEqual({c[8] for c in launches}, {'touch'})

    def test_an_injection_that_cannot_be_loaded_is_ignored(self):
        self.check(self.probe('alloc', CUDA_INJECTION64_PATH='/nonexistent.so'),
                   malloc=0)

    def test_sonames(self):
        for library in ('libcuda.so.1', 'libnvidia-ml.so.1', 'libcudnn.so.9',
                        'libcudnn_ops.so.9', 'libcudnn_cnn.so.9'):
            self.assertTrue((LIBRARIES / library).exists(), library)
        self.assertTrue(os.access(LIBRARIES / 'libcuda.so.1', os.R_OK))


if __name__ == '__main__':
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""However a process ends, its exit status is its own, and its trace is whole."""

import os
import signal
import subprocess
import sys
import time
import unittest

from harness import HERE, CollectorTest, DEADLINE

POOL = """
import ctypes, multiprocessing

def allocate(i):
    cuda = ctypes.CDLL("libcuda.so.1")
    cuda.cuInit(0)
    context = ctypes.c_void_p()
    cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    cuda.cuCtxSetCurrent(context)
    address = ctypes.c_uint64()
    return cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(1000 + i))

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(allocate, range(8)))
"""


class Endings(CollectorTest):
    def end(self, *how):
        plain = self.host("endings", *how, preload=False)
        done = self.host("endings", *how)
        self.assertEqual(done.returncode, plain.returncode, done.stderr)
        self.assertEqual(done.stdout, plain.stdout)
        return done

    def assert_recorded(self):
        self.assertEqual(self.value(
            "SELECT count(*) FROM memory_event WHERE op=1 AND bytes=1<<20"), 1)
        self.assert_nothing_lost()

    def test_clean(self):
        for how in (["exit", "4"], ["return", "0"], ["quick_exit", "6"],
                    ["thread"]):
            with self.subTest(how=how):
                self.end(*how)
                # The thread that main() runs in has made calls and is there.
                if how == ["thread"]:
                    self.assertEqual(self.finish()["had_journal"], 1)
                self.assert_clean()
                self.assert_recorded()
                self.assertEqual(
                    self.query("SELECT kind FROM device_event"), [("exit",)])
                os.unlink(self.trace())

    def test_exit_status_is_noted(self):
        self.end("exit", "4")
        self.assertEqual(self.query("SELECT kind, value FROM device_event"),
                         [("exit", 4)])

    def test_without_goodbye(self):
        for how in (["_exit", "5"], ["kill9"], ["sigterm"]):
            with self.subTest(how=how):
                self.end(*how)
                result = self.finish()
                self.assertEqual(result["had_journal"], 1)
                self.assertEqual(result["process_alive"], 0)
                self.assert_recorded()
                self.assertEqual(self.value("SELECT value FROM meta WHERE "
                                            "key='finished_by'"), "analyzer")
                os.unlink(self.trace())

    @unittest.skipIf("address" in os.environ.get("INQUEST_SANITIZE", ""),
                     "the sanitizer's own handlers end the process")
    def test_fatal_signals(self):
        for how, name, number in (("abort", "SIGABRT", signal.SIGABRT),
                                  ("segv", "SIGSEGV", signal.SIGSEGV),
                                  ("fault", "SIGSEGV", signal.SIGSEGV)):
            with self.subTest(how=how):
                done = self.end(how)
                self.assertEqual(done.returncode, -number)
                self.finish()
                self.assert_recorded()
                self.assertEqual(
                    self.query("SELECT kind, value, text FROM device_event"),
                    [("signal", int(number), name + ", fatal")])
                os.unlink(self.trace())

    @unittest.skipIf(os.environ.get("INQUEST_SANITIZE"),
                     "the sanitizer takes the handler away")
    def test_a_handler_of_the_hosts_is_called(self):
        done = self.end("handled")
        self.assertEqual(done.returncode, 42)
        self.finish()
        self.assertEqual(self.query("SELECT text FROM device_event"),
                         [("SIGSEGV, the program handles it",)])


class Families(CollectorTest):
    def test_fork(self):
        done = self.host("endings", "fork")
        self.assertEqual(done.stdout.splitlines()[-1], "children 5 6",
                         done.stderr)
        traces = self.traces()
        # The parent and the child that went on with CUDA.
        self.assertEqual(len(traces), 2, self.files())
        pids = set()
        for trace in traces:
            self.assert_clean(trace)
            self.assert_nothing_lost(trace)
            pid, parent = self.query("SELECT pid, parent_pid FROM process",
                                     trace)[0]
            pids |= {(pid, parent)}
        (a, a_parent), (b, b_parent) = pids
        self.assertTrue(a == b_parent or b == a_parent)

    def test_exec_keeps_what_was(self):
        done = self.host("endings", "exec")
        self.assertEqual(done.returncode, 7)
        self.finish()
        self.assertEqual(self.value("SELECT count(*) FROM memory_event"), 1)

    def test_while_it_lives_the_trace_can_be_read(self):
        process = subprocess.Popen([os.path.join(HERE, "collector_endings"),
                                    "stop"], env=self.environment(),
                                   stdout=subprocess.PIPE)
        try:
            process.stdout.readline()
            end = time.monotonic() + DEADLINE
            while time.monotonic() < end:
                try:
                    if self.value("SELECT count(*) FROM memory_event") == 1:
                        break
                except Exception:
                    pass  # not made yet
                time.sleep(0.05)
            self.assertEqual(self.value("SELECT count(*) FROM memory_event"), 1)
            self.assertEqual(self.finish()["process_alive"], 1)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
        self.assertEqual(self.finish()["process_alive"], 0)

    def test_python_child_of_many(self):
        # multiprocessing ends its children with _exit.
        script = os.path.join(self.scratch, "pool.py")
        with open(script, "w") as file:
            file.write(POOL)
        done = self.host(sys.executable, script)
        self.assertEqual(done.stdout, str([0] * 8) + "\n", done.stderr)
        total = 0
        for trace in self.traces():
            self.finish(trace)
            total += self.value("SELECT count(*) FROM memory_event "
                                "WHERE op = 1", trace)
        self.assertEqual(total, 8)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Python frames: which line asked for the memory. With INQUEST_PYTHONS, a list
like PATH, for each of these interpreters."""

import os
import subprocess
import sys
import unittest

from harness import HERE, PRELOAD, CollectorTest, sanitizer_runtime

SCRIPT = os.path.join(os.environ["INQUEST_SOURCE_DIR"],
                      "tests/collector/python_host.py")
INJECTOR = os.path.join(HERE, "libcollector_fault_injector.so")
PYTHONS = [python for python in
           os.environ.get("INQUEST_PYTHONS", sys.executable).split(":")
           if python]


def version_of(python):
    printed = subprocess.run(
        [python, "-c", "import sys; print(*sys.version_info[:2])"], check=True,
        capture_output=True, text=True).stdout
    return tuple(int(part) for part in printed.split())


class PythonFrames(CollectorTest):
    python = sys.executable

    def run_host(self, scenario, **extra):
        # The warning: from 3.12 on, of a fork where there are threads.
        command = (self.python, "-X", "utf8", "-W", "ignore::DeprecationWarning",
                   SCRIPT, scenario)
        done = self.host(*command, **extra)
        bare = self.host(*command, preload=False,
                         LD_PRELOAD=":".join(sanitizer_runtime()) or None)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (bare.returncode, bare.stdout, bare.stderr))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def stack_of(self, where, trace=None):
        """Frames of the events that `where` picks, the same for all of them:
        (function, line, file) from the innermost. Their native stacks differ as
        an interpreter warms up."""
        stacks = self.query("SELECT DISTINCT stack FROM memory_event WHERE "
                            f"op = 1 AND {where}", trace)
        found = {tuple(self.frames(stack, trace)) for stack, in stacks}
        self.assertEqual(len(found), 1, (where, found))
        return list(found.pop())

    def frames(self, stack, trace=None):
        return self.query(
            "SELECT f.function, f.line, f.file FROM python_stack AS s "
            "LEFT JOIN python_frame AS f ON f.id = s.frame "
            f"WHERE s.stack = {stack} ORDER BY s.depth", trace)

    def names(self, where, trace=None):
        """Functions, without the qualification that 3.11 brought."""
        return [function.rpartition(".")[2]
                for function, _, _ in self.stack_of(where, trace)]

    def assert_line(self, frame, text):
        with open(SCRIPT) as file:
            line = file.readlines()[frame[1] - 1]
        self.assertIn(text, line)
        self.assertEqual(frame[2], SCRIPT)

    def test_the_line_that_asked(self):
        self.run_host("plain")
        frames = self.stack_of("bytes = 4096")
        self.assertEqual(self.names("bytes = 4096"),
                         ["allocate", "forward", "step", "plain", "<module>"])
        self.assert_line(frames[1], "the line that a user thinks of")
        self.assert_line(frames[2], "return forward(size)")
        self.assert_line(frames[4], "globals()[sys.argv[1]]()")
        qualified = version_of(self.python) >= (3, 11)
        self.assertEqual(frames[2][0],
                         "plain.<locals>.Trainer.step" if qualified else "step")
        self.assertEqual(
            self.query("SELECT DISTINCT state FROM coverage WHERE "
                       "source = 'python'"), [("on",)])
        self.assert_nothing_lost()
        self.assert_clean()

    def test_who_gave_back_is_not_asked(self):
        self.run_host("plain")
        self.assertEqual(
            self.value("SELECT count(*) FROM memory_event WHERE op = 2 AND "
                       "stack <> 0"), 0)

    def test_failures(self):
        self.run_host("refused")
        stack = self.value("SELECT stack FROM api_error WHERE "
                           "function = 'cuMemAlloc_v2'")
        names = [frame[0].rpartition(".")[2] for frame in self.frames(stack)]
        self.assertEqual(names[:3], ["allocate", "too_much", "refused"])
        self.assertEqual(self.names(f"bytes = {1 << 50}")[:2],
                         ["allocate", "too_much"])

    def test_with_the_gil_or_without(self):
        """The first call of all gives it up."""
        self.run_host("without_gil", INQUEST_STACKS="python")
        stacks = [self.stack_of(f"bytes = {size}") for size in (8192, 4096)]
        self.assertEqual(
            [name.rpartition(".")[2] for name, _, _ in stacks[0]],
            ["allocate", "without_gil", "<module>"])
        self.assert_line(stacks[0][1], "allocate(8192, released)")
        self.assert_line(stacks[1][1], "allocate(4096)")
        self.assertEqual(stacks[0][0], stacks[1][0])
        self.assertEqual(stacks[0][2:], stacks[1][2:])

    def test_threads(self):
        self.run_host("threads")
        self.assertEqual(self.names("bytes = 256")[:3],
                         ["allocate", "work", "run"])
        self.assertEqual(self.names("bytes = 512")[:3],
                         ["allocate", "other", "run"])
        self.assertEqual(
            self.value("SELECT count(*) FROM memory_event WHERE op = 1"), 600)
        # Without the GIL only the first thread is read: the state of another
        # may go while the interpreter ends.
        self.assertEqual(
            self.value("SELECT count(*) FROM memory_event JOIN python_stack "
                       "USING (stack) WHERE bytes = 128"), 0)

    def test_generators(self):
        self.run_host("generators")
        self.assertEqual(self.names("bytes = 2048")[:3],
                         ["allocate", "produce", "generators"])
        self.assertEqual(self.names("bytes = 8192")[:2], ["allocate", "fetch"])

    def test_depth_is_bounded(self):
        self.run_host("recursion")
        names = self.names("bytes = 1024")
        self.assertEqual(names, ["allocate"] + ["down"] * 63)

    def test_code_that_dies_is_not_mistaken(self):
        self.run_host("made_code")
        rows = self.query(
            "SELECT m.id, f.file, f.line FROM memory_event AS m "
            "JOIN python_stack AS s ON s.stack = m.stack AND s.depth = 1 "
            "JOIN python_frame AS f ON f.id = s.frame WHERE m.op = 1 "
            "ORDER BY m.id")
        self.assertEqual([row[1:] for row in rows],
                         [(f"made_{i}.py", i + 1) for i in range(300)])

    def test_names_that_are_not_ascii(self):
        self.run_host("odd_names")
        frames = self.stack_of("bytes = 1024")
        self.assertEqual(frames[1], ("größe", 2, "/data/日本/mañana.py"))
        self.assertEqual(self.stack_of("bytes = 2048")[1][2],
                         "/data/\\udcff\\udcfe.py")

    def test_exceptions_stay_as_they_were(self):
        done = self.run_host("pending_error")
        self.assertIn("caught 'mine' KeyError", done.stdout)
        self.assertEqual(self.names("bytes = 1024")[:2], ["allocate", "__del__"])

    def test_garbage_is_left_to_the_host(self):
        done = self.run_host("garbage")
        self.assertIn("True (5, 2, 2)\nFalse", done.stdout)
        # Rings end between allocations: none inside another one's recording.
        self.assertEqual(
            self.value("SELECT count(*) FROM memory_event WHERE bytes = 64"),
            200)

    def test_the_interpreter_goes(self):
        self.run_host("shutdown")
        self.assertEqual(self.names("bytes = 1024"), ["allocate"])
        self.assertGreaterEqual(
            self.value("SELECT count(*) FROM memory_event WHERE bytes = 2048"),
            1)
        self.assert_clean()

    def test_threads_that_the_end_finds_at_work(self):
        for _ in range(5):
            self.run_host("daemons", INQUEST_STACKS="python")

    def test_of_other_interpreters_their_caller_at_most(self):
        done = self.run_host("subinterpreter")
        if "none" in done.stdout:
            self.skipTest("no sub-interpreters in this Python")
        self.assertEqual(self.names("bytes = 1024")[:2],
                         ["allocate", "subinterpreter"])
        self.assertIn(self.names("bytes = 2048"),
                      ([], ["subinterpreter", "<module>"]))

    def test_a_forked_child_tells_its_own(self):
        """Its ids are not its parent's. CUDA refuses to work there."""
        self.run_host("forked")
        for trace in self.traces():
            self.finish(trace)
            failed = self.query("SELECT stack FROM api_error", trace)
            if failed:
                names = [frame[0] for frame in self.frames(failed[0][0], trace)]
                self.assertEqual(names, ["begin", "forked", "<module>"])
            else:
                self.assertEqual(self.names("bytes = 1024", trace)[:2],
                                 ["allocate", "forked"])
        self.assertEqual(len(self.traces()), 2)

    def test_more_lines_than_are_kept(self):
        self.run_host("many_lines")
        self.assertGreater(
            self.value("SELECT count FROM loss WHERE kind = 'python_frame'"), 0)
        self.assertEqual(
            self.value("SELECT count(*) FROM memory_event WHERE bytes = 8"),
            20000)

    def test_modes(self):
        for mode, native, python in (("on", 1, 1), ("native", 1, 0),
                                     ("python", 0, 1), ("off", 0, 0)):
            with self.subTest(mode):
                self.run_dir = os.path.join(self.scratch, mode)
                self.run_host("plain", INQUEST_STACKS=mode)
                frames = self.stack_of("bytes = 4096")
                self.assertEqual(len(frames) > 0, python == 1)
                stacks = self.query(
                    "SELECT DISTINCT m.stack > 0, length(frames) > 0 FROM "
                    "memory_event AS m LEFT JOIN stack AS s ON s.id = m.stack "
                    "WHERE bytes = 4096")
                self.assertEqual(stacks, [(1, native) if native + python
                                          else (0, None)])


@unittest.skipIf(sanitizer_runtime(),
                 "a sanitizer's own calls go through the same functions")
class ThroughTheInterface(PythonFrames):
    """Where the kernel does not let the layout of frames be proven: CPython's C
    API is used, and only with the GIL."""
    TESTS = ("test_the_line_that_asked", "test_with_the_gil_or_without",
             "test_generators", "test_code_that_dies_is_not_mistaken",
             "test_names_that_are_not_ascii",
             "test_exceptions_stay_as_they_were",
             "test_garbage_is_left_to_the_host", "test_the_interpreter_goes",
             "test_of_other_interpreters_their_caller_at_most")

    def host(self, *command, preload=True, **extra):
        if preload:
            extra.update(INQUEST_TEST_FAULT="process_vm_readv:1:1000000:1",
                         LD_PRELOAD=f"{INJECTOR}:{PRELOAD}")
        return super().host(*command, preload=preload, **extra)

    def tearDown(self):
        self.assertIn(
            ("only where the thread holds the GIL: its frames cannot be read "
             "in place",), self.query("SELECT note FROM coverage"))
        super().tearDown()

    def test_with_the_gil_or_without(self):
        self.run_host("without_gil")
        self.assertEqual(self.stack_of("bytes = 8192"), [])
        self.assertEqual(self.names("bytes = 4096")[:2],
                         ["allocate", "without_gil"])


def load_tests(loader, tests, pattern):
    """The same for each interpreter."""
    suite = unittest.TestSuite(ThroughTheInterface(name)
                               for name in ThroughTheInterface.TESTS)
    for python in PYTHONS:
        name = "Python%d_%d" % version_of(python)
        made = type(name, (PythonFrames,), {"python": python})
        suite.addTests(loader.loadTestsFromTestCase(made))
    return suite


if __name__ == "__main__":
    unittest.main()

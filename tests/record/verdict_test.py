# SPDX-License-Identifier: Apache-2.0
"""The verdict at the end neither changes nor delays how the recording ends."""

import json
import resource
import sys
import time

from harness import *

INQUEST = os.environ["INQUEST"]
DIES = "echo 'CUDA out of memory. Tried to allocate 2.00 GiB'; exit 3"
# A busy machine takes longer than the default to name a cause.
PATIENT = ["--verdict-within", "60"]


class Verdict(RecordTest):
    def inquest(self, *command, options=(), **how):
        how = {"capture_output": True, "timeout": DEADLINE,
               "cwd": self.scratch, **how}
        return subprocess.run(
            [INQUEST, "record", "--no-collector", "-o", self.run_dir, *options,
             "--", *command], **how)

    def test_it_is_told(self):
        done = self.inquest("sh", "-c", DIES, options=PATIENT)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"inquest: the run died: 2.00 GiB", done.stderr)
        self.assertIn(b"Next: inquest diagnose", done.stderr)

    def test_a_small_stack(self):
        if os.environ.get("INQUEST_SANITIZE"):
            self.skipTest("sanitizers need more stack than this")
        size = 64 << 10
        done = self.inquest("sh", "-c", DIES, preexec_fn=lambda:
                            resource.setrlimit(resource.RLIMIT_STACK,
                                               (size, size)))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(b"inquest: the run died", done.stderr)

    def test_a_kill_that_the_control_group_counted(self):
        """The command plays the kernel: it counts a kill, and is killed."""
        root = os.path.join(self.scratch, "root")
        group = os.path.join(root, "sys/fs/cgroup/job")
        os.makedirs(group)
        os.makedirs(os.path.join(root, "proc/self"))
        for path, text in (
                ("proc/self/mountinfo",
                 "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
                ("proc/self/cgroup", "0::/job\n"),
                ("sys/fs/cgroup/job/memory.max", "1073741824\n"),
                ("sys/fs/cgroup/job/memory.events", "max 3\noom 0\noom_kill 0\n")):
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        done = self.inquest(
            "sh", "-c", r"printf 'max 9\noom 1\noom_kill 1\n' > "
            f"{group}/memory.events; kill -9 $$",
            env={**os.environ, "INQUEST_SYSTEM_ROOT": root}, options=PATIENT)
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.assertIn(b"out-of-memory killer ended a process", done.stderr)
        self.assertIn(b"its limit of 1.00 GiB (memory/host)", done.stderr)
        with open(self.path("run.json"), encoding="utf-8") as file:
            groups = json.load(file)["memory_groups"]
        self.assertEqual([one["oom_kills"] for one in
                          groups["before"] + groups["after"]], [0, 1])

    def test_a_pipe_that_is_called_a_trace(self):
        start = time.monotonic()
        done = self.inquest(
            "sh", "-c", f"mkfifo {self.run_dir}/x-1.trace.sqlite; exit 4",
            options=["--verdict-within", "1"])
        self.assertEqual(done.returncode, 4)
        self.assertLess(time.monotonic() - start, 30)
        self.assertIn(b"inquest: the run ended with exit status 4", done.stderr)

    def test_a_flood_of_errors(self):
        start = time.monotonic()
        done = self.inquest(
            sys.executable, "-c",
            "import sys\n"
            "for i in range(100000): print('torch.OutOfMemoryError: CUDA out '"
            "f'of memory. Tried to allocate {i}.00 MiB. GPU {i % 8} has a '"
            "f'total capacity of 79.15 GiB of which {i % 777}.00 MiB is free.')"
            "\nsys.exit(3)", options=["--verdict-within", "0.2"])
        self.assertEqual(done.returncode, 3)
        self.assertLess(time.monotonic() - start, 30)
        self.assertIn(b"inquest: the run died", done.stderr)

    def test_none_is_wanted(self):
        done = self.inquest("sh", "-c", DIES, options=["--verdict-within", "0"])
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"inquest: the run died.  Next", done.stderr)

    def test_a_signal_ends_the_wait_and_not_the_status(self):
        process = subprocess.Popen(
            [INQUEST, "record", "--no-collector", "-o", self.run_dir,
             "--verdict-within", "600", "--", "sh", "-c",
             f"mkfifo {self.run_dir}/x-1.trace.sqlite; exit 4"],
            stderr=subprocess.PIPE)
        self.addCleanup(self.end, process)
        self.wait_for(lambda: self.info()["state"] == "ended", "the end")
        time.sleep(0.5)
        process.terminate()
        self.assertEqual(process.wait(DEADLINE), 4)
        process.stderr.read()

    def test_a_reader_of_stderr_that_has_gone(self):
        read, write = os.pipe()
        os.close(read)
        done = self.inquest("sh", "-c", "exit 3", capture_output=False,
                            stdout=subprocess.DEVNULL, stderr=write)
        os.close(write)
        self.assertEqual(done.returncode, 3)

    def test_a_size_that_is_none(self):
        done = self.inquest("true", options=["--max-console", "much"])
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--max-console 'much' is not a size", done.stderr)


if __name__ == "__main__":
    unittest.main()

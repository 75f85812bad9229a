# SPDX-License-Identifier: Apache-2.0
"""What the command writes and reads passes through unchanged."""

import hashlib
import select
import sys
import time

from harness import *


class Streams(RecordTest):
    def test_separate_streams_stay_separate(self):
        done = self.record("sh", "-c", "echo out; echo err >&2")
        self.assertEqual(done.stdout, b"out\n")
        self.assertEqual(done.stderr, b"err\n")
        self.assertEqual(sorted(self.console().split()), [b"err", b"out"])

    def test_fifty_megabytes_byte_for_byte(self):
        size = 50_000_000
        data = os.path.join(self.scratch, "data")
        with open("/dev/urandom", "rb") as source, open(data, "wb") as out:
            # Without what stands before a secret: that is masked in the copy.
            content = source.read(size + size // 50).translate(None, b"=:")
            out.write(content[:size])
        wanted = hashlib.sha256(content[:size]).hexdigest()
        done = self.record("cat", data)
        self.assertEqual(hashlib.sha256(done.stdout).hexdigest(), wanted)
        self.assertEqual(hashlib.sha256(self.console()).hexdigest(), wanted)
        self.assertEqual(self.info()["console"]["bytes"], size)

    def test_order_is_kept_where_both_go_to_one_place(self):
        script = ("import os\n"
                  "for i in range(2000): os.write(1 + i % 2, b'%d\\n' % i)")
        wanted = b"".join(b"%d\n" % i for i in range(2000))
        done = self.record(sys.executable, "-c", script, capture_output=False,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.stdout, wanted)
        self.assertEqual(self.console(), wanted)

    def test_order_is_kept_in_one_file(self):
        target = os.path.join(self.scratch, "out")
        with open(target, "wb") as out:
            self.record("sh", "-c", "echo 1; echo 2 >&2; echo 3",
                        capture_output=False, stdout=out, stderr=out)
        with open(target, "rb") as file:
            self.assertEqual(file.read(), b"1\n2\n3\n")

    def test_output_arrives_while_the_command_runs(self):
        process = self.start("sh", "-c", "echo now; read end",
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), b"now\n")
        self.wait_for_console(b"now\n")
        self.assertEqual(self.info()["state"], "running")
        process.stdin.write(b"\n")
        process.stdin.flush()
        self.assertEqual(process.wait(DEADLINE), 0)

    def test_stdin_is_the_callers_own(self):
        done = self.record("wc", "-c", input=b"x" * 1_000_000)
        self.assertEqual(done.stdout.strip(), b"1000000")

    def test_a_reader_that_leaves_is_noticed_by_the_command(self):
        script = "yes; echo $? > " + os.path.join(self.scratch, "status")
        process = self.start("sh", "-c", script, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)
        process.stdout.read(10)
        process.stdout.close()
        process.stdout = None
        process.wait(DEADLINE)
        with open(os.path.join(self.scratch, "status")) as file:
            self.assertEqual(file.read().strip(), str(128 + signal.SIGPIPE))

    def test_a_reader_that_takes_its_time_gets_all(self):
        # More than our stdout takes, less than what lies between in all.
        process = self.start("head", "-c", "120000", "/dev/zero",
                             stdout=subprocess.PIPE)
        pid = self.wait_for(lambda: self.info()["pid"], "the command's pid")
        self.wait_for(lambda: state_of(pid) in (None, "Z"), "its end")
        time.sleep(6)  # longer than processes that are left behind are given
        self.assertEqual(len(process.stdout.read()), 120000)
        self.assertEqual(process.wait(DEADLINE), 0)
        self.assertFalse(self.info()["console"]["left_open"])

    def test_a_reader_of_one_stream_that_pauses_leaves_the_other(self):
        script = ("import os, threading\n"
                  "def much():\n"
                  "    for _ in range(64): os.write(1, b'x' * 65536)\n"
                  "writer = threading.Thread(target=much)\n"
                  "writer.start()\n"
                  "for i in range(1000): os.write(2, b'%d\\n' % i)\n"
                  "writer.join()")
        process = self.start(sys.executable, "-c", script,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = b""
        while not said.endswith(b"\n999\n"):
            ready, _, _ = select.select([process.stderr], [], [], DEADLINE)
            self.assertTrue(ready, said[-80:])
            said += os.read(process.stderr.fileno(), 4096)
        self.assertEqual(len(process.stdout.read()), 64 * 65536)
        self.assertEqual(process.wait(DEADLINE), 0)

    def test_closed_streams_stay_closed(self):
        script = "[ -e /proc/$$/fd/1 ] && echo open >&2; echo end >&2"
        done = self.record("sh", "-c", script, capture_output=False,
                           stderr=subprocess.PIPE,
                           preexec_fn=lambda: os.close(1))
        self.assertEqual((done.returncode, done.stderr), (0, b"end\n"))

    def alone_and_recorded(self, *command, **how):
        """What the command does without us and with us."""
        how = {"stderr": subprocess.PIPE, "timeout": DEADLINE, **how}
        with how["stdout"]() as out:
            alone = subprocess.run(command, **{**how, "stdout": out})
        with how["stdout"]() as out:
            self.run_dir = os.path.join(
                self.scratch, f"run-{len(os.listdir(self.scratch))}")
            recorded = self.record(*command, capture_output=False,
                                   **{**how, "stdout": out})
        return alone, recorded

    def test_a_device_that_takes_nothing(self):
        for command in (["sh", "-c", "echo lost; exit 4"], ["echo", "lost"],
                        ["/bin/echo", "lost"],
                        [sys.executable, "-c", "print('lost')"],
                        [sys.executable, "-c", "print('lost', flush=True)"]):
            alone, recorded = self.alone_and_recorded(
                *command, stdout=lambda: open("/dev/full", "wb"))
            self.assertEqual(recorded.returncode, alone.returncode, command)
            self.assertEqual(recorded.stderr, alone.stderr)
        self.assertIn("device", self.info()["console"]["error"])

    def test_a_full_disk_behind_our_stdout(self):
        mount = os.path.join(self.scratch, "small")
        os.mkdir(mount)
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k",
                               "tmpfs", mount], capture_output=True)
        if made.returncode != 0:
            self.skipTest("no right to mount a small tmpfs to fill")
        script = ("import sys\n"
                  "for i in range(20000): print('line', i, flush=True)")
        try:
            alone, recorded = self.alone_and_recorded(
                sys.executable, "-c", script,
                stdout=lambda: open(mount + "/out", "wb"))
        finally:
            subprocess.run(["umount", mount], check=True)
        self.assertEqual((alone.returncode, recorded.returncode), (1, 1))
        # The pipe between has another word for it; the reason is told as well.
        self.assertIn(b"OSError", alone.stderr)
        self.assertIn(b"BrokenPipeError", recorded.stderr)
        self.assertIn(b"stdout: No space left on device", recorded.stderr)
        self.assertIn(b"stdout: No space left on device", self.console())

    def test_a_limit_on_the_size_of_files(self):
        def limit():
            import resource
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        for command in (["seq", "100000"],
                        [sys.executable, "-c",
                         "for i in range(9999): print('x' * 99, flush=True)"]):
            alone, recorded = self.alone_and_recorded(
                *command, preexec_fn=limit,
                stdout=lambda: open(os.path.join(self.scratch, "o"), "wb"))
            self.assertEqual(recorded.returncode, alone.returncode, command)


class Grandchildren(RecordTest):
    def test_one_that_holds_the_pipe_open_does_not_hold_us(self):
        done = self.record("sh", "-c", "sleep 600 & echo $!; exit 5")
        grandchild = int(done.stdout)
        self.addCleanup(os.kill, grandchild, signal.SIGKILL)
        self.assertEqual(done.returncode, 5)
        self.assertTrue(self.info()["console"]["left_open"])

    def test_its_later_words_still_reach_the_log(self):
        gate = os.path.join(self.scratch, "gate")
        os.mkfifo(gate)
        late = f"(read x < {gate}; echo late; echo later) & echo early"
        done = self.record("sh", "-c", late)
        self.assertEqual(done.stdout, b"early\n")
        with open(gate, "w") as file:
            file.write("\n")
        self.wait_for_console(b"early\nlate\nlater\n")

    def test_one_that_never_stops_talking_is_cut_off(self):
        self.record("sh", "-c", "yes & echo $! > pid; exit 5",
                    capture_output=False, stdout=subprocess.DEVNULL)
        with open(os.path.join(self.scratch, "pid")) as file:
            pid = int(file.read())
        self.wait_for(lambda: state_of(pid) in (None, "Z"), "its end")
        self.assertLess(len(self.console()), 100 << 20)

    def test_last_words_just_after_the_end_are_shown(self):
        done = self.record("sh", "-c", "(sleep 0.1; echo last) & exit 0")
        self.assertEqual(done.stdout, b"last\n")
        self.assertFalse(self.info()["console"]["left_open"])


if __name__ == "__main__":
    unittest.main()

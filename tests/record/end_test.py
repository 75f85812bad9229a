# SPDX-License-Identifier: Apache-2.0
"""How the command ends is how the recording ends, and signals reach it."""

import sys

from harness import *

# os.write: a handler that prints while its program prints is an error.
# os._exit: a second signal while the interpreter ends would kill it instead.
TRAP = ("import os, signal, time\n"
        "def on(s, f):\n"
        "    os.write(1, b'got %d\\n' % s)\n"
        "    if s in (signal.SIGTERM, signal.SIGINT): os._exit(7)\n"
        "for s in (1, 2, 10, 12, 15, 18): signal.signal(s, on)\n"
        "os.write(1, b'ready\\n')\n"
        "while True: time.sleep(0.05)\n")


class ExitStatus(RecordTest):
    def test_exit_codes(self):
        for code in (0, 1, 3, 42, 126, 127, 255):
            with self.subTest(code):
                done = self.record("sh", "-c", f"exit {code}",
                                   options=["-o", f"{self.run_dir}{code}"])
                self.assertEqual(done.returncode, code)
                info = self.info(f"{self.run_dir}{code}")
                self.assertEqual(info["exit_status"], code)
                self.assertEqual(self.report()["died"],
                                 "true" if code else "false")

    def test_death_by_signal(self):
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT,
                       signal.SIGTERM, signal.SIGINT, signal.SIGPIPE):
            with self.subTest(number):
                folder = f"{self.run_dir}-{number}"
                done = self.record("sh", "-c", f"kill -{int(number)} $$",
                                   options=["-o", folder])
                self.assertEqual(done.returncode, -number)
                self.assertEqual(self.info(folder)["signal"], number)
                self.assertIsNone(self.info(folder)["exit_status"])
                self.assertEqual(self.report()["exit_code"],
                                 str(128 + number))

    def test_not_found(self):
        done = self.record("no-such-program-here", "x")
        self.assertEqual(done.returncode, 127)
        self.assertIn(b"no-such-program-here: command not found", done.stderr)
        self.assertFalse(os.path.exists(self.run_dir))

    def test_no_such_file(self):
        done = self.record("./nowhere/train")
        self.assertEqual(done.returncode, 127)
        self.assertIn(b"No such file", done.stderr)

    def test_not_executable(self):
        script = os.path.join(self.scratch, "train.py")
        with open(script, "w") as file:
            file.write("print(1)\n")
        done = self.record(script)
        self.assertEqual(done.returncode, 126)
        self.assertIn(b"chmod +x", done.stderr)
        done = self.record(self.scratch)
        self.assertEqual(done.returncode, 126)
        self.assertIn(b"is a directory", done.stderr)

    def test_missing_interpreter(self):
        script = os.path.join(self.scratch, "train")
        with open(script, "w") as file:
            file.write("#!/no/such/python\n")
        os.chmod(script, 0o700)
        done = self.record(script)
        self.assertEqual(done.returncode, 126)
        self.assertIn(b"interpreter /no/such/python does not", done.stderr)
        self.assertEqual(self.info()["state"], "not started")

    def test_script_without_first_line_runs_as_in_a_shell(self):
        script = os.path.join(self.scratch, "train")
        with open(script, "w") as file:
            file.write("echo ran; exit 9\n")
        os.chmod(script, 0o700)
        done = self.record(script)
        self.assertEqual((done.returncode, done.stdout), (9, b"ran\n"))

    def test_no_command(self):
        self.assertEqual(self.record().returncode, 2)


class Forwarding(RecordTest):
    def end_quietly(self, pid):
        if state_of(pid) not in (None, "Z"):
            os.kill(pid, signal.SIGKILL)

    def started(self, **how):
        process = self.start(sys.executable, "-c", TRAP,
                             stdout=subprocess.PIPE, **how)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        return process

    def test_signals_sent_to_us_reach_the_command(self):
        process = self.started()
        for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
            process.send_signal(number)
            self.assertEqual(process.stdout.readline(), b"got %d\n" % number)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(DEADLINE), 7)

    def test_an_interrupt_sent_to_us_alone_reaches_it(self):
        process = self.started()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(DEADLINE), 7)

    def test_ignored_signals_stay_ignored(self):
        def ignore():
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        done = self.record("sh", "-c", "kill -USR1 $$; echo alive",
                           preexec_fn=ignore)
        self.assertEqual(done.stdout, b"alive\n")

    def test_a_stuck_reader_does_not_hold_signals_back(self):
        process = self.start("sh", "-c", "yes", stdout=subprocess.PIPE)
        process.stdout.readline()
        pid = self.wait_for(lambda: self.info()["pid"], "the command's pid")
        process.send_signal(signal.SIGTERM)
        self.wait_for(lambda: state_of(pid) in (None, "Z"), "its end")
        # Now a second one makes us give up on the reader, too.
        def gone():
            process.send_signal(signal.SIGTERM)
            return process.poll() is not None
        self.wait_for(gone, "our end")
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertEqual(self.info()["signal"], signal.SIGTERM)

    def test_the_command_and_its_output_outlive_a_runner_that_is_killed(self):
        process = self.started()
        pid = self.wait_for(lambda: self.info()["pid"], "the command's pid")
        self.addCleanup(self.end_quietly, pid)
        process.kill()
        process.wait()
        os.kill(pid, signal.SIGUSR1)
        self.assertEqual(process.stdout.readline(), b"got 10\n")
        self.wait_for_console(b"ready\ngot 10\n")
        os.kill(pid, signal.SIGTERM)
        self.assertEqual(process.stdout.read(), b"got 15\n")  # and its end
        self.wait_for(lambda: state_of(pid) in (None, "Z"), "its end")
        self.assertEqual(self.info()["state"], "running")
        self.assertEqual(self.console(), b"ready\ngot 10\ngot 15\n")

    def test_the_command_is_our_first_child(self):
        process = self.started()
        pid = self.wait_for(lambda: self.info()["pid"], "the command's pid")
        folder = f"/proc/{process.pid}/task/{process.pid}"
        with open(folder + "/children") as children:
            self.assertEqual(int(children.read().split()[0]), pid)
        process.terminate()
        self.assertEqual(process.wait(DEADLINE), 7)

    def signalled_by(self, name, *pids):
        """Sends SIGUSR1 as a process of that name would, to one after another."""
        sender = os.path.join(self.scratch, name)
        os.symlink(os.path.realpath(sys.executable), sender)
        script = ("import os, sys, time\n"
                  "for pid in sys.argv[1:]:\n"
                  "    os.kill(int(pid), 10)\n"
                  "    time.sleep(0.2)\n")
        subprocess.run([sender, "-c", script, *map(str, pids)], check=True,
                       timeout=DEADLINE)

    def test_slurm_signals_the_command_itself(self):
        step = dict(os.environ, SLURM_STEP_ID="0")
        process = self.started(env=step)
        pid = self.wait_for(lambda: self.info()["pid"], "the command's pid")
        self.signalled_by("slurmstepd", pid, process.pid)
        process.send_signal(signal.SIGUSR2)
        self.assertEqual([process.stdout.readline() for _ in range(2)],
                         [b"got 10\n", b"got 12\n"])
        self.signalled_by("others", process.pid)  # is meant for the command
        self.assertEqual(process.stdout.readline(), b"got 10\n")
        process.terminate()
        self.assertEqual(process.wait(DEADLINE), 7)

    def test_what_the_group_is_sent_does_not_cut_the_output_off(self):
        process = self.started(start_new_session=True)
        for number in (signal.SIGUSR1, signal.SIGHUP):
            os.killpg(process.pid, number)
            # We pass it on, too: it may arrive twice.
            while process.stdout.readline() != b"got %d\n" % number:
                pass
        os.killpg(process.pid, signal.SIGTERM)
        self.assertEqual(process.wait(DEADLINE), 7)
        self.assertIn(b"got 15\n", process.stdout.read())

    def test_a_stopped_command_goes_on_when_continued(self):
        process = self.started()
        pid = self.wait_for(lambda: self.info()["pid"], "the command's pid")
        os.kill(pid, signal.SIGSTOP)
        self.wait_for(lambda: state_of(pid) == "T", "the stop")
        os.kill(pid, signal.SIGCONT)
        self.assertEqual(process.stdout.readline(), b"got 18\n")
        process.terminate()
        self.assertEqual(process.wait(DEADLINE), 7)

    def test_a_stop_from_the_keyboard_stops_us_too(self):
        process = self.started(start_new_session=True)
        # An orphaned process group ignores SIGTSTP; a parent in the same
        # session outside the group, as a shell is, makes it count.
        process.terminate()
        process.wait(DEADLINE)
        shell = ("import os, sys, subprocess, signal\n"
                 "p = subprocess.Popen(sys.argv[1:], process_group=0)\n"
                 "print(p.pid, flush=True)\n"
                 "os.waitpid(p.pid, os.WUNTRACED)\n"
                 "print('stopped', flush=True)\n"
                 "os.killpg(p.pid, signal.SIGCONT)\n"
                 "sys.exit(p.wait())\n")
        arguments = [sys.executable, "-c", shell] + self.arguments(
            "sh", "-c", "kill -TSTP $$; echo back; exit 6")
        done = subprocess.run(arguments, capture_output=True, timeout=DEADLINE,
                              start_new_session=True)
        self.assertEqual(done.stdout.split()[1:], [b"stopped", b"back"])
        self.assertEqual(done.returncode, 6)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Under a terminal the command sees one, with the same effect on screen."""

import fcntl
import pty
import struct
import sys
import termios

from harness import *


def set_size(fd, rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class Terminal(RecordTest):
    def open_terminal(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        set_size(slave, 33, 101)
        return master, slave

    def read_all(self, master):
        """Until the far end is closed (EIO)."""
        data = b""
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:
                return data
            if not chunk:
                return data
            data += chunk

    def on_terminal(self, arguments, **how):
        master, slave = self.open_terminal()
        process = subprocess.Popen(arguments, stdin=slave, stdout=slave,
                                   stderr=how.pop("stderr", slave), **how)
        os.close(slave)
        data = self.read_all(master)
        return process.wait(DEADLINE), data

    def test_all_three_are_terminals_of_the_right_size(self):
        status, data = self.on_terminal(self.arguments(
            sys.executable, "-c", "import os\n"
            "print([os.isatty(i) for i in range(3)])\n"
            "print(os.get_terminal_size(1), os.get_terminal_size(2))"))
        self.assertEqual(status, 0)
        self.assertIn(b"[True, True, True]", data)
        self.assertEqual(data.count(b"columns=101, lines=33"), 2)

    def test_the_screen_gets_the_same_bytes_as_without_us(self):
        command = ["sh", "-c", r"printf 'a\nb\r\n\033[31mred\033[0m\r50%%|#'; "
                   r"printf 'err\n' >&2; printf '\ttab\377\n'"]
        _, plain = self.on_terminal(command)
        _, recorded = self.on_terminal(self.arguments(*command))
        self.assertEqual(recorded, plain)
        self.assertEqual(self.console(), b"a\nb\r\n\x1b[31mred\x1b[0m\r50%|#"
                         b"err\n\ttab\xff\n")

    def test_only_what_is_a_terminal_looks_like_one(self):
        with open(os.path.join(self.scratch, "err"), "wb") as err:
            _, data = self.on_terminal(self.arguments(
                "sh", "-c", "[ -t 1 ] && echo yes1; [ -t 2 ] || echo no2"),
                stderr=err)
        self.assertEqual(data.split(), [b"yes1", b"no2"])

    def test_much_output_is_complete(self):
        status, data = self.on_terminal(self.arguments("seq", "200000"))
        self.assertEqual(status, 0)
        wanted = b"".join(b"%d\n" % i for i in range(1, 200001))
        self.assertEqual(data, wanted.replace(b"\n", b"\r\n"))
        self.assertEqual(self.console(), wanted)

    def fork_on_terminal(self, *command):
        """With the terminal as the controlling one, as under a login."""
        pid, master = pty.fork()
        if pid == 0:
            os.execv(DRIVER, self.arguments(*command))
        self.addCleanup(os.close, master)
        return pid, master

    def read_until(self, master, text):
        data = b""
        while text not in data:
            data += os.read(master, 65536)
        return data

    def exit_of(self, pid):
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def test_ctrl_c_is_the_commands_affair(self):
        pid, master = self.fork_on_terminal(
            "sh", "-c", "trap 'echo cleaning; exit 3' INT; echo ready; "
            "while :; do sleep 0.05; done")
        self.read_until(master, b"ready")
        os.write(master, b"\x03")
        self.read_until(master, b"cleaning")
        self.assertEqual(self.exit_of(pid), 3)
        self.assertIn(b"cleaning", self.console())

    def test_ctrl_c_without_a_handler_ends_both_by_it(self):
        pid, master = self.fork_on_terminal("sh", "-c",
                                            "echo ready; exec sleep 600")
        self.read_until(master, b"ready")
        os.write(master, b"\x03")
        self.assertEqual(self.exit_of(pid), -signal.SIGINT)
        self.assertEqual(self.info()["signal"], signal.SIGINT)

    def test_ctrl_c_arrives_once(self):
        pid, master = self.fork_on_terminal(
            sys.executable, "-c", "import signal, time\nn = []\n"
            "signal.signal(2, lambda *a: n.append(1))\n"
            "print('ready', flush=True)\n"
            "end = time.monotonic() + 60\n"
            "while not n and time.monotonic() < end: time.sleep(0.01)\n"
            "time.sleep(0.3)\nraise SystemExit(10 + len(n))")
        self.read_until(master, b"ready")
        os.write(master, b"\x03")
        self.assertEqual(self.exit_of(pid), 11)

    def test_a_new_size_reaches_the_command(self):
        pid, master = self.fork_on_terminal(
            sys.executable, "-c", "import os, signal, time\n"
            "signal.signal(signal.SIGWINCH, lambda *a: 0)\n"
            "print('ready', flush=True)\n"
            "end = time.monotonic() + 60\n"
            "while os.get_terminal_size(1).columns != 77 and "
            "time.monotonic() < end: time.sleep(0.01)\n"
            "print(os.get_terminal_size(1))")
        self.read_until(master, b"ready")
        set_size(master, 20, 77)
        self.read_until(master, b"columns=77, lines=20")
        self.assertEqual(self.exit_of(pid), 0)

    def test_the_screen_outlives_a_runner_that_is_killed(self):
        # The terminal's first process is another one, as a shell is.
        gate = os.path.join(self.scratch, "gate")
        os.mkfifo(gate)
        pid, master = pty.fork()
        if pid == 0:
            os.execv("/bin/sh", ["sh", "-c", '"$@"; read x', "sh",
                                 *self.arguments("sh", "-c", "echo ready; "
                                                 f"read x < {gate}; echo $x")])
        self.addCleanup(os.close, master)
        self.read_until(master, b"ready")
        command = self.wait_for(lambda: self.info()["pid"], "the command's pid")
        with open(f"/proc/{command}/stat") as file:
            recorder = int(file.read().rsplit(")", 1)[1].split()[1])
        os.kill(recorder, signal.SIGKILL)
        self.read_until(master, b"Killed")
        with open(gate, "w") as file:
            file.write("alive\n")
        self.read_until(master, b"alive")
        self.wait_for(lambda: state_of(command) is None, "its end")
        self.assertEqual(self.console(), b"ready\nalive\n")
        os.write(master, b"\n")
        self.exit_of(pid)

    def test_the_keyboard_is_the_commands_own(self):
        pid, master = self.fork_on_terminal("sh", "-c",
                                            "echo ready; read x; echo \"<$x>\"")
        self.read_until(master, b"ready")
        os.write(master, b"hello\n")
        self.read_until(master, b"<hello>")
        self.assertEqual(self.exit_of(pid), 0)


if __name__ == "__main__":
    unittest.main()

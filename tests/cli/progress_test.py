# SPDX-License-Identifier: Apache-2.0
"""What long work shows on a terminal, and that nothing else ever sees it."""
import os
import pty
import subprocess
import time
import unittest

INQUEST = os.environ["INQUEST"]
LINE = b"step 1 loss 2.5\n"
CLEAR = b"\r\x1b[K"


def slowly(process, seconds):
    """A log that comes in two pieces."""
    process.stdin.write(LINE * 10000)
    process.stdin.flush()
    time.sleep(seconds)
    process.stdin.write(b"RuntimeError: CUDA error: an illegal memory access "
                        b"was encountered\n")
    process.stdin.close()


def everything_of(terminal):
    said = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the other side is closed
            return said
        if not piece:
            return said
        said += piece


class ProgressTest(unittest.TestCase):
    def diagnose(self, seconds):
        """Standard error as a terminal sees it, and standard output."""
        terminal, other = pty.openpty()
        with subprocess.Popen([INQUEST, "diagnose", "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=other) as process:
            os.close(other)
            slowly(process, seconds)
            output = process.stdout.read()
        said = everything_of(terminal)
        os.close(terminal)
        self.assertEqual(process.returncode, 0)
        self.assertIn(b"kernel/illegal-access", output)
        self.assertNotIn(b"\x1b", output)
        return said

    def test_long_work_is_shown_and_the_line_is_taken_away(self):
        said = self.diagnose(2)
        self.assertIn(b"inquest: reading standard input", said)
        self.assertTrue(said.startswith(CLEAR))
        self.assertTrue(said.endswith(CLEAR), said)
        self.assertNotIn(b"\n", said)

    def test_nothing_is_shown_of_short_work(self):
        self.assertEqual(self.diagnose(0), b"")

    def test_nothing_goes_into_a_file(self):
        with subprocess.Popen([INQUEST, "diagnose", "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            slowly(process, 1.5)
            self.assertIn(b"kernel/illegal-access", process.stdout.read())
            self.assertEqual(process.stderr.read(), b"")


if __name__ == "__main__":
    unittest.main()

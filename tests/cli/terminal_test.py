# SPDX-License-Identifier: Apache-2.0
"""The verdict on a terminal: at most 40 lines, no line wider than the terminal,
a picture of the memory, colours where they are wanted."""
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "memory"))
from made_trace import MIB, MadeTrace  # noqa: E402

INQUEST = os.environ["INQUEST"]
SOURCE = HERE.parent.parent
# Relative to SOURCE: a path cannot be broken, and a checkout's may be long.
LOGS = [log.relative_to(SOURCE) for folder in ("tests/cli/logs", "samples/logs")
        for log in sorted((SOURCE / folder).iterdir())]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
NO_SETTINGS = {name: None for name in (
    "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LC_ALL", "LC_CTYPE",
    "LANG")}


def columns(line):
    """Independent of the C library's table."""
    wide = sum(unicodedata.east_asian_width(one) in "WF" for one in line)
    none = sum(bool(unicodedata.combining(one)) for one in line)
    return len(line) + wide - none


def environment(**settings):
    chosen = {**os.environ, "TERM": "xterm", **NO_SETTINGS, **settings}
    return {name: value for name, value in chosen.items() if value is not None}


def piped(*arguments, **settings):
    result = subprocess.run([INQUEST, *map(str, arguments)], text=True,
                            capture_output=True, timeout=60, cwd=SOURCE,
                            env=environment(**settings))
    assert result.returncode == 0, result.stderr
    return result.stdout


def on_terminal(*arguments, width=80, **settings):
    terminal, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    with subprocess.Popen([INQUEST, *map(str, arguments)], stdout=other, cwd=SOURCE,
                          stderr=other, stdin=subprocess.DEVNULL,
                          env=environment(**settings)) as process:
        os.close(other)
        said = b""
        while True:
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                break
            if not piece:
                break
            said += piece
    os.close(terminal)
    assert process.returncode == 0, said
    return said.decode().replace("\r\n", "\n")


class Made(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="inquest-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def rising(self):
        """Sixteen blocks of 64 MiB on a card of 1 GiB; the last is refused."""
        trace = MadeTrace(self.folder / "p.trace.sqlite")
        for i in range(15):
            trace.alloc(i * 64 * MIB, 64 * MIB)
        trace.event(1, 0, 128 * MIB, result=2)
        trace.close()
        return self.folder / "p.trace.sqlite"

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path


class WidthTest(Made):
    def check(self, path, width, *more):
        text = piped("diagnose", path, "--width", width, *more)
        lines = text.splitlines()
        self.assertEqual([], [line for line in lines if columns(line) > width])
        return lines

    def test_every_width_and_at_most_40_lines(self):
        for path in [*LOGS, self.rising()]:
            for width in (60, 61, 67, 80, 100, 120, 149, 200):
                with self.subTest(f"{path.name} at {width}"):
                    self.assertLessEqual(len(self.check(path, width)), 40)
            self.check(path, 60, "-v")

    def test_wide_characters_and_long_words(self):
        path = self.write("a.log", "RuntimeError: CUDA out of memory. Tried to "
                          "allocate 2.00 GiB " + "内存不足" * 30 + " " +
                          "/very/long/path" * 30 + " " + "e\u0301" * 80 + "\n")
        for width in (60, 61, 80):
            self.check(path, width)

    def test_a_hundred_findings_fit(self):
        lines = [f"[rank{i}]: RuntimeError: CUDA error: an illegal memory access "
                 f"was encountered\nNVRM: Xid (PCI:0000:{i:02x}:00): 79, pid={i}, "
                 "GPU has fallen off the bus.\n" for i in range(100)]
        path = self.write("a.log", "".join(lines) * 2)
        for width in (60, 80, 200):
            lines = self.check(path, width)
            self.assertLessEqual(len(lines), 40)
        self.assertGreater(len(self.check(path, 80, "-v")), len(lines))

    def test_what_matters_is_in_the_first_two_lines(self):
        first, second, *_ = piped("diagnose", self.rising()).splitlines()
        self.assertTrue(first.startswith("memory/capacity  "), first)
        self.assertIn("GPU 0", second)

    def test_the_rest_is_told_with_v(self):
        log = HERE / "logs/torch-fragmented.log"
        self.assertNotIn("reserved_unallocated_bytes", piped("diagnose", log))
        whole = piped("diagnose", log, "-v")
        for name in ("reserved_unallocated_bytes", "user_frame", "total_bytes"):
            self.assertIn(name, whole)

    def test_commands_can_be_copied(self):
        log = HERE / "logs/xid79.log"
        text = piped("diagnose", log, "--width", 60)
        at = text.index("     inquest explain")
        command = text[at:].replace("\\\n", "").splitlines()[0]
        result = subprocess.run(["sh", "-c", command], text=True,
                                capture_output=True, timeout=60, env={
                                    **os.environ, "PATH": os.pathsep.join(
                                        [os.path.dirname(INQUEST),
                                         os.environ["PATH"]])})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("hardware/off-bus", result.stdout)


class PictureTest(Made):
    def test_it_rises_and_is_refused(self):
        lines = piped("diagnose", self.rising(), "--width", 80).splitlines()
        begin = next(i for i, line in enumerate(lines) if "┤" in line)
        rows = lines[begin:begin + 4]
        heights = [sum(line[16:].ljust(64)[i] == "█" for line in rows)
                   for i in range(64)]
        self.assertEqual(heights, sorted(heights))
        self.assertGreaterEqual(heights[-1], 3)
        self.assertIn("1.00 GiB ┤", rows[0])
        self.assertTrue(lines[begin + 4].endswith("×"))
        self.assertIn("22:13:20 UTC", lines[begin + 5])

    def test_ascii(self):
        text = piped("diagnose", self.rising(), "--ascii")
        self.assertTrue(text.isascii())
        self.assertIn("1.00 GiB +", text)
        text = piped("diagnose", HERE / "logs/torch-fragmented.log", "--ascii")
        self.assertIn("has 38.19 GiB ... memory 29.50 GiB", text)

    def test_a_log_has_none(self):
        self.assertNotIn("┤", piped("diagnose", LOGS[0]))


class TerminalTest(Made):
    LOG = HERE / "logs/xid79.log"

    def test_the_width_of_the_terminal(self):
        for width in (60, 132):
            said = COLOUR.sub("", on_terminal("diagnose", self.LOG, width=width,
                                              LANG="C.UTF-8"))
            self.assertLessEqual(max(map(columns, said.splitlines())), width)
            expected = piped("diagnose", self.LOG, "--width", width)
            self.assertEqual(said, expected)

    def test_colours(self):
        def coloured(**settings):
            return "\x1b[" in on_terminal("diagnose", self.LOG, **settings)

        def forced(**settings):
            return "\x1b[" in piped("diagnose", self.LOG, **settings)
        self.assertTrue(coloured())
        self.assertTrue(coloured(NO_COLOR=""))
        self.assertFalse(coloured(NO_COLOR="1"))
        self.assertFalse(coloured(CLICOLOR="0"))
        self.assertFalse(coloured(TERM="dumb"))
        self.assertFalse(forced())
        self.assertTrue(forced(CLICOLOR_FORCE="1"))
        self.assertFalse(forced(CLICOLOR_FORCE="0"))
        self.assertFalse(forced(CLICOLOR_FORCE="1", NO_COLOR="1"))

    def test_a_file_has_neither_colours_nor_a_width(self):
        to = self.folder / "a.txt"
        on_terminal("diagnose", self.LOG, "-o", to, width=40, CLICOLOR_FORCE="1")
        self.assertEqual(to.read_text(), piped("diagnose", self.LOG))

    def test_a_terminal_without_unicode(self):
        trace = self.rising()
        self.assertIn("┤", on_terminal("diagnose", trace, LANG="C.UTF-8"))
        self.assertTrue(on_terminal("diagnose", trace, LANG="C").isascii())


class OptionsTest(Made):
    def refused(self, *arguments, says):
        result = subprocess.run([INQUEST, *map(str, arguments)], text=True,
                                capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 2, result.stdout)
        for words in says:
            self.assertIn(words, result.stderr)

    def test_what_does_not_go_together(self):
        log = TerminalTest.LOG
        for option in (["-v"], ["--width", "80"], ["--ascii"]):
            self.refused("diagnose", log, "--format", "json", *option,
                         says=[option[0], "text", "json"])
        self.refused("report", log, says=["-o"])
        self.refused("diagnose", log, "--format", "pdf", says=["pdf"])

    def test_the_same_in_both_commands(self):
        log = TerminalTest.LOG
        for form in ("text", "json", "ndjson", "html"):
            one = piped("diagnose", log, "--format", form)
            self.assertEqual(one, piped("report", log, "-o", "-", "--format",
                                        form))
        for name, begin in (("a.html", "<!"), ("a.json", "{"), ("a.txt", "hard")):
            to = self.folder / name
            piped("diagnose", log, "-o", to)
            self.assertTrue(to.read_text().startswith(begin), name)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Strings that a stranger wrote stay strings: in log lines, paths, stack frames,
names of libraries and all else that a page shows."""
import json
import sqlite3
import unittest

from pages import HERE, PageTest, Parsed, skeleton, strings_in
from made_trace import MIB, MadeTrace
from page_test import refused

LOGS = HERE.parent / "cli/logs"
# Each would do something where it was taken for HTML, a script, an attribute,
# a terminal's sequence or a formula.
EVIL = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>",
        "<!--<script>", "]]>", "'\"><svg onload=alert(1)>", "&lt;b&gt;",
        "javascript:alert(1)", "=cmd|' /C calc'!A0", "@SUM(1+1)", "\\u003cb",
        "@SCRIPT@ @DATA@", "${alert(1)}", "`+alert(1)+`"]
# As they are shown; of a log's line the reader takes colours and returns out.
MARKS = {"\x1b[31m": None, "\r": None, "\a": "\\x07",
         "\x7f": "\\x7F", "\x9b": "\\xC2\\x9B", "\u202e": "\\xE2\\x80\\xAE",
         "\u2066": "\\xE2\\x81\\xA6", "\u200f": "\\xE2\\x80\\x8F",
         "\u2028": None}
ALL = " ".join([*EVIL, *MARKS])


def assert_shown_as_text(test, text):
    """A page has neither the marks nor HTML of the data."""
    for mark in MARKS:
        if mark != "\u2028":
            test.assertNotIn(mark, text)
    data, = Parsed(text).text_of("script", "application/json")
    test.assertNotIn("<", data)


class HostileTest(PageTest):
    def setUp(self):
        super().setUp()
        self.plain = self.parsed(LOGS / "healthy.log")

    def check(self, *inputs, says=EVIL, code=0):
        text = self.page(*inputs, code=code)
        parsed = Parsed(text)
        self.assertEqual(skeleton(parsed), skeleton(self.plain))
        assert_shown_as_text(self, text)
        data, = parsed.text_of("script", "application/json")
        strings = "\n".join(strings_in(json.loads(data)))
        for one in says:
            self.assertIn(one, strings)
        return strings

    def test_a_log(self):
        lines = [f"RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB "
                 f"{one}" for one in [*EVIL, *MARKS]]
        strings = self.check(self.write("a.log", "\n".join(lines)))
        for shown in filter(None, MARKS.values()):
            self.assertIn(shown, strings)

    def test_bytes_that_are_no_text(self):
        log = b"Xid 79 \xff\xfe\xc0\xaf </script>\n" * 3 + b"error: \xed\xa0\x80"
        self.check(self.write("a.log", log), says=["</script>"])

    def test_paths(self):
        name = "".join(ALL.split("/"))[:200]
        self.check(self.write(name, "CUDA out of memory"),
                   says=["<img src=x onerror=alert(1)>"])

    def test_a_trace(self):
        trace = refused(self.folder / "p.trace.sqlite")
        with sqlite3.connect(trace) as db:
            db.execute("UPDATE process SET host=?, command=?, job_id=?, "
                       "executable=?", (ALL,) * 4)
            db.execute("UPDATE device SET name=?, uuid=?, driver_version=?",
                       (ALL,) * 3)
            db.execute("UPDATE python_frame SET file=?, function=?", (ALL, ALL))
            db.execute("INSERT INTO library VALUES(1, 1000000001, ?, ?, '1.2', "
                       "?, ?, '', 0, 0)", (ALL,) * 4)
            db.execute("INSERT INTO environment VALUES(?, ?)",
                       ("CUDA_" + ALL, ALL))
            db.execute("INSERT INTO coverage VALUES(?, 1, NULL, ?, ?)",
                       (ALL,) * 3)
            db.execute("INSERT INTO loss VALUES(?, 5, ?)", (ALL, ALL))
            db.execute("INSERT INTO api_error VALUES(7, 1000500000, 'cudnn', ?, "
                       "3, ?, ?, 0, 7, 0, 0, 0)", (ALL,) * 3)
            db.execute("INSERT INTO cudnn_call VALUES(8, 1000500000, ?, 3, 10, "
                       "1, 7, ?)", (ALL, ALL))
            db.execute("INSERT INTO device_event VALUES(9, 1000500000, 0, 'xid', "
                       "79, ?)", (ALL,))
        db.close()
        self.check(trace)

    def test_numbers_that_no_run_has(self):
        trace = MadeTrace(self.folder / "p.trace.sqlite", device_bytes=2**62)
        for i in range(2000):
            trace.alloc(i * 2**45, 2**46 + i)
        trace.event(1, 0, 2**62, result=2)
        trace.memory(-2**62, "failure", others=[(1, 2**61)])
        trace.step(-2**62)
        trace.close()
        with sqlite3.connect(self.folder / "p.trace.sqlite") as db:
            db.execute("UPDATE memory_event SET time_ns = ? WHERE id % 7 = 3",
                       (2**63 - 1,))
            db.execute("UPDATE memory_event SET time_ns = ? WHERE id % 7 = 5",
                       (-2**63,))
            db.execute("UPDATE clock_anchor SET realtime_ns = ?", (2**62,))
        db.close()
        self.check(self.folder / "p.trace.sqlite", says=[])

    def test_a_user_s_rule(self):
        rule = self.write("rule.yaml", f"""\
facts: 1
pack: site
signatures:
  - id: site.evil
    pattern: very evil line
    role: cause
    severity: error
    cause: memory/capacity
    title: {json.dumps(EVIL[0])}
    message: {json.dumps(EVIL[4])}
    fix:
      - text: {json.dumps(EVIL[1])}
        url: {json.dumps("https://example.org/" + EVIL[6])}
    samples:
      match: [very evil line]
""")
        log = self.write("a.log", "very evil line\n")
        out = self.folder / "page.html"
        result = self.inquest("report", log, "--rules", rule, "-o", out)
        if result.returncode == 3:
            self.fail(result.stderr.decode())
        parsed = Parsed(out.read_text())
        self.assertEqual(skeleton(parsed), skeleton(self.plain))
        strings = "\n".join(strings_in(parsed.data))
        for one in (EVIL[0], EVIL[1]):
            self.assertIn(one, strings)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Pages of jobs in a real browser: strips that answer to pointer and keys, the
first domino, many ranks on one screen, merged stacks."""
import pathlib
import unittest

import made_jobs
from open_page import SVG, OpenPage, require_chromium
import shared  # noqa: E402  # pages.py knows where it is

require_chromium()


class JobBrowserTest(OpenPage):
    def remarks(self, here):
        return self.text(f"{here} .remarks")

    def content(self, selector):
        """Of a picture's elements, which have no inner text."""
        return self.run_js(f"document.querySelector('{selector}').textContent")

    def choose(self, selector, value):
        self.run_js(
            f"(() => {{const one = document.querySelector('{selector}');"
            f"one.value = '{value}'; one.dispatchEvent(new Event('change'));}})()")

    def labels(self, here):
        return self.run_js(
            f"[...document.querySelectorAll('{here} {SVG} > text')]"
            ".map(one => one.textContent)")

    def test_strips(self):
        job = made_jobs.logs(self.folder / "job", 12, culprit=5, missing=[6],
                             dateless=[2])
        self.open(job)
        self.says_verdict(job)
        here = self.section("Ranks over time")
        said = self.remarks(here)
        self.assertIn("First fell rank 5", said)
        self.assertIn("Nothing tells the times of rank 2", said)
        self.assertIn("Nothing was found of rank 6", said)
        self.assertIn("▶ rank 5", self.labels(here))
        self.assertIn("first domino", self.content(f"{here} .death"))
        for kind in ("strip-life", "strip-first", "strip-missing", "span-late",
                     "mark-rank"):
            self.assertEqual(self.run_js(
                f"document.querySelectorAll('{here} path.{kind}').length"), 1)
        # Pointer: the third quarter of the first rank's strip is its wait.
        self.hover(f"{here} {SVG}", 0.9, 0.08)
        self.assertRegex(self.text(f"{here} .readout"),
                         r"^rank 0 · from .* ALLREDUCE 77 timed out")
        # Keys: rows, and what is in them.
        self.run_js(f"document.querySelector('{here} {SVG}').focus()")
        for _ in range(5):
            self.browser.press("ArrowDown")
        self.assertRegex(self.text(f"{here} .readout"), "^rank 5 · fell first")
        self.browser.press("ArrowRight")
        self.assertIn("device-side assert", self.text(f"{here} .readout"))
        self.zoom(here)
        self.folded_logs()
        self.check_frame()

    def folded_logs(self):
        """Only the first domino's is open; a link to a line opens its log."""
        opened = "[...document.querySelectorAll('details.log[open]')]" \
                 ".map(one => one.textContent.match(/rank[0-9]+/)[0]).join()"
        self.assertEqual(self.run_js(opened), "rank5")
        self.run_js("location.hash = document.querySelector("
                    "'details.log:not([open]) .log-line').id")
        self.browser.wait(f"{opened} === 'rank5,rank0'", 5)

    def zoom(self, here):
        ticks = f"[...document.querySelectorAll('{here} .axis text')]" \
                ".map(one => one.textContent).join()"
        whole = self.run_js(ticks)
        self.browser.press("+")
        self.browser.wait(f"{ticks} !== {whole!r}", 5)
        self.browser.press("0")
        self.browser.wait(f"{ticks} === {whole!r}", 5)
        box = self.browser.box(f"{here} {SVG}")
        y = box["y"] + box["height"] / 2
        for kind, x in (("mousePressed", 400), ("mouseMoved", 600),
                        ("mouseReleased", 600)):
            self.browser.mouse(kind, box["x"] + x, y, "left")
        self.browser.wait(f"{ticks} !== {whole!r}", 5)
        self.run_js(f"[...document.querySelectorAll('{here} button')].find("
                    "one => one.textContent === 'First domino').click()")
        self.assertIn("first domino", self.content(f"{here} .death"))

    def test_many_ranks_stay_readable(self):
        self.open(made_jobs.logs(self.folder / "job", 1024, culprit=700,
                                 missing=[5, 900]))
        here = self.section("Ranks over time")
        labels = self.labels(here)
        self.assertEqual(len(labels), 3)
        self.assertIn("▶ rank 700", labels)
        self.assertLess(self.browser.box(f"{here} {SVG}")["height"], 300)
        self.choose(f"{here} select", "each")
        labels = self.labels(here)
        self.assertIn("▶ rank 700", labels)
        self.assertGreater(len(labels), 30)
        self.assertLess(self.browser.box(f"{here} {SVG}")["height"], 1300)
        places = self.run_js(
            f"[...document.querySelectorAll('{here} {SVG} > text')]"
            ".map(one => Number(one.getAttribute('y')))")
        self.assertGreaterEqual(
            min(b - a for a, b in zip(places, places[1:])), 12)
        self.check_frame()

    def test_flight_recorders(self):
        self.open(made_jobs.flights(self.folder / "job", 16, culprit=3))
        here = self.section("Ranks over time")
        self.assertIn("First fell rank 3", self.remarks(here))
        self.assertIn("missing", self.text(f"{here} table"))
        self.check_frame()

    def test_merged_stacks(self):
        job = made_jobs.stacks(self.folder / "job", 16, culprit=11,
                               function="<b>tokenize</b>")
        self.open(job)
        here = self.section("Merged stacks")
        branches = self.run_js(
            f"[...document.querySelectorAll('{here} .branch')]"
            ".map(one => one.textContent.trim())")
        self.assertEqual(len(branches), 3)
        self.assertTrue(branches[0].startswith("16 of 16: "))
        # The one that holds up the others comes before them.
        self.assertTrue(branches[1].startswith("1 of 16: rank 11"), branches)
        self.assertIn("<b>tokenize</b>", self.text(f"{here} .stack-tree"))
        ranks = self.section("Ranks over time")
        self.assertIn("No input tells a time", self.text(ranks))
        self.check_frame()

    def test_text_can_be_read_on_its_ground(self):
        job = made_jobs.logs(self.folder / "job", 6, culprit=1)
        made_jobs.stacks(job / "stacks", 6, culprit=1)
        for dark in (False, True):
            self.open(job, dark=dark)
            self.assertEqual(self.low_contrast(), [])

    @unittest.skipUnless(
        shared.folder("realdata", "flight_recorder").is_dir(),
        shared.missing("realdata"))
    def test_real_flight_recorders(self):
        job = shared.folder("realdata", "flight_recorder") / "lock_gil_1st"
        self.open(job)
        self.says_verdict(job)
        here = self.section("Ranks over time")
        self.hover(f"{here} {SVG}", 0.95, 0.4)
        self.assertIn("First fell rank 9", self.remarks(here))
        self.assertIn("nccl:", self.text(f"{here} .readout"))
        self.check_frame()

    @unittest.skipUnless(shared.folder("corpus", "..", "corpus-hangs").is_dir(),
                         "no logs of hangs here")
    def test_real_stacks(self):
        folder = pathlib.Path(shared.folder("corpus", "..", "corpus-hangs"))
        for log in sorted(folder.glob("pyspy-*.txt"))[:3]:
            with self.subTest(log.name):
                self.open(log)
                self.says_verdict(log)
                self.check_frame()


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Pages in a real browser, opened from disk: no complaint, no request, and the
pictures answer to pointer and keys."""
import gzip
import json
import os
import pathlib
import subprocess
import unittest

from pages import HERE
import shared
from open_page import SVG, OpenPage, require_chromium
from page_test import refused

require_chromium()

SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["INQUEST_BUILD_DIR"])
SIMULATED = BUILD / "simgpu/lib/libcuda.so.1"


class BrowserTest(OpenPage):
    def test_pictures_of_a_trace(self):
        trace = refused(self.folder / "p.trace.sqlite")
        self.open(trace)
        self.says_verdict(trace)
        self.timeline()
        self.heap()
        self.sites()
        self.check_frame()

    def timeline(self):
        here = self.section("Memory over time")
        readout = f"{here} .readout"
        self.hover(f"{here} {SVG}", 0.6, 0.5)
        before = self.text(readout)
        self.assertRegex(before, r"held [\d.]+ MiB \([\d,]+ B\)")
        ticks = f"[...document.querySelectorAll('{here} .axis text')]" \
                ".map(one => one.textContent).join()"
        whole = self.run_js(ticks)
        box = self.browser.box(f"{here} {SVG}")
        y = box["y"] + box["height"] / 2
        self.browser.mouse("mousePressed", box["x"] + 400, y, "left")
        self.browser.mouse("mouseMoved", box["x"] + 500, y, "left")
        self.browser.mouse("mouseReleased", box["x"] + 500, y, "left")
        self.browser.wait(f"{ticks} !== {json.dumps(whole)}", 5)
        self.run_js(f"document.querySelector('{here} {SVG}').focus()")
        self.browser.press("0")
        self.browser.wait(f"{ticks} === {json.dumps(whole)}", 5)
        self.browser.press("+")
        self.browser.wait(f"{ticks} !== {json.dumps(whole)}", 5)
        self.browser.press("ArrowRight")
        one = self.text(readout)
        self.browser.press("ArrowRight")
        self.assertNotEqual(self.text(readout), one)
        self.run_js(f"[...document.querySelectorAll('{here} button')].find("
                    "one => one.textContent === 'At the refusal').click()")
        self.assertIn("refused: 8.00 MiB (8,388,608 B)", self.text(readout))

    def heap(self):
        here = self.section("The heap")
        self.assertIn("refused request", self.text(f"{here} .moment"))
        self.assertIn("8.00 MiB", self.text(f"{here} .comparison"))
        self.hover(f"{here} {SVG}", 0.3, 0.1)
        self.assertRegex(self.text(f"{here} .readout"),
                         r"0x7f[0-9a-f]+ · 512.00 KiB \(524,288 B\) · (live|free)")
        self.run_js(f"document.querySelector('{here} {SVG}').focus()")
        first = self.text(f"{here} .readout")
        self.browser.press("ArrowRight")
        self.assertNotEqual(self.text(f"{here} .readout"), first)
        self.run_js(
            f"(() => {{const one = document.querySelector('{here} input');"
            "one.value = 0; one.dispatchEvent(new Event('input'));})()")
        self.assertIn("peak", self.text(f"{here} .moment"))
        self.assertIn("200.00 MiB live", self.text(f"{here} .moment"))
        self.run_js(
            f"(() => {{const one = document.querySelector('{here} select');"
            "one.value = 'age'; one.dispatchEvent(new Event('change'));})()")
        self.assertIn("old", self.text(f"{here} .legend"))

    def sites(self):
        here = self.section("Allocation sites")
        self.browser.box(f"{here} input[type=search]")
        self.run_js(f"document.querySelector('{here} input').focus()")
        self.browser.type("TRAIN.PY:10")
        self.assertIn("1 place: 100.00 MiB", self.text(f"{here} .readout"))
        self.assertEqual(self.run_js(
            f"document.querySelectorAll('{here} .call.hit').length"), 1)
        self.run_js(f"document.querySelector('{here} {SVG}').focus()")
        self.browser.press("ArrowDown")
        self.browser.press("ArrowDown")
        self.assertIn("fill", self.text(f"{here} .readout"))
        self.browser.press("Enter")
        self.assertEqual(self.run_js(
            f"document.querySelectorAll('{here} .call.above').length"), 2)

    def test_hostile_strings_are_shown_as_they_are(self):
        evil = "<img src=x onerror=alert(1)></script><script>alert(1)</script>"
        log = self.write("a.log", f"RuntimeError: CUDA out of memory. {evil}\n")
        self.open(log)
        self.assertIn(evil, self.text(".log-line"))
        self.assertEqual(self.run_js(
            "document.querySelectorAll('img').length + "
            "document.querySelectorAll('script').length"), 2)
        # The policy holds even where a string became HTML.
        self.run_js("document.body.insertAdjacentHTML('beforeend', "
                    "'<img src=https://example.org/x.png onerror=window.hit=1>')")
        outside = "https://example.org/x.png"
        for _ in range(100):
            if outside in self.browser.blocked:
                break
            self.browser.wait("new Promise(done => setTimeout(done, 50, true))")
        self.assertEqual(self.browser.blocked, [outside])
        self.assertIsNone(self.run_js("window.hit ?? null"))
        self.assertTrue(any("Content Security Policy" in one
                            for one in self.browser.complaints))
        self.assertEqual([one for one in self.browser.requests
                          if one.startswith("http")], [])

    def test_a_log_alone(self):
        log = HERE.parent / "cli/logs/torch-fragmented.log"
        self.open(log)
        self.says_verdict(log)
        marked = self.text(".log-line.evidence")
        self.assertIn("CUDA out of memory", marked)
        link = self.run_js(
            "document.querySelector('.evidence a').getAttribute('href')")
        self.assertEqual(
            self.run_js(f"document.querySelector({json.dumps(link)}).innerText"),
            marked)
        self.check_frame()

    def test_dark_and_printed(self):
        trace = refused(self.folder / "p.trace.sqlite")
        ground = "getComputedStyle(document.body).backgroundColor"
        self.open(trace)
        self.assertEqual(self.run_js(ground), "rgb(255, 255, 255)")
        self.open(trace, dark=True)
        self.assertEqual(self.run_js(ground), "rgb(18, 22, 28)")
        self.browser.print(self.folder / "page.pdf")
        self.assertTrue((self.folder / "page.pdf").read_bytes().startswith(
            b"%PDF"))
        self.browser.call("Emulation.setEmulatedMedia", media="print", features=[
            {"name": "prefers-color-scheme", "value": "dark"}])
        self.assertEqual(self.run_js(
            "getComputedStyle(document.querySelector('h1')).color"),
            "rgb(27, 35, 48)")
        self.assertEqual(self.run_js(ground), "rgb(255, 255, 255)")
        self.browser.call("Emulation.setEmulatedMedia", media="")

    def test_text_can_be_read_on_its_ground(self):
        """At least 4.5:1, light and dark, for all text outside pictures."""
        trace = refused(self.folder / "p.trace.sqlite")
        for dark in (False, True):
            self.open(trace, dark=dark)
            self.assertEqual(self.low_contrast(), [])

    @unittest.skipUnless(SIMULATED.exists(), "the simulated GPU is not built")
    def test_a_recorded_sample(self):
        run = self.folder / "run"
        subprocess.run(
            [SOURCE / "samples/run-simulated", BUILD, "leaking_loop", "--with",
             os.environ["INQUEST"], "record", "-o", run, "---", "--"],
            capture_output=True, timeout=240)
        self.open(run)
        self.says_verdict(run)
        here = self.section("Leak suspects")
        self.hover(f"{here} {SVG}", 0.5, 0.5)
        self.assertRegex(self.text(f"{here} .readout"),
                         r"step \d+ · kept .* the line says")
        self.check_frame()

    @unittest.skipUnless(shared.folder("realdata").is_dir(),
                         shared.missing("realdata"))
    def test_a_real_snapshot(self):
        snapshot = shared.folder(
            "realdata", "torch_snapshot") / "wedsonlin_medium_512_training.pickle.gz"
        path = self.write("snapshot.pickle",
                          gzip.decompress(snapshot.read_bytes()))
        self.open(path)
        for title in ("Memory over time", "The heap", "Allocation sites"):
            self.hover(f"{self.section(title)} {SVG}", 0.5, 0.4)
            self.assertRegex(self.text(f"{self.section(title)} .readout"),
                             r"[MG]iB")
        self.check_frame()

    @unittest.skipUnless(shared.folder("corpus").is_dir(),
                         shared.missing("corpus"))
    def test_real_logs(self):
        logs = sorted(shared.folder("corpus").glob("*.log"))
        for log in logs[::max(len(logs) // 5, 1)]:
            with self.subTest(log.name):
                self.open(log)
                self.says_verdict(log)
                self.check_frame()


if __name__ == "__main__":
    unittest.main()

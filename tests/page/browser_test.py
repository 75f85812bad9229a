# SPDX-License-Identifier: Apache-2.0
"""Pages in a real browser, opened from disk: no complaint, no request, and the
pictures answer to pointer and keys."""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import unittest

from pages import HERE, PageTest
import browser
import shared
from page_test import refused

if browser.find() is None:
    print("skipped: no Chromium on this machine (INQUEST_CHROMIUM=PROGRAM), so "
          "no page was opened in a browser")
    sys.exit(77)

SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["INQUEST_BUILD_DIR"])
SIMULATED = BUILD / "simgpu/lib/libcuda.so.1"
SVG = ".picture > svg"


class BrowserTest(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, *inputs, width=1280, height=900, dark=False):
        self.page(*inputs)
        self.browser.resize(width, height, dark)
        self.browser.open(self.folder / "page.html")
        self.clean()

    def clean(self):
        self.assertEqual(self.browser.complaints, [])
        here = (self.folder / "page.html").resolve().as_uri()
        self.assertEqual(set(self.browser.requests), {here})

    def run_js(self, script):
        return self.browser.run(script)

    def section(self, title):
        """A selector of the section with this title."""
        number = self.run_js(
            "[...document.querySelectorAll('main > section')].findIndex(one => "
            f"one.querySelector('h2').textContent === {json.dumps(title)})")
        self.assertGreaterEqual(number, 0, title)
        return f"main > section:nth-of-type({number + 1})"

    def text(self, selector):
        return self.run_js(
            f"document.querySelector({json.dumps(selector)}).innerText")

    def hover(self, selector, x, y):
        """At a part of an element's width and height."""
        box = self.browser.box(selector)
        self.browser.mouse("mouseMoved", box["x"] + x * box["width"],
                           box["y"] + y * box["height"])

    def says_verdict(self, *inputs):
        said = self.inquest("diagnose", *inputs).stdout.decode().splitlines()
        cause, title = said[0].split("  ", 1)
        head = self.text("#head")
        self.assertIn(cause, head)
        self.assertIn(title, head)
        self.assertIn(said[1].strip(), head)
        self.assertIn(title, self.run_js("document.title"))

    def check_frame(self):
        """What every page has: names for pictures, and no wide page."""
        unnamed = self.run_js(
            "[...document.querySelectorAll('svg[role=img], button, select, "
            "input')].filter(one => !(one.getAttribute('aria-label') || "
            "one.getAttribute('aria-labelledby') || one.textContent.trim() || "
            "one.closest('label'))).length")
        self.assertEqual(unnamed, 0)
        for width in (1280, 600):
            self.browser.resize(width, 900)
            self.browser.wait(
                "document.documentElement.scrollWidth <= innerWidth + 1", 5)
        self.browser.resize(1280, 900)
        behind = self.run_js("document.querySelectorAll('figure').length - "
                             "document.querySelectorAll('figure .behind').length")
        self.assertEqual(behind, 0)
        self.run_js("document.querySelectorAll('details').forEach(one => "
                    "one.open = true)")
        self.browser.wait("[...document.querySelectorAll('figure .behind')]"
                          ".every(one => one.querySelector('td'))")
        self.clean()

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
            self.assertEqual(self.run_js(LOW_CONTRAST), [])

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


LOW_CONTRAST = """(() => {
  const numbers = text => text.match(/[\\d.]+/g).map(Number);
  const light = rgb => rgb.slice(0, 3).map(c => c / 255).map(
      c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = one => {
    for (; one; one = one.parentElement) {
      const colour = numbers(getComputedStyle(one).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const one of document.querySelectorAll('body *')) {
    const mine = [...one.childNodes].some(
        node => node.nodeType === 3 && node.textContent.trim());
    if (!mine || one.closest('svg, script, .skip')) continue;
    const [a, b] = [light(numbers(getComputedStyle(one).color)),
                    light(ground(one))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) low.push(one.className + ': ' + one.textContent.slice(0, 40)
                              + ' ' + ratio.toFixed(2));
  }
  return low;
})()"""


if __name__ == "__main__":
    unittest.main()

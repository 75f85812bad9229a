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
from made_trace import MIB, MadeTrace
from categories_test import Model
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
        # At a peak no hole is known.
        self.assertEqual(self.run_js(
            f"[...document.querySelectorAll('{here} button')]"
            ".filter(one => one.checkVisibility()).map("
            "one => one.textContent).join()"), "")
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

    def test_workspaces_beside_free_memory(self):
        trace = MadeTrace(self.folder / "p.trace.sqlite", device_bytes=64 * MIB)
        trace.memory(64 * MIB, "start")
        trace.row("cudnn_interval", 1, "cudnnConvolutionForward", 0, 1, 32 * MIB,
                  trace.time, trace.time + 5, 3, 0, 50, 5, 20)
        trace.row("cudnn_stat", "cudnnConvolutionForward", 0, 3, 50, 20)
        trace.alloc(1 << 40, 40 * MIB)
        trace.memory(24 * MIB, "end")
        trace.close()
        self.open(self.folder / "p.trace.sqlite")
        bars = self.run_js(
            f"[...document.querySelectorAll('{self.section('cuDNN')} .bar')].map("
            "one => [one.innerText.split('\\n').join(' '), "
            "one.querySelector('rect').getAttribute('width')])")
        self.assertEqual(bars, [
            ["cudnnConvolutionForward 32.00 MiB", "100%"],
            ["free on the device when least was 24.00 MiB", "75%"]])

    def test_sites_by_lifetime_and_where_a_leak_leads(self):
        trace = MadeTrace(self.folder / "p.trace.sqlite", device_bytes=1 << 30)
        trace.stack(1, ("train.py", 7, "remember"))
        trace.stack(2, ("train.py", 9, "forward"))
        for step in range(60):
            trace.alloc((step + 1) << 24, 3 * MIB, stack=1)
            trace.alloc(1 << 40, 64 * MIB, stack=2)
            trace.free(1 << 40)
            trace.step(step)
        trace.memory(120 * MIB, "end")
        trace.close()
        self.open(self.folder / "p.trace.sqlite")
        here = self.section("Allocation sites")
        self.run_js(
            f"(() => {{const one = document.querySelector('{here} select');"
            "one.value = 'lives'; one.dispatchEvent(new Event('change'));})()")
        labels = self.run_js(f"[...document.querySelectorAll('{here} .call text')]"
                             ".map(one => one.textContent)")
        self.assertIn("persistent", labels)
        self.assertIn("train.py:7 in remember", labels)
        here = self.section("Leak suspects")
        self.assertIn("projected", self.text(f"{here} .legend"))
        self.assertEqual(self.run_js(
            f"document.querySelectorAll('{here} .projected').length"), 1)

    def test_memory_by_what_it_is_for(self):
        Model(self.folder / "p.trace.sqlite")
        self.open(self.folder / "p.trace.sqlite")
        here = self.section("Memory over time")
        areas = f"document.querySelectorAll('{here} .stacked').length"
        self.assertEqual(self.run_js(areas), 5)
        for name in ("weights", "gradients", "optimizer", "activations",
                     "workspace", "contexts, libraries"):
            self.assertIn(name, self.text(f"{here} .legend"))
        self.hover(f"{here} {SVG}", 0.7, 0.5)
        self.assertRegex(
            self.text(f"{here} .readout"),
            r"for weights 60.00 MiB \(62,914,560 B\), gradients 60.00 MiB "
            r"\(62,914,560 B\), optimizer 120.00 MiB \(125,829,120 B\)")
        self.run_js(
            f"(() => {{const one = document.querySelector('{here} select');"
            "one.value = 'all'; one.dispatchEvent(new Event('change'));})()")
        self.assertEqual(self.run_js(areas), 0)
        self.check_frame()

    def test_why_memory_is_not_divided(self):
        self.open(refused(self.folder / "p.trace.sqlite"))
        here = self.section("Memory over time")
        self.assertIn("Not divided by what it is for: no training steps are "
                      "known", self.text(f"{here} figcaption"))

    def test_native_functions_below_those_of_python(self):
        trace = MadeTrace(self.folder / "p.trace.sqlite")
        trace.library("libtorch.so", 1 << 32)
        for stack, offset in ((5, 1024), (6, 2048)):
            trace.stack(stack, ("train.py", 61, "step"),
                        native=[(1 << 32) + 32, (1 << 32) + offset])
            trace.alloc(stack << 30, stack * MIB, stack=stack)
        trace.close()
        self.open(self.folder / "p.trace.sqlite")
        here = self.section("Allocation sites")
        boxes = self.run_js(
            f"[...document.querySelectorAll('{here} .call')].map(one => "
            "[one.textContent, one.getAttribute('transform').split(' ')[1]])")
        self.assertEqual(boxes, [
            ["all", "0)"], ["train.py:61 in step", "20)"],
            ["libtorch.so+0x800", "40)"], ["libtorch.so+0x20", "60)"],
            ["libtorch.so+0x400", "40)"], ["libtorch.so+0x20", "60)"]])

    def test_figures_that_do_not_matter_are_folded(self):
        trace = refused(self.folder / "p.trace.sqlite")
        self.open(trace)
        here = self.section("Figures")
        self.assertNotIn("largest_free_bytes", self.text(here))
        self.run_js(f"document.querySelector('{here} details').open = true")
        self.browser.wait(f"document.querySelector('{here} dl') !== null")
        self.assertIn("largest_free_bytes", self.text(here))

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

    def recorded(self, sample):
        run = self.folder / sample
        subprocess.run(
            [SOURCE / "samples/run-simulated", BUILD, sample, "--with",
             os.environ["INQUEST"], "record", "-o", run, "---", "--"],
            capture_output=True, timeout=240)
        return run

    @unittest.skipUnless(SIMULATED.exists(), "the simulated GPU is not built")
    def test_each_sample(self):
        names = sorted(one.stem for one in (SOURCE / "samples").glob("*.cc"))
        self.assertGreaterEqual(len(names), 9)
        for name in names:
            with self.subTest(name):
                run = self.recorded(name)
                self.open(run, width=480, dark=True)
                self.says_verdict(run)
                self.assertEqual(self.low_contrast(), [])
                self.show()
                self.section("Memory over time")
                self.check_frame()

    @unittest.skipUnless(SIMULATED.exists(), "the simulated GPU is not built")
    def test_a_recorded_leak(self):
        run = self.recorded("leaking_loop")
        self.open(run)
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

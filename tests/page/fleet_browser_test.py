# SPDX-License-Identifier: Apache-2.0
"""The page of a fleet in a real browser."""
import unittest

from fleet_page_test import FleetPage
from made import result
from open_page import SVG, OpenPage, require_chromium
from questions import month

require_chromium()


class FleetBrowserTest(OpenPage, FleetPage):
    def titles(self):
        return self.run_js("[...document.querySelectorAll('main h2')]"
                           ".map(one => one.textContent)")

    def test_a_month(self):
        self.page_of(month())
        self.show()
        head = self.text("#head")
        self.assertIn("80 runs: 24 died of a known cause, 8 of an unknown one",
                      head)
        self.assertIn("hardware/ecc has 640.0 of them", head)
        self.assertEqual(self.titles()[:5], [
            "Causes by GPU-hours", "Over time", "Nodes that fail again",
            "GPUs that fail again", "Unknown ends by their wording"])
        self.causes()
        self.trends()
        self.check_frame()

    def causes(self):
        here = self.section("Causes by GPU-hours")
        self.hover(f"{here} {SVG}", 0.5, 0.1)
        self.assertRegex(self.text(f"{here} .readout"),
                         r"^hardware/ecc · 8 runs · 640.0 GPU-hours · last ")
        self.run_js(f"document.querySelector('{here} {SVG}').focus()")
        self.browser.press("End")
        self.assertRegex(self.text(f"{here} .readout"),
                         r"^unknown · 8 runs · GPU-hours unknown")
        self.run_js(
            f"(() => {{const one = document.querySelector('{here} select');"
            "one.value = 'runs'; one.dispatchEvent(new Event('change'));})()")
        self.assertIn("8 runs", self.text(f"{here} .picture"))

    def trends(self):
        here = self.section("Over time")
        self.run_js(f"document.querySelector('{here} {SVG}').focus()")
        self.browser.press("End")
        last = self.text(f"{here} .readout")
        self.assertRegex(last, r"^2\d\d\d-\d\d-\d\d · 2 runs began · "
                               "unknown: 1 run, GPU-hours unknown$")
        self.browser.press("ArrowLeft")
        self.assertNotEqual(self.text(f"{here} .readout"), last)
        self.run_js(
            f"(() => {{const one = document.querySelector('{here} select');"
            "one.value = 'hours'; one.dispatchEvent(new Event('change'));})()")
        self.assertGreater(self.run_js(
            f"document.querySelectorAll('{here} .column rect').length"), 8)

    def test_nothing_and_little(self):
        for results in ([], [result("a", "none")],
                        [result("a", "unknown", start=None, hours=None)]):
            if (self.folder / "fleet.sqlite").exists():
                (self.folder / "fleet.sqlite").unlink()
            self.page_of(results)
            self.show()
            self.check_frame()
            self.assertNotIn("NaN", self.text("body"))

    def test_text_can_be_read_on_its_ground(self):
        self.page_of(month())
        for dark in (False, True):
            self.show(dark=dark)
            self.assertEqual(self.low_contrast(), [])


if __name__ == "__main__":
    unittest.main()

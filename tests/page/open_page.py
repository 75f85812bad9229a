# SPDX-License-Identifier: Apache-2.0
"""A page in a real browser, opened from disk, and what every page must have."""
import json
import sys
import unittest

from pages import PageTest
import browser

SVG = ".picture > svg"


def require_chromium():
    """For the whole of a test file."""
    if browser.find() is None:
        print("skipped: no Chromium on this machine (INQUEST_CHROMIUM=PROGRAM), "
              "so no page was opened in a browser")
        sys.exit(77)


class OpenPage(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, *inputs, width=1280, height=900, dark=False):
        self.page(*inputs)
        self.show(width, height, dark)

    def show(self, width=1280, height=900, dark=False):
        """The page that was written last."""
        self.browser.resize(width, height, dark)
        self.browser.open(self.folder / "page.html")
        self.clean()

    def low_contrast(self):
        return self.run_js(LOW_CONTRAST)

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
        for width in (1280, 600, 480):
            self.browser.resize(width, 900)
            self.browser.wait(
                "document.documentElement.scrollWidth <= innerWidth + 1", 5)
            self.run_js("new Promise(done => requestAnimationFrame(() => "
                        "requestAnimationFrame(done)))")
            self.assertEqual(self.run_js(BAD_LABELS), [], width)
        self.browser.resize(1280, 900)
        behind = self.run_js("document.querySelectorAll('figure').length - "
                             "document.querySelectorAll('figure .behind').length")
        self.assertEqual(behind, 0)
        self.run_js("document.querySelectorAll('details').forEach(one => "
                    "one.open = true)")
        self.browser.wait("[...document.querySelectorAll('figure .behind')]"
                          ".every(one => one.querySelector('td'))")
        self.clean()


# Labels that leave their picture, or that an axis writes over each other.
BAD_LABELS = """(() => {
  const bad = [];
  for (const picture of document.querySelectorAll('.picture > svg')) {
    const width = picture.viewBox.baseVal.width;
    for (const one of picture.querySelectorAll('text')) {
      const box = one.getBBox();
      const on = one.closest('.call') === null && box.width > 0;
      if (on && (box.x < -1 || box.x + box.width > width + 1)) {
        bad.push('outside: ' + one.textContent);
      }
    }
    for (const axis of picture.querySelectorAll('.axis')) {
      const row = [...axis.querySelectorAll('text')].map(
          one => [one.getBBox(), one.textContent]).sort(
          (a, b) => a[0].y - b[0].y || a[0].x - b[0].x);
      row.forEach(([box, text], i) => {
        const last = row[i - 1]?.[0];
        if (last && last.y === box.y && box.x < last.x + last.width) {
          bad.push('over each other: ' + row[i - 1][1] + ', ' + text);
        }
      });
    }
  }
  return bad;
})()"""
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

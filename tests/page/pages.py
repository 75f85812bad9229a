# SPDX-License-Identifier: Apache-2.0
"""Makes pages with the program, and takes them apart again."""
import base64
import hashlib
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
for folder in (HERE.parent, HERE.parent / "memory", HERE):
    sys.path.insert(0, str(folder))
INQUEST = os.environ["INQUEST"]
MOST_BYTES = 2 << 20


class Parsed(html.parser.HTMLParser):
    """The elements of a page with their attributes, and what stands in script
    and style elements."""

    def __init__(self, text):
        super().__init__(convert_charrefs=False)
        self.elements, self.inside = [], []
        self._open = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self._open = tag if tag in ("script", "style") else None
        if self._open:
            self.inside.append([tag, dict(attributes), ""])

    def handle_endtag(self, tag):
        self._open = None

    def handle_data(self, data):
        if self._open:
            self.inside[-1][2] += data

    def text_of(self, tag, kind=None):
        return [text for name, attributes, text in self.inside
                if name == tag and attributes.get("type") == kind]

    @property
    def data(self):
        one, = self.text_of("script", "application/json")
        return json.loads(one)


def strings_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from strings_in(key)
            yield from strings_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_in(inner)


def policy_hash(text):
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()


def skeleton(parsed):
    """What must be the same in every page: all but the data."""
    return ([(tag, sorted(attributes)) for tag, attributes in parsed.elements],
            parsed.text_of("script"), parsed.text_of("style"))


class PageTest(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory(prefix="inquest-page-")
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)

    def inquest(self, *arguments, **options):
        return subprocess.run([INQUEST, *map(str, arguments)],
                              capture_output=True, timeout=240, **options)

    def page(self, *inputs, code=0):
        out = self.folder / "page.html"
        result = self.inquest("report", *inputs, "-o", out)
        self.assertEqual(result.returncode, code, result.stderr.decode())
        return out.read_bytes().decode()

    def parsed(self, *inputs, code=0):
        return Parsed(self.page(*inputs, code=code))

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path


SVG_NAMESPACE = "http://www.w3.org/2000/svg"


def addresses_outside(text):
    """Addresses of the web in a page, without those in its data. A hash of its
    policy may have two slashes, too."""
    data = re.compile(r'(<script type="application/json" id="data">).*?</script>',
                      re.S)
    rest = data.sub("", text).replace(SVG_NAMESPACE, "")
    rest = re.sub(r"'sha256-[A-Za-z0-9+/]{43}='", "", rest)
    return re.findall(r"""(?:https?:|ftp:|wss?:)?//[a-z0-9][^\s"'`<]*""", rest)

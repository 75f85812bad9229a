# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that is driven through a pair of pipes, with Python's
standard library alone (Chrome DevTools Protocol, messages end with a NUL)."""
import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome-headless-shell")


def find():
    chosen = os.environ.get("INQUEST_CHROMIUM")
    names = [chosen] if chosen else _NAMES
    return next((path for path in map(shutil.which, names) if path), None)


class Browser:
    """Opens pages from disk. What a page says in its console, and what it asks
    of the network, is kept in `complaints`, `requests` and `blocked`."""

    def __init__(self, width=1280, height=900):
        self._profile = tempfile.mkdtemp(prefix="inquest-chromium-")
        self._to, self._from = os.pipe(), os.pipe()
        self._process = subprocess.Popen(
            [find(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-extensions",
             "--force-color-profile=srgb", "--hide-scrollbars",
             f"--user-data-dir={self._profile}",
             f"--window-size={width},{height}", "about:blank"],
            close_fds=False, preexec_fn=self._take_pipes,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(self._to[0])
        os.close(self._from[1])
        self._bytes = b""
        self._number = 0
        self.complaints, self.blocked, self._sent = [], [], {}
        self._session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target,
                                  flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    @property
    def requests(self):
        """That were sent, not those that the page's policy stopped."""
        return list(self._sent.values())

    def _take_pipes(self):
        read, write = os.dup(self._to[0]), os.dup(self._from[1])
        os.dup2(read, 3, inheritable=True)
        os.dup2(write, 4, inheritable=True)

    def close(self):
        try:
            self._session = None
            self.call("Browser.close")
            self._process.wait(10)
        except (OSError, EOFError, TimeoutError, subprocess.TimeoutExpired):
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self._to[1])
        os.close(self._from[0])
        shutil.rmtree(self._profile, ignore_errors=True)

    def _message(self, until):
        while b"\0" not in self._bytes:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._from[0]], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            read = os.read(self._from[0], 1 << 20)
            if not read:
                raise EOFError("the browser has gone")
            self._bytes += read
        text, self._bytes = self._bytes.split(b"\0", 1)
        return json.loads(text)

    def _note(self, message):
        method, said = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(said["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and said["type"] in (
                "error", "warning", "assert"):
            self.complaints.append(json.dumps(said["args"]))
        elif method == "Log.entryAdded":
            self.complaints.append(json.dumps(said["entry"]))
        elif method == "Network.requestWillBeSent":
            self._sent[said["requestId"]] = said["request"]["url"]
        elif method == "Network.loadingFailed":
            if said.get("blockedReason") == "csp":
                self.blocked.append(self._sent.pop(said["requestId"], None))

    def call(self, method, timeout=60, **params):
        self._number += 1
        sent = {"id": self._number, "method": method, "params": params}
        if self._session:
            sent["sessionId"] = self._session
        os.write(self._to[1], json.dumps(sent).encode() + b"\0")
        until = time.monotonic() + timeout
        while True:
            message = self._message(until)
            if message.get("id") != self._number:
                self._note(message)
                continue
            if "error" in message:
                raise RuntimeError(f"{method}: {message['error']}")
            return message["result"]

    def resize(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path):
        self.complaints.clear()
        self.blocked.clear()
        self._sent.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        self.wait("document.readyState === 'complete' && "
                  "document.querySelector('h1') !== null")
        # Pictures are drawn when their width is known.
        self.run("new Promise(done => requestAnimationFrame(() => "
                 "requestAnimationFrame(done)))")

    def run(self, script):
        """The value of a JavaScript expression, or of its promise."""
        result = self.call("Runtime.evaluate", expression=script,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"]))
        return result["result"].get("value")

    def wait(self, script, seconds=30):
        until = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > until:
                raise TimeoutError(script)
            time.sleep(0.05)

    def press(self, key):
        code = {"+": 187, "ArrowRight": 39, "ArrowLeft": 37, "Enter": 13,
                "ArrowDown": 40, "Tab": 9}.get(key, 0)
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key,
                      windowsVirtualKeyCode=code)

    def mouse(self, kind, x, y, button="none"):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y,
                  button=button, buttons=1 if button == "left" else 0,
                  clickCount=1)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def box(self, selector):
        """Where an element is on the screen, after scrolling to it."""
        found = json.dumps(selector)
        return self.run(
            f"(() => {{const one = document.querySelector({found});"
            "one.scrollIntoView({block: 'center', behavior: 'instant'});"
            "const at = one.getBoundingClientRect();"
            "return {x: at.x, y: at.y, width: at.width, height: at.height};})()")

    def picture(self, path, whole=True):
        """A screenshot; of the whole page, or of what the window shows."""
        if whole:
            height = self.run("document.documentElement.scrollHeight")
            width = self.run("innerWidth")
            clip = {"x": 0, "y": 0, "width": width, "height": min(height, 9000),
                    "scale": 1}
            data = self.call("Page.captureScreenshot", clip=clip,
                             captureBeyondViewport=True)["data"]
        else:
            data = self.call("Page.captureScreenshot")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def print(self, path):
        data = self.call("Page.printToPDF", printBackground=True)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

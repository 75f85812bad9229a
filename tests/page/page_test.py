# SPDX-License-Identifier: Apache-2.0
"""What a page is made of, that it says the words of the text report, and what
its pictures are drawn from."""
import re
import unittest

from pages import (HERE, MOST_BYTES, PageTest, addresses_outside, policy_hash,
                   skeleton, strings_in, Parsed)
from made_trace import MIB, MadeTrace

LOGS = HERE.parent / "cli/logs"
SIZE = 512 * 1024


def moments(curve):
    """What the page's script makes of the differences."""
    time = value = 0
    for after, length, low, high, last in curve:
        yield time + after, time + after + length, value + low, value + high
        time, value = time + after + length, value + last


class StructureTest(PageTest):
    def test_the_policy_names_the_page_s_own_script_and_style(self):
        parsed = self.parsed(LOGS / "torch-fragmented.log")
        policy, = [one["content"] for tag, one in parsed.elements
                   if one.get("http-equiv") == "Content-Security-Policy"]
        script, = parsed.text_of("script")
        style, = parsed.text_of("style")
        self.assertEqual(
            policy, "default-src 'none'; "
            f"script-src '{policy_hash(script)}'; "
            f"style-src '{policy_hash(style)}'; "
            "base-uri 'none'; form-action 'none'")
        self.assertLessEqual(len(script), 80 * 1000)

    def test_it_needs_nothing_else(self):
        text = self.page(LOGS / "torch-fragmented.log")
        self.assertEqual(addresses_outside(text), [])
        parsed = Parsed(text)
        for tag, attributes in parsed.elements:
            self.assertNotIn(tag, ("link", "img", "iframe", "object", "base"))
            for name, value in attributes.items():
                self.assertFalse(name.startswith("on"), (tag, name))
                self.assertNotIn(name, ("src", "style", "srcdoc"), tag)
                if name == "href":
                    self.assertEqual(value, "#main")

    def test_scripts_put_strings_in_as_text_only(self):
        script, = self.parsed(LOGS / "xid79.log").text_of("script")
        for way in ("innerHTML", "outerHTML", "insertAdjacentHTML",
                    "document.write", "eval(", "new Function", "DOMParser",
                    "createContextualFragment", "srcdoc", "fetch(",
                    "XMLHttpRequest", "WebSocket", "sendBeacon", "import("):
            self.assertNotIn(way, script)

    def test_all_but_the_data_is_the_same(self):
        one = self.parsed(LOGS / "torch-fragmented.log")
        other = self.parsed(LOGS / "healthy.log", LOGS / "xid79.log")
        self.assertEqual(skeleton(one), skeleton(other))


class WordsTest(PageTest):
    """Each line of the text report is in the page, word for word."""

    def check(self, *inputs):
        said = self.inquest("diagnose", "-v", *inputs).stdout.decode()
        said = said.split("\nNext\n")[0]
        data = self.parsed(*inputs).data
        known = set(strings_in(data["verdict"]))
        verdict = data["verdict"]
        known.add(f"{verdict['cause']}  {verdict['title']}")
        known |= {"Why", "Figures", "What to do"}
        known |= {f"{i}. {fix['text']}"
                  for i, fix in enumerate(verdict.get("fixes", []), 1)}
        known |= {f"see {fix['url']}" for fix in verdict.get("fixes", [])}
        for name, value in verdict.get("figures", []):
            known.add(f"{name} {value}")
        for line in said.splitlines():
            words = line.strip()
            # The page has pictures of its own.
            if not words or re.search("^… and|[│┤└]| UTC, for ", words):
                continue
            plain = re.sub(r"\s{2,}", " ", words, count=1)
            self.assertTrue(words in known or plain in known, words)

    def test_logs(self):
        for log in sorted(LOGS.glob("*.log")):
            with self.subTest(log.name):
                self.check(log)

    def test_several_logs(self):
        self.check(LOGS / "nccl-timeout.log", LOGS / "xid79.log")

    def test_a_trace(self):
        self.check(refused(self.folder / "p.trace.sqlite"))

    def test_figures_that_matter_are_sentences(self):
        verdict = self.parsed(LOGS / "torch-fragmented.log").data["verdict"]
        said = self.inquest("diagnose", LOGS / "torch-fragmented.log",
                            "--width", "0").stdout.decode()
        self.assertTrue(verdict["sentences"])
        for sentence in verdict["sentences"]:
            self.assertIn(f"  {sentence}\n", said)

    def test_evidence_leads_to_its_line(self):
        data = self.parsed(LOGS / "torch-fragmented.log").data
        piece = next(one for one in data["verdict"]["evidence"] if "line" in one)
        log, = data["logs"]["logs"]
        quoted = {line[0]: line[1:] for line in log["lines"]}
        self.assertEqual(piece["source"], log["source"])
        self.assertIn(data["verdict"]["finding"], quoted[piece["line"]][1])

    def test_diagnose_writes_the_same_page(self):
        out = self.folder / "other.html"
        result = self.inquest("diagnose", LOGS / "xid79.log", "--format", "html",
                              "-o", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(out.read_text(), self.page(LOGS / "xid79.log"))


def refused(path, blocks=400):
    """Every other block of a full heap is freed, and then one is asked for
    that is larger than each hole."""
    trace = MadeTrace(path, device_bytes=blocks * SIZE)
    trace.stack(1, ("train.py", 10, "fill"), ("train.py", 90, "main"))
    trace.stack(2, ("train.py", 20, "ask"), ("train.py", 90, "main"))
    trace.memory(blocks * SIZE, "start")
    base = 0x7F0000000000
    for i in range(blocks):
        trace.alloc(base + i * SIZE, SIZE, stack=1)
    for i in range(0, blocks, 2):
        trace.free(base + i * SIZE)
    trace.event(1, 0, 8 * MIB, stack=2, result=2)
    trace.memory(0, "failure", others=[(4711, 5 * MIB)])
    trace.close()
    return path


class PictureTest(PageTest):
    def test_the_heap_at_the_refusal(self):
        data = self.parsed(refused(self.folder / "p.trace.sqlite")).data
        heap, = [one for one in data["heaps"] if one["kind"] == "refusal"]
        self.assertEqual(heap["requested_bytes"], 8 * MIB)
        self.assertEqual(heap["first"], "0x7f0000000000")
        free = [cell for cell in heap["cells"] if cell[1] == 0]
        live = [cell for cell in heap["cells"] if cell[1] == 1]
        self.assertEqual((len(free), len(live)), (200, 200))
        self.assertEqual({cell[0] for cell in free + live}, {SIZE})
        self.assertEqual(sum(cell[6:] == [1] for cell in live),
                         heap["blocking_blocks"])
        peak, = [one for one in data["heaps"] if one["kind"] == "peak"]
        self.assertEqual(len(peak["cells"]), 400)

    def test_memory_over_time(self):
        data = self.parsed(refused(self.folder / "p.trace.sqlite")).data
        device, = data["timeline"]["devices"]
        curve = list(moments(device["held"]))
        self.assertEqual(len(curve), 600)
        self.assertEqual([one[3] for one in curve],
                         [SIZE * n for n in [*range(1, 401),
                                             *range(399, 199, -1)]])
        self.assertTrue(all(one[0] == one[1] for one in curve))
        self.assertEqual(len(device["refusals"]["rows"]), 1)
        self.assertIn(5 * MIB, device["samples"]["rows"][-1])

    def test_what_a_failed_layer_found_free(self):
        trace = MadeTrace(self.folder / "p.trace.sqlite", device_bytes=64 * MIB)
        trace.memory(40 * MIB, "start")
        trace.row("cudnn_call", 8, trace.time + 500, "cudnnConvolutionForward",
                  3000, 10, 1, 0, '{"workspace_bytes": 33554432}')
        trace.memory(24 * MIB, "failure")
        trace.close()
        tables = self.parsed(self.folder / "p.trace.sqlite").data["tables"]
        failed = tables["cudnn_failures"]
        one = dict(zip(failed["columns"], failed["rows"][0]))
        self.assertEqual((one["workspace_bytes"], one["free_bytes"]),
                         (32 * MIB, 24 * MIB))

    def test_which_versions_fit(self):
        trace = MadeTrace(self.folder / "p.trace.sqlite")
        trace.alloc(0x7F0000000000, MIB)
        for name, version in (("libcudnn.so.9", "9.19.0"),
                              ("libcudnn_cnn.so.9", "9.1.0")):
            trace.row("library", None, trace.time, name, f"/lib/{name}",
                      version, "symbol", None, None, 0, 4096)
        trace.close()
        fits = self.parsed(self.folder / "p.trace.sqlite").data["tables"]["fits"]
        rows = [dict(zip(fits["columns"], row)) for row in fits["rows"]]
        self.assertEqual(
            [row for row in rows if row["result"] == "does not fit"],
            [{"what": "parts of cuDNN", "needs": "one release",
              "found": "libcudnn.so.9 9.19.0, libcudnn_cnn.so.9 9.1.0",
              "result": "does not fit"}])

    def test_a_pool_that_told_its_totals_by_the_second(self):
        trace = MadeTrace(self.folder / "p.trace.sqlite")
        trace.alloc(0x7F0000000000, 600 * MIB)
        second = 10**9
        for i in range(1, 4):
            trace.row("framework_memory", i, 0, i * second + 5,
                      (i + 1) * second - 5, 10, 9, i * MIB, 600 * MIB,
                      i * 100 * MIB, 600 * MIB)
        trace.close()
        device, = self.parsed(
            self.folder / "p.trace.sqlite").data["timeline"]["devices"]
        rows = device["pool_samples"]
        names = rows["columns"]
        self.assertEqual(
            [row[names.index("peak_allocated_bytes")] for row in rows["rows"]],
            [100 * MIB, 200 * MIB, 300 * MIB])
        self.assertEqual([one[3] for one in moments(device["held"])],
                         [600 * MIB])
        self.assertEqual(device["pool"], [])

    def test_sites(self):
        data = self.parsed(refused(self.folder / "p.trace.sqlite")).data
        frames = data["sites"]["frames"]
        site = next(one for one in data["sites"]["sites"] if one[4] > 0)
        self.assertEqual([frames[i] for i in site[3]],
                         ["train.py:10 in fill", "train.py:90 in main"])
        self.assertEqual((site[4], site[5], site[6], site[8]),
                         (200 * SIZE, 200, 400 * SIZE, 400))

    def test_a_leak_has_its_line(self):
        trace = MadeTrace(self.folder / "p.trace.sqlite", device_bytes=1 << 34)
        trace.stack(1, ("train.py", 7, "remember"))
        for step in range(60):
            trace.alloc((step + 1) << 24, 3 * MIB, stack=1)
            trace.alloc(1 << 40, 64 * MIB)
            trace.free(1 << 40)
            trace.step(step)
        trace.close()
        data = self.parsed(self.folder / "p.trace.sqlite").data
        leak, = data["leaks"]
        self.assertEqual(leak["bytes_per_step"], 3 * MIB)
        self.assertEqual(len(leak["points"]), 60)
        for step, kept in leak["points"]:
            line = leak["first_bytes"] + 3 * MIB * (step - leak["first_step"])
            self.assertEqual(kept, round(line))

    def test_made_up_addresses_are_no_map(self):
        trace = MadeTrace(self.folder / "p.trace.sqlite")
        trace.alloc((1 << 60) + 4096, MIB)
        trace.close()
        self.assertNotIn("heaps", self.parsed(self.folder / "p.trace.sqlite").data)


class SizeTest(PageTest):
    def test_a_long_run_is_a_small_page_with_its_extremes(self):
        trace = MadeTrace(self.folder / "p.trace.sqlite", device_bytes=1 << 36)
        for i in range(1, 3001):
            trace.stack(i, (f"model_{i % 50}.py", i, f"layer_{i}"),
                        ("train.py", 90 + i % 7, "step"), ("train.py", 5, "main"))
        base = 0x7F0000000000
        size = 4096
        for i in range(60_000):  # a heap of many pieces
            trace.alloc(base + i * size, size - 512, stack=i % 3000 + 1)
        for i in range(120_000):
            trace.alloc(base + (1 << 32), MIB, stack=i % 3000 + 1)
            if i == 77_777:  # one event among 300,000
                trace.alloc(base + (1 << 34), 1 << 34, stack=5)
                trace.free(base + (1 << 34))
            trace.free(base + (1 << 32))
        trace.event(1, 0, 1 << 36, stack=9, result=2)
        trace.close()
        text = self.page(self.folder / "p.trace.sqlite")
        self.assertLess(len(text.encode()), MOST_BYTES)
        data = Parsed(text).data
        device, = data["timeline"]["devices"]
        curve = list(moments(device["held"]))
        self.assertLess(len(curve), 6000)
        self.assertEqual(max(one[3] for one in curve), device["peak_bytes"])
        self.assertEqual(device["peak_bytes"],
                         60_000 * (size - 512) + MIB + (1 << 34))
        for heap in data["heaps"]:
            live = sum(cell[5] if len(cell) > 5 else cell[0]
                       for cell in heap["cells"] if cell[1] in (1, 3))
            self.assertGreaterEqual(live, 60_000 * (size - 512))
            self.assertLessEqual(len(heap["cells"]), 5001)
        sites = data["sites"]
        self.assertEqual(
            sum(one[8] for one in sites["sites"]) + sites["rest"][3],
            180_001)


if __name__ == "__main__":
    unittest.main()

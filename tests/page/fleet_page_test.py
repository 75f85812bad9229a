# SPDX-License-Identifier: Apache-2.0
"""The page of a fleet: the answers of `fleet report` and causes over time, from
strings that a stranger wrote, too."""
import json
import sqlite3
import sys
import unittest

from hostile_test import EVIL, MARKS, assert_shown_as_text
from pages import (MOST_BYTES, HERE, PageTest, Parsed, addresses_outside,
                   policy_hash, skeleton, strings_in)

sys.path.append(str(HERE.parent / "fleet"))
from made import DAY, T0, ndjson, result, unit  # noqa: E402
from questions import month  # noqa: E402


class FleetPage(PageTest):
    """Also for the browser's tests."""

    def load(self, results):
        self.database = self.folder / "fleet.sqlite"
        done = self.inquest("fleet", "load", "--database", self.database, "-",
                            input=ndjson(results or [result("a", "none")])
                            .encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        if not results:
            with sqlite3.connect(self.database) as db:
                db.execute("DELETE FROM fleet_run")
            db.close()

    def report(self, *arguments, code=0):
        done = self.inquest("fleet", "report", "--database", self.database,
                            *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def page_of(self, results, *arguments):
        self.load(results)
        self.report("-o", self.folder / "page.html", *arguments)
        return (self.folder / "page.html").read_text()


class FleetPageTest(FleetPage):
    def test_one_file_that_needs_nothing_else(self):
        text = self.page_of(month())
        parsed = Parsed(text)
        script, = parsed.text_of("script")
        style, = parsed.text_of("style")
        policy, = [one["content"] for tag, one in parsed.elements
                   if one.get("http-equiv") == "Content-Security-Policy"]
        self.assertIn(policy_hash(script), policy)
        self.assertIn(policy_hash(style), policy)
        self.assertEqual(addresses_outside(text), [])
        self.assertLessEqual(len(script), 80 * 1000)
        self.assertEqual((self.folder / "page.html").stat().st_mode & 0o777,
                         0o600)

    def test_the_answers_are_those_of_the_report(self):
        data = Parsed(self.page_of(month())).data
        told = json.loads(self.report("--format", "json", "--rows",
                                      "100").stdout)["sections"]
        for one, other in zip(data["sections"], told, strict=True):
            self.assertEqual((one["id"], one["title"], one["note"]),
                             (other["id"], other["title"], other["note"]))
            self.assertEqual(len(one["rows"]), len(other["rows"]))
            for row, same in zip(one["rows"], other["rows"]):
                for column, value in zip(one["columns"], row):
                    if not column.endswith("_time"):
                        self.assertEqual(value, same[column])

    def test_causes_over_time(self):
        trends = Parsed(self.page_of(month())).data["trends"]
        self.assertEqual((trends["days"], sum(trends["runs"])), (1, 80))
        runs = {one["cause"]: one["runs"] for one in trends["causes"]}
        self.assertEqual({cause: sum(each) for cause, each in runs.items()},
                         {"hardware/ecc": 8, "memory/capacity": 8,
                          "kernel/illegal-access": 8, "unknown": 8})
        # It came with the new driver, in the second half.
        self.assertEqual(sum(runs["kernel/illegal-access"][:10]), 0)
        hours = {one["cause"]: one["hours"] for one in trends["causes"]}
        self.assertEqual(sum(filter(None, hours["hardware/ecc"])), 640)
        self.assertEqual(set(hours["unknown"]), {None})

    def test_the_last_days(self):
        self.load(month())
        self.report("-o", self.folder / "page.html", "--days", "1")
        data = Parsed((self.folder / "page.html").read_text()).data
        self.assertEqual(data["days"], 1)
        self.assertEqual(data["trends"], {})

    def test_answers_that_are_cut_say_so(self):
        data = Parsed(self.page_of(month(), "--rows", "2")).data
        causes, = [one for one in data["sections"] if one["id"] == "causes"]
        self.assertEqual((len(causes["rows"]), causes["cut"]), (2, True))
        self.assertIn("--rows", Parsed((self.folder / "page.html").read_text())
                      .text_of("script")[0])

    def test_no_runs(self):
        data = Parsed(self.page_of([])).data
        self.assertEqual(data["trends"], {})
        self.assertEqual(data["sections"][1]["rows"], [])

    def test_ten_years_of_many_causes(self):
        results = [result(f"r{n}", f"cause/{n % 90}", start=T0 - n * 2 * DAY,
                          gpus=[(f"GPU-{n}", f"n{n % 50}")],
                          suspects=[f"worker said {'x' * 200} {n % 400}"])
                   for n in range(1800)]
        text = self.page_of(results)
        self.assertLess(len(text), MOST_BYTES)
        trends = Parsed(text).data["trends"]
        self.assertLessEqual(trends["spans"], 63)
        self.assertEqual(len(trends["causes"]), 8)
        self.assertEqual(sum(sum(one["runs"]) for one in trends["causes"]), 1800)

    def test_hostile_strings(self):
        everything = " ".join([*EVIL, *MARKS])
        evil = result(everything, everything[:60], rule=everything,
                      where=unit(everything, 1, 1, everything),
                      gpus=[(everything, everything)],
                      versions={"driver": everything}, findings=[everything])
        unknown = result("u", "unknown", suspects=[everything])
        plain = skeleton(Parsed(self.page_of([result("a", "hardware/ecc")])))
        self.database.unlink()
        text = self.page_of([evil, dict(evil, run=dict(evil["run"], id="0" * 32)),
                             unknown])
        parsed = Parsed(text)
        self.assertEqual(skeleton(parsed), plain)
        assert_shown_as_text(self, text)
        strings = "\n".join(strings_in(parsed.data))
        for one in EVIL[:5]:
            self.assertIn(one, strings)

    def test_redacted_in_every_format(self):
        card = "GPU-8f2c1d3e-0a4b-4c5d-9e6f-112233445566"
        self.load([result(f"r{n}", "hardware/ecc", gpus=[(card, "trainbox7")],
                          where=unit("trainbox7", 1, 7, card))
                   for n in range(3)] +
                  [result(f"u{n}", "unknown", suspects=[
                      "trainbox7 cannot read shard 7"])
                   for n in range(2)])
        for form in ("text", "json", "html"):
            plain = self.report("--format", form).stdout.decode()
            said = self.report("--format", form,
                               "--redact").stdout.decode()
            for name in ("trainbox", card):
                self.assertIn(name, plain, form)
                self.assertNotIn(name, said, form)
            # The node is the same one in each answer.
            self.assertIn("HOST-1", said, form)
            self.assertNotIn("HOST-2", said, form)

    def test_formats_by_the_name_of_the_file(self):
        self.load(month())
        for name, begins in (("a.html", "<!doctype html>"), ("a.json", "{"),
                             ("a.txt", "Runs\n")):
            self.report("-o", self.folder / name)
            self.assertTrue((self.folder / name).read_text().startswith(begins))
        printed = self.report("--format", "html").stdout.decode()
        self.assertEqual(printed, (self.folder / "a.html").read_text())
        self.assertIn(b"cannot", self.report(
            "-o", self.folder / "no" / "a.html", code=2).stderr)


if __name__ == "__main__":
    unittest.main()

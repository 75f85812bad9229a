# SPDX-License-Identifier: Apache-2.0
"""`inquest whatif` on memory snapshots of runs that the naive model in Python
made: what it says of the record comes out as recorded, and what it foretells of
other settings is what the naive model does under them."""
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

from naive_models import MIB
from programs import Run, training

INQUEST = os.environ["INQUEST"]
SETTINGS = {
    "expandable_segments:True": {"grow": True},
    "max_split_size_mb:64": {"split": 64 * MIB},
    "max_split_size_mb:24": {"split": 24 * MIB},
    "roundup_power2_divisions:4": {"divisions": [4] * 16},
    "roundup_power2_divisions:8": {"divisions": [8] * 16},
}


class WhatifTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, *words):
        return subprocess.run([INQUEST, "whatif", *map(str, words)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=120)

    def whatif(self, run, *words, **options):
        path = self.folder / "snapshot.pickle"
        path.write_bytes(pickle.dumps(run.snapshot(**options)))
        result = self.command("--format", "json", path, *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["schema"], "inquest.whatif/1")
        self.assertEqual(len(answer["devices"]), 1)
        return answer["devices"][0]

    def change(self, device, name):
        found = [one for one in device["changes"] if one["name"] == name]
        self.assertEqual(len(found), 1, name)
        return found[0]


class Record(WhatifTest):
    """The models of the recorded settings."""

    def check(self, run, **options):
        device = self.whatif(run, "--only", "pool", **options)
        check = device["check"]
        self.assertEqual(
            check["model"]["reserved_bytes_at_end"], run.reserved, options)
        self.assertEqual(check["recorded"]["reserved_bytes_at_end"],
                         run.reserved)
        self.assertEqual(check["model"]["segments_at_end"],
                         len(run.segments()), options)
        if not options.get("ring"):
            self.assertEqual(check["model"]["peak_reserved_bytes"], run.peak)
        self.assertEqual(check["model"].get("refuses_the_same"),
                         True if run.died else None, options)
        return device

    def test_whole_histories(self):
        for seed in range(2):
            for conf in ("", *SETTINGS):
                with self.subTest(seed=seed, conf=conf):
                    run = Run(training(seed, 12), 8 << 30,
                              SETTINGS.get(conf))
                    self.assertFalse(run.died)
                    self.check(run, conf=conf)

    def test_deaths(self):
        for seed in range(4):
            for conf in ("", "expandable_segments:True",
                         "max_split_size_mb:24"):
                with self.subTest(seed=seed, conf=conf):
                    run = Run(training(seed, 12), 280 * MIB,
                              SETTINGS.get(conf))
                    self.assertTrue(run.died)
                    device = self.check(run, conf=conf)
                    self.assertEqual(device["room"]["bytes"], 280 * MIB)
                    recorded = device["changes"][0]
                    self.assertFalse(recorded["survives"])
                    self.assertLess(recorded["margin_bytes"], 0)

    def test_histories_that_start_late(self):
        for conf in ("", "expandable_segments:True"):
            for ring in (5, 60, 333):
                with self.subTest(conf=conf, ring=ring):
                    run = Run(training(1, 12), 8 << 30, SETTINGS.get(conf),
                              queues=2)
                    self.check(run, conf=conf, ring=ring)

    def test_given_back_under_pressure(self):
        """The model gives back by itself what the record shows given back."""
        seen = 0
        for capacity in range(330, 420, 10):
            run = Run(training(3, 20), capacity * MIB)
            actions = [one["action"] for one in run.history]
            if "segment_free" not in actions:
                continue
            seen += 1
            device = self.check(run)
            self.assertEqual(device["room"].get("bytes"),
                             capacity * MIB if run.died else None)
        self.assertGreater(seen, 2)


class Advice(WhatifTest):
    """What `diagnose` advises is what this replay of the run bears out."""

    def test_no_advice_against_the_replay(self):
        advised, checked = 0, 0
        for seed in range(6):
            for capacity in (270, 290, 310):
                run = Run(training(seed, 12), capacity * MIB)
                if not run.died:
                    continue
                changes = {one["name"]: one
                           for one in self.whatif(run)["changes"]}
                result = subprocess.run(
                    [INQUEST, "diagnose", "--format", "json",
                     str(self.folder / "snapshot.pickle")],
                    stdout=subprocess.PIPE, timeout=120)
                verdict = json.loads(result.stdout)["verdict"]
                if not verdict["cause"].startswith("memory/"):
                    continue
                for place, fix in enumerate(verdict["fixes"]):
                    command = fix.get("command") or ""
                    change = ("mixed precision" if "autocast" in command else
                              "expandable_segments:True"
                              if "expandable_segments:True" in command else
                              None)
                    if change not in changes:
                        continue
                    self.assertTrue(changes[change]["helps"], (seed, capacity))
                    self.assertIn("replayed with it", fix["text"])
                    advised += 1
                checked += 1
        self.assertGreater(checked, 5)
        print(f"{checked} runs that died, {advised} pieces of advice that a "
              "replay bears out", file=sys.stderr)


class Foretold(WhatifTest):
    def test_settings_as_the_naive_model_has_them(self):
        for seed, capacity in ((0, 300), (1, 290), (2, 310), (5, 280)):
            run = Run(training(seed, 12), capacity * MIB)
            self.assertTrue(run.died)
            device = self.whatif(run, "--set", "max_split_size_mb=24")
            for conf, settings in SETTINGS.items():
                with self.subTest(seed=seed, conf=conf):
                    change = self.change(device, conf)
                    self.naive(run, seed, change, settings, capacity * MIB)

    def on_record(self, recorded, seed, factor=1):
        """Only what is on record is foretold: nothing behind the death.
        `factor`: of the sizes of what a step gives back."""
        wanted = sum(one["action"] in ("alloc", "oom", "free_completed")
                     for one in recorded.history)
        count = 0
        for request in training(seed, 12):
            if count == wanted:
                return
            count += request[0] in ("alloc", "free")
            if request[0] == "alloc" and request[1][0] not in (
                    "weight", "moment"):
                op, key, size, stack = request
                request = op, key, max(1, int(factor * size + 0.5)), stack
            yield request

    def naive(self, recorded, seed, change, settings, capacity):
        def requests():
            return self.on_record(recorded, seed)
        other = Run(requests(), capacity, settings)
        self.assertEqual(change["survives"], not other.died)
        if not other.died:
            self.assertEqual(change["peak_reserved_bytes"], other.peak)
        enough = change["needed_bytes"]
        self.assertEqual(change["margin_bytes"], capacity - enough)
        self.assertFalse(Run(requests(), enough, settings).died)
        if change["margin_bytes"] < 0:
            less = Run(requests(), enough - 2 * MIB, settings)
            self.assertTrue(less.died)

    def test_a_fresh_start_is_no_help_of_its_own(self):
        """Where the history starts late, a change must do better than the
        recorded settings do without the past."""
        seen, unsure = 0, 0
        for seed, capacity in ((4, 304), (0, 300), (2, 310), (7, 330)):
            run = Run(training(seed, 20), capacity * MIB)
            if not run.died:
                continue
            device = self.whatif(run, ring=60)
            recorded, fresh = device["changes"][:2]
            self.assertEqual(fresh["name"], "as recorded, from a fresh start")
            self.assertFalse(recorded["helps"] or fresh["helps"])
            for change in device["changes"][2:]:
                helps = change["survives"] and (
                    not change["afresh"] or
                    change["margin_bytes"] > fresh["margin_bytes"])
                self.assertEqual("surely" in change, change["family"] in (
                    "batch", "precision"), change)
                if helps and not change.get("surely", True):
                    # What its least favourable assumption takes has no room.
                    self.assertGreater(change["most_reserved_bytes"],
                                       device["room"]["bytes"])
                    helps = False
                    unsure += 1
                self.assertEqual(change["helps"], helps, change)
                seen += 1
        self.assertGreater(seen, 10)
        self.assertLess(unsure, seen / 10)

    def test_an_estimate_whose_range_crosses(self):
        """A batch's range is that of nine to eleven tenths of what it changes;
        the naive model says what the run does at both ends."""
        words = set()
        for seed, capacity in ((0, 300), (1, 290), (2, 310), (5, 280)):
            run = Run(training(seed, 12), capacity * MIB)
            batch, = [one["factor"] for one in
                      self.whatif(run, "--only", "batch")["changes"]
                      if one["family"] == "batch"]
            for share in (0.02, 0.5, 0.88, 0.95, 1.05, 1.12, 2):
                factor = round(1 - (1 - batch) * share, 3)
                with self.subTest(seed=seed, factor=factor):
                    words.add(self.crosses(run, seed, factor, capacity * MIB))
        self.assertLessEqual({"yes", "perhaps", "no"}, words)

    def crosses(self, run, seed, factor, capacity):
        device = self.whatif(run, "--batch", factor, "--only", "batch")
        change = next(one for one in device["changes"]
                      if one.get("factor") == factor)
        least, middle, most = (
            not Run(self.on_record(run, seed, one), capacity).died
            for one in (1 + (factor - 1) * 1.1, factor, 1 + (factor - 1) * 0.9))
        self.assertEqual(change["survives"], middle)
        self.assertEqual(change["surely"], middle and most)
        self.assertEqual(change["possibly"], least or middle or most)
        self.assertEqual(change["helps"], change["surely"])
        granted = "this request" if device["past_request_only"] else "yes"
        word = (granted if change["surely"] else
                "perhaps" if change["possibly"] else "no")
        text = self.command(self.folder / "snapshot.pickle", "--batch", factor,
                            "--only", "batch").stdout
        self.assertRegex(text, rf"batch x {factor:.3g} +{word}")
        return word

    def test_no_leak(self):
        run = Run(training(1, 40, leak=12 * MIB), 900 * MIB)
        self.assertTrue(run.died)
        device = self.whatif(run)
        change = self.change(device, "no leak")
        self.assertTrue(change["survives"])
        self.assertIn("remember", change["setting"])
        healthy = Run(training(1, 40), 900 * MIB)
        self.assertLess(abs(change["peak_reserved_bytes"] - healthy.peak),
                        80 * MIB)
        # What only puts the end off does not let the run survive.
        later = [one for one in device["changes"] if "more_steps" in one]
        self.assertTrue(later)
        for one in later:
            self.assertFalse(one["survives"], one)
            self.assertFalse(one["helps"], one)
            if one["family"] in ("batch", "device"):
                self.assertGreater(one["more_steps"], 0)
        larger = self.change(device, "a device of 7.51 GiB (8 GB card)")
        self.assertGreater(larger["more_steps"], 0)

    def test_a_leak_that_ended_in_time(self):
        """Where nothing was refused, all that was asked for counts."""
        run = Run(training(1, 40, leak=12 * MIB), 8 << 30)
        self.assertFalse(run.died)
        device = self.whatif(run, "--device-memory", 8 << 30)
        for one in device["changes"]:
            self.assertNotIn("more_steps", one)
            if one["family"] in ("recorded", "torch", "async", "leak"):
                self.assertTrue(one["survives"], one)

    def test_a_smaller_batch(self):
        """Half of what a step takes, and all of what lasts."""
        run = Run(training(2, 12, scale=4), 700 * MIB)
        self.assertTrue(run.died)
        device = self.whatif(run, "--batch", "0.25")
        quarter = self.change(device, "batch x 0.25")
        self.assertEqual(quarter["factor"], 0.25)
        self.assertTrue(quarter["survives"])
        self.assertTrue(quarter["estimate"])
        self.assertIn("assumption", quarter)
        largest = [one for one in device["changes"]
                   if one["family"] == "batch" and one["factor"] != 0.25][0]
        self.assertGreater(largest["factor"], 0.25)
        self.assertLess(largest["factor"], 1)
        self.assertTrue(largest["survives"])

    def test_larger_device(self):
        run = Run(training(2, 12), 290 * MIB)
        self.assertTrue(run.died)
        device = self.whatif(run)
        recorded = device["changes"][0]
        larger = [one for one in device["changes"]
                  if one["family"] == "device"][0]
        self.assertTrue(larger["survives"])
        self.assertEqual(larger["needed_bytes"], recorded["needed_bytes"])
        # Of the device that is named, nothing is left.
        self.assertIn(f"{recorded['needed_bytes'] / MIB:.2f} MiB",
                      larger["name"])
        self.assertEqual(larger["margin_bytes"], 0)
        # With what was refused.
        whole = Run(self.on_record(run, 2), recorded["needed_bytes"])
        self.assertFalse(whole.died)
        self.assertEqual(larger["peak_reserved_bytes"], whole.peak)
        needed = recorded["needed_bytes"]
        for memory in (needed - 2 * MIB, needed, 24 << 30):
            given = self.whatif(run, "--device-memory", memory)
            self.assertFalse(given["withheld"], given["not_tried"])
            # The model is held against the device of the record.
            self.assertEqual(given["check"], device["check"])
            self.assertEqual(given["changes"][0]["survives"], memory >= needed)
            self.assertEqual(given["changes"][0]["margin_bytes"],
                             memory - needed)


class Words(WhatifTest):
    def test_text(self):
        split = {"split": 512 * MIB}
        capacity = next(
            size * MIB for size in range(300, 500, 2)
            if Run(training(0, 12), size * MIB, split).died and
            not Run(training(0, 12), size * MIB, {"grow": True}).died)
        run = Run(training(0, 12), capacity, split)
        path = self.folder / "snapshot.pickle"
        path.write_bytes(pickle.dumps(run.snapshot("max_split_size_mb:512")))
        text = self.command(path).stdout
        self.assertIn("requests to PyTorch's allocator", text)
        self.assertIn("reserved at the end: recorded", text)
        self.assertIn("(+0.00 %)", text)
        self.assertIn("Each of these alone would have let the run survive", text)
        self.assertIn("PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:512,"
                      "expandable_segments:True", text)

    def test_only_a_family(self):
        run = Run(training(0, 12), 300 * MIB)
        device = self.whatif(run, "--only", "async")
        self.assertEqual([one["family"] for one in device["changes"]],
                         ["recorded", "async"])

    def test_room_unknown(self):
        run = Run(training(0, 12), 8 << 30)
        device = self.whatif(run)
        self.assertNotIn("survives", device["changes"][0])
        self.assertIn("--device-memory", " ".join(device["not_tried"]))

    def test_mistakes(self):
        for words in (["--set", "max_split_size_mb=1"], ["--set", "x=y"],
                      ["--batch", "-1"], ["--batch", "much"],
                      ["--device-memory", "big"], ["--only", "everything"],
                      ["nowhere.pickle"]):
            result = self.command(self.folder, *words)
            self.assertEqual(result.returncode, 2, words)
            self.assertTrue(result.stderr)

    def test_nothing_on_record(self):
        log = self.folder / "train.log"
        log.write_text("epoch 1\n")
        result = self.command(log)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("No request for device memory is recorded",
                      result.stdout)


if __name__ == "__main__":
    unittest.main()

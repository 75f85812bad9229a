# SPDX-License-Identifier: Apache-2.0
"""`rules new`: whatever the line, the draft lints without a warning, is laid out,
and its test holds."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

INQUEST = os.environ["INQUEST"]
SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])

# line, cause expected (None: any), captures that must come out
LINES = [
    ("nvshield[771]: watchdog lost contact with GPU 3 after 30 s, 12.5 GiB "
     "free", None,
     {"device": 3, "duration_ms": 30000,
      "free_bytes": 13421772800}),
    ("2026-11-20 10:15:02,123 ERROR trainer.py:55 torch.OutOfMemoryError: CUDA "
     "out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of "
     "79.10 GiB of which 1.00 GiB is free.", "memory/capacity",
     {"device": 0, "requested_bytes": 2147483648}),
    ("[rank3]: myfabric: link 7 at 0000:3b:00.0 is down, code 0x1f", None,
     {"pci": "0000:3b:00.0", "link": 7}),
    ("E0203 04:05:06.070809 1234 pool.cpp:42] cannot open '/data/shard-17.tar': "
     "stale handle", None, {"text": "/data/shard-17.tar"}),
    ("loader: checksum of /data/train/part-0001 differs (want 0xabc, got 0xdef)",
     None, {}),
    ("driver 550.54.15 does not fit library 550.90.07", None,
     {"version": "550.54.15"}),
    ("weird {braces} [brackets] (parens) * + ? | ^ $ \\ 12 in 'one: # line'",
     None, {}),
    ("\x1b[31mstorage gateway refused 10.0.0.7:443\x1b[0m", None,
     {"address": "10.0.0.7:443"}),
    ("Überlast: Knoten node17 überhitzt bei 91.5 Grad", None, {}),
]


def rules(*arguments, **options):
    return subprocess.run([INQUEST, "rules", *map(str, arguments)], text=True,
                          capture_output=True, timeout=120, **options)


class NewTest(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory(prefix="inquest-")
        self.folder = pathlib.Path(self.holder.name)
        self.path = self.folder / "site.yaml"

    def tearDown(self):
        self.holder.cleanup()

    def draft(self, *arguments, **options):
        result = rules("new", "-o", self.path, *arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)

    def signature(self):
        shown = rules("show", "site.*", "--no-default-rules", "--rules",
                      self.path, "--format", "json")
        # Relations of the draft may name what is built in.
        return json.loads(shown.stdout)[0]

    def verdict(self, line):
        log = self.folder / "a.log"
        log.write_text(line + "\n")
        out = subprocess.run(
            [INQUEST, "diagnose", "--log", log, "--rules", self.path,
             "--format", "json"], capture_output=True, timeout=120, check=True)
        return json.loads(out.stdout)

    def test_drafts_hold(self):
        for line, cause, captures in LINES:
            with self.subTest(line):
                for old in self.folder.glob("site*"):
                    old.unlink()
                self.draft("--from-line", line)
                self.check_is_a_right_draft()
                self.assertEqual(
                    rules("fmt", "--check", self.path).returncode, 0)
                signature = self.signature()
                sample = signature["samples"]["match"][0]
                for name, value in captures.items():
                    self.assertEqual(sample[name], value)
                if cause:
                    self.assertEqual(signature["cause"], cause)
                self.check_verdicts(line, signature)

    def check_is_a_right_draft(self):
        lint = rules("lint", "--strict", "--format", "json", self.path)
        self.assertEqual([one["code"] for one in json.loads(lint.stdout)],
                         ["R081"])

    # What the draft's own test says, by way of diagnose.
    def check_verdicts(self, line, signature):
        found = self.verdict(line)
        self.assertEqual(found["verdict"]["cause"], signature["cause"])
        self.assertIn(signature["id"], [f["rule"] for f in found["findings"]])
        look_alike = signature["samples"]["no_match"][0]
        self.assertEqual(self.verdict(look_alike)["verdict"]["cause"], "unknown")
        test = self.path.with_suffix(".test.yaml").read_text()
        self.assertIn(f"verdict: {signature['cause']}\n", test)
        self.assertIn("verdict: none\n", test)

    def test_the_host_of_a_daemon_is_no_part_of_the_draft(self):
        line = "node41 coolantd[812]: GPU 5: inlet 51.2 C above limit 45.0 C"
        self.draft("--from-line", f"2026-11-03 04:12:07 {line}")
        signature = self.signature()
        self.assertNotIn("node", signature["pattern"] + signature["message"])
        self.assertNotIn("pid", signature["samples"]["match"][0])
        self.assertEqual(signature["samples"]["match"][0]["device"], 5)
        other = self.verdict(line.replace("node41", "gpu-7").replace("812", "9"))
        self.assertEqual(other["verdict"]["rule"], signature["id"])

    def test_from_a_place_in_a_log(self):
        log = self.folder / "node.log"
        log.write_text("".join(
            f"{rank}: epoch 1 step {step}\n" for step in range(20)
            for rank in (0, 1)) + "1: myfabric: link 7 is down\n")
        self.draft("--log", f"{log}:41")
        self.assertEqual(self.signature()["samples"]["match"][0]["line"],
                         "myfabric: link 7 is down")

    def test_credentials_are_masked(self):
        for line, secrets in [
                ("uploader: cannot reach https://bob:hunter2pass@store.site:443/x "
                 "with token hf_abcdefghijklmnopqrstuvwxyz012345 after 3 tries",
                 ["hunter2pass", "abcdefghijkl"]),
                ('uploader: login failed, "client_secret": "k3J9x8Qw77ZzTp0", '
                 "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0"
                 ".dozjgNryP4J3jVmNHl0w5N", ["k3J9x8", "eyJzdWI", "dozjg"]),
                ("fetcher: --password 'two words7' was refused by vault",
                 ["words7"])]:
            with self.subTest(line):
                for old in self.folder.glob("site*"):
                    old.unlink()
                self.draft("--from-line", line)
                self.check_is_a_right_draft()
                written = "".join(one.read_text()
                                  for one in self.folder.glob("site*"))
                for secret in secrets:
                    self.assertNotIn(secret.lower(), written.lower())
                # The draft finds the line itself, which is not masked.
                self.check_verdicts(line, self.signature())

    def test_from_standard_input_to_standard_output(self):
        result = rules("new", "-", input="myfabric: link 7 is down\n")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.path.write_text(result.stdout)
        self.check_is_a_right_draft()
        self.assertIn("# tests:", result.stdout)

    def test_nothing_is_overwritten(self):
        self.draft("--from-line", "myfabric: link 7 is down")
        before = self.path.read_text()
        again = rules("new", "-o", self.path, "--from-line", "another thing")
        self.assertEqual(again.returncode, 2)
        self.assertIn("already exists", again.stderr)
        self.assertEqual(self.path.read_text(), before)

    def test_wrong_use(self):
        for arguments, says in [
                (["--from-line", "12 34 : 5"], "no words"),
                (["--log", "node.log"], "FILE:LINE"),
                (["--log", f"{SOURCE}/README.md:999999"], "has no line"),
                (["--log", "/nonexistent:1"], "/nonexistent"),
                ([], "no line of a log")]:
            with self.subTest(arguments):
                result = rules("new", *arguments, stdin=subprocess.DEVNULL)
                self.assertEqual(result.returncode, 2, result.stdout)
                self.assertIn(says, result.stderr)


if __name__ == "__main__":
    unittest.main()

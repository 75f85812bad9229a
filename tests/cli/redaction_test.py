# SPDX-License-Identifier: Apache-2.0
"""`--redact` in every format: names are planted in every place that a string
can come from, and none may be found in what is written."""
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "memory"))
from made_trace import MIB, MadeTrace  # noqa: E402

INQUEST = os.environ["INQUEST"]
FORMATS = ("text", "json", "ndjson", "markdown", "html", "sarif", "folded")
HOST, USER = "zebra-node17", "alicezzz"
HOME = f"/home/{USER}/quasarproject"
PLANTED = {
    "host": HOST, "user": USER, "folder": "quasarproject",
    "ipv4": "10.77.88.99", "ipv6": "2001:db8:77::99",
    "mac": "52:54:00:ab:cd:ef", "uuid": "3f2a9c11-5b7d-4e21-9a10-77c0ffee1234",
    "mail": "alicezzz.smith@mydomainzz.com", "domain": "mydomainzz",
    "credential": "hf_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
    "password": "hunter2hunter2", "url": "internalpathzz",
    "windows": "bobwinzz", "serial": "1320924005678"}
TEXT = (f"host={HOST} user={USER} {HOME}/train.py:61 ran on 10.77.88.99 and "
        "[2001:db8:77::99] at 52:54:00:ab:cd:ef "
        f"GPU-{PLANTED['uuid']} mail {PLANTED['mail']} {USER}@{HOST} token="
        f"{PLANTED['credential']} password={PLANTED['password']} "
        "https://git.mydomainzz.com/internalpathzz/x?y=1 "
        r"C:\Users\bobwinzz\x.py Serial Number: 1320924005678 ")
OOM = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. "
       "GPU 0 has a total capacity of 39.39 GiB of which 1.20 GiB is free. ")


def run(*arguments):
    result = subprocess.run([INQUEST, *map(str, arguments)], text=True,
                            capture_output=True, timeout=120,
                            stdin=subprocess.DEVNULL)
    assert result.returncode == 0, result.stderr
    return result.stdout


class Planted(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="inquest-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.home = self.folder / "home" / USER / "quasarproject"
        self.home.mkdir(parents=True)

    def log(self, *lines):
        path = self.home / "train.log"
        path.write_text("\n".join(lines) + "\n")
        return path

    def nothing_in(self, said, form):
        for what, secret in PLANTED.items():
            at = said.lower().find(secret.lower())
            self.assertEqual(at, -1, f"{what} in {form}: "
                             f"{said[max(at - 200, 0):at + 80]}")

    def nothing_is_told(self, *inputs):
        for form in FORMATS:
            with self.subTest(form):
                self.nothing_in(run("diagnose", *inputs, "--format", form,
                                    "--redact"), form)
        for more in (["-v"], ["--width", "60"]):
            self.nothing_in(run("diagnose", *inputs, "--redact", *more), "text")
        for form in ("text", "json"):
            self.nothing_in(self.explained(*inputs, form=form), f"explain {form}")

    def explained(self, *inputs, form="text"):
        """Every finding that there is; checked to be the redacted words."""
        found = json.loads(run("diagnose", *inputs, "--format", "json"))
        said = ""
        for one in found["findings"]:
            said += run("explain", *inputs, one["id"], "--redact", "--format",
                        form)
        return said or run("explain", *inputs, "verdict", "--redact",
                           "--format", form)


class LogTest(Planted):
    def test_lines_and_paths(self):
        path = self.log(
            f"{HOST}:4242:4242 [0] NCCL INFO Bootstrap : Using eth0:10.77.88.99<0>",
            "Traceback (most recent call last):",
            f'  File "{HOME}/train.py", line 61, in main',
            f"{OOM}{TEXT}", f"RuntimeError: {TEXT}", f"error: {TEXT}",
            f"slurmstepd: error: *** JOB 77 ON {HOST} CANCELLED AT 2026 ***")
        self.nothing_is_told(path)

    def test_what_no_rule_knows(self):
        self.nothing_is_told(self.log("begin", f"fatal thing: {TEXT}", TEXT))

    def test_two_machines_and_the_kernel(self):
        path = self.log(
            f"Nov 23 10:00:01 {HOST} kernel: NVRM: Xid (PCI:0000:3b:00): 79, "
            "pid=4242, GPU has fallen off the bus.", TEXT)
        other = self.home / "b.log"
        other.write_text(f"[rank1]: RuntimeError: NCCL error in {HOME}/a.py "
                         f"on {HOST}\n")
        self.nothing_is_told(path, other)

    def test_the_same_name_is_the_same_token(self):
        text = run("diagnose", self.log(
            f"{OOM} host={HOST} {HOME}/a.py", "x",
            f"RuntimeError: host=other-node18 {HOME}/b.py hostname: {HOST}"),
            "--redact", "--format", "json")
        self.assertEqual(len(set(re.findall(r"HOST-\d+", text))), 2)
        folders = set(re.findall(r"(DIR-\d+)/[ab]\.py", text))
        self.assertEqual(len(folders), 1)

    def test_what_a_diagnosis_needs_stays(self):
        text = run("diagnose", self.log(
            '  File "/usr/lib/python3/dist-packages/torch/nn/modules/module.py",'
            ' line 5, in forward',
            "  File \"/home/x1y/venv/lib/python3.11/site-packages/torch/x.py\", "
            "line 7, in g", OOM + "cuDNN version 9.26.0.51, driver 535.104.05, "
            "PCI 0000:3b:00.0 at 0x7f0012345678, 127.0.0.1 step 12 rank 3"),
            "--redact", "--format", "json")
        for kept in ("9.26.0.51", "535.104.05", "0000:3b:00.0", "3.00 GiB",
                     "0x7f0012345678", "127.0.0.1", "memory/"):
            self.assertIn(kept, text)

    def test_without_it_nothing_is_replaced(self):
        path = self.log(f"{OOM} host={HOST} {HOME}/a.py")
        self.assertIn(HOST, run("diagnose", path, "--format", "json"))
        self.assertIn(HOST, run("diagnose", path, "--format", "markdown",
                                "--no-redact"))
        self.assertNotIn(HOST, run("diagnose", path, "--format", "markdown"))


class TraceTest(Planted):
    def trace(self, name="p.trace.sqlite"):
        path = self.home / name
        trace = MadeTrace(path)
        trace.stack(5, (f"{HOME}/train.py", 61, f"step_{USER}-x"),
                    (f"{HOME}/main.py", 3, "<module>"))
        for i in range(15):
            trace.alloc(i * 64 * MIB, 64 * MIB, stack=5)
        trace.event(1, 0, 128 * MIB, result=2, stack=5)
        trace.close()
        with sqlite3.connect(path) as db:
            db.execute("UPDATE process SET host=?, command=?, executable=?",
                       (HOST, TEXT, f"{HOME}/bin/python"))
            db.execute("UPDATE device SET uuid=?", (f"GPU-{PLANTED['uuid']}",))
            db.execute("INSERT INTO library VALUES(1, 1000000001, ?, ?, '1.2', "
                       "?, ?, '', 0, 0)", ("libx.so", f"{HOME}/libx.so", "1.2",
                                           TEXT))
            for name, value in (("USER", USER), ("HOSTNAME", HOST),
                                ("SLURM_X", TEXT), ("PATH", HOME)):
                db.execute("INSERT INTO environment VALUES(?, ?)", (name, value))
            db.execute("INSERT INTO coverage VALUES('nvml', 1, NULL, 'off', ?)",
                       (TEXT,))
            db.execute("INSERT INTO loss VALUES('memory_event', 5, ?)", (TEXT,))
            db.execute("INSERT INTO api_error VALUES(7, 1000500000, 'cudnn', "
                       "'cudnnCreate', 3, ?, ?, 0, 7, 0, 0, 0)", (TEXT, TEXT))
            db.execute("INSERT INTO cudnn_call VALUES(8, 1000500000, "
                       "'cudnnCreate', 3, 10, 1, 7, ?)", (TEXT,))
            db.execute("INSERT INTO device_event VALUES(9, 1000500000, 0, 'xid',"
                       " 79, ?)", (TEXT,))
        db.close()
        return path

    def test_everything_in_a_trace(self):
        self.nothing_is_told(self.trace())

    def test_a_recorded_run(self):
        self.trace()
        self.log(OOM + TEXT)
        (self.home / "console.log").write_text(OOM + TEXT + "\n")
        (self.home / "run.json").write_text(json.dumps({
            "schema": "inquest.run/1", "command": ["python3", *TEXT.split()],
            "host": HOST, "start_ns": 1, "state": "ended", "exit_status": 1,
            "end_ns": 2}))
        self.nothing_is_told(self.home)

    def test_an_explanation_by_a_site_s_rules(self):
        rules = self.home / "rules"
        rules.mkdir()
        (rules / f"{USER}.yaml").write_text(f"""\
facts: 1
pack: site
signatures:
  - id: site.planted
    pattern: planted line of
    role: cause
    severity: error
    cause: process/exception
    title: A planted line
    message: {json.dumps("seen at " + TEXT)}
    fix:
      - text: {json.dumps("ask " + TEXT)}
    samples:
      match: [planted line of]
relations:
  - from: memory/capacity
    to: process/exception
    kind: explains
    scope: job
    why: {json.dumps("because " + TEXT)}
""")
        log = self.log("planted line of x", OOM + TEXT)
        for form in ("text", "json"):
            said = "".join(
                run("explain", log, word, "--rules", rules, "--redact",
                    "--format", form) for word in ("site.planted", "verdict"))
            self.nothing_in(said, f"explain {form}")
            self.assertIn("HOST-1", said)
            self.assertIn("because ", said)
        plain = run("explain", log, "site.planted", "--rules", rules)
        self.assertIn(HOST, plain)

    def test_what_if(self):
        path = self.trace()
        with sqlite3.connect(path) as db:
            db.execute("INSERT INTO environment VALUES('PYTORCH_CUDA_ALLOC_CONF',"
                       " ?)", ("max_split_size_mb:64," + TEXT,))
        db.close()
        for form in ("text", "json"):
            said = run("whatif", path, "--redact", "--format", form)
            self.nothing_in(said, f"whatif {form}")
        plain = run("whatif", path, "--format", "json")
        told = json.loads(said)["devices"][0]
        self.assertIn(HOST, plain)
        self.assertIn("HOST-", told["settings"])
        # The figures are the same.
        same = json.loads(plain)["devices"][0]
        self.assertEqual([one["peak_reserved_bytes"] for one in told["changes"]],
                         [one["peak_reserved_bytes"] for one in same["changes"]])

    def test_what_changed(self):
        good, bad = self.trace(f"{HOST}.trace.sqlite"), self.trace()
        with sqlite3.connect(bad) as db:
            for name, value in (
                    ("NEW", TEXT), ("HF_TOKEN", PLANTED["credential"]),
                    ("SLURM_NODELIST", HOST), ("CUDNN_VERSION", "9.26.0.51"),
                    (f"AT_{USER}", HOME), ("LINE", "two\n\x1b[31m" + HOST)):
                db.execute("INSERT INTO environment VALUES(?, ?)", (name, value))
            db.execute("UPDATE python_frame SET function=? WHERE line=61",
                       (f"step_{USER}-y",))
            db.execute("UPDATE library SET version='9.26.0.51'")
            db.execute("UPDATE process SET command=?", (TEXT + "--other",))
        db.close()
        for form in ("text", "json"):
            said = run("diff", good, bad, "--redact", "--format", form)
            self.nothing_in(said, f"diff {form}")
            self.assertIn("9.26.0.51", said)
            self.assertIn("HOST-1", said)
            self.assertNotIn("\x1b", said)
        plain = run("diff", good, bad, "--format", "json")
        self.assertIn(HOST, plain)
        left = json.loads(said)["sections"]["environment"]["differences"]
        right = json.loads(plain)["sections"]["environment"]["differences"]
        self.assertEqual(len(left), len(right))

    def test_rows_of_facts(self):
        path = self.trace()
        for fact in ("process", "environment", "library", "api_error", "coverage",
                     "loss", "allocation_site", "device", "python_frame"):
            for form in ("csv", "ndjson", "table"):
                said = run("query", path, "--fact", fact, "--format", form,
                           "--redact")
                self.nothing_in(said, f"{fact} as {form}")


if __name__ == "__main__":
    unittest.main()

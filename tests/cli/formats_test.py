# SPDX-License-Identifier: Apache-2.0
"""Reports for other programs and people: Markdown, SARIF, JSON by its schema,
folded stacks, CSV, codes of monitoring plugins; and strings of strangers in each
of them."""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "memory"))
from made_trace import MIB, MadeTrace  # noqa: E402
from json_schema import problems  # noqa: E402

INQUEST = os.environ["INQUEST"]
SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
LOGS = sorted((HERE / "logs").iterdir())
SCHEMA = json.loads((SOURCE / "docs/schemas/diagnosis-1.schema.json").read_text())
# ESC, BEL, U+009B, marks of direction
MARKS = ["\x1b", "\a", "\x9b", "\u202e", "\u2066", "\u200f"]
EVIL = ("</script><img src=x onerror=alert(1)> [a](javascript:alert(1)) "
        "![b](https://evil.example/p.png) **bold** `code` ``` ~~~ | cell | "
        "@somebody #1 <!-- --> &lt; =cmd|' /C calc'!A0 www.evil.example "
        "_under_ $x$ " + "".join(MARKS))


def inquest(*arguments):
    return subprocess.run([INQUEST, *map(str, arguments)], text=True,
                          capture_output=True, timeout=120,
                          stdin=subprocess.DEVNULL)


class FormatsTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="inquest-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def said(self, *arguments, code=0):
        result = inquest(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stdout

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def trace(self, function="step"):
        path = self.folder / "p.trace.sqlite"
        trace = MadeTrace(path)
        trace.stack(5, ("train.py", 61, function), ("train.py", 3, "main"))
        for i in range(15):
            trace.alloc(i * 64 * MIB, 64 * MIB, stack=5)
        trace.event(1, 0, 128 * MIB, result=2, stack=5)
        trace.close()
        return path

    def hostile_log(self):
        name = "a" + "".join(MARKS) + "=x`<b>.log"
        lines = [f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
                 f"2.00 GiB {EVIL}", f"RuntimeError: {EVIL}", EVIL]
        return self.write(name, "\n".join(lines) + "\n")

    def all_inputs(self):
        return [*LOGS, self.hostile_log(), self.trace(f"f {EVIL}"),
                self.write("strange.log", "hello\n" + EVIL + "\n")]

    def no_marks(self, text):
        for mark in MARKS:
            self.assertNotIn(mark, text)


class JsonTest(FormatsTest):
    def test_the_schema_holds_of_what_is_printed(self):
        for path in self.all_inputs():
            for more in ([], ["--redact"]):
                with self.subTest(path.name):
                    answer = json.loads(self.said("diagnose", path, "--format",
                                                  "json", *more))
                    self.assertEqual(problems(SCHEMA, answer), [])
                    self.no_marks(self.said("diagnose", path, "--format",
                                            "ndjson", *more))

    def test_the_schema_refuses_other_things(self):
        answer = json.loads(self.said("diagnose", LOGS[0], "--format", "json"))
        for change in (lambda a: a.pop("verdict"),
                       lambda a: a.update(schema="inquest.diagnosis/2"),
                       lambda a: a["verdict"].update(confidence="sure"),
                       lambda a: a.update(findings="none"),
                       lambda a: a["summary"].update(events="many")):
            other = json.loads(json.dumps(answer))
            change(other)
            self.assertNotEqual(problems(SCHEMA, other), [])

    def test_a_line_a_report(self):
        lines = self.said("diagnose", LOGS[0], "--format", "ndjson").splitlines()
        self.assertEqual(len(lines), 1)


def sarif_validator():
    """The standard's own schema, where INQUEST_SARIF_SCHEMA names its file
    (sarif-schema-2.1.0.json of OASIS), and jsonschema to read it; and why not."""
    path = os.environ.get("INQUEST_SARIF_SCHEMA")
    if not path:
        return None, ("SARIF was not checked by OASIS' schema: no "
                      "INQUEST_SARIF_SCHEMA=FILE")
    try:
        import jsonschema
    except ImportError:
        return None, "SARIF was not checked by OASIS' schema: no jsonschema"
    schema = json.loads(pathlib.Path(path).read_text())
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema, format_checker=kind.FORMAT_CHECKER), ""


def checked_sarif(log):
    """What the standard asks for beyond any schema, of the parts that are used:
    that indices lead to what they name, and places are addresses."""
    assert log["version"] == "2.1.0" and log["$schema"].startswith("https://")
    one, = log["runs"]
    driver = one["tool"]["driver"]
    assert driver["name"] == "inquest" and driver["version"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    for result in one["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note", "none")
        assert result["message"]["text"]
        for place in [*result.get("locations", []),
                      *result.get("relatedLocations", [])]:
            if "physicalLocation" in place:
                uri = place["physicalLocation"]["artifactLocation"]["uri"]
                assert re.fullmatch(r"(file://)?[\w./~%-]+", uri), uri
                region = place["physicalLocation"].get("region")
                assert region is None or region["startLine"] >= 1
            else:
                assert place["logicalLocations"][0]["name"]
    return one


class SarifTest(FormatsTest):
    def check(self, text):
        return checked_sarif(json.loads(text))

    def test_by_the_schema_of_the_standard(self):
        validator, why_not = sarif_validator()
        if validator is None:
            self.skipTest(why_not)
        texts = [self.said("diagnose", path, "--format", "sarif", *more)
                 for path in self.all_inputs() for more in ([], ["--redact"])]
        texts.append(self.said("rules", "lint", HERE / "rules/mistakes.yaml",
                               "--format", "sarif", code=1))
        for text in texts:
            wrong = [f"{list(one.path)}: {one.message}"
                     for one in validator.iter_errors(json.loads(text))]
            self.assertEqual(wrong, [])
        # It would see a mistake.
        log = json.loads(texts[-1])
        log["runs"][0]["results"][0]["level"] = "fatal"
        log["runs"][0]["tool"]["driver"].pop("name")
        self.assertEqual(len(list(validator.iter_errors(log))), 2)

    def test_findings(self):
        for path in self.all_inputs():
            with self.subTest(path.name):
                text = self.said("diagnose", path, "--format", "sarif")
                self.no_marks(text)
                self.check(text)

    def test_the_line_of_a_log(self):
        one = self.check(self.said("diagnose", HERE / "logs/xid79.log",
                                   "--format", "sarif"))
        result = next(r for r in one["results"]
                      if r["properties"]["role"] == "root")
        self.assertEqual(result["level"], "error")
        place = result["locations"][0]["physicalLocation"]
        self.assertTrue(place["artifactLocation"]["uri"].endswith("xid79.log"))
        self.assertEqual(place["region"]["startLine"], 3)
        self.assertEqual(one["properties"]["verdict"]["cause"],
                         "hardware/off-bus")

    def test_lint(self):
        mistakes = HERE / "rules/mistakes.yaml"
        text = self.said("rules", "lint", mistakes, "--format", "sarif", code=1)
        one = self.check(text)
        self.assertGreater(len(one["results"]), 3)
        told = json.loads(self.said("rules", "lint", mistakes, "--format",
                                    "json", code=1))
        self.assertEqual([r["ruleId"] for r in one["results"]],
                         [d["code"] or "unreadable" for d in told])
        right = HERE / "rules/right.yaml"
        self.assertEqual(["R076"], [r["ruleId"] for r in self.check(self.said(
            "rules", "lint", right, "--format", "sarif"))["results"]])


class MarkdownTest(FormatsTest):
    def outside_code(self, text):
        """What is not in blocks of code or `code`."""
        lines, fence = [], None
        for line in text.splitlines():
            mark = re.match(r" *(`{3,})", line)
            if fence is None and mark:
                fence = mark[1]
            elif fence is not None:
                if line.strip() == fence:
                    fence = None
            else:
                lines.append(line)
        self.assertIsNone(fence, "a block that does not end")
        return re.sub(r"(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)", "", "\n".join(lines))

    def test_strangers_are_text(self):
        for path in self.all_inputs():
            with self.subTest(path.name):
                text = self.said("diagnose", path, "--format", "markdown",
                                 "--no-redact")
                self.no_marks(text)
                plain = re.sub(r"\\[!-/:-@\[-`{-~]", "", self.outside_code(text))
                for mark in ("<", "![", "](", "`", "@somebody", "://",
                             "www.evil", "#1", "**bold", "$x"):
                    self.assertNotIn(mark, plain)

    def test_a_table_keeps_its_columns(self):
        text = self.said("diagnose", self.hostile_log(), "--format", "markdown",
                         "-v")
        rows = [line for line in text.splitlines() if line.startswith("| ")]
        self.assertGreater(len(rows), 2)
        for row in rows:
            self.assertEqual(len(re.findall(r"(?<!\\)\|", row)), 3, row)

    def test_the_words_of_the_text(self):
        log = HERE / "logs/torch-fragmented.log"
        text = self.said("diagnose", log, "--format", "markdown")
        self.assertTrue(text.startswith("## memory/fragmentation: "))
        for words in ("### Why", "### What to do", "### Figures\n\n- Memory: ",
                      "```sh\n   export PYTORCH_CUDA_ALLOC_CONF="):
            self.assertIn(words, text)
        self.assertNotIn("| figure |", text)
        self.assertIn("| 3.00 GiB |", self.said(
            "diagnose", log, "--format", "markdown", "-v"))

    def test_a_job_is_told_with_its_nodes(self):
        job = self.folder / "job"
        job.mkdir()
        for rank in range(3):
            (job / f"rank{rank}.log").write_text(
                "step 1 loss=2\n" + ("NVRM: Xid (PCI:0000:3b:00): 79, pid=7, GPU "
                "has fallen off the bus.\n" if rank == 1 else ""))
        text = self.said("report", job, "-o", "-", "--format", "markdown")
        self.assertIn("### Job\n\n- ranks 0–2 \\(3\\)", text)
        self.assertIn("### What to do with each node and GPU\n\n- ", text)


class OtherTest(FormatsTest):
    def test_folded_stacks(self):
        path = self.trace("step;a")
        line = ("process 1;GPU 0;train.py:3 in main;train.py:61 in step:a "
                f"{15 * 64 * MIB}\n")
        self.assertEqual(self.said("diagnose", path, "--format", "folded"), line)
        count = self.said("report", path, "-o", "-", "--format", "folded",
                          "--weight", "count")
        self.assertTrue(count.endswith(" 15\n"), count)
        self.no_marks(self.said("diagnose", self.trace_again(EVIL), "--format",
                                "folded"))

    def test_folded_stacks_have_python_over_native_functions(self):
        path = self.folder / "p.trace.sqlite"
        trace = MadeTrace(path)
        trace.library("libtorch.so", 1 << 32)
        trace.library("libc10_cuda.so", 1 << 33)
        trace.library("libpython3.11.so.1.0", 1 << 34)
        trace.library("libinquest_collector.so", 1 << 35)
        place = ("train.py", 61, "step"), ("train.py", 3, "main")
        below = [(1 << 35) + 8, (1 << 33) + 16, (1 << 32) + 32]
        for stack, offset in ((5, 1024), (6, 2048)):
            trace.stack(stack, *place, native=[
                *below, (1 << 32) + offset, (1 << 34) + 8, (1 << 32) + 4])
        for i, stack in enumerate((5, 5, 6)):
            trace.alloc(i << 30, (i + 1) * MIB, stack=stack)
        trace.free(2 << 30)
        trace.close()
        begin = "process 1;GPU 0;train.py:3 in main;train.py:61 in step;"
        ways = [f"{begin}libtorch.so+0x{offset:x};libtorch.so+0x20;"
                "libc10_cuda.so+0x10" for offset in (1024, 2048)]
        folded = ["report", path, "-o", "-", "--format", "folded", "--weight"]
        self.assertEqual(self.said(*folded, "live"), f"{ways[0]} {3 * MIB}\n")
        for weight, parts in (("count", (2, 1)),
                              ("peak", (3 * MIB, 3 * MIB))):
            self.assertEqual(self.said(*folded, weight).splitlines(),
                             [f"{way} {part}" for way, part in zip(ways, parts)])

    def trace_again(self, function):
        (self.folder / "p.trace.sqlite").unlink()
        return self.trace(function)

    def test_csv_of_a_fact_has_no_formulas(self):
        path = self.trace("=cmd|' /C calc'!A0")
        for sql in (["--fact", "python_frame"],
                    ["SELECT '=1+1' AS \"=a\", '@x' AS b, -5 AS c, '+1;2' AS d, "
                     "'\t=y' AS e"]):
            text = self.said("query", path, "--format", "csv", *sql)
            for row in csv.reader(io.StringIO(text)):
                for field in row:
                    self.assertFalse(field.startswith(("=", "+", "@", "\t")),
                                     field)
        self.assertIn(",-5,", text)
        self.assertEqual(inquest("query", path, "--fact", "nothing").returncode,
                         2)

    def test_codes_of_monitoring_plugins(self):
        died = self.said("diagnose", self.trace(), "--nagios", code=2)
        self.assertRegex(died, r"^INQUEST CRITICAL - .*\(memory/capacity\)\n$")
        unknown = self.said("diagnose", HERE / "logs/unknown.log", "--nagios",
                            code=3)
        self.assertRegex(unknown, r"^INQUEST UNKNOWN - [^\n]*\n$")
        missing = inquest("diagnose", self.folder / "none", "--nagios")
        self.assertEqual(missing.returncode, 3)
        self.assertTrue(missing.stdout.startswith("INQUEST UNKNOWN - "))
        for name, alive, code, word in (("fine", 4096, 0, "OK"),
                                        ("full", 1000 * MIB, 1, "WARNING")):
            folder = self.folder / name
            folder.mkdir()
            trace = MadeTrace(folder / "p.trace.sqlite")
            trace.alloc(0, alive)
            trace.free(0)
            trace.close()
            (folder / "run.json").write_text(json.dumps({
                "schema": "inquest.run/1", "command": ["x"], "start_ns": 1,
                "end_ns": 2, "exit_status": 0, "state": "ended"}))
            said = self.said("diagnose", folder, "--nagios", code=code)
            self.assertTrue(said.startswith(f"INQUEST {word} - "), said)
        for option in (["--format", "json"], ["-v"], ["--fail-on", "error"]):
            self.assertEqual(inquest("diagnose", LOGS[0], "--nagios",
                                     *option).returncode, 2)
        hostile = inquest("diagnose", self.hostile_log(), "--nagios").stdout
        self.assertEqual(hostile.count("\n"), 1)
        self.assertNotIn("|", hostile)
        self.no_marks(hostile)

    def test_what_does_not_go_together(self):
        for option, words in ((["--weight", "peak"], "folded"),
                              (["--no-redact"], "markdown"),
                              (["--format", "markdown", "--redact",
                                "--no-redact"], "opposites")):
            result = inquest("diagnose", LOGS[0], *option)
            self.assertEqual(result.returncode, 2)
            self.assertIn(words, result.stderr)

    def test_the_name_of_a_file_tells_the_format(self):
        for name, begin in (("a.md", "## "), ("a.sarif", "{"), ("a.folded", "")):
            to = self.folder / name
            self.said("diagnose", LOGS[0], "-o", to)
            self.assertTrue(to.read_text().startswith(begin))


if __name__ == "__main__":
    unittest.main()

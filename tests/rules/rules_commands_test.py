# SPDX-License-Identifier: Apache-2.0
"""`rules test` and `rules score`, word for word and in what they do.
`rules_commands_test.py --update` rewrites the expectations."""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from golden import INQUEST, UPDATE, Goldens, main, run  # noqa: E402

SHARED = pathlib.Path(os.environ.get(
    "INQUEST_SHARED",
    pathlib.Path(os.environ["INQUEST_SOURCE_DIR"]).parent / "shared"))

TEST = ["rules", "test", "--no-default-rules"]
SCORE = ["rules", "score", "--no-default-rules", "--rules",
         "packs/passing/net.yaml"]
# name -> arguments; run in tests/rules, so that paths in the output are short.
CASES = {
    "passing": TEST + ["packs/passing", "--coverage"],
    "passing_file": TEST + ["packs/passing/net.yaml", "--run", "full"],
    "failing": TEST + ["packs/failing"],
    "failing_diff": TEST + ["packs/failing/net.test.yaml", "--diff"],
    "todo": TEST + ["packs/todo"],
    "broken": TEST + ["packs/broken"],
    "unused": TEST + ["packs/unused"],
    "untested": TEST + ["packs/untested"],
    "untested_file": TEST + ["packs/untested/net.test.yaml",
                             "--min-coverage", "80"],
    "mistakes": TEST + ["packs/mistakes"],
    "no_path": TEST,
    "no_test": TEST + ["packs/passing", "--run", "no such test"],
    "no_file": TEST + ["packs/nowhere"],
    "bad_expression": TEST + ["packs/passing", "--run", "("],
    "score": SCORE + ["corpus"],
    "score_json": SCORE + ["corpus", "--format", "json"],
    "score_too_low": SCORE + ["corpus", "--min-right", "90"],
    "score_no_labels": SCORE + ["packs"],
}


class GoldenTest(Goldens, unittest.TestCase):
    FOLDER = HERE
    CASES = CASES


class UpdateTest(unittest.TestCase):
    maxDiff = None

    def test_failed_expectations_are_rewritten_and_nothing_else(self):
        with tempfile.TemporaryDirectory(prefix="inquest-") as folder:
            shutil.copytree(HERE / "packs/failing", f"{folder}/failing")
            result = run(TEST + ["failing", "--update"], folder)
            self.assertEqual(result.returncode, 1)
            self.assertIn("updated 2 tests", result.stdout)
            self.assertIn("'written in one line'", result.stdout)
            updated = pathlib.Path(folder, "failing/net.test.yaml").read_text()
            golden = HERE / "expected/failing_updated.yaml"
            if UPDATE:
                golden.write_text(updated)
            self.assertEqual(updated, golden.read_text())
            again = run(TEST + ["failing"], folder).stdout
            self.assertIn("5 tests: 3 passed, 2 failed", again)

    def test_passing_files_are_left_alone(self):
        with tempfile.TemporaryDirectory(prefix="inquest-") as folder:
            shutil.copytree(HERE / "packs/passing", f"{folder}/passing")
            path = pathlib.Path(folder, "passing/net.test.yaml")
            before = path.read_bytes(), path.stat().st_mtime_ns
            self.assertEqual(
                run(TEST + ["passing", "--update"], folder).returncode, 0)
            self.assertEqual(before, (path.read_bytes(),
                                      path.stat().st_mtime_ns))


class JUnitTest(unittest.TestCase):
    def read(self, pack):
        with tempfile.TemporaryDirectory(prefix="inquest-") as folder:
            path = f"{folder}/junit.xml"
            run(TEST + [f"packs/{pack}", "--junit", path], HERE)
            return xml.etree.ElementTree.parse(path).getroot()

    def test_counts(self):
        for pack, counts in {"failing": "5 4 0 0", "todo": "2 1 0 1",
                             "broken": "12 0 11 0"}.items():
            with self.subTest(pack):
                root = self.read(pack)
                keys = ["tests", "failures", "errors", "skipped"]
                self.assertEqual(" ".join(root.get(key) for key in keys),
                                 counts)
                self.assertEqual(len(root.findall("testsuite/testcase")),
                                 int(counts.split()[0]))

    def test_the_text_of_a_failure(self):
        texts = [failure.text or "" for failure in
                 self.read("failing").iter("failure")]
        self.assertIn("verdict: expected memory/leak, got hardware/other "
                      "(net.port-down)", texts[0])


class ConfinementTest(unittest.TestCase):
    def test_a_link_that_leads_out_is_no_fixture(self):
        with tempfile.TemporaryDirectory(prefix="inquest-") as folder:
            pack = pathlib.Path(folder, "pack")
            shutil.copytree(HERE / "packs/passing", pack)
            secret = pathlib.Path(folder, "secret.log")
            secret.write_text("switch: port 17 down\n")
            (pack / "net.test/link.log").symlink_to(secret)
            (pack / "net.test.yaml").write_text(
                "tests:\n  - name: a link\n    given: {files: link.log}\n"
                "    expect: {verdict: hardware/other}\n")
            result = run(TEST + ["pack/net.yaml"], folder)
            self.assertEqual(result.returncode, 1)
            self.assertIn("matches no file", result.stdout)

    def test_sql_without_end_is_stopped(self):
        with tempfile.TemporaryDirectory(prefix="inquest-") as folder:
            pack = pathlib.Path(folder, "pack")
            shutil.copytree(HERE / "packs/passing", pack)
            (pack / "net.test.yaml").write_text(
                "tests:\n  - name: no end\n    given:\n      sql: |\n"
                "        INSERT INTO oom (source) WITH RECURSIVE n(i) AS\n"
                "        (SELECT 1 UNION ALL SELECT i + 1 FROM n)\n"
                "        SELECT 'trace' FROM n WHERE i < 0\n"
                "    expect: {verdict: none}\n")
            result = run(TEST + ["pack/net.yaml"], folder)
            self.assertEqual(result.returncode, 1)
            self.assertIn("cannot be run: the SQL: interrupted", result.stdout)


class ScoreTest(unittest.TestCase):
    """The same figures as the script that the corpus came with."""

    def test_against_the_script(self):
        script = SHARED / "tools/score_corpus.py"
        if not script.exists() or not (SHARED / "corpus").is_dir():
            self.skipTest("no labelled logs on this machine (INQUEST_SHARED=DIR)")
        theirs = subprocess.run(
            [sys.executable, script, INQUEST, SHARED / "corpus"], text=True,
            capture_output=True, timeout=600).stdout
        ours = run(["rules", "score", SHARED / "corpus"], HERE).stdout
        def shares(text):
            found = collections.OrderedDict(re.findall(
                r"(cause right, hard|cause right|false alarms|figures "
                r"extracted|with evidence|first label only):? +[\d.]+ % "
                r"\((\d+/\d+)\)", text))
            return dict(found)
        self.assertEqual(len(shares(theirs)), 6, theirs)
        self.assertEqual(shares(ours), shares(theirs))

    def test_json_says_the_same_as_text(self):
        found = json.loads(
            run(SCORE + ["corpus", "--format", "json"], HERE).stdout)
        self.assertEqual(found["cause_right"]["part"], 3)
        self.assertEqual(sum(row["count"] for row in found["confusion"]), 5)
        self.assertEqual([miss["id"] for miss in found["misses"]],
                         ["wrong", "alarm"])


class FormerIdTest(unittest.TestCase):
    """What a rule was called before still means it."""
    LOG = "OOM when allocating tensor with shape[64,512,512,10] and type float\n"

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="inquest-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "run.log").write_text(self.LOG)

    def call(self, *arguments):
        return subprocess.run([INQUEST, *map(str, arguments)], text=True,
                              capture_output=True, timeout=120)

    def test_show_and_explain(self):
        shown = self.call("rules", "show", "tf.oom.tensor")
        self.assertIn("id: tensorflow.oom.tensor\n", shown.stdout)
        explained = self.call("explain", "--log", self.folder / "run.log",
                              "tf.oom.tensor")
        self.assertIn("rule tensorflow.oom.tensor", explained.stdout)

    def test_a_test_may_expect_it(self):
        (self.folder / "a.test.yaml").write_text(json.dumps({"tests": [
            {"name": "a former id", "given": {"log": self.LOG},
             "expect": {"verdict": {"cause": "memory/capacity",
                                    "rule": "tf.oom.tensor"},
                        "absent": ["tf.bfc.pool"]}}]}))
        tested = self.call("rules", "test", self.folder)
        self.assertEqual((tested.returncode, tested.stderr), (0, ""),
                         tested.stdout)

    def test_an_override_may_name_it(self):
        site = self.folder / "site.yaml"
        site.write_text("facts: 1\noverrides: [{id: tf.oom.tensor, disabled: "
                        "true, why: ours}]\n")
        diagnosed = self.call("diagnose", "--rules", site, "--format", "json",
                              self.folder / "run.log")
        self.assertNotIn('"tensorflow.oom.tensor"', diagnosed.stdout)


SITE = """facts: 1
relations: [{from: 'id:kernel.xid.off-bus', to: 'id:site.core', kind: explains,
             scope: node, order: any, why: the core is of the card}]
signatures:
  - id: site.core
    pattern: 'Nvlink Core is being initialized'
    role: cause
    cause: hardware/other
    title: The core begins anew
    samples:
      match: ['nvidia-nvlink: Nvlink Core is being initialized']
      no_match: ['nvidia-nvlink: initialized']
overrides:
  - {id: 'torch.oom*', severity: warning, title: No room}
  - {id: python.traceback, disabled: true}
"""


class BuiltInTest(unittest.TestCase):
    """A diagnosis reads the shipped pack as it was loaded when the program was
    built, with a site's rules over it or without."""
    maxDiff = None

    def diagnose(self, *arguments):
        done = subprocess.run(
            [INQUEST, "diagnose", "--format", "json", *map(str, arguments)],
            capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stderr, "")
        result = json.loads(done.stdout)
        result["rules_version"].pop("digest")
        return result

    def test_finds_what_its_files_find(self):
        source = HERE.parent.parent
        with tempfile.TemporaryDirectory(prefix="inquest-") as folder:
            site = pathlib.Path(folder, "site.yaml")
            site.write_text(SITE)
            logs = source / "tests/cli/logs"
            for name, over in (("xid79", ["--rules", site]),
                               ("torch-fragmented", ["--rules", site]),
                               ("nccl-timeout", [])):
                with self.subTest(log=name):
                    log = logs / f"{name}.log"
                    found = self.diagnose(log, *over)
                    self.assertEqual(found, self.diagnose(
                        "--no-default-rules", "--rules", source / "rules",
                        log, *over))
                    self.assertEqual("site.core" in str(found),
                                     name == "xid79")


if __name__ == "__main__":
    main()

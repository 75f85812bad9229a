# SPDX-License-Identifier: Apache-2.0
"""What the fleet's database must answer, whichever it is; the tests of SQLite
and of PostgreSQL run the same."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

from made import DAY, T0, ndjson, result, unit

INQUEST = os.environ["INQUEST"]
LOGS = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"]) / "tests/cli/logs"


def inquest(*arguments, **options):
    return subprocess.run([INQUEST, *map(str, arguments)], text=True,
                          capture_output=True, timeout=300, **options)


def month():
    """A month of a fleet: node n3 and GPU-7 are lemons, driver 2 brought
    illegal accesses."""
    gpus = [(f"GPU-{n}", f"n{n % 4}") for n in range(8)]
    runs = []
    for n in range(80):
        new = n >= 40
        common = {"gpus": gpus, "start": T0 + n * DAY // 4, "job": str(n),
                  "versions": {"driver": "2" if new else "1"}}
        if n % 10 == 3:
            runs.append(result(f"r{n}", "hardware/ecc", rule="xid.ecc",
                               where=unit("n3", 1, 7, "GPU-7"), hours=10,
                               findings=["nccl.timeout"], **common))
        elif n % 10 == 5:
            runs.append(result(f"r{n}", "memory/capacity", rule="oom",
                               where=unit("n1", 1, 1, "GPU-1"), **common))
        elif n % 10 in (6, 7) and new:
            runs.append(result(f"r{n}", "kernel/illegal-access",
                               rule="illegal", **common))
        elif n % 10 == 8:
            runs.append(result(
                f"r{n}", "unknown", hours=None,
                suspects=[f"worker {n} gave up after {n * 7} tries on "
                          f"/data/{n}/x.bin"], **common))
        else:
            runs.append(result(f"r{n}", "none", **common))
    return runs


class FleetQuestions:
    """A mix-in; `self.database` names a database that is empty."""

    def setUp(self):
        self.holder = tempfile.TemporaryDirectory(prefix="inquest-")
        self.folder = pathlib.Path(self.holder.name)
        self.database = self.new_database()

    def tearDown(self):
        self.holder.cleanup()

    def fleet(self, command, *arguments, code=0, **options):
        done = inquest("fleet", command, "--database", self.database,
                       *arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def report(self, *arguments):
        done = self.fleet("report", "--format", "json", "--rows", 100,
                          *arguments)
        return {one["id"]: one["rows"]
                for one in json.loads(done.stdout)["sections"]}

    def test_a_month(self):
        self.fleet("load", input=ndjson(month()))
        answers = self.report()
        sums = answers["overview"][0]
        self.assertEqual(sums["runs"], 80)
        self.assertEqual(sums["died_of_a_known_cause"], 8 + 8 + 8)
        self.assertEqual(sums["unknown"], 8)
        self.assertEqual(sums["without_duration"], 8)
        self.assertEqual(sums["without_gpu_count"], 0)
        # 8 deaths of ECC, 10 h on 8 GPUs; 16 others of an hour.
        self.assertAlmostEqual(sums["gpu_hours"], 8 * 10 * 8 + 16 * 8)
        causes = {one["cause"]: one for one in answers["causes"]}
        self.assertEqual(answers["causes"][0]["cause"], "hardware/ecc")
        self.assertAlmostEqual(causes["hardware/ecc"]["gpu_hours"], 640)
        self.assertIsNone(causes["unknown"]["gpu_hours"])
        self.assertEqual(causes["unknown"]["hours_known_of"], 0)

    def test_a_page_has_causes_over_time(self):
        self.fleet("load", input=ndjson(month()))
        page = self.folder / "fleet.html"
        self.fleet("report", "-o", page)
        data = json.loads(re.search(
            r'<script type="application/json" id="data">(.*?)</script>',
            page.read_text(), re.S)[1])
        trends = data["trends"]
        # Twenty times 24 hours, begun in the middle of a day.
        self.assertEqual((trends["spans"], sum(trends["runs"])), (21, 80))
        causes = {one["cause"]: one for one in trends["causes"]}
        self.assertEqual(sum(causes["hardware/ecc"]["runs"]), 8)
        self.assertAlmostEqual(sum(filter(None, causes["hardware/ecc"]["hours"])),
                               640)
        self.assertEqual(set(causes["unknown"]["hours"]), {None})

    def test_lemons(self):
        self.fleet("load", input=ndjson(month()))
        answers = self.report()
        self.assertEqual([(one["node"], one["faults"], one["runs_seen"])
                          for one in answers["nodes"]], [("n3", 8, 80)])
        self.assertEqual([(one["gpu"], one["node"], one["faults"])
                          for one in answers["gpus"]], [("GPU-7", "n3", 8)])

    def test_rules_changes_and_unknown_ends(self):
        self.fleet("load", input=ndjson(month()))
        answers = self.report()
        hits = {one["rule"]: one for one in answers["rules"]}
        self.assertEqual(hits["xid.ecc"]["as_root"], 8)
        self.assertEqual(hits["nccl.timeout"]["as_symptom"], 8)
        self.assertAlmostEqual(hits["oom"]["share"], 0.1)
        change = answers["changes"][0]
        self.assertEqual((change["what"], change["version"], change["cause"],
                          change["deaths"], change["deaths_before"]),
                         ("driver", "2", "kernel/illegal-access", 8, 0))
        self.assertEqual(len(answers["changes"]), 1)
        self.assertEqual(
            [(one["template"], one["runs"]) for one in answers["unknown"]],
            [("worker <n> gave up after <n> tries on <path>", 8)])

    def test_the_same_again_changes_nothing(self):
        text = ndjson(month())
        self.fleet("load", input=text)
        before = self.report()
        said = self.fleet("load", input=text).stdout
        self.assertIn("80 of them were there before", said)
        self.assertEqual(self.report(), before)

    def test_another_rule_pack_replaces_the_verdict(self):
        old = result("r", "unknown", rules="a" * 32)
        new = result("r", "hardware/ecc", rules="b" * 32)
        self.fleet("load", input=ndjson([old]))
        self.fleet("load", input=ndjson([new]))
        sums = self.report()["overview"][0]
        self.assertEqual((sums["runs"], sums["unknown"],
                          sums["died_of_a_known_cause"]), (1, 0, 1))

    def test_bad_results_do_not_stop_the_rest(self):
        good = result("good", "hardware/ecc")
        lines = ["{\"half\": ", "[]", "{\"schema\": \"other/1\"}",
                 json.dumps({"schema": "inquest.diagnosis/1", "verdict": 3}),
                 json.dumps({"schema": "inquest.diagnosis/1",
                             "verdict": {"cause": 7}, "findings": [1, {}]}),
                 json.dumps(good)]
        done = self.fleet("load", "-", input="\n".join(lines) + "\n", code=4)
        self.assertIn("2 results", done.stdout)
        self.assertIn("4 refused", done.stdout)
        self.assertIn("standard input:1", done.stderr)
        self.assertIn("no result of `inquest diagnose", done.stderr)
        self.fleet("load", "-", input="rubbish\n", code=2)

    def test_text_that_no_database_likes(self):
        odd = result("odd\u0000name", "hardware/ecc",
                     where=unit("n'; DROP TABLE fleet_run; --"),
                     suspects=["\u202e\u0000%s $1"])
        self.fleet("load", input=json.dumps(odd) + "\n")
        self.assertEqual(self.report()["overview"][0]["runs"], 1)

    def test_runs_and_logs_are_diagnosed(self):
        page = self.folder / "page.json"
        page.write_text(inquest("diagnose", "--log", LOGS / "xid79.log",
                                "--format", "json").stdout)
        done = self.fleet("load", page, LOGS / "torch-fragmented.log",
                          LOGS / "healthy.log", self.folder / "nothing.log",
                          "--gpus", 8, "--image", "site/train:7", code=4)
        self.assertIn("3 results", done.stdout)
        self.assertIn("nothing.log", done.stderr)
        answers = self.report()
        self.assertEqual({one["cause"] for one in answers["causes"]},
                         {"hardware/off-bus", "memory/fragmentation",
                          "unknown"})
        # A log that was loaded as a result is the same run.
        done = self.fleet("load", LOGS / "xid79.log", "--gpus", 8)
        self.assertIn("1 of them were there before", done.stdout)
        self.assertEqual(self.report()["overview"][0]["runs"], 3)

    def test_a_recorded_run_is_the_same_wherever_it_lies(self):
        run = self.folder / "run"
        inquest("record", "-o", run, "--", "sh", "-c",
                "echo RuntimeError: CUDA error: an illegal memory access was "
                "encountered; exit 3")
        self.assertIn("1 result with", self.fleet("load", run).stdout)
        run.rename(self.folder / "moved")
        done = self.fleet("load", self.folder / "moved", "--gpus", 2)
        self.assertIn("1 of them were there before", done.stdout)
        sums = self.report()["overview"][0]
        self.assertEqual((sums["runs"], sums["without_duration"],
                          sums["without_gpu_count"]), (1, 0, 0))

    def test_wordings(self):
        lines = {
            "2026-11-20 10:15:02,123 worker lost": "<time> worker lost",
            "Nov 20 10:15:02 n kernel: at 0xdeadbeef": "<time> n kernel: at <hex>",
            "peer 10.0.0.7 gone": "peer <address> gone",
            "s3://bucket/x/1.pt missing": "<path> missing",
            "job 123e4567-e89b-12d3-a456-426614174000 left": "job <id> left",
            "[rank3]:  gave up\tat 12.5 %": "[rank<n>]: gave up at <n> %"}
        self.fleet("load", input=ndjson(
            [result(f"u{n}", "unknown", suspects=[line])
             for n, line in enumerate(lines)]))
        self.assertEqual({one["template"] for one in self.report()["unknown"]},
                         set(lines.values()))

    def test_the_scheduler_knows_hours(self):
        self.fleet("load", input=ndjson(
            [result("a", "hardware/ecc", job="71", start=None, hours=None)]))
        sums = self.report()["overview"][0]
        self.assertIsNone(sums["gpu_hours"])
        self.assertEqual((sums["without_gpu_count"], sums["without_duration"]),
                         (1, 1))
        accounts = self.folder / "sacct.txt"
        accounts.write_text(
            "JobID|JobIDRaw|ElapsedRaw|AllocTRES|State|NodeList\n"
            "71|71|7200|billing=1,gres/gpu:h100=16,node=2|FAILED|n[0-1]\n"
            "72_1|73|60||COMPLETED|n0\n")
        self.fleet("load", "--sacct", accounts)
        self.assertAlmostEqual(self.report()["overview"][0]["gpu_hours"], 32)
        accounts.write_text("a|b\n1|2\n")
        done = self.fleet("load", "--sacct", accounts, code=2)
        self.assertIn("JobID", done.stderr)

    def test_text_says_what_is_unknown(self):
        self.fleet("load", input=ndjson(
            [result("a", "hardware/ecc", start=None, hours=None)]))
        text = self.fleet("report").stdout
        self.assertRegex(text, r"GPU-hours +unknown")
        self.assertRegex(text, r"without gpu count +1")
        self.assertIn("upper limit", text)

    def test_own_questions(self):
        query = self.folder / "mine.sql"
        query.write_text("-- title: Mine\nSELECT count(*) AS runs "
                         "FROM fleet_run WHERE coalesce(start_time, $1) >= $1")
        self.fleet("load", input=ndjson(month()))
        answers = self.report("--query", query, "--only", "mine")
        self.assertEqual(answers, {"mine": [{"runs": 80}]})
        query.write_text("SELECT nothing FROM nowhere")
        done = self.fleet("report", "--query", query, "--only", "mine", code=2)
        self.assertIn("the question 'mine' failed", done.stderr)
        done = self.fleet("report", "--only", "node", code=2)
        self.assertIn("nodes", done.stderr)

    def test_metrics(self):
        self.fleet("load", input=ndjson(month()))
        out = self.folder / "inquest.prom"
        self.fleet("metrics", "-o", out, "--jobs", 5)
        lines = out.read_text().splitlines()
        self.assertEqual(out.stat().st_mode & 0o777, 0o644)
        self.assertIn('inquest_runs_total{cause="hardware/ecc",node="n3"} 8',
                      lines)
        self.assertIn('inquest_gpu_hours_total{cause="hardware/ecc",'
                      'node="n3"} 640', lines)
        self.assertIn('inquest_gpu_faults_total{gpu="GPU-7",node="n3",'
                      'cause="hardware/ecc"} 8', lines)
        jobs = [one for one in lines
                if one.startswith("inquest_job_deaths_total{")]
        # The last five jobs are 75 to 79; three of them died.
        self.assertEqual(len(jobs), 4, jobs)
        for line in lines:
            self.assertRegex(line, r'^(# (HELP|TYPE) \w+ .+|'
                                   r'\w+\{(\w+="[^"]*",?)+\} [0-9.e+]+)$')

# SPDX-License-Identifier: Apache-2.0
"""A Python program that marks no steps: the verdict speaks of its lines, and
its steps are found in what it allocates."""
import subprocess
import sys
import unittest

from scenario import INQUEST, Recorded, ScenarioTest, SOURCE

SCRIPT = SOURCE / "tests/scenarios/python_training.py"
LEAKED = 8 << 20


def line_of(text):
    for number, line in enumerate(SCRIPT.read_text().splitlines(), 1):
        if text in line:
            return number
    raise AssertionError(text)


class PythonTest(ScenarioTest):
    def recorded(self, steps, leaked, **environment):
        return Recorded("healthy", environment=environment,
                        command=[sys.executable, str(SCRIPT), str(steps),
                                 str(leaked)]).run()

    def test_a_leak_is_named_by_its_line(self):
        run = self.recorded(1000, LEAKED)
        self.assertEqual(run.result.returncode, 1)
        answer = run.diagnose()
        self.assert_cause(answer, "memory/leak")
        self.assert_evidence(answer)
        facts = answer["verdict"]["facts"]
        line = line_of("history.append")
        self.assertEqual(facts["site"], f"{SCRIPT}:{line} in remember")
        self.assertEqual((facts["file"], facts["line"]), (str(SCRIPT), line))
        self.assertEqual(facts["bytes_per_step"], LEAKED)
        done = int(run.result.stdout.split()[-1])
        self.assertLess(abs(facts["last_step"] - done), 20)

    def test_steps(self):
        run = self.recorded(100, 0)
        self.assertEqual(run.result.returncode, 0, run.result.stderr)
        steps = run.query("SELECT * FROM step ORDER BY step")
        self.assertEqual({step["found_by"] for step in steps}, {"allocations"})
        self.assertEqual(len(steps), 100)
        self.assertEqual({step["live_bytes"] for step in steps}, {4 << 20})
        self.assertNotIn(None, [step["end_time"] for step in steps])
        self.assert_cause(run.diagnose(), "none")

    def test_the_last_step_is_whole_without_a_next_one(self):
        steps = self.recorded(29, 0).query("SELECT * FROM step ORDER BY step")
        self.assertEqual(len(steps), 29)
        self.assertNotIn(None, [step["end_time"] for step in steps])
        self.assertIsNone(steps[-1]["live_bytes"])

    def test_sites_without_python_are_native(self):
        run = self.recorded(20, 0, INQUEST_STACKS="native")
        self.assertEqual(run.query("SELECT * FROM python_frame"), [])
        sites = run.query("SELECT chain FROM allocation_site")
        self.assertTrue(sites)
        self.assertFalse([s for s in sites if SCRIPT.name in s["chain"]])

    def test_chain(self):
        run = self.recorded(20, 0)
        chains = [site["chain"] for site in
                  run.query("SELECT chain FROM allocation_site")]
        functions = [[place.rpartition(" in ")[2].rpartition(".")[2]
                      for place in chain.split(" < ")] for chain in chains]
        self.assertIn(["__init__", "backward", "train", "<module>"], functions)

    def test_the_refused_line(self):
        run = self.recorded(1000, 256 << 20)
        text = subprocess.run([INQUEST, "diagnose", "-v", str(run.directory)],
                              capture_output=True, text=True).stdout
        self.assertIn(f"{SCRIPT}:{line_of('driver.cuMemAlloc')} in", text)
        self.assertIn("user_frame", text)


if __name__ == "__main__":
    unittest.main()

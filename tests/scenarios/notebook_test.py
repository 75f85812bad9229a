# SPDX-License-Identifier: Apache-2.0
"""Two cells of a recorded notebook that each train a model: the first one's,
still held, is why the second is refused."""
import importlib.util
import subprocess
import sys
import unittest

from scenario import INQUEST, Recorded, ScenarioTest, SOURCE

SCRIPT = SOURCE / "tests/scenarios/notebook.py"


class NotebookTest(ScenarioTest):
    def recorded(self, *options):
        return Recorded("healthy", command=[sys.executable, str(SCRIPT),
                                            *options]).run()

    def check(self, *options):
        run = self.recorded(*options)
        self.assertEqual(run.result.returncode, 1, run.result.stderr)
        answer = run.diagnose()
        self.assert_cause(answer, "memory/earlier-run")
        self.assert_evidence(answer)
        facts = answer["verdict"]["facts"]
        layer = facts["requested_bytes"]
        self.assertEqual(facts["earlier_bytes"], 16 * layer)
        return run, facts

    def test_the_names_of_ipykernel(self):
        run, facts = self.check()
        self.assertIn("/ipykernel_", facts["earlier_caller"])
        self.assertNotEqual(facts["earlier_caller"], facts["later_caller"])
        text = subprocess.run([INQUEST, "diagnose", str(run.directory)],
                              capture_output=True, text=True).stdout
        self.assertIn("del", text)

    def test_a_model_that_was_let_go_of(self):
        run = self.recorded("--release")
        self.assertEqual(run.result.returncode, 0, run.result.stderr)
        self.assert_cause(run.diagnose(), "none")

    @unittest.skipUnless(importlib.util.find_spec("IPython"), "no IPython")
    def test_in_ipython(self):
        _, facts = self.check("--ipython")
        self.assertIn("<ipython-input-", facts["earlier_caller"])


if __name__ == "__main__":
    unittest.main()

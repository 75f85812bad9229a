# SPDX-License-Identifier: Apache-2.0
"""Steps of a fix are filled from the finding; those that cannot be are left
out, as is a command that a line of the log would make another one."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

RULES = """
facts: 1
pack: site
signatures:
  - id: site.feed
    pattern: '^feed (?P<server>.+?) is gone(?: after {tries:integer} tries)?$'
    role: cause
    cause: storage/failed
    title: A feed is gone
    message: 'feed {server} is gone[, {tries} tries]'
    fix:
      - {text: 'ask {server}', command: 'ping {server}'}
      - {text: 'it was tried {tries} times'}
      - {text: 'see who prints', command: 'ps | awk "{print $1}"; echo ${HOME}'}
    samples:
      match: ['feed node7 is gone', 'feed node7 is gone after 3 tries']
      no_match: ['feed node7 is back']
"""

WORLDS = """
facts: 1
pack: site
signatures:
  - id: site.full
    pattern: 'the card is full'
    role: cause
    cause: memory/capacity
    title: The card is full
    fix:
      - {text: 'TF step', when: tensorflow}
      - {text: 'PyTorch step', when: torch}
      - {text: 'log of the kernel', command: 'sudo dmesg -T'}
      - {text: 'setting', command: 'export LIMIT=1 LEVEL=2'}
    samples: {match: ['the card is full'], no_match: ['the card is well']}
  - {id: platform.windows, pattern: 'Program Files', role: context,
     samples: {match: ['Program Files'], no_match: ['x']}}
  - {id: platform.mxnet, pattern: 'MXNetError', role: context,
     samples: {match: ['MXNetError'], no_match: ['x']}}
  - {id: tensorflow.frame, pattern: '/tensorflow/python/', role: context,
     samples: {match: ['/tensorflow/python/'], no_match: ['x']}}
"""


class FixesTest(unittest.TestCase):
    def diagnose(self, line, rules=RULES):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "site.yaml").write_text(rules)
            (folder / "run.log").write_text(line + "\n")
            answer = subprocess.run(
                [os.environ["INQUEST"], "diagnose", "--format", "json",
                 "--no-default-rules", "--rules", folder / "site.yaml",
                 "--log", folder / "run.log"],
                capture_output=True, text=True, check=False, timeout=60)
            finding = json.loads(answer.stdout)["findings"][0]
            return finding["message"], finding["fixes"]

    def test_fields_are_filled(self):
        message, fixes = self.diagnose("feed node7 is gone after 3 tries")
        self.assertEqual(message, "feed node7 is gone, 3 tries")
        self.assertEqual([fix["text"] for fix in fixes],
                         ["ask node7", "it was tried 3 times",
                          "see who prints"])
        self.assertEqual(fixes[0]["command"], "ping node7")
        self.assertEqual(fixes[2]["command"],
                         'ps | awk "{print $1}"; echo ${HOME}')

    def test_a_step_without_its_figure_is_left_out(self):
        message, fixes = self.diagnose("feed node7 is gone")
        self.assertEqual(message, "feed node7 is gone")
        self.assertEqual([fix["text"] for fix in fixes],
                         ["ask node7", "see who prints"])

    def test_a_log_writes_no_commands(self):
        for server in ("x; rm -rf /", "$(id)", "-f", "a b", "`id`", "a|b"):
            with self.subTest(server):
                _, fixes = self.diagnose(f"feed {server} is gone")
                self.assertEqual([fix["text"] for fix in fixes],
                                 ["see who prints"])

    def steps(self, line):
        _, fixes = self.diagnose(line + "\nthe card is full", WORLDS)
        return [fix.get("command") or fix["text"] for fix in fixes]

    def test_steps_are_of_the_world_the_log_shows(self):
        kernel, setting = "sudo dmesg -T", "export LIMIT=1 LEVEL=2"
        self.assertEqual(self.steps("step 1"),
                         ["TF step", "PyTorch step", kernel, setting])
        self.assertEqual(self.steps("at /tensorflow/python/a.py"),
                         ["TF step", kernel, setting])
        self.assertEqual(self.steps("MXNetError: x"), [kernel, setting])

    def test_windows_gets_no_step_of_linux(self):
        self.assertEqual(self.steps(r"at C:\Program Files\a.py"),
                         ["TF step", "PyTorch step",
                          'set "LIMIT=1" & set "LEVEL=2"'])


if __name__ == "__main__":
    unittest.main()

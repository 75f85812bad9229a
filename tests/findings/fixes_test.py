# SPDX-License-Identifier: Apache-2.0
"""Steps of a fix are filled from the finding; those that cannot be are left
out, as is a command (not its step) that a line of the log would make another
one."""
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
      - {text: 'give it up', applies_if: {tries: '>= 10'}}
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
      - {text: 'setting', command: 'export LIMIT=1 LEVEL=2 && export DEPTH=3'}
    samples: {match: ['the card is full'], no_match: ['the card is well']}
  - id: site.xla
    pattern: 'gpu_async_0 is full'
    role: cause
    cause: memory/capacity
    title: The card is full
    fix:
      - {text: 'PyTorch step', when: torch}
      - {text: 'JAX step', when: jax}
      - {text: 'see TMPDIR; full inodes look the same'}
      - {text: 'see the inodes'}
    samples: {match: ['gpu_async_0 is full'], no_match: ['the card is well']}
  - {id: platform.xla, pattern: 'gpu_async_', role: context,
     samples: {match: ['gpu_async_'], no_match: ['x']}}
  - {id: torch.line, pattern: 'in torch', role: context,
     samples: {match: ['in torch'], no_match: ['x']}}
  - {id: platform.windows, pattern: 'Program Files', role: context,
     samples: {match: ['Program Files'], no_match: ['x']}}
  - {id: platform.mxnet, pattern: 'MXNetError', role: context,
     samples: {match: ['MXNetError'], no_match: ['x']}}
  - {id: tensorflow.frame, pattern: '/tensorflow/python/', role: context,
     samples: {match: ['/tensorflow/python/'], no_match: ['x']}}
"""

VENDORS = """
facts: 1
pack: site
signatures:
  - id: site.slow
    pattern: 'the card is slow'
    role: cause
    cause: cublas/failure
    title: A CUDA call of cuBLAS is slow
    message: 'GPU {device} is slow, says "cuBLAS"'
    set: {device: 3, cuda_error: invalid device function}
    fix:
      - {text: 'see who is there', command: 'nvidia-smi --query-compute-apps=pid --format=csv'}
      - {text: 'reset it', command: 'sudo nvidia-smi -r'}
      - {text: 'serialise', command: 'export CUDA_LAUNCH_BLOCKING=1'}
      - {text: 'bfloat16 is there from compute capability 8.0 on'}
      - {text: 'use a build for the right release of CUDA or ROCm'}
      - {text: 'see its compute capability', command: 'nvidia-smi --query-gpu=name,compute_cap --format=csv'}
      - {text: 'look for gfx', when: amd}
      - {text: 'use less', unless: {mode: [small, tiny]}}
      - {text: 'quantise', unless: quantized}
      - {text: 'say why it is small', applies_if: {mode: small}}
      - {text: 'small in 4 bits', applies_if: {mode: small, quantized: true}}
    samples: {match: ['the card is slow'], no_match: ['the card is well']}
  - {id: settings.mode, pattern: 'mode=(?P<mode>[a-z]+)', role: context,
     samples: {match: ['mode=small'], no_match: ['x']}}
  - {id: settings.quantized, pattern: 'in 4 bits', role: context,
     set: {quantized: true}, samples: {match: ['in 4 bits'], no_match: ['x']}}
  - {id: vendor.nvidia, pattern: 'NVRM', role: context,
     samples: {match: ['NVRM'], no_match: ['x']}}
  - {id: vendor.amd, pattern: 'HIP error', role: context,
     samples: {match: ['HIP error'], no_match: ['x']}}
  - {id: vendor.ascend, pattern: 'torch_npu', role: context,
     samples: {match: ['torch_npu'], no_match: ['x']}}
"""


class FixesTest(unittest.TestCase):
    def diagnose(self, line, rules=RULES):
        finding = self.finding(line, rules)
        return finding["message"], finding["fixes"]

    def finding(self, line, rules):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "site.yaml").write_text(rules)
            (folder / "run.log").write_text(line + "\n")
            answer = subprocess.run(
                [os.environ["INQUEST"], "diagnose", "--format", "json",
                 "--no-default-rules", "--rules", folder / "site.yaml",
                 "--log", folder / "run.log"],
                capture_output=True, text=True, check=False, timeout=60)
            return json.loads(answer.stdout)["findings"][0]

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

    def test_a_number_may_have_a_bound(self):
        for tries, given_up in ((3, False), (10, True), (11, True)):
            fixes = self.diagnose(f"feed n is gone after {tries} tries")[1]
            self.assertEqual("give it up" in [fix["text"] for fix in fixes],
                             given_up, tries)

    def test_a_log_writes_no_commands(self):
        for server in ("x; rm -rf /", "$(id)", "-f", "a'b", "`id`", "a|b"):
            with self.subTest(server):
                _, fixes = self.diagnose(f"feed {server} is gone")
                self.assertEqual([fix["text"] for fix in fixes],
                                 [f"ask {server}", "see who prints"])
                self.assertFalse(fixes[0].get("command"))

    def test_a_word_with_blanks_is_quoted_and_of_several_the_first_is_taken(self):
        for server, word in (("a b", "'a b'"), ("node[3-4]", "'node[3-4]'"),
                             ("n1 is gone\nfeed n2", "n1")):
            _, fixes = self.diagnose(f"feed {server} is gone")
            self.assertEqual(fixes[0]["command"], f"ping {word}")

    def steps(self, line):
        _, fixes = self.diagnose(line + "\nthe card is full", WORLDS)
        return [fix.get("command") or fix["text"] for fix in fixes]

    def test_steps_are_of_the_world_the_log_shows(self):
        kernel, setting = "sudo dmesg -T", "export LIMIT=1 LEVEL=2 && export DEPTH=3"
        self.assertEqual(self.steps("step 1"),
                         ["TF step", "PyTorch step", kernel, setting])
        self.assertEqual(self.steps("at /tensorflow/python/a.py"),
                         ["TF step", kernel, setting])
        self.assertEqual(self.steps("MXNetError: x"), [kernel, setting])

    def xla_steps(self, line):
        _, fixes = self.diagnose(line + "\ngpu_async_0 is full", WORLDS)
        return [fix["text"] for fix in fixes]

    def test_the_line_itself_says_whose_steps(self):
        disk = ["see TMPDIR; full inodes look the same", "see the inodes"]
        self.assertEqual(self.xla_steps("in torch"), ["JAX step"] + disk)

    def test_windows_has_its_own_words(self):
        self.assertEqual(self.xla_steps("Program Files"),
                         ["JAX step", "see TEMP"])

    def test_windows_gets_no_step_of_linux(self):
        self.assertEqual(self.steps(r"at C:\Program Files\a.py"),
                         ["TF step", "PyTorch step",
                          'set "LIMIT=1" & set "LEVEL=2" && set "DEPTH=3"'])

    def vendor_steps(self, line):
        _, fixes = self.diagnose(line + "\nthe card is slow", VENDORS)
        return [fix.get("command") or fix["text"] for fix in fixes]

    def test_steps_are_of_the_vendor_the_log_shows(self):
        both = "use a build for the right release of CUDA or ROCm"
        nvidia = ["nvidia-smi --query-compute-apps=pid --format=csv",
                  "sudo nvidia-smi -r", "export CUDA_LAUNCH_BLOCKING=1",
                  "bfloat16 is there from compute capability 8.0 on", both,
                  "nvidia-smi --query-gpu=name,compute_cap --format=csv"]
        rest = ["use less", "quantise"]
        self.assertEqual(self.vendor_steps("step 1"), nvidia + rest)
        self.assertEqual(self.vendor_steps("NVRM: x"), nvidia + rest)
        self.assertEqual(
            self.vendor_steps("HIP error: x"),
            ["rocm-smi --showpids --showmeminfo vram",
             "export AMD_SERIALIZE_KERNEL=3", both, "look for gfx", *rest])
        self.assertEqual(self.vendor_steps("NVRM: x\nHIP error: x"),
                         [*nvidia, "look for gfx", *rest])

    def test_what_is_in_force_is_not_advised(self):
        self.assertNotIn("small in 4 bits", self.vendor_steps("mode=small"))
        steps = self.vendor_steps("NVRM: mode=small, in 4 bits")
        self.assertNotIn("use less", steps)
        self.assertNotIn("quantise", steps)
        self.assertIn("small in 4 bits", steps)
        self.assertIn("say why it is small", steps)
        self.assertIn("use less", self.vendor_steps("mode=large"))

    def test_names_are_the_vendor_s_own(self):
        def told(line):
            found = self.finding(line + "\nthe card is slow", VENDORS)
            return found["title"], found["message"], found["facts"]
        title, message, facts = told("HIP error: x")
        self.assertEqual(title, "A HIP call of hipBLAS is slow")
        self.assertEqual(message, 'GPU 3 is slow, says "cuBLAS"')
        self.assertIn("hipErrorInvalidDeviceFunction", facts["cuda_error"])
        self.assertEqual(told("torch_npu")[1], 'NPU 3 is slow, says "cuBLAS"')
        self.assertIn("cudaErrorInvalidDeviceFunction",
                      told("NVRM: x")[2]["cuda_error"])


class Schedulers(unittest.TestCase):
    """Slurm is asked where the run was a job of Slurm's, by its number."""

    def steps(self, signal, job):
        with tempfile.TemporaryDirectory() as folder:
            run = pathlib.Path(folder)
            (run / "console.log").write_text("step 1 loss 0.5\n")
            (run / "run.json").write_text(json.dumps({
                "schema": "inquest.run/1", "command": ["train"], "host": "n1",
                "job": job, "state": "ended", "signal": signal,
                "exit_status": None, "start_ns": 10**18, "end_ns": 10**18 + 1,
                "console": {"file": "console.log", "bytes": 16}}))
            result = subprocess.run([os.environ["INQUEST"], "diagnose", "--format", "json",
                                     folder], stdout=subprocess.PIPE, timeout=60)
        verdict = json.loads(result.stdout)["verdict"]
        self.assertEqual(verdict["cause"], "process/killed")
        return " ".join(fix["text"] + " " + (fix.get("command") or "")
                        for fix in verdict["fixes"])

    def test_slurm_only_where_it_is(self):
        for signal in (1, 9, 15):
            for job in ({}, {"SLURM_JOB_ID": "7;reboot"}, {"RANK": "3"}):
                self.assertNotIn("sacct", self.steps(signal, job))
            self.assertIn("sacct -j 4711 ",
                          self.steps(signal, {"SLURM_JOB_ID": "4711"}))

    def test_a_terminal_that_was_closed(self):
        self.assertIn("nohup", self.steps(1, {}))
        self.assertNotIn("nohup", self.steps(15, {}))


if __name__ == "__main__":
    unittest.main()

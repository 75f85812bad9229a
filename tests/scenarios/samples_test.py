# SPDX-License-Identifier: Apache-2.0
"""Each sample dies on the simulated GPU under the unmodified collector; the
verdict, its figures and its evidence are compared with what the simulator's own
log says, computed here in another way."""
import re
import subprocess
import unittest

from scenario import INQUEST, SOURCE, Recorded, ScenarioTest


class Truth:
    """The address space by the simulator's log, naively."""

    def __init__(self, rows):
        self.live = {}
        self.allocations = self.frees = self.refused = 0
        self.last_refusal = None
        self.at_refusal = {}
        for call, address, size, result in rows:
            op = "alloc" if call.startswith("cuMemAlloc") else (
                "free" if call.startswith("cuMemFree") else call)
            if op == "alloc" and result == 0:
                self.allocations += 1
                self.live[address] = size
            elif op == "alloc":
                self.refused += 1
                self.last_refusal = size
                self.at_refusal = dict(self.live)
            elif op == "free" and result == 0:
                self.frees += 1
                self.live.pop(address, None)


class SamplesTest(ScenarioTest):
    def died(self, sample, *arguments, cause, **options):
        run = Recorded(sample, *arguments, **options).run()
        self.assertEqual(run.result.returncode, 1, run.result.stderr)
        self.assertIn("inquest: the run died: ", run.result.stderr)
        self.assertIn(f"({cause})", run.result.stderr)
        self.assertIn("inquest diagnose", run.result.stderr)
        answer = run.diagnose()
        self.assert_cause(answer, cause)
        self.assert_evidence(answer)
        return run, answer, Truth(run.simulated())

    def test_batch_too_large(self):
        run, answer, truth = self.died("batch_too_large",
                                       cause="memory/capacity")
        facts = answer["verdict"]["facts"]
        self.assertEqual(facts["requested_bytes"], truth.last_refusal)
        self.assertEqual(facts["process_bytes"],
                         sum(truth.at_refusal.values()))
        self.assertLess(facts["free_bytes"], facts["requested_bytes"])
        self.assertEqual(facts["total_bytes"], 2 << 30)

    def test_fragmenting_allocator(self):
        run, answer, truth = self.died("fragmenting_allocator",
                                       cause="memory/fragmentation")
        facts = answer["verdict"]["facts"]
        self.assertEqual(facts["requested_bytes"], truth.last_refusal)
        self.assertGreaterEqual(facts["unused_bytes"],
                                facts["requested_bytes"])
        self.assertLess(facts["largest_free_bytes"], facts["requested_bytes"])
        self.assertIn("BlockPool", facts["blocking_site"])
        blocks = run.query("SELECT count(*) AS n, sum(bytes) AS b FROM "
                           "heap_block WHERE state = 'live'")[0]
        self.assertEqual(blocks["n"], len(truth.at_refusal))
        self.assertEqual(blocks["b"], sum(truth.at_refusal.values()))
        self.assert_as_in_the_readme(run)

    def assert_as_in_the_readme(self, run):
        """The lines of its verdict, but for times, numbers of processes and
        events, the picture, what was printed (this run has no console.log), and
        commands with the name of the run."""
        def lines_of(text):
            text = re.sub(r"\d\d:\d\d:\d\d(\.\d+)?|\bpid \d+|"
                          r"memory_event \d+", "N", text)
            return [line.rstrip() for line in text.splitlines()
                    if not re.search("[│┤└]| UTC, for |^ {5}inquest|^  …|console.log", line)]
        readme = (SOURCE / "README.md").read_text()
        shown = readme.split("$ inquest diagnose run\n")[1].split("```")[0]
        printed = subprocess.run([INQUEST, "diagnose", "run"], text=True,
                                 cwd=run.directory.parent, timeout=240,
                                 capture_output=True).stdout
        printed = lines_of(printed)
        for line in lines_of(shown):
            self.assertIn(line, printed)

    def test_leaking_loop(self):
        leak = 8 << 20
        run, answer, truth = self.died("leaking_loop", "--leak", str(leak),
                                       cause="memory/leak")
        facts = answer["verdict"]["facts"]
        self.assertIn("RememberLoss", facts["site"])
        self.assertTrue(facts["file"].endswith("leaking_loop.cc"), facts)
        self.assertEqual(facts["bytes_per_step"], leak)
        leaked = sum(s for s in truth.at_refusal.values() if s == leak)
        self.assertEqual(facts["leaked_bytes"], leaked)
        # The step it had to end at, foretold from the trend, is the real one
        # but for what the activations of a step need.
        self.assertAlmostEqual(facts["steps_to_full"], leaked // leak, delta=20)
        self.assertEqual(facts["last_step"], leaked // leak - 1)

    def test_a_leak_that_the_run_outlived_is_a_risk(self):
        leak = 8 << 20
        run = Recorded("leaking_loop", "--leak", str(leak), "--steps",
                       "40").run()
        self.assertEqual(run.result.returncode, 0, run.result.stderr)
        answer = run.diagnose()
        self.assert_cause(answer, "none")
        risk, = answer["risks"]
        self.assertEqual(risk["rule"], "trace.risk.growing")
        self.assertEqual(risk["facts"]["bytes_per_step"], leak)
        text = subprocess.run([INQUEST, "diagnose", str(run.directory)],
                              capture_output=True, text=True).stdout
        self.assertIn("Risks", text)
        self.assertIn(f"full in {risk['facts']['steps_left']} steps", text)

    def test_second_run(self):
        run, answer, truth = self.died("second_run",
                                       cause="memory/other-process")
        facts = answer["verdict"]["facts"]
        self.assertEqual(facts["requested_bytes"], truth.last_refusal)
        self.assertEqual(facts["other_bytes"], 1600 << 20)
        self.assertIn("4711", str(facts["other_pids"]))

    def test_two_models(self):
        run, answer, truth = self.died("two_models", cause="memory/earlier-run")
        facts = answer["verdict"]["facts"]
        self.assertEqual(facts["requested_bytes"], truth.last_refusal)
        layer = (2 << 30) // 80
        # Two models of 24 layers each fit; the third was begun.
        self.assertAlmostEqual(facts["earlier_bytes"] / layer, 48, delta=1)
        self.assertIn("MakeLayer", facts["chain"])

    def test_models_that_are_let_go_of(self):
        run = Recorded("two_models", "--release").run()
        self.assertEqual(run.result.returncode, 0, run.result.stderr)
        self.assert_cause(run.diagnose(), "none")
        self.assertEqual(run.query("SELECT * FROM earlier_run"), [])

    def test_pool_takes_all(self):
        run, answer, _ = self.died("pool_takes_all",
                                   cause="memory/pool-headroom")
        facts = answer["verdict"]["facts"]
        self.assertEqual(facts["failed_call"], "cudnnCreate")
        self.assertLess(facts["free_bytes"], 64 << 20)

    def test_mixed_cudnn(self):
        run, answer, _ = self.died("mixed_cudnn",
                                   cause="version/cudnn-mismatch")
        libraries = run.query("SELECT DISTINCT version FROM library WHERE name "
                              "LIKE 'libcudnn%' AND version IS NOT NULL")
        self.assertGreater(len(libraries), 1)
        self.assertIn("9.1.0", str(answer["verdict"]["facts"]))

    def test_ignored_error(self):
        run, answer, _ = self.died("ignored_error", "--calls", "40",
                                   cause="kernel/illegal-access")
        facts = answer["verdict"]["facts"]
        self.assertIn(700, facts["cuda_error"])  # beside its name
        self.assertGreaterEqual(facts["later_failures"], 1)
        self.assertIn("Synchronize", facts["first_call"])

    def test_evidence_is_of_the_process_that_is_blamed(self):
        run = Recorded("leaking_loop")
        sample, = run.command
        run.command = ["bash", "-c", f"{sample}; {sample}"]
        answer = run.run().diagnose()
        blamed = set()
        for finding in answer["findings"]:
            if finding["rule"] != "trace.leak":
                continue
            of = finding["facts"]["process"]
            blamed.add(of)
            # What follows is that of the findings that say the same.
            first = next(one for one in finding["evidence"]
                         if one.get("table") == "memory_event")
            self.assertEqual(first["process"], of)
        self.assertEqual(blamed, {1, 2})

    def test_healthy(self):
        run = Recorded("healthy").run()
        self.assertEqual(run.result.returncode, 0, run.result.stderr)
        self.assertNotIn("died", run.result.stderr)
        answer = run.diagnose()
        self.assert_cause(answer, "none")
        loud = [f for f in answer["findings"] if f["severity"] != "note"]
        self.assertEqual(loud, [])
        truth = Truth(run.simulated())
        device = answer["summary"]["devices"][0]
        self.assertEqual(device["failed"], truth.refused)

    def test_the_recording_changes_nothing_for_the_program(self):
        for sample in ("healthy", "batch_too_large", "ignored_error"):
            run = Recorded(sample).run()
            bare = run.bare()
            # A program that prints how long it took never says it twice alike.
            timeless = re.compile(r" in [0-9.]+ m?s")
            self.assertEqual(timeless.sub("", run.result.stdout),
                             timeless.sub("", bare.stdout))
            self.assertEqual(run.result.returncode, bare.returncode)
            own = [line for line in run.result.stderr.splitlines()
                   if not line.startswith("inquest: ")]
            self.assertEqual(own, bare.stderr.splitlines())


if __name__ == "__main__":
    unittest.main()

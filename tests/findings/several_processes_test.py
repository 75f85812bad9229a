# SPDX-License-Identifier: Apache-2.0
"""Several traces in one run directory: what died in each is found in each, and
told once where it is the same."""
import json
import pathlib
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "importers"), str(TESTS / "memory")]
import harness  # noqa: E402
from made_trace import MIB, MadeTrace  # noqa: E402

DEVICE = 1 << 30


class SeveralProcessesTest(unittest.TestCase):
    def setUp(self):
        self.folder = harness.scratch(self)

    def trace(self, pid, rank=None, device=0):
        trace = MadeTrace(self.folder / f"pid{pid}.trace.sqlite",
                          device_bytes=DEVICE, rank=rank, pid=pid,
                          device=device)
        trace.stack(1, ("/src/model.py", 3, "load"))
        trace.stack(2, ("/src/train.py", 9, "remember"))
        trace.memory(trace.total, "start")
        return trace

    def too_large(self, pid, **options):
        """Holds 900 MiB and is refused 300."""
        trace = self.trace(pid, **options)
        trace.time += pid * 1_000_000
        trace.alloc(1 << 40, 900 * MIB, stack=1)
        trace.alloc(0, 300 * MIB, stack=1, result=2)
        trace.memory(124 * MIB, "failure", [(pid, 900 * MIB)])
        trace.close()

    def leaking(self, pid, **options):
        """Keeps 8 MiB of every step until nothing is left."""
        trace = self.trace(pid, **options)
        step = 0
        while 8 * MIB * (step + 1) <= DEVICE:
            trace.alloc((1 << 40) + step * 8 * MIB, 8 * MIB, stack=2)
            trace.step(step)
            step += 1
        trace.alloc(0, 8 * MIB, stack=2, result=2)
        trace.memory(0, "failure", [(pid, DEVICE)])
        trace.close()

    def diagnose(self):
        answer = harness.diagnose(self.folder)
        text = harness.run("diagnose", self.folder).stdout.decode()
        return answer, text

    def test_eight_ranks_that_die_alike(self):
        for rank in range(8):
            self.too_large(100 + rank, rank=rank, device=rank)
        answer, text = self.diagnose()
        verdict = answer["verdict"]
        self.assertEqual(verdict["rule"], "trace.oom.capacity")
        self.assertEqual(verdict["unit"]["rank"], 0)  # the first to die
        self.assertIn("seen on ranks 0–7, GPUs 0–7",
                      verdict["summary"])
        alike = [f for f in answer["findings"]
                 if f["rule"] == "trace.oom.capacity"]
        self.assertEqual(sorted((f["unit"]["rank"], f["unit"]["device"],
                                 f["unit"]["pid"]) for f in alike),
                         [(r, r, 100 + r) for r in range(8)])
        self.assertEqual(verdict["alike"], [f["id"] for f in alike[1:]])
        self.assertEqual(sum(f["role"] == "root" for f in alike), 1)
        # Each rests on the row of its own trace.
        self.assertEqual({(f["facts"]["process"], f["evidence"][0]["process"])
                          for f in alike[1:]},
                         {(p, p) for p in range(2, 9)})
        self.assertEqual(text.count("were missing"), 1)
        self.assertEqual(text.count("The work needs more GPU memory"), 1)
        self.assertLess(len(text.splitlines()), 70)

    def test_processes_that_number_their_devices_from_0(self):
        for pid in (7, 8, 9):
            self.too_large(pid)
        answer, _ = self.diagnose()
        self.assertIn("seen on GPU 0 of each, 3 processes",
                      answer["verdict"]["summary"])

    def test_one_leaks_and_another_is_too_large(self):
        self.leaking(100, device=0)
        self.too_large(101, device=1)
        answer, text = self.diagnose()
        roles = {(f["rule"], f["unit"]["pid"]): f["role"]
                 for f in answer["findings"]}
        # The leak explains its own full device and no other.
        self.assertEqual({roles["trace.leak", 100],
                          roles["trace.oom.capacity", 101]},
                         {"root", "contributing"})
        self.assertEqual(roles["trace.oom.capacity", 100], "symptom")
        self.assertEqual(answer["verdict"]["alike"], [])
        self.assertIn("memory/leak", text)
        self.assertIn("memory/capacity", text)

    def test_a_second_cause_of_many(self):
        """What stands beside the verdict says where too."""
        self.leaking(100, device=0)
        for pid in range(101, 104):
            self.too_large(pid, device=pid - 100)
        answer, text = self.diagnose()
        self.assertEqual(answer["verdict"]["cause"], "memory/leak")
        also = [line for line in text.splitlines() if "(3×" in line]
        self.assertEqual(len(also), 1, text)
        self.assertIn("GPUs 1–3, 3 processes", also[0])

    def test_ranks_of_one_log(self):
        """Several findings a rank, each group of them in one line."""
        ranks = (0, 1, 3, 4, 5)
        (self.folder / "job.log").write_text("".join(
            f"[rank{r}]: Traceback (most recent call last):\n"
            f'[rank{r}]:   File "train.py", line 60, in <module>\n'
            f"[rank{r}]:     main()\n"
            f"[rank{r}]: torch.OutOfMemoryError: CUDA out of memory. Tried to "
            f"allocate 2.00 GiB. GPU {r} has a total capacity of 23.64 GiB of "
            "which 1.21 GiB is free.\n" for r in ranks))
        arguments = ("diagnose", "--log", self.folder / "job.log")
        answer = json.loads(harness.run(*arguments, "--format", "json").stdout)
        self.assertIn("seen on ranks 0, 1, 3–5, GPUs 0, 1, 3–5",
                      answer["verdict"]["summary"])
        text = harness.run(*arguments).stdout.decode()
        # What the other lines of each rank say adds nothing to the verdict.
        self.assertNotIn("Taken for its consequences", text)

    def test_one_process_says_nothing_of_others(self):
        self.too_large(100)
        answer, _ = self.diagnose()
        self.assertNotIn("seen on", answer["verdict"]["summary"])
        self.assertEqual(answer["verdict"]["alike"], [])


if __name__ == "__main__":
    unittest.main()

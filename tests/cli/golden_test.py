# SPDX-License-Identifier: Apache-2.0
"""What the program prints, word for word. `golden_test.py --update` rewrites
the expectations; the difference is for the reviewer."""
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "memory")]
from golden import UPDATE, Goldens, main, run  # noqa: E402
from made_trace import MIB, MadeTrace  # noqa: E402


# name -> arguments; run in tests/cli, so that paths in the output are short.
CASES = {
    "version": ["--version"],
    "help": ["--help"],
    "no_command": [],
    "open": ["open", "run"],
    "facts_list": ["facts", "list"],
    "facts_show": ["facts", "show", "oom"],
    "facts_show_misspelt": ["facts", "show", "leak_suspekt"],
    "diagnose_fragmentation": ["diagnose", "--log", "logs/torch-fragmented.log"],
    **{f"diagnose_{name}_{width}":
       ["diagnose", *logs, "--width", str(width)]
       for width in (60, 80, 120) for name, logs in (
           ("fragmentation", ["--log", "logs/torch-fragmented.log"]),
           ("two_logs", ["--log", "logs/nccl-timeout.log",
                         "--log", "logs/xid79.log"]))},
    "diagnose_verbose": ["diagnose", "--log", "logs/torch-fragmented.log",
                         "-v", "--width", "80"],
    "diagnose_healthy": ["diagnose", "--log", "logs/healthy.log"],
    "diagnose_unknown": ["diagnose", "--log", "logs/unknown.log"],
    "diagnose_two_logs": ["diagnose", "--log", "logs/nccl-timeout.log",
                          "--log", "logs/xid79.log"],
    "diagnose_nothing": ["diagnose"],
    "explain_verdict": ["explain", "--log", "logs/nccl-timeout.log",
                        "--log", "logs/xid79.log"],
    "explain_symptom": ["explain", "--log", "logs/nccl-timeout.log",
                        "--log", "logs/xid79.log", "F2"],
    "explain_no_such": ["explain", "--log", "logs/xid79.log", "F99"],
    "query_table": ["query", "logs/xid79.log",
                    "SELECT xid, pci, text FROM xid ORDER BY evidence"],
    "query_csv": ["query", "logs/xid79.log", "--format", "csv",
                  "SELECT line, signature FROM log_event ORDER BY id LIMIT 2"],
    "query_not_a_fact": ["query", "logs/xid79.log", "SELECT * FROM store_oom"],
    "query_write": ["query", "logs/xid79.log", "--sql",
                    "DELETE FROM log_event"],
    "show_overridden": ["rules", "show", "site.*", "--blame",
                        "--no-default-rules", "--rules", "rules/right.yaml",
                        "--rules", "rules/overlay.yaml"],
    "show_misspelt": ["rules", "show", "torch.oomm.modern"],
    "lint_mistakes": ["rules", "lint", "rules/mistakes.yaml"],
    "lint_right": ["rules", "lint", "rules/right.yaml"],
}


class GoldenTest(Goldens, unittest.TestCase):
    FOLDER = HERE
    CASES = CASES
    OTHERS = [f"diagnose_trace_{width}" for width in (60, 80, 120)]

    def test_a_trace(self):
        """Blocks of 64 MiB fill a card, then one of 128 MiB is refused."""
        with tempfile.TemporaryDirectory(prefix="inquest-") as name:
            trace = MadeTrace(pathlib.Path(name) / "run.trace.sqlite")
            trace.stack(1, ("train.py", 10, "fill"), ("train.py", 90, "main"))
            trace.memory(1024 * MIB, "start")
            for i in range(15):
                trace.alloc((1 << 40) + i * 64 * MIB, 64 * MIB, stack=1)
            trace.event(1, 0, 128 * MIB, stack=1, result=2)
            trace.memory(64 * MIB, "failure")
            trace.close()
            for width in (60, 80, 120):
                self.check(f"diagnose_trace_{width}",
                           ["diagnose", "run.trace.sqlite", "--width",
                            str(width)], name)

    def test_docs_are_current(self):
        page = HERE.parent.parent / "docs/facts.md"
        made = run(["facts", "markdown"], HERE).stdout
        if UPDATE:
            page.write_text(made)
        self.assertEqual(made, page.read_text(),
                         "run tests/cli/golden_test.py --update")


if __name__ == "__main__":
    main()

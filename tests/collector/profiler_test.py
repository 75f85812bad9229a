"""A host that profiles itself with CUPTI must not notice that we did too."""

import unittest

from harness import CollectorTest


class OwnProfiler(CollectorTest):
    def test_we_step_aside_and_come_back(self):
        for way in ("plt", "dlsym"):
            with self.subTest(way=way):
                self.run_dir += way
                done = self.host("profiler_host", way)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.split(), [
                    "subscribe", "0", "unsubscribe", "0", "seen", "1"])
                self.assertEqual(
                    self.query("SELECT state FROM coverage WHERE "
                               "source='cupti' ORDER BY from_ns"),
                    [("on",), ("off",), ("on",)])
                self.assertEqual(
                    self.query("SELECT bytes FROM memory_event WHERE op=1 "
                               "ORDER BY id"), [(1 << 20,), (3 << 20,)])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""A host that profiles itself with CUPTI must not notice that we did too."""

import re
import unittest

from harness import CollectorTest


class OwnProfiler(CollectorTest):
    def test_we_step_aside_and_come_back(self):
        for way in ("plt", "dlsym", "named", "finalize"):
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

    def test_who_came_first_keeps_it(self):
        done = self.host("profiler_host", "first")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.split()[:4],
                         ["subscribe", "0", "unsubscribe", "0"])
        refused, = self.query("SELECT note FROM coverage WHERE "
                              "source='cupti' AND state='failed'")
        version = int(re.search(r"API version (\d+)", refused[0]).group(1))
        if version >= 130000:  # before it nobody had a name
            self.assertIn("the host", refused[0])
        self.assertEqual(
            self.query("SELECT bytes FROM memory_event WHERE op=1"),
            [(3 << 20,)])


if __name__ == "__main__":
    unittest.main()

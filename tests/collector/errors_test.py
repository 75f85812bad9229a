# SPDX-License-Identifier: Apache-2.0
"""Failed calls: the first one is named, what follows is counted, and what only
asks is no failure."""

import unittest

from harness import CollectorTest

ERRORS = ("SELECT api, function, result, name, repeats FROM api_error "
          "ORDER BY id")


class Errors(CollectorTest):
    def errors(self, *how):
        done = self.host("errors_host", *how)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "done\n", ""))
        self.assert_nothing_lost()
        return self.query(ERRORS)

    def test_bad_argument(self):
        ((api, function, result, name, repeats),) = self.errors("once")
        self.assertEqual((api, result, repeats), ("runtime", 21, 0))
        self.assertTrue(function.startswith("cudaMemcpy"))
        self.assertEqual(name, "cudaErrorInvalidMemcpyDirection")

    def test_out_of_memory_is_told_once(self):
        ((api, function, result, name, repeats),) = self.errors("oom")
        self.assertEqual((api, result, repeats), ("runtime", 2, 0))
        self.assertEqual(name, "cudaErrorMemoryAllocation")
        self.assertIn("in cuMemAlloc_v2",
                      self.value("SELECT text FROM api_error"))
        self.assertEqual(
            self.query("SELECT bytes, result FROM memory_event "
                       "WHERE result <> 0"), [(1 << 45, 2)])

    def test_rows_of_equal_errors_are_counted(self):
        rows = self.errors("cascade", "40")
        self.assertEqual([(row[2], row[4]) for row in rows],
                         [(21, 39), (101, 0), (21, 39)])

    def test_alternating_errors_are_bounded(self):
        rows = self.errors("alternate", "300")
        self.assertEqual(len(rows), 100)
        self.assertEqual(sum(1 + row[4] for row in rows), 600)

    def test_asking_is_no_failure(self):
        self.assertEqual(self.errors("quiet"), [])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""A small part of the gate of first_domino.py: each cause in two layouts and two
disturbances; bench/first_domino runs all of them."""
import unittest

import first_domino
import job_causes
import made_job


class FirstDomino(unittest.TestCase):
    def test_each_cause_is_named_in_spite_of_disturbances(self):
        cases = []
        for i, cause in enumerate(job_causes.CAUSES):
            for n in range(2):
                layout = made_job.LAYOUTS[(2 * i + 3 * n) % len(made_job.LAYOUTS)]
                cases.append((cause, layout, made_job.DISTURBANCES[4 if n else i % 6], 11 + n))
        results = first_domino.run(cases)
        wrong = [f"{case}: said {said} for rank {job.culprit} on {job.host(job.culprit)}"
                 for case, right, said, job in results if not right]
        self.assertLessEqual(len(wrong), len(cases) * 2 // 100, "\n".join(wrong))

    def test_a_wrong_verdict_is_counted_as_wrong(self):
        job = made_job.Job(1, "exception", "rank-files")
        verdict = {"cause": "process/exception", "unit": {"rank": job.culprit, "host": None}}
        self.assertTrue(job.judge({"verdict": verdict})[0])
        verdict["unit"]["rank"] += 1
        self.assertFalse(job.judge({"verdict": verdict})[0])
        verdict = {"cause": "distributed/collective-timeout", "unit": {"rank": job.culprit}}
        self.assertFalse(job.judge({"verdict": verdict})[0])


if __name__ == "__main__":
    unittest.main()

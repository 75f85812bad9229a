# SPDX-License-Identifier: Apache-2.0
"""How often the first domino is named: makes jobs of many ranks (made_job.py), each
cause in each layout and disturbance, diagnoses their folders and counts the
verdicts that name the cause and the rank or node where it began.

    first_domino.py [--seeds N] [--cause C] [--layout L] [--disturbance D] [--wrong] [--keep DIR]
    first_domino.py --least 98      # exit 1 if fewer percent are right

Finds the program through INQUEST.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import job_causes
import made_job


def diagnose(folder):
    run = subprocess.run([os.environ["INQUEST"], "diagnose", "--format", "json", str(folder)],
                         capture_output=True, text=True, timeout=120, check=False)
    try:
        return json.loads(run.stdout)
    except ValueError:
        return {"verdict": {"cause": f"failed with {run.returncode}: {run.stderr[-200:]}"}}


def examine(case, keep=None):
    """Makes one job and judges its verdict: (case, right, what was said, job)."""
    cause, layout, disturbance, seed = case
    job = made_job.Job(seed, cause, layout, disturbance)
    with tempfile.TemporaryDirectory() as folder:
        job.write(folder)
        right, said = job.judge(diagnose(folder))
        if keep and not right:
            shutil.copytree(folder, pathlib.Path(keep) / "-".join(map(str, case)), dirs_exist_ok=True)
    return case, right, said, job


def all_cases(seeds, causes=None, layouts=None, disturbances=None):
    return list(itertools.product(causes or job_causes.CAUSES, layouts or made_job.LAYOUTS,
                                  disturbances or made_job.DISTURBANCES, range(seeds)))


def run(cases, keep=None):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda case: examine(case, keep), cases))


def table(results):
    """Lines of a table: causes down, disturbances across."""
    right = collections.Counter()
    total = collections.Counter()
    for (cause, layout, disturbance, _), ok, _, _ in results:
        for key in ((cause, disturbance), (cause, "all"), ("all", disturbance), ("all", "all"), (layout, disturbance), (layout, "all")):
            total[key] += 1
            right[key] += ok
    columns = sorted({case[2] for case, *_ in results}, key=made_job.DISTURBANCES.index) + ["all"]
    rows = sorted({case[0] for case, *_ in results}) + sorted({case[1] for case, *_ in results}) + ["all"]
    yield "| | " + " | ".join(columns) + " |"
    yield "| --- |" + " --- |" * len(columns)
    for row in rows:
        yield f"| {row} | " + " | ".join(f"{right[row, c]}/{total[row, c]}" for c in columns) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    for name, words in (("cause", job_causes.CAUSES), ("layout", made_job.LAYOUTS), ("disturbance", made_job.DISTURBANCES)):
        parser.add_argument(f"--{name}", action="append", choices=list(words))
    parser.add_argument("--wrong", action="store_true", help="tell each wrong verdict")
    parser.add_argument("--keep", help="keep the folders of wrong verdicts here")
    parser.add_argument("--least", type=float, help="exit with 1 if fewer percent are right")
    options = parser.parse_args()
    cases = all_cases(options.seeds, options.cause, options.layout, options.disturbance)
    results = run([(c, l, d, s + options.first) for c, l, d, s in cases], options.keep)
    for case, right, said, job in results:
        if options.wrong and not right:
            print(*case, "said", said, "for rank", job.culprit, job.host(job.culprit))
    for line in table(results):
        print(line)
    share = 100 * sum(right for _, right, *_ in results) / len(results)
    print(f"first domino right: {sum(r for _, r, *_ in results)} of {len(results)} ({share:.1f} %)")
    return int(options.least is not None and share < options.least)


if __name__ == "__main__":
    sys.exit(main())

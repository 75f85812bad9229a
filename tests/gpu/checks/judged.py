# SPDX-License-Identifier: Apache-2.0
"""A program bare, recorded and diagnosed; the rows that every one of them
gets. Further checks take it from here."""

from .recorded import own_words, same_words


def judge(report, program, cause, status, same_stderr=True):
    """`cause`: the verdict expected; `status`: how the program itself ends;
    `same_stderr`: whether two runs say the same. Returns the answer of
    `inquest diagnose`."""
    bare = program.bare(seconds_for_one(report))
    recorded = program.record(seconds_for_one(report))
    answer = program.diagnose()
    told = program.told(answer)
    told["text"] = program.report()
    told["seconds"] = {"bare": bare.seconds, "recorded": recorded.seconds}
    told["stdout"], told["stderr"] = bare.stdout[-2000:], bare.stderr[-4000:]
    report.keep(program.name, program.directory, told)
    report.equal(f"{program.name}: ends with", status, bare.returncode)
    report.equal(f"{program.name}: ends alike recorded", bare.returncode,
                 recorded.returncode)
    same_output(report, program.name, "stdout", bare.stdout, recorded.stdout)
    if same_stderr:
        same_output(report, program.name, "stderr", bare.stderr,
                    own_words(recorded.stderr))
    report.equal(f"{program.name}: verdict", cause, answer["verdict"]["cause"])
    whole_trace(report, program)
    return answer


def seconds_for_one(report):
    """What is left; a program begun late still gets a chance."""
    return max(10, report.left())


def same_output(report, name, stream, bare, recorded):
    """Words alike; what a card tells in numbers may differ between two runs."""
    difference = first_difference(same_words(bare), same_words(recorded))
    report.equal(f"{name}: {stream} alike recorded", "", difference)


def first_difference(one, other):
    """Empty where there is none."""
    if one == other:
        return ""
    ones, others = one.splitlines() + ["(end)"], other.splitlines() + ["(end)"]
    for number, (a, b) in enumerate(zip(ones, others), 1):
        if a != b:
            return f"line {number}: {a!r}, recorded {b!r}"
    return "in the ends of lines"


def whole_trace(report, program):
    states = [state for source, state in program.rows(
        "SELECT source, state FROM coverage ORDER BY from_ns")
        if source == "cupti"]
    report.true(f"{program.name}: CUPTI is read", "on", states or "no trace",
                "on" in states)
    report.equal(f"{program.name}: nothing lost", [],
                 program.rows("SELECT kind, count FROM loss"))
    count = sum(row[0] for row in program.rows(
        "SELECT count(*) FROM memory_event"))
    report.true(f"{program.name}: memory events", "some", count, count > 0)

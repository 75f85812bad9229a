# SPDX-License-Identifier: Apache-2.0
"""Hostile rule packs, rule tests and logs, made when needed. Each is a function
that writes into an empty folder and returns the arguments of `inquest`. The
program must end by itself with one of the exit codes given and say the word, in
little memory; bounds_test.py checks that. The cases are in pack_cases.py and
log_cases.py, what they share is here.

0: what was hostile did no harm. 1: the answer is no. 2: unreadable. 3: a
mistake in a rule file. 4: a limit stopped a part, and the report says which."""
import dataclasses
import string
from typing import Callable

OOM = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
       "GPU 0 has a total capacity of 79.15 GiB of which 1.20 GiB is free. "
       "Including non-PyTorch memory, this process has 77.90 GiB memory in use.")
BIDI = "\u202e"


@dataclasses.dataclass
class Case:
    make: Callable
    exits: tuple
    word: str  # somewhere in the output; "": nothing needs to be said


CASES = {}


def case(exits, word=""):
    def add(make):
        exit_codes = exits if isinstance(exits, tuple) else (exits,)
        CASES[make.__name__] = Case(make, exit_codes, word)
        return make
    return add


def letters(number):
    """A name without digits."""
    name = ""
    while True:
        name = string.ascii_lowercase[number % 26] + name
        number //= 26
        if number == 0:
            return name


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, errors="surrogateescape")
    return str(path)


def log(folder, lines, name="run.log"):
    return ["diagnose", "--log", write(folder, name, "\n".join(lines) + "\n")]


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def signature(id="hostile.sig", pattern="hostile thing", sample="hostile thing",
              more="", role="cause"):
    cause = "" if role == "context" else "    cause: memory/host\n"
    return (f"  - id: {id}\n    pattern: {quoted(pattern)}\n    role: {role}\n"
            f"{cause}    title: hostile\n{more}    samples:\n      match: "
            f"[{quoted(sample)}]\n      no_match: ['nothing']\n")


def rule(id="hostile.rule", sql="SELECT id AS x FROM log_event", more=""):
    return (f"  - id: {id}\n    title: hostile\n    cause: memory/host\n"
            f"    sql: {sql}\n    message: 'found {{x}}'\n{more}")


def signatures(*entries):
    return "facts: 1\nsignatures:\n" + "".join(entries)


def rules(*entries):
    return "facts: 1\nrules:\n" + "".join(entries)


def alone(folder, text, lines=(OOM,)):
    """Diagnoses a log with this rule file and no other."""
    path = write(folder, "hostile.yaml", text)
    return log(folder, lines) + ["--rules", path, "--no-default-rules"]


def over(folder, text, lines=(OOM,)):
    """With the rule file over the built-in ones."""
    return log(folder, lines) + ["--rules", write(folder, "h.yaml", text)]


def override(text, id="*"):
    return f"facts: 1\noverrides:\n  - id: {quoted(id)}\n    {text}\n"


def test_of(given, expect="verdict: none"):
    return ("facts: 1\ntests:\n  - name: hostile\n    given:\n" +
            "".join("      " + line + "\n" for line in given.splitlines()) +
            f"    expect: {{{expect}}}\n")

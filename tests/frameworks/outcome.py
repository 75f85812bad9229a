# SPDX-License-Identifier: Apache-2.0
"""What one framework's run has shown: checks that held or not, and figures."""


class Outcome:
    def __init__(self, name):
        self.name = name
        self.checks = []
        self.figures = []

    @property
    def held(self):
        return all(held for held, _, _ in self.checks)

    def check(self, held, what, shown=""):
        self.checks.append((bool(held), what, str(shown)))

    def equal(self, got, wanted, what):
        self.check(got == wanted, what,
                   got if got == wanted else f"{got!r}, not {wanted!r}")

    def figure(self, what, value):
        self.figures.append((what, str(value)))

    def text(self):
        lines = [f"== {self.name}"]
        for held, what, shown in self.checks:
            lines.append(f"{'ok  ' if held else 'FAIL'}  {what}"
                         + (f": {shown}" if shown else ""))
        lines += [f"      {what}: {value}" for what, value in self.figures]
        return "\n".join(lines)

    def markdown(self):
        good = sum(held for held, _, _ in self.checks)
        rows = [("checks that held", f"{good} of {len(self.checks)}"),
                *self.figures]
        return "\n".join([f"### {self.name}", "", "| what | figure |",
                          "| --- | --- |"]
                         + [f"| {what} | {value} |" for what, value in rows]
                         + [""])

# SPDX-License-Identifier: Apache-2.0
"""What was expected and what was seen: report.json and report.txt, written anew
after each check, so that a run which is cut off leaves what it had; and the
small traces in one archive."""

import io
import json
import os
import pathlib
import tarfile
import time
import traceback

HOLDS, DIFFERS, SEEN, SKIPPED = "holds", "DIFFERS", "seen", "skipped"
TRACE_LIMIT = 4 << 20     # bytes of a run's files that are worth keeping
ARCHIVE_LIMIT = 15 << 20  # bytes of traces.tar.gz


class Report:
    def __init__(self, folder, seconds):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.started = time.monotonic()
        self.deadline = self.started + seconds
        self.facts = {}
        self.rows = []
        self.runs = {}
        self.kept = []
        self.programs = ()  # beginnings of names; empty: all of frameworks

    def left(self):
        """Seconds until the whole must be done."""
        return self.deadline - time.monotonic()

    def row(self, what, expected, seen, state):
        self.rows.append({"what": what, "expected": expected, "seen": seen,
                          "state": state,
                          "at_s": round(time.monotonic() - self.started, 1)})
        self.write()

    def equal(self, what, expected, seen):
        self.row(what, expected, seen, HOLDS if expected == seen else DIFFERS)

    def true(self, what, expected, seen, held):
        """`expected` and `seen` are for people; `held` decides."""
        self.row(what, expected, seen, HOLDS if held else DIFFERS)

    def seen(self, what, seen):
        """A figure that nothing is expected of."""
        self.row(what, "", seen, SEEN)

    def guarded(self, what, check, *arguments, needs_s=0):
        """Runs a check; whatever becomes of it, the next one follows."""
        if self.left() < needs_s:
            self.row(what, "", f"{self.left():.0f} s are left", SKIPPED)
            return
        try:
            check(*arguments)
        except Exception as error:  # a broken check is a row, not an end
            self.facts.setdefault("errors", {})[what] = traceback.format_exc()
            self.row(what, "the check runs", f"{type(error).__name__}: {error}",
                     DIFFERS)

    def keep(self, name, folder, told):
        """`folder`: a finished run; `told`: what the trace says in short."""
        self.runs[name] = told
        size = sum(f.stat().st_size for f in pathlib.Path(folder).iterdir())
        if size <= TRACE_LIMIT:
            self.kept.append((size, name, folder))

    def differing(self):
        return [row for row in self.rows if row["state"] == DIFFERS]

    def write(self):
        text = json.dumps({"facts": self.facts, "checks": self.rows,
                           "runs": self.runs}, indent=1, default=str)
        replace(self.folder / "report.json", text + "\n")
        replace(self.folder / "report.txt", self.table())

    def table(self):
        lines = [f"{row['state']:8} {row['what']}: {self.words(row)}"
                 for row in self.rows]
        counted = {state: sum(r["state"] == state for r in self.rows)
                   for state in (HOLDS, DIFFERS, SEEN, SKIPPED)}
        summary = ", ".join(f"{n} {state}" for state, n in counted.items())
        return "\n".join([*lines, summary, ""])

    @staticmethod
    def words(row):
        if row["state"] != DIFFERS:
            return shorten(row["seen"])
        return (f"expected {shorten(row['expected'])}, "
                f"saw {shorten(row['seen'])}")

    def archive(self):
        """The smallest runs first, until the archive is full."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for _, name, folder in sorted(self.kept, key=lambda run: run[:2]):
                if packed.tell() > ARCHIVE_LIMIT - TRACE_LIMIT:
                    break
                archive.add(folder, arcname=name.replace(" ", "-"))
        (self.folder / "traces.tar.gz").write_bytes(packed.getvalue())


def shorten(value):
    text = " ".join(str(value).split())
    return text if len(text) <= 160 else text[:157] + "..."


def replace(path, text):
    new = path.with_suffix(".new")
    new.write_text(text)
    os.replace(new, path)

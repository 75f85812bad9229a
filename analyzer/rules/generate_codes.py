#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tables of error codes in C++ from the shipped vocabularies.

    generate_codes.py OUT FUNCTION=FILE[,FILE...]...

Each function of model/shipped_codes.h returns the codes of its files, by number.
"""
import json
import pathlib
import re
import sys

# As `inquest rules fmt` lays out an entry.
ENTRY = re.compile(r"  - \{number: (-?\d+), name: (\[[^]]*\]|'[^']*')"
                   r"(?:, text: '((?:[^']|'')*)')?")


def codes_of(path):
    for number, line in enumerate(path.open(encoding="utf-8"), 1):
        if line.startswith("  - {number:"):
            found = ENTRY.match(line)
            if found is None:
                sys.exit(f"{path}:{number}: not an entry as `rules fmt` writes it")
            # Names of CUDA's driver come second, also where they are alone.
            names = re.findall(r"'([^']*)'", found[2])
            if names[0].startswith("CUDA_"):
                names.insert(0, "")
            text = (found[3] or "").replace("''", "'")
            yield int(found[1]), names[0], (names + [""])[1], text


def main():
    out, tables = sys.argv[1], sys.argv[2:]
    lines = ['#include "analyzer/rules/model/shipped_codes.h"',
             "namespace inquest::rules {"]
    for table in tables:
        function, files = table.split("=")
        codes = sorted(code for file in files.split(",")
                       for code in codes_of(pathlib.Path(file)))
        lines.append(f"std::span<const ShippedCode> {function}() {{")
        lines.append("  static constexpr ShippedCode kCodes[] = {")
        lines += [f"      {{{number}, {', '.join(map(json.dumps, words))}}},"
                  for number, *words in codes]
        lines += ["  };", "  return kCodes;", "}"]
    pathlib.Path(out).write_text("\n".join(lines + ["}", ""]), encoding="utf-8")


if __name__ == "__main__":
    main()

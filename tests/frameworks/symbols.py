# SPDX-License-Identifier: Apache-2.0
"""Dynamic symbol tables and bindings, read by other tools than the collector:
readelf, and the dynamic linker's own account (LD_DEBUG)."""
import os
import pathlib
import re
import subprocess
import tempfile

C10 = "c1027report"  # in the mangled names of the five functions


def symbols(library):
    """(names it defines, names it wants from others)."""
    text = subprocess.run(["readelf", "--dyn-syms", "-W", library], check=True,
                          capture_output=True, text=True).stdout
    defined, wanted = set(), set()
    for line in text.splitlines():
        fields = line.split()
        if len(fields) < 8 or fields[3] != "FUNC":
            continue
        name = fields[7].split("@")[0]
        (wanted if fields[6] == "UND" else defined).add(name)
    return defined, wanted


def named(names, part):
    return sorted(name for name in names if part in name)


def relocated(library):
    """Names of functions and data that it finds through the linker, its own
    exported ones as well: each may be answered by somebody in front."""
    text = subprocess.run(["readelf", "-rW", library], check=True,
                          capture_output=True, text=True).stdout
    names = set()
    for line in text.splitlines():
        fields = line.split()
        if len(fields) >= 5 and fields[2].startswith("R_"):
            names.add(fields[4].split("@")[0])
    return names


BINDING = re.compile(
    r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: normal symbol `([^']+)'")


def bindings(command, environment, is_of_interest):
    """(from, to, symbol) as the linker bound them, each at once, for symbols of
    interest. The account may be long; it is read as a stream and removed."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            command, check=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environment, "LD_BIND_NOW": "1",
                 "LD_DEBUG": "bindings",
                 "INQUEST_DIR": os.path.join(folder, "run"),
                 "LD_DEBUG_OUTPUT": os.path.join(folder, "bound")})
        found = set()
        for account in pathlib.Path(folder).glob("bound*"):
            with open(account, errors="replace") as lines:
                for line in lines:
                    match = BINDING.search(line)
                    if match and is_of_interest(match[3]):
                        found.add(tuple(os.path.basename(part)
                                        for part in match.groups()))
    return found

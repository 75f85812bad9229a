# SPDX-License-Identifier: Apache-2.0
"""Reading and running rules."""
import json
import pathlib
import re
import subprocess
import tempfile

from groups.common import INQUEST, ROOT, group, median_ms, row, seconds, tool


def pack_files():
    return [str(path) for path in sorted((ROOT / "rules").rglob("*.yaml"))
            if ".test" not in str(path.relative_to(ROOT))
            and path.name not in ("taxonomy.yaml", "world.yaml")]


def copies(count, folder):
    """A pack of `count` SQL rules: those of the shipped pack, repeated, each
    with its own id."""
    texts = [pathlib.Path(path).read_text() for path in pack_files()]
    entries = []
    for text in texts:
        block = re.search(r"^rules:\n((?:[ \n#-].*\n|\n)+)", text, re.M)
        if block:
            entries += re.findall(r"^  - id: .*\n(?:(?:    .*)?\n)+",
                                  block.group(1), re.M)
    made = 0
    while made < count:
        part = entries[:count - made]
        body = "".join(re.sub(r"^  - id: (\S+)", rf"  - id: copy{made}.\1",
                              one, count=1) for one in part)
        (folder / f"copy{made}.yaml").write_text(f"facts: 1\nrules:\n{body}")
        made += len(part)


def load_rows(name, files, arguments, start_ms, times, aim):
    yaml_ms = median_ms([tool("bench_yaml_floor"), *files], times) - start_ms[0]
    lint_ms = median_ms([INQUEST, "rules", "lint", *arguments], times) - start_ms[1]
    return row(f"`rules lint` {name}", f"{lint_ms:.0f} ms on top of start-up",
               f"{yaml_ms:.0f} ms, yaml-cpp's bare parse of the same files",
               f"{lint_ms / yaml_ms:.1f}×", aim)


@group
def bench_load(options):
    start_ms = (median_ms([tool("bench_empty")], options.times),
                median_ms([INQUEST, "--version"], options.times))
    yield load_rows("of the whole pack, samples and SQL tried", pack_files(), [], start_ms,
                    options.times, "< 200 ms")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        copies(500, folder)
        yield load_rows("of 500 SQL rules",
                        [str(path) for path in sorted(folder.iterdir())],
                        [name], start_ms, options.times, "< 1 s")


@group
def bench_rules(options):
    with tempfile.TemporaryDirectory(dir=options.scratch) as name:
        trace = f"{name}/run.trace.sqlite"
        seconds([tool("bench_make_trace"), trace, str(options.events)])
        out = subprocess.run(
            [tool("bench_rule_sql"), trace, str(17 * options.times),
             str(ROOT / "rules")], stdout=subprocess.PIPE, check=True).stdout
        found = json.loads(out)
    ratio = found["engine_ms"] / found["bare_ms"]
    yield row(f"all {found['rules']} rules, of which {found['run']} have what "
              f"they need, on a trace of {options.events:,} events",
              f"{found['engine_ms']:.0f} ms",
              f"{found['bare_ms']:.0f} ms, their bare SQL through SQLite",
              f"{ratio:.2f}×", "≤ 2×")

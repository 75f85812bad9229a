# SPDX-License-Identifier: Apache-2.0
"""Reading logs, compared with programs that search in them."""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile

from groups.common import (INQUEST, ROOT, group, measure, median_ms, row, seconds,
                           tool)
from groups.rules import pack_files


def hundred_lines(path):
    """A log of a hundred lines with an ordinary end."""
    lines = [f"epoch 0 step {i}: loss {7 - i / 50:.4f}" for i in range(88)]
    tail = (ROOT / "tests/cli/logs/torch-fragmented.log").read_text()
    lines += (tail.splitlines() * 3)[:12]
    path.write_text("\n".join(lines) + "\n")


@group
def bench_diagnose(options):
    with tempfile.TemporaryDirectory() as name:
        log = pathlib.Path(name) / "train.log"
        hundred_lines(log)
        empty = median_ms([tool("bench_empty")], options.times)
        start = median_ms([INQUEST, "--version"], options.times)
        whole = median_ms([INQUEST, "diagnose", "--log", str(log)], options.times)
    yield row("`diagnose` of a log of 100 lines, from start to end",
              f"{whole:.0f} ms",
              f"{empty:.1f} ms, an empty program; {start:.1f} ms, `--version`",
              f"{whole / empty:.0f}×", "< 150 ms")


LINES = [
    "2031-02-03 04:{m:02d}:{s:02d},{ms:03d} - trainer - INFO - Epoch {e} step "
    "{i}/500000 loss={x:.4f} lr={y:.6f} grad_norm={x:.3f} tokens/s={n}",
    "[rank{r}]: DEBUG gathered shard {n} of layer{r}.attention in {x:.3f} ms",
    "INFO 02-03 04:{m:02d}:{s:02d} [metrics.py:{r}] Avg prompt throughput: "
    "{n}.1 tokens/s, Running: {r} reqs, GPU KV cache usage: {s}.2%"]
RARE = {10: "node{r}:{n}:{n} [{r}] NCCL INFO Channel {s:02d}/0 : {r}[{r}] -> "
            "{m}[{r}] via P2P/CUMEM/read",
        50: "/app/torch/utils/checkpoint.py:{r}: UserWarning: None of the inputs "
            "have requires_grad=True. Gradients will be None",
        200: " {s}%|####      | {i}/500000 [04:{s:02d}<1:00:00, {y:.2f}it/s]"}


def training_log(path, mebibytes):
    """The output of a long run, with the OOM that ends it."""
    dice = random.Random(1)
    with path.open("w") as out:
        step = 0
        while out.tell() < mebibytes << 20:
            parts = []
            for step in range(step + 1, step + 1000):
                values = {"i": step, "e": step // 1000, "m": step // 60 % 60,
                          "s": step % 60, "ms": dice.randrange(1000),
                          "x": dice.random() * 3, "y": dice.random() / 1000,
                          "n": dice.randrange(10000), "r": dice.randrange(8)}
                rare = [line for often, line in RARE.items()
                        if step % often == 0]
                parts += [line.format(**values) for line in LINES + rare]
            out.write("\n".join(parts) + "\n")
        out.write((ROOT / "tests/cli/logs/torch-fragmented.log").read_text())


def patterns():
    """The patterns of all shipped signatures without the names of captures,
    which other programs accept only once each."""
    shown = subprocess.run([INQUEST, "rules", "show", "*", "--format", "json"],
                           stdout=subprocess.PIPE, check=True).stdout
    asked = []
    for one in json.loads(shown):
        given = one.get("pattern", [])
        for part in given if isinstance(given, list) else [given]:
            text = part["re"] if isinstance(part, dict) else part
            asked.append(re.sub(r"\(\?P<\w+>", "(?:", text))
    return asked


def for_grep(asked):
    """In the syntax of grep -E: no groups without a number, no lazy repetition.
    Patterns that it still refuses are left out."""
    taken = []
    for pattern in asked:
        for ours, theirs in (("(?:", "("), (r"\d", "[0-9]"), ("*?", "*"),
                             ("+?", "+"), ("}?", "}"), ("(?i)", "")):
            pattern = pattern.replace(ours, theirs)
        refused = subprocess.run(["grep", "-E", "-e", pattern, os.devnull],
                                 stderr=subprocess.DEVNULL).returncode == 2
        taken += [] if refused else [pattern]
    return taken


def some_rules(least):
    """Options for files with at least `least` signatures in all, beginning with
    those of ordinary progress."""
    files = sorted(pack_files(), key=lambda path: "progress" not in path)
    count, arguments = 0, ["--no-default-rules"]
    for path in files:
        found = re.findall(r"^    pattern:", pathlib.Path(path).read_text(), re.M)
        if count < least and found:
            arguments += ["--rules", path]
            count += len(found)
    return count, arguments


def part_of(log, mebibytes):
    part = log.with_suffix(f".{mebibytes}")
    with log.open("rb") as whole:
        part.write_bytes(whole.read(mebibytes << 20))
    return str(part)


def rate(mebibytes, command, **options):
    return mebibytes / seconds(command, **options)


def peer(name, command, asked, log, mebibytes, folder):
    """The rate of another program, as text and as a number."""
    if shutil.which(command[0]) is None:
        return f"{name} is missing", 0
    (folder / name).write_text("\n".join(asked) + "\n")
    theirs = rate(mebibytes, [*command, "-f", str(folder / name),
                              part_of(log, mebibytes)], good=(0, 1))
    return (f"{theirs:.2f} MiB/s, {name} -c with {len(asked)} of the patterns, "
            f"on {mebibytes} MiB", theirs)


@group
def bench_scan(options):
    """Slower programs get a part of the log, since only the rate counts."""
    with tempfile.TemporaryDirectory(dir=options.scratch) as name:
        folder = pathlib.Path(name)
        log = folder / "train.log"
        training_log(log, options.mebibytes)
        asked = patterns()
        diagnose = [INQUEST, "diagnose", "--log", str(log)]
        taken, _, peak = measure(diagnose)
        ours = options.mebibytes / taken
        what = (f"`diagnose` of a training log of {options.mebibytes} MiB, "
                f"{len(asked)} patterns")
        figure = f"{ours:.0f} MiB/s, {peak:.0f} MiB of memory"
        peers = ((min(16, options.mebibytes), "rg", asked,
                  ["rg", "--regex-size-limit", "4G", "--dfa-size-limit", "4G",
                   "-c"]), (1, "grep", for_grep(asked), ["grep", "-cE"]))
        for part, program, theirs, command in peers:
            said, speed = peer(program, command, theirs, log, part, folder)
            yield row(what, figure, said, f"{ours / speed:.0f}×" if speed else "",
                      "≥ 2×, < 256 MiB")
        count, arguments = some_rules(50)
        # Their relations name rules of files that are not loaded: exit code 3.
        few = rate(options.mebibytes, [*diagnose, *arguments], good=(0, 3))
        yield row(what, f"{ours:.0f} MiB/s",
                  f"{few:.0f} MiB/s, with {count} signatures only",
                  f"{ours / few:.2f}×", "flat")


def flood_of_errors(path, count):
    """A log of which each line is an out-of-memory error with other figures."""
    dice = random.Random(2)
    with path.open("w") as out:
        for i in range(count):
            out.write(
                f"[rank{i % 8}]: torch.OutOfMemoryError: CUDA out of memory. "
                f"Tried to allocate {dice.randrange(2, 9000)}.00 MiB. GPU "
                f"{i % 8} has a total capacity of 79.15 GiB of which "
                f"{dice.randrange(1, 900)}.{dice.randrange(10, 99)} MiB is "
                "free.\n")


@group
def bench_errors(options):
    count = 400_000
    with tempfile.TemporaryDirectory(dir=options.scratch) as name:
        folder = pathlib.Path(name)
        log, calm = folder / "errors.log", folder / "train.log"
        flood_of_errors(log, count)
        size = log.stat().st_size
        training_log(calm, size >> 20)
        # Exit code 4: the bound on time cut it short, on a slow machine.
        diagnose = [INQUEST, "diagnose", "--log", str(log)]
        taken, _, peak = measure(diagnose, good=(0, 4))
        ours = size / 1e6 / taken
        usual = size / 1e6 / seconds([INQUEST, "diagnose", "--log", str(calm)])
    yield row(f"`diagnose` of {count:,} errors in {size / 1e6:.0f} MB",
              f"{ours:.0f} MB/s, {peak:.0f} MiB of memory",
              f"{usual:.0f} MB/s, a training log of that size",
              f"{ours / usual:.2f}×", "≥ 20 MB/s, < 256 MiB")

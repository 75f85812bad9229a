# SPDX-License-Identifier: Apache-2.0
"""The samples, each with the verdict that it gets on the simulated GPU."""

import re
import signal
import subprocess

from .judged import judge
from .recorded import Program

DIED, WELL = 1, 0


def check(report, bundle):
    for name, cause, status in (
            ("healthy", "none", WELL),
            ("batch_too_large", "memory/capacity", DIED),
            ("ignored_error", "kernel/illegal-access", DIED),
            ("pool_takes_all", "memory/pool-headroom", DIED)):
        report.guarded(name, one, report, sample(bundle, name), cause, status,
                       needs_s=20)
    report.guarded("fragmenting_allocator", fragments, report, bundle,
                   needs_s=60)
    report.guarded("leaking_loop", leak, report, bundle, needs_s=20)
    report.guarded("mixed_cudnn", cudnn_versions, report, bundle, needs_s=20)
    report.guarded("second_run", second_run, report, bundle, needs_s=40)


def sample(bundle, name, arguments=()):
    return Program(bundle, name, [bundle.sample(name), *arguments],
                   bundle.environment(name))


def card_bytes(bundle):
    """The card's memory, rounded as the samples print it."""
    said = sample(bundle, "healthy", ["--steps", "1"]).bare().stdout
    value, unit = re.search(r"free of ([\d.]+) (\wiB)", said).groups()
    return int(float(value) * (1 << {"M": 20, "G": 30, "T": 40}[unit[0]]))


def one(report, program, cause, status):
    name = program.name
    judge(report, program, cause, status)
    begin = program.rows("SELECT total_bytes - free_bytes FROM device_memory "
                         "WHERE reason = 'start'")
    report.seen(f"{name}: taken when recording began", begin)
    failed = program.rows("SELECT function, result, name FROM api_error "
                          "ORDER BY id LIMIT 3")
    report.seen(f"{name}: first failures", failed)


def fragments(report, bundle):
    """A large card in one piece but for a fifth: with less there would be room
    for the request beside the pool, more takes minutes."""
    leave = str(card_bytes(bundle) // 5)
    one(report, sample(bundle, "fragmenting_allocator", ["--leave", leave]),
        "memory/fragmentation", DIED)


def leak(report, bundle):
    size = card_bytes(bundle) // 100
    program = sample(bundle, "leaking_loop", ["--leak", str(size)])
    verdict = judge(report, program, "memory/leak", DIED)["verdict"]
    facts = verdict["facts"]
    report.equal("leaking_loop: bytes a step", size,
                 facts.get("bytes_per_step"))
    report.true("leaking_loop: site", "RememberLoss", facts.get("site"),
                "RememberLoss" in str(facts.get("site")))


def cudnn_versions(report, bundle):
    """The simulator mixes sub-libraries. A real cuDNN is whole; then the
    sample's own first line says whether it is one the sample can run with."""
    program = sample(bundle, "mixed_cudnn")
    cause, status = "version/cudnn-mismatch", DIED
    if not bundle.simulated:
        built, loaded = versions(program.bare().stdout)
        if built[0] == loaded[0] and loaded >= (*built[:2], 0):
            cause, status = "none", WELL
    judge(report, program, cause, status)


def versions(stdout):
    return [tuple(map(int, version.split(".")))
            for version in re.findall(r"\d+\.\d+\.\d+", stdout)[:2]]


def second_run(report, bundle):
    program = sample(bundle, "second_run")
    if bundle.simulated:
        facts = judge(report, program, "memory/other-process",
                      DIED)["verdict"]["facts"]
        report.true("second_run: who holds the card", 4711,
                    facts.get("other_pids"),
                    "4711" in str(facts.get("other_pids")))
        return
    holder = subprocess.Popen([*program.command, "--hold"], text=True,
                              env=program.environment, stdout=subprocess.PIPE)
    try:
        for line in holder.stdout:
            if line.startswith("holding"):
                break
        facts = judge(report, program, "memory/other-process",
                      DIED)["verdict"]["facts"]
        report.true("second_run: who holds the card", holder.pid,
                    facts.get("other_pids"),
                    str(holder.pid) in str(facts.get("other_pids")))
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.communicate()

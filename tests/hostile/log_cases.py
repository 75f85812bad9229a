# SPDX-License-Identifier: Apache-2.0
"""Rule tests, messages and logs of strangers; see cases.py."""
import gzip

from cases import (BIDI, OOM, alone, case, letters, log, quoted, rule, rules,
                   signature, signatures, test_of, write)


# --- rule tests ------------------------------------------------------------
def tested(folder, given, expect="verdict: none", more=()):
    write(folder, "h.yaml", rules(rule()))
    write(folder, "h.test.yaml", test_of(given, expect))
    return ["rules", "test", str(folder), *more]


def processes(count, series):
    return "allocations:\n" + "".join(
        f"  - {{pid: {i + 1}, device_bytes: 80GiB, series: [{series}]}}\n"
        for i in range(count))


@case(3, "more than 32 processes")
def a_test_of_a_hundred_processes(folder):
    return tested(folder, processes(100, "{site: a < b, grow: 1MiB, steps: 90}"))


@case(3, "more than 100,000 events")
def a_test_of_millions_of_events(folder):
    return tested(folder, processes(
        1, "{site: a < b, grow: 1KiB, steps: 1000000}"))


@case(3, "more than 100,000 events")
def a_test_of_many_events_in_all(folder):
    return tested(folder, processes(
        30, "{site: a < b, grow: 1KiB, steps: 2000}"))


@case((0, 1))
def a_test_of_as_many_as_may_be(folder):
    return tested(folder, processes(
        32, "{site: a < b, grow: 1MiB, steps: 500}"),
        more=["--no-default-rules"])


@case((0, 1))
def a_test_of_many_holes(folder):
    return tested(folder, "allocations:\n  device_bytes: 80GiB\n  series:\n"
                  "    - {site: a, hold: 1MiB, pieces: 10000, free_every: 2}\n"
                  "    - {site: b, grow: 2MiB, steps: 7000}",
                  more=["--no-default-rules"])


@case((0, 1), "hostile")
def a_test_of_twenty_thousand_ranks_in_a_log(folder):
    return tested(folder, "log: |\n" + "".join(
        f"  [rank{i}]: {OOM}\n" for i in range(20_000)))


@case(3, "more than 1000 ranks")
def a_test_of_many_ranks(folder):
    return tested(folder, "ranks:\n" + "".join(
        f"  {i}: {quoted(OOM)}\n" for i in range(8000)))


@case(3, "more than 1000 logs")
def a_test_of_many_logs(folder):
    return tested(folder, "logs:\n" + "".join(
        f"  l{i}: {quoted(OOM)}\n" for i in range(8000)))


@case((0, 1))
def a_test_of_a_thousand_ranks(folder):
    return tested(folder, "ranks:\n" + "".join(
        f"  {i}: {quoted(OOM)}\n" for i in range(1000)))


@case(3, "more than 5000 rows")
def a_test_of_many_rows(folder):
    return tested(folder, "facts:\n  device_process:\n" + "".join(
        f"    - {{pid: {i}}}\n" for i in range(9000)))


@case(1, "the SQL")
def a_test_with_endless_sql(folder):
    return tested(folder, "sql: |\n  INSERT INTO process (pid) WITH RECURSIVE "
                  "n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x "
                  "FROM n;", more=["--no-default-rules"])


@case((0, 1))
def a_test_with_an_endless_site(folder):
    return tested(folder, processes(
        1, "{site: " + quoted(" < ".join(["f"] * 100_000)) +
        ", grow: 1MiB, steps: 9}"), more=["--no-default-rules"])


@case((0, 1, 3))
def a_test_that_expects_much(folder):
    return tested(folder, "log: nothing", "absent: [" + ", ".join(
        f"'{letters(i)}*{letters(i)}*'" for i in range(20_000)) + "]")


# --- messages --------------------------------------------------------------
@case(3, "is not an id")
def an_id_of_a_megabyte(folder):
    return alone(folder, rules(rule("A" * 1_000_000)))


@case(3, "R0")
def a_key_of_a_megabyte(folder):
    write(folder, "h.json", '{"facts": 1, "' + "k" * 1_000_000 + '": 1}')
    return log(folder, [OOM]) + ["--rules", str(folder / "h.json")]


@case(3, "R0")
def hundreds_of_errors_in_one_long_line(folder):
    entries = ", ".join('{"id": "Hostile %s"}' % ("a" * 900)
                        for _ in range(3000))
    write(folder, "h.json", '{"facts": 1, "rules": [' + entries + "]}")
    return log(folder, [OOM]) + ["--rules", str(folder / "h.json")]


@case((0, 3), "\\xE2\\x80\\xAE")
def reversed_text_of_a_rule(folder):
    return alone(folder, signatures(signature(more="    message: '%s'\n" %
                                              ("safe" + BIDI + "elif"))),
                 ["hostile thing"])


@case(3, "\\xE2\\x80\\xAE")
def reversed_text_in_an_id(folder):
    return alone(folder, rules(rule("'safe" + BIDI + "elif'")))


@case(0, "\\xE2\\x80\\xAE")
def reversed_text_in_a_log(folder):
    return log(folder, ["RuntimeError: CUDA error: an illegal memory access " +
                        BIDI + "was encountered"])


@case(0, "\\xE2\\x81\\xA6")
def isolated_text_in_a_name(folder):
    return log(folder, [OOM], "run\u2066.log")


# --- logs ------------------------------------------------------------------
@case(0, "memory/capacity")
def twenty_thousand_ranks(folder):
    return log(folder, [f"[rank{i}]: {OOM}" for i in range(20_000)])


@case((0, 4), "memory/capacity")
def twenty_thousand_hosts(folder):
    return log(folder, [f"Jan  1 00:00:01 {letters(i)} app: {OOM}"
                        for i in range(20_000)])


@case(0, "memory/capacity")
def one_line_two_hundred_thousand_times(folder):
    return log(folder, [OOM] * 200_000)


@case((0, 4), "memory/capacity")
def errors_that_differ_in_letters(folder):
    return log(folder, [OOM + " " + letters(i) for i in range(100_000)])


@case((0, 4), "memory/capacity")
def packed_errors(folder):
    text = "".join(f"RuntimeError: CUDA out of memory. Tried to allocate {i}.00 "
                   "MiB (GPU 0; 79.15 GiB total capacity)\n"
                   for i in range(999)).encode()
    with gzip.open(folder / "run.log.gz", "wb", 1) as file:
        for _ in range(500):
            file.write(text)
    return ["diagnose", "--log", str(folder / "run.log.gz")]


@case((0, 4), "process/exception")
def nested_tracebacks(folder):
    one = ('  File "/a/train{}.py", line {}, in f{}\n    g(x)\nValueError: x\n\n'
           "During handling of the above exception, another exception occurred:"
           "\n\nTraceback (most recent call last):")
    return log(folder, ["Traceback (most recent call last):"] +
               [one.format(i % 7, i, i % 99) for i in range(150_000)])


@case((0, 4))
def tracebacks_of_ranks_in_turns(folder):
    lines = [f'[rank{i % 64}]:   File "/a/{letters(i)}.py", line {i}, in f'
             for i in range(100_000)]
    return log(folder, lines + ["[rank1]: ValueError: x"])


@case((0, 4), "process/exception")
def exceptions_that_differ_in_letters(folder):
    return log(folder, [f"ValueError: {letters(i)}" for i in range(150_000)])


@case((0, 4))
def chunks_of_an_allocator(folder):
    return log(folder, [
        f"2024-01-01 00:00:00.0: I tensorflow/core/common_runtime/bfc_allocator."
        f"cc:1095] InUse at {4096 * i:x} of size 4096 next {i}"
        for i in range(150_000)])


@case((0, 4))
def kernel_errors(folder):
    return log(folder, [
        f"[{i}.0] NVRM: Xid (PCI:0000:{i % 256:02x}:00): {i % 99}, "
        f"pid={i}, name={letters(i)}" for i in range(60_000)])


@case((0, 4))
def suspicious_lines(folder):
    return log(folder, [f"error: fatal failure of {letters(i)} exception"
                        for i in range(120_000)])


@case((0, 4))
def steps_as_json(folder):
    return log(folder, [f'{{"level":"info","message":"step {i} loss {i}.5"}}'
                        for i in range(150_000)])


@case(0)
def one_line_without_end(folder):
    (folder / "run.log").write_bytes(b"CUDA error " * 6_000_000)
    return ["diagnose", "--log", str(folder / "run.log")]


@case((0, 4))
def overwritten_lines(folder):
    (folder / "run.log").write_bytes(b"CUDA error: x\r" * 1_000_000)
    return ["diagnose", "--log", str(folder / "run.log")]


@case((0, 4))
def backspaces_and_nuls(folder):
    (folder / "run.log").write_bytes(b"a\b\0" * 3_000_000 + b"\n" +
                                     b"\b" * 3_000_000)
    return ["diagnose", "--log", str(folder / "run.log")]


@case(0)
def unfinished_escapes(folder):
    (folder / "run.log").write_bytes((b"\x1b]0;" + b"x" * 60 + b"\n") * 90_000 +
                                     b"\x1b]" * 2_000_000)
    return ["diagnose", "--log", str(folder / "run.log")]


@case((2,))
def packed_nothing(folder):
    with gzip.open(folder / "run.log.gz", "wb", 6) as file:
        for _ in range(256):
            file.write(bytes(1 << 20))
    return ["diagnose", "--log", str(folder / "run.log.gz")]


@case((0, 4))
def lines_that_never_get_complete(folder):
    return log(folder, [f"2024-01-01T00:00:00.0Z stdout P CUDA error {i}"
                        for i in range(200_000)])


@case((0, 4))
def three_hundred_logs_without_a_common_clock(folder):
    for i in range(300):
        write(folder, f"r{i}.log", f"{OOM}\nValueError: {letters(i)}\n")
    return ["diagnose", "--log", *(str(folder / f"r{i}.log")
                                   for i in range(300))]


@case((0, 4))
def words_that_confirm(folder):
    return alone(folder, signatures(
        signature(), signature("hostile.yes", "yes", "yes", role="confirm")),
        [f"[rank{i}]: hostile thing" for i in range(2000)] +
        [f"yes {letters(i)}" for i in range(60_000)])

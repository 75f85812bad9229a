# SPDX-License-Identifier: Apache-2.0
"""Hostile rule files, generated when needed because some are large.

Each is a function that writes into a folder and returns how it is stopped: by a
limit of the engine (exit code 4, named under `limits`), by a mistake in the
file (exit code 3, named on stderr), or not at all because limits make it
harmless (exit code 0). The limit or diagnostic must contain `names`."""
import dataclasses
import os


@dataclasses.dataclass
class Stop:
    exit_code: int
    names: str  # part of the limit's or diagnostic's text


LIMIT, MISTAKE, HARMLESS = 4, 3, 0
PACKS = {}
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
TEN = "'aaaaaaaaaa'"
LONG = f"replace(replace(replace(replace({TEN}, 'a', {TEN}), 'a', {TEN}), 'a', " \
       f"{TEN}), 'a', {TEN})"  # 100,000 bytes, made within the rule


def pack(function):
    PACKS[function.__name__] = function
    return function


def indented(text, by):
    return "".join(" " * by + line + "\n" for line in text.splitlines())


def rule(sql, message="found {x}", id="hostile.rule", **more):
    text = (f"  - id: {id}\n    title: hostile\n    cause: memory/host\n"
            f"    sql: |\n{indented(sql, 6)}    message: '{message}'\n")
    for key, value in more.items():
        text += f"    {key}: |\n{indented(value, 6)}"
    return text


def write(folder, text, name="hostile.yaml"):
    (folder / name).write_text(text)


def write_rule(folder, sql, **more):
    write(folder, "facts: 1\nrules:\n" + rule(sql, **more))


def signature(id, pattern, sample, more=""):
    quoted = pattern.replace("'", "''")
    return (f"  - id: {id}\n    pattern: '{quoted}'\n    role: cause\n"
            f"    cause: memory/host\n    title: hostile\n{more}    samples:\n"
            f"      match: ['{sample}']\n      no_match: ['nothing']\n")


# --- SQL -------------------------------------------------------------------
@pack
def endless_recursion(folder):
    write_rule(folder, ENDLESS + "SELECT max(x) AS x FROM n")
    return Stop(LIMIT, "stopped after 1000 ms")


@pack
def endless_rows(folder):
    write_rule(folder, ENDLESS + "SELECT x FROM n")
    return Stop(LIMIT, "stopped after")


@pack
def endless_exception(folder):
    write(folder, "facts: 1\nrules:\n" + rule(ENDLESS + "SELECT x FROM n") +
          "    exceptions:\n" + "".join(
              f"      - {{name: n{i}, where: {{x: {i}}}}}\n"
              for i in range(2000)))
    return Stop(LIMIT, "stopped after")


@pack
def cross_join(folder):
    write_rule(folder, "SELECT count(*) AS x FROM memory_event AS a, "
               "memory_event AS b, memory_event AS c WHERE a.id < b.id + c.id")
    return Stop(LIMIT, "stopped after 1000 ms")


@pack
def cross_join_sorted(folder):
    write_rule(folder, "SELECT a.id AS x, b.time, c.time FROM memory_event AS a,"
               " memory_event AS b, memory_event AS c ORDER BY b.time, a.id")
    return Stop(LIMIT, "stopped")


@pack
def window_over_everything(folder):
    write_rule(folder, ENDLESS + "SELECT sum(x) OVER (ORDER BY x DESC) AS x "
               "FROM (SELECT x FROM n LIMIT 100000000)")
    return Stop(LIMIT, "stopped")


@pack
def distinct_of_everything(folder):
    write_rule(folder, ENDLESS + "SELECT count(DISTINCT hex(x) || x) AS x "
               "FROM n")
    return Stop(LIMIT, "stopped")


@pack
def laughing_views(folder):
    steps = ["a0(x) AS (SELECT 1 UNION ALL SELECT 2)"]
    steps += [f"a{i}(x) AS (SELECT p.x FROM a{i-1} AS p, a{i-1} AS q)"
              for i in range(1, 40)]
    write_rule(folder, f"WITH {', '.join(steps)} SELECT count(*) AS x FROM a39")
    return Stop(LIMIT, "stopped")


@pack
def deep_expression(folder):
    write_rule(folder, "SELECT " + "(" * 5000 + "1" + ")" * 5000 + " AS x")
    return Stop(MISTAKE, "hostile.rule")


@pack
def long_statement(folder):
    write_rule(folder, "SELECT " + "1+" * 500_000 + "1 AS x")
    return Stop(MISTAKE, "hostile.rule")


@pack
def many_unions(folder):
    write_rule(folder, " UNION ALL ".join(["SELECT 1 AS x"] * 5000))
    return Stop(MISTAKE, "hostile.rule")


@pack
def many_columns(folder):
    write_rule(folder, "SELECT " + ", ".join(f"{i} AS c{i}"
                                             for i in range(5000)) + ", 1 AS x")
    return Stop(MISTAKE, "hostile.rule")


@pack
def many_tables(folder):
    write_rule(folder, "SELECT 1 AS x FROM " + ", ".join(
        f"log_event AS t{i}" for i in range(60)))
    return Stop(HARMLESS, "")


@pack
def zeroblob(folder):
    write_rule(folder, "SELECT zeroblob(1000000000) AS x")
    return Stop(MISTAKE, "zeroblob")


@pack
def randomblob(folder):
    write_rule(folder, "SELECT hex(randomblob(1000000000)) AS x")
    return Stop(MISTAKE, "randomblob")


@pack
def printf_padding(folder):
    write_rule(folder, "SELECT printf('%1000000000d', 1) AS x")
    return Stop(MISTAKE, "printf")


@pack
def replace_growth(folder):
    write_rule(folder, f"SELECT replace({LONG}, 'a', {TEN}) AS x")
    return Stop(LIMIT, "texts of more than")


@pack
def group_concat_growth(folder):
    write_rule(folder, ENDLESS + "SELECT group_concat(x) AS x FROM n")
    return Stop(LIMIT, "stopped")


@pack
def json_growth(folder):
    write_rule(folder, ENDLESS + "SELECT json_group_array(hex(x)) AS x FROM n")
    return Stop(LIMIT, "stopped")


@pack
def concat_doubling(folder):
    write_rule(folder, "WITH RECURSIVE n(x) AS (SELECT 'aaaaaaaa' UNION ALL "
               "SELECT x || x FROM n) SELECT x FROM n")
    return Stop(LIMIT, "stopped")


@pack
def wide_rows(folder):
    write_rule(folder, ENDLESS + f"SELECT x, {LONG} || x AS a FROM n")
    return Stop(LIMIT, "its rows take up more than")


@pack
def many_long_findings(folder):
    write_rule(folder, "SELECT id AS x, hex(hex(hex(hex('aaaaaaaaaaaaaaaaaaa'))))"
               " AS a FROM memory_event LIMIT 9999")
    return Stop(LIMIT, "stopped")


@pack
def slow_instr(folder):
    write_rule(folder, f"WITH t(a) AS MATERIALIZED (SELECT {LONG}) "
               "SELECT sum(instr(a, substr(a, 1, length(a) / 2) || x)) AS x "
               "FROM t, (" + ENDLESS + "SELECT x FROM n LIMIT 100000)")
    return Stop(LIMIT, "stopped after 1000 ms")


@pack
def slow_trim(folder):
    write_rule(folder, f"WITH t(a) AS MATERIALIZED (SELECT {LONG}) "
               "SELECT sum(length(trim(a || x, hex(a) || a))) AS x "
               "FROM t, (" + ENDLESS + "SELECT x FROM n LIMIT 100000)")
    return Stop(LIMIT, "stopped")


@pack
def slow_like(folder):
    write_rule(folder, f"WITH t(a) AS MATERIALIZED (SELECT {LONG}) "
               f"SELECT sum(a LIKE '%{'a' * 90}b' || x) AS x "
               "FROM t, (" + ENDLESS + "SELECT x FROM n LIMIT 100000)")
    return Stop(LIMIT, "stopped after 1000 ms")


@pack
def slow_glob(folder):
    write_rule(folder, f"WITH t(a) AS MATERIALIZED (SELECT {LONG}) "
               f"SELECT sum(a GLOB '*[{'b' * 80}]' || x) AS x "
               "FROM t, (" + ENDLESS + "SELECT x FROM n LIMIT 100000)")
    return Stop(LIMIT, "stopped after 1000 ms")


@pack
def long_like_pattern(folder):
    write_rule(folder, "SELECT text LIKE hex(hex(hex(hex(text)))) AS x "
               "FROM log_event")
    return Stop(LIMIT, "LIKE or GLOB pattern too complex")


@pack
def json_bomb(folder):
    write_rule(folder, f"SELECT count(*) AS x FROM json_tree(replace({LONG}, "
               "'a', '[')), memory_event, memory_event AS b")
    return Stop(LIMIT, "hostile.rule")


@pack
def attach(folder):
    write_rule(folder, f"ATTACH '{folder}/written.db' AS w")
    return Stop(MISTAKE, "only SELECT is allowed")


@pack
def vacuum_into(folder):
    write_rule(folder, f"VACUUM INTO '{folder}/written.db'")
    return Stop(MISTAKE, "hostile.rule")


@pack
def write_file(folder):
    write_rule(folder, f"SELECT writefile('{folder}/written.db', 'x') AS x")
    return Stop(MISTAKE, "writefile")


@pack
def read_file(folder):
    write_rule(folder, "SELECT readfile('/etc/passwd') AS x")
    return Stop(MISTAKE, "readfile")


@pack
def load_extension(folder):
    write_rule(folder, "SELECT load_extension('./x.so') AS x")
    return Stop(MISTAKE, "load_extension")


@pack
def pragma(folder):
    write_rule(folder, "PRAGMA hard_heap_limit = 0")
    return Stop(MISTAKE, "only SELECT is allowed")


@pack
def pragma_function(folder):
    write_rule(folder, "SELECT * FROM pragma_database_list")
    return Stop(MISTAKE, "pragma_database_list")


@pack
def delete_facts(folder):
    write_rule(folder, "DELETE FROM store_log_event")
    return Stop(MISTAKE, "hostile.rule")


@pack
def the_clock(folder):
    write_rule(folder, "SELECT CURRENT_TIMESTAMP AS x")
    return Stop(MISTAKE, "current_timestamp")


@pack
def randomness(folder):
    write_rule(folder, "SELECT id AS x FROM memory_event ORDER BY random()")
    return Stop(MISTAKE, "random")


@pack
def statement_in_needs(folder):
    write(folder, "facts: 1\nrules:\n" + rule("SELECT 1 AS x") +
          f"    needs: ['({ENDLESS}SELECT max(x) FROM n)']\n")
    return Stop(HARMLESS, "")


@pack
def ruinous_confirm(folder):
    write_rule(folder, "SELECT id AS x FROM memory_event LIMIT 5000",
               confirm=ENDLESS + "SELECT max(x) FROM n WHERE x < :x + 1000000")
    return Stop(LIMIT, "stopped after 1000 ms")


@pack
def ruinous_refute(folder):
    write_rule(folder, "SELECT id AS x FROM memory_event LIMIT 5000",
               refute=ENDLESS + "SELECT max(x) FROM n")
    return Stop(LIMIT, "stopped after 1000 ms")


@pack
def ruinous_evidence(folder):
    # `figure` has no index: each reference scans all of it.
    write_rule(folder, "WITH e(t) AS MATERIALIZED (SELECT group_concat("
               "'device_memory:' || id, ' ') FROM memory_event WHERE id < 9000) "
               "SELECT id AS x, t AS evidence FROM memory_event, e LIMIT 900")
    return Stop(LIMIT, "stopped")


@pack
def five_hundred_at_once(folder):
    write(folder, "facts: 1\nrules:\n" + "".join(
        rule(ENDLESS + "SELECT max(x) AS x FROM n", id=f"hostile.r{i}")
        for i in range(500)))
    return Stop(LIMIT, "stopped after 1 ms")


# --- patterns --------------------------------------------------------------
@pack
def huge_repetition(folder):
    write(folder, "facts: 1\nsignatures:\n" +
          signature("hostile.sig", "((a{0,100}){0,100}){0,100}b", "b"))
    return Stop(MISTAKE, "hostile.yaml:4")


@pack
def nested_repetition(folder):
    write(folder, "facts: 1\nsignatures:\n" +
          signature("hostile.sig", r"(\pL{1,9}){1,99}[^x]{900}b", "b"))
    return Stop(MISTAKE, "hostile.yaml:4")


@pack
def exponential_states(folder):
    write(folder, "facts: 1\nsignatures:\n" +
          signature("hostile.sig", "(l|o)[^q]{400}z", "l" + "o" * 400 + "z"))
    return Stop(HARMLESS, "")


@pack
def thousands_of_alternatives(folder):
    words = "|".join(f"alternative{i}x.*y{i}" for i in range(20_000))
    write(folder, "facts: 1\nsignatures:\n" +
          signature("hostile.sig", f"({words})", "alternative1x y1"))
    return Stop(MISTAKE, "hostile.yaml:4")


@pack
def ten_thousand_patterns(folder):
    for file in range(5):
        write(folder, "facts: 1\nsignatures:\n" + "".join(
            signature(f"hostile.s{i}", f"hostile line {i}: (?P<n>[0-9a-f]+) .*",
                      f"hostile line {i}: 12 x")
            for i in range(file * 2000, file * 2000 + 2000)), f"h{file}.yaml")
    return Stop(MISTAKE, "more than 3,000 signatures")


# What an SRE may bring beside the shipped pack.
@pack
def thousand_signatures(folder):
    write(folder, "facts: 1\nsignatures:\n" + "".join(
        signature(f"hostile.s{i}", f"hostile line {i}: .*",
                  f"hostile line {i}: 12 x") for i in range(1000)))
    return Stop(HARMLESS, "")


@pack
def patterns_without_literals(folder):
    write(folder, "facts: 1\nsignatures:\n" + "".join(
        signature(f"hostile.s{i}", rf"(\w+ ){{{i + 2}}}\d+ [^z]{{{i}}}z$",
                  "a " * (i + 2) + "1 " + "a" * i + "z") for i in range(60)))
    return Stop(HARMLESS, "")


# --- files -----------------------------------------------------------------
@pack
def anchors_bomb(folder):
    text = "facts: 1\na: &a [x, x, x, x, x, x, x, x, x, x]\n"
    for one, before in zip("bcdefghij", "abcdefghi"):
        text += f"{one}: &{one} [{', '.join(['*' + before] * 10)}]\n"
    write(folder, text)
    return Stop(MISTAKE, "anchors")


@pack
def deep_nesting(folder):
    write(folder, "facts: 1\nrules: " + "[" * 200_000 + "]" * 200_000)
    return Stop(MISTAKE, "hostile.yaml")


@pack
def deep_block_nesting(folder):
    write(folder, "facts: 1\nrules:\n" +
          "".join(" " * i + "a:\n" for i in range(1, 3000)))
    return Stop(MISTAKE, "hostile.yaml")


@pack
def deep_json(folder):
    write(folder, '{"facts": 1, "rules": ' + '{"a":' * 100_000 + "1" +
          "}" * 100_000 + "}", "hostile.json")
    return Stop(MISTAKE, "hostile.json")


@pack
def ten_megabytes_in_one_file(folder):
    count = 10_000_000 // len(rule("SELECT 1 AS x"))
    write(folder, "facts: 1\nrules:\n" + "".join(
        rule("SELECT 1 AS x", id=f"hostile.r{i}") for i in range(count)))
    return Stop(MISTAKE, "hostile.yaml")


@pack
def ten_megabytes_in_many_files(folder):
    count = 10_000_000 // len(rule("SELECT 1 AS x")) // 500
    for file in range(500):
        write(folder, "facts: 1\nrules:\n" + "".join(
            rule("SELECT 1 AS x WHERE 0", id=f"hostile.r{file}x{i}")
            for i in range(count)), f"hostile{file}.yaml")
    return Stop(MISTAKE, "hostile")


@pack
def one_long_scalar(folder):
    write(folder, "facts: 1\nrules:\n" +
          rule("SELECT 1 AS x", message="a" * 7_000_000))
    return Stop(MISTAKE, "hostile.yaml")


@pack
def many_keys(folder):
    write(folder, "facts: 1\n" + "".join(f"k{i}: 1\n" for i in range(200_000)))
    return Stop(MISTAKE, "hostile.yaml")


@pack
def huge_samples(folder):
    line = "hostile line " + "x" * 1_000_000
    write(folder, "facts: 1\nsignatures:\n" + signature(
        "hostile.sig", "hostile line (x|y)*z", line).replace(
            "no_match: ['nothing']", f"no_match: ['{line}', '{line}']"))
    return Stop(MISTAKE, "hostile.yaml")


@pack
def link_loop(folder):
    write_rule(folder, "SELECT 1 AS x FROM memory_event LIMIT 1")
    os.symlink(folder, folder / "loop")
    os.symlink("self.yaml", folder / "self.yaml")
    return Stop(HARMLESS, "")


@pack
def link_to_device(folder):
    write_rule(folder, "SELECT 1 AS x FROM memory_event LIMIT 1")
    os.symlink("/dev/zero", folder / "zero.yaml")
    return Stop(HARMLESS, "")


@pack
def named_pipe(folder):
    write_rule(folder, "SELECT 1 AS x FROM memory_event LIMIT 1")
    os.mkfifo(folder / "pipe.yaml")
    return Stop(HARMLESS, "")


# --- words -----------------------------------------------------------------
@pack
def terminal_escapes(folder):
    evil = r"\e]0;owned\a\e[2J\e[31mred\x9b31m\r\b\x7f"
    text = rule("SELECT 1 AS x, char(27) || '[31m' AS y, char(27) || ']0;a' "
                "AS host", message="{x} {y}").replace(
                    "title: hostile", f'title: "{evil}"')
    write(folder, "facts: 1\nrules:\n" + text +
          f'    fix: [{{text: "{evil}", command: "{evil}"}}]\n')
    return Stop(HARMLESS, "")


@pack
def huge_figures_in_message(folder):
    write_rule(folder, f"SELECT {LONG} AS x", message="{x} " * 20_000)
    return Stop(HARMLESS, "")


@pack
def huge_fix_of_every_row(folder):
    write(folder, "facts: 1\nrules:\n" +
          rule("SELECT id AS x FROM memory_event LIMIT 9000") +
          f"    fix: [{{text: '{'a' * 500_000}'}}]\n")
    return Stop(LIMIT, "its findings take up more than")


@pack
def relation_bomb(folder):
    for file in range(5):
        write(folder, "facts: 1\nrelations:\n" + "".join(
            f"  - {{from: '*', to: 'id:hostile.*', kind: explains, within: "
            f"{i + 1}s, why: because}}\n" for i in range(2000)), f"h{file}.yaml")
    write(folder, "facts: 1\nrules:\n" + "".join(
        rule("SELECT id AS x, id AS device, id * 1000000000000 AS t FROM "
             "memory_event LIMIT 900", id=f"hostile.r{i}").replace(
                 "memory/host", cause)
        for i, cause in enumerate(["memory/host", "memory/leak",
                                   "process/killed"])))
    return Stop(MISTAKE, "more than 2,500 relations")

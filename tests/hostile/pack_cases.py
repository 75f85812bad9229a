# SPDX-License-Identifier: Apache-2.0
"""Rule packs of strangers; see cases.py."""
import os

from cases import (OOM, alone, case, letters, log, over, override, rule, rules,
                   signature, signatures, test_of, write)


# --- copies of texts -------------------------------------------------------
@case(3, "overrides put more than")
def fix_for_every_entry(folder):
    return over(folder, override(f"fix: [{{text: '{'a' * 3_900_000}'}}]"))


@case(3, "overrides put more than")
def message_for_every_entry(folder):
    return over(folder, override(f"message: '{'a' * 3_900_000}'"))


@case(3, "overrides put more than")
def references_for_every_entry(folder):
    return over(folder, override(
        "references: [" + ", ".join(["https://x.org"] * 40_000) + "]"))


@case(3, "overrides put more than")
def exceptions_for_every_rule(folder):
    entries = "".join(f"      - {{name: n{i}, where: {{x: {i}}}}}\n"
                      for i in range(5000))
    return over(folder, override("exceptions:\n" + entries))


@case(3, "overrides put more than")
def thousands_of_overrides_of_everything(folder):
    return over(folder, "facts: 1\noverrides:\n" + "".join(
        f"  - {{id: '*', severity: {'error' if i % 2 else 'note'}}}\n"
        for i in range(4900)))


@case(3, "no capture supplies the figure")
def a_message_of_unknown_fields(folder):
    return over(folder, override(f"message: '{'{no_such_figure} ' * 9000}'",
                                 "torch.oom"))


@case(3, "more than 256 characters")
def an_override_with_an_endless_id(folder):
    return over(folder, override("disabled: true", "*a" * 1_000_000))


@case(0, "3001 hosts")
def a_long_fix_on_three_thousand_hosts(folder):
    return alone(folder, signatures(signature(
        more=f"    fix: [{{text: '{'a' * 3_900_000}'}}]\n")),
        [f"Jan  1 00:00:01 node{i} app: hostile thing" for i in range(3001)])


@case(0, "memory/host")
def thousands_of_fixes(folder):
    fixes = "".join(f"      - text: do {i}\n" for i in range(12_000))
    return alone(folder, signatures(signature(more="    fix:\n" + fixes)),
                 [f"[rank{i}]: hostile thing" for i in range(3000)])


@case((0, 4), "memory/host")
def long_fixes_of_many_signatures(folder):
    return alone(folder, signatures(*(signature(
        f"hostile.s{i}", more=f"    fix: [{{text: '{'a' * 18_000}'}}]\n")
        for i in range(200))),
        [f"[rank{i}]: hostile thing" for i in range(500)])


# --- files and folders -----------------------------------------------------
@case(2, "folders within each other")
def a_folder_eight_thousand_deep(folder):
    here = os.open(folder, os.O_RDONLY)
    for _ in range(8000):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    return ["rules", "lint", str(folder)]


@case(2, "more than 10,000 such files")
def ten_thousand_rule_files(folder):
    for i in range(10_001):
        os.close(os.open(folder / f"r{i}.yaml", os.O_CREAT))
    return ["rules", "lint", str(folder)]


@case(2, "larger than")
def many_large_rule_files(folder):
    for i in range(9):
        with open(folder / f"r{i}.yaml", "w") as file:
            file.truncate(15 << 20)
    return ["rules", "lint", str(folder)]


@case(2, "more than")
def a_sparse_rule_file(folder):
    with open(folder / "r.yaml", "w") as file:
        file.truncate(1 << 40)
    return ["rules", "lint", str(folder)]


@case(1, "leads out of its folder")
def a_link_as_rule_file(folder):
    write(folder, "secret.txt", "the secret word")
    (folder / "pack").mkdir()
    os.symlink("../secret.txt", folder / "pack/h.yaml")
    return ["rules", "lint", str(folder / "pack")]


@case(1, "leads out of its folder")
def a_link_given_by_itself(folder):
    write(folder, "secret.txt", "the secret word")
    (folder / "pack").mkdir()
    os.symlink("../secret.txt", folder / "pack/h.yaml")
    return ["rules", "lint", str(folder / "pack/h.yaml")]


@case(3, "leads out of its folder")
def a_link_to_the_environment(folder):
    os.symlink("/proc/self/environ", folder / "h.yaml")
    return log(folder, [OOM]) + ["--rules", str(folder)]


@case(0, "0 signatures")
def a_link_to_a_folder(folder):
    write(folder, "x/h.yaml", "the secret word")
    (folder / "pack").mkdir()
    os.symlink("../x", folder / "pack/sub")
    return ["rules", "lint", str(folder / "pack")]


@case(2, "leads out of its folder")
def a_link_as_test_file(folder):
    write(folder, "secret.txt", "the secret word")
    write(folder, "pack/h.yaml", rules(rule()))
    os.symlink("../secret.txt", folder / "pack/h.test.yaml")
    return ["rules", "test", str(folder / "pack")]


@case(1, "matches no file")
def a_link_as_fixture(folder):
    write(folder, "secret.txt", "the secret word")
    write(folder, "pack/h.yaml", rules(rule()))
    write(folder, "pack/h.test.yaml", test_of("files: 'x.log'"))
    (folder / "pack/h.test").mkdir()
    os.symlink("../../secret.txt", folder / "pack/h.test/x.log")
    return ["rules", "test", str(folder / "pack"), "--no-default-rules"]


@case(2, "leads out of its folder")
def fmt_of_a_link(folder):
    write(folder, "target.txt", "facts:   1\n")
    (folder / "pack").mkdir()
    os.symlink("../target.txt", folder / "pack/h.yaml")
    return ["rules", "fmt", str(folder / "pack")]


@case(0, "h.yaml")
def fmt_of_a_link_within_the_pack(folder):
    write(folder, "data/h.txt", "facts:   1\nrules:   []\n")
    os.symlink("data/h.txt", folder / "h.yaml")
    return ["rules", "fmt", str(folder)]


@case(2, "is a link")
def pages_onto_a_link(folder):
    write(folder, "h.yaml", rules(rule()))
    write(folder, "target.txt", "untouched")
    (folder / "out").mkdir()
    for page in ("hostile.rule.md", "rule-hostile.rule.md", "index.md",
                 "README.md"):
        os.symlink("../target.txt", folder / "out" / page)
    return ["rules", "docs", "-o", str(folder / "out"), "--rules",
            str(folder / "h.yaml"), "--no-default-rules"]


@case(0, "pages in")
def pages_beside_a_pipe(folder):
    write(folder, "h.yaml", rules(rule()))
    (folder / "out").mkdir()
    os.mkfifo(folder / "out/pipe.md")
    os.symlink("/dev/zero", folder / "out/zero.md")
    return ["rules", "docs", "-o", str(folder / "out"), "--rules",
            str(folder / "h.yaml"), "--no-default-rules"]


@case(2, "already exists")
def a_draft_onto_a_link_without_target(folder):
    os.symlink("target.txt", folder / "new.yaml")
    return ["rules", "new", "--from-line", "RuntimeError: boom 12", "-o",
            str(folder / "new.yaml")]


# --- patterns --------------------------------------------------------------
@case((0, 4))
def every_letter_a_match(folder):
    return alone(folder, signatures(signature(
        pattern="a", sample="a", more="    repeat: true\n")),
        ["a" * 100] * 40_000)


@case((0, 4))
def repeated_over_long_lines(folder):
    return alone(folder, signatures(signature(
        pattern="(?P<x>a)[^b]*c|a", sample="a", more="    repeat: true\n")),
        ["a" * 60_000] * 60)


@case((0, 4))
def repeated_in_short_lines(folder):
    return alone(folder, signatures(signature(
        pattern="(?P<x>[a-m])", sample="a", more="    repeat: true\n")
        .replace("no_match: ['nothing']", "no_match: ['xyz']")),
        [letters(i) for i in range(300_000)])


@case(4, "switched off in parts of the logs")
def broad_context_signatures(folder):
    return alone(folder, signatures(*(signature(
        f"hostile.s{i}", rf"line \d+ of .*{i % 10}$", f"line 1 of {i % 10}",
        role="context") for i in range(1400))),
        [f"line {i} of the log {i}" for i in range(200_000)])


@case(4, "switched off in parts of the logs")
def broad_causes(folder):
    return alone(folder, signatures(*(signature(
        f"hostile.s{i}", r"line \d+ of", "line 1 of") for i in range(500))),
        [f"line {i} of the log" for i in range(50_000)])


@case(4, "switched off in parts of the logs")
def broad_causes_in_letters(folder):
    return alone(folder, signatures(*(signature(
        f"hostile.s{i}", r"line \w+ of", "line a of") for i in range(500))),
        [f"line {letters(i)} of the log" for i in range(50_000)])


@case((0, 4), "memory/host")
def broad_causes_beside_a_good_one(folder):
    return alone(folder, signatures(*(signature(
        f"hostile.s{i}", r"line \w+ of", "line a of") for i in range(300)),
        signature("good.sig", "the one good line", "the one good line")),
        [f"line {letters(i)} of the log" for i in range(30_000)] +
        ["the one good line"] +
        [f"line {letters(i)} of the log" for i in range(30_000)])


@case((0, 4))
def patterns_without_words(folder):
    return alone(folder, signatures(*(signature(
        f"hostile.s{i}", rf"^\d{{1,{i + 2}}} [^z]{{{i}}}z$",
        "1 " + "a" * i + "z") for i in range(150))),
        [f"{i} {letters(i) * 9}" for i in range(60_000)])


@case((0, 3, 4))
def a_pattern_of_many_states(folder):
    return alone(folder, signatures(signature(
        pattern="(l|o)[^q]{400}z", sample="l" + "o" * 400 + "z")),
        ["lo" * 400 + "x" * 30 + letters(i) for i in range(6000)])


@case((0, 3, 4))
def many_states_in_one_long_line(folder):
    return alone(folder, signatures(signature(
        pattern="(?:[^q]{99}x?){9}z", sample="a" * 891 + "z")),
        ["ab" * 30_000] * 10)


@case((0, 3, 4))
def a_slow_exception_to_a_pattern(folder):
    return alone(folder, signatures(signature(
        pattern="hostile", sample="hostile",
        more="    unless: '(h|o)[^q]{300}z'\n")),
        ["hostile " + "ho" * 300 + letters(i) for i in range(8000)])


@case((0, 3, 4))
def words_within_words(folder):
    return alone(folder, signatures(*(signature(
        f"hostile.s{i}", "a" * (i + 4) + "b", "a" * (i + 4) + "b")
        for i in range(700))), ["a" * 4000] * 1000)


@case((0, 3, 4))
def one_word_of_many_patterns(folder):
    return alone(folder, signatures(*(signature(
        f"hostile.s{i}", f"lost {letters(i)}", f"lost {letters(i)}")
        for i in range(1400))), ["lost"] * 500_000)


@case((0, 3, 4))
def a_signature_of_thousands_of_patterns(folder):
    patterns = "".join(
        f"      - {{re: 'form {letters(i)} (\\d+) .*x', sample: 'form "
        f"{letters(i)} 1 x'}}\n" for i in range(3000))
    text = signature().replace("pattern: 'hostile thing'", "pattern:\n" +
                               patterns.rstrip("\n"))
    return alone(folder, signatures(text),
                 [f"form {letters(i)} 7 x" for i in range(20_000)])


@case((0, 3, 4))
def hundreds_of_captures(folder):
    pattern = " ".join(rf"(?P<c{i}>\w)" for i in range(150))
    return alone(folder, signatures(signature(
        pattern=pattern, sample=" ".join("a" * 150))),
        [" ".join("ab" * 80) + letters(i) for i in range(8000)])


@case((0, 4))
def a_constant_of_a_megabyte(folder):
    return alone(folder, signatures(signature(
        more=f"    set: {{x: '{'a' * 1_000_000}'}}\n")),
        [f"[rank{i}]: hostile thing" for i in range(3000)])


# --- relations -------------------------------------------------------------
def ranks_of_many(count, ranks):
    return [f"[rank{r}]: hostile {letters(i)}" for r in range(ranks)
            for i in range(count)]


def many_signatures(count):
    return "".join(signature(f"hostile.{letters(i)}", f"hostile {letters(i)}$",
                             f"hostile {letters(i)}") for i in range(count))


def relations(*entries):
    return "relations:\n" + "".join(f"  - {{{one}, why: because}}\n"
                                    for one in entries)


@case((0, 4), "memory/host")
def everything_explains_everything(folder):
    return alone(folder, signatures(many_signatures(100)) + relations(*(
        f"from: 'id:*', to: 'id:hostile.*', kind: explains, scope: job, "
        f"order: any, within: {i + 1}s" for i in range(2400))),
        ranks_of_many(100, 40))


@case((0, 4), "memory/host")
def everything_excludes_the_earlier(folder):
    return alone(folder, signatures(many_signatures(100)) + relations(*(
        f"from: 'id:*', to: 'id:hostile.*', kind: excludes, scope: event, "
        f"within: {i + 1}s" for i in range(2400))), ranks_of_many(100, 40))


@case((0, 4), "memory/host")
def rings_below_rings(folder):
    names = [f"id:hostile.{letters(i)}" for i in range(300)]
    pairs = [(names[i], names[i + 1]) for i in range(299)]
    pairs += [(b, a) for a, b in pairs]
    return alone(folder, signatures(many_signatures(300)) + relations(*(
        f"from: '{a}', to: '{b}', kind: explains, scope: job, order: any"
        for a, b in pairs)), ranks_of_many(300, 8))


@case((0, 3), "R0")
def a_relation_of_ten_thousand_ends(folder):
    ends = ", ".join(f"'id:hostile.{letters(i)}'" for i in range(10_000))
    return alone(folder, signatures(many_signatures(9)) + relations(
        f"from: [{ends}], to: '*', kind: explains"), ranks_of_many(9, 9))


@case(3, "more than 256 characters")
def a_relation_with_an_endless_name(folder):
    return alone(folder, signatures(many_signatures(9)) + relations(
        f"from: 'id:{'*a' * 500_000}', to: '*', kind: explains"),
        ranks_of_many(9, 9))


@case((0, 4), "memory/host")
def five_hundred_findings_in_one_line(folder):
    return alone(folder, signatures(*(signature(f"hostile.s{i}")
                                      for i in range(500))) + relations(
        "from: 'id:*', to: 'id:*', kind: refines, scope: event"),
        [f"[rank{i}]: hostile thing" for i in range(40)])

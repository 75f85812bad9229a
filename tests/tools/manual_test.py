# SPDX-License-Identifier: Apache-2.0
"""What the program says of its own commands: --help, man pages, completions,
environment variables; that all of it is whole and of one piece."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import shells

INQUEST = os.environ["INQUEST"]
SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
# Words that mean something else by the command, and may.
DIFFERENT = {"--format", "--print", "--log", "--set", "--only", "--json"}
# Variables of the build and of tests; never read by what users run.
NOT_FOR_USERS = re.compile(
    r"INQUEST_(CALL|CONCAT|EXPORT|VERSION|LIBDIR|SANITIZER|SOURCE_DIR|KILL_|LEAK_|"
    r"REPLAY_|HAVE_|WERROR|TESTS|JUMBO|COLLECTOR_EXPORTS)")


def run(*arguments, **options):
    return subprocess.run([INQUEST, *map(str, arguments)], capture_output=True,
                          text=True, timeout=60, check=False, **options)


def walk(command):
    yield command
    for one in command["commands"]:
        yield from walk(one)


class ManualTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = json.loads(run("manual", "--print", "json").stdout)
        cls.commands = list(walk(cls.program))
        cls.leaves = [one for one in cls.commands if not one["commands"]]

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="inquest-manual-")
        self.addCleanup(scratch.cleanup)
        self.share = pathlib.Path(scratch.name)

    def written(self):
        done = run("manual", "-o", self.share)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "", ""))
        return {str(path.relative_to(self.share)): path.read_text()
                for path in self.share.rglob("*") if path.is_file()}

    # --help

    def test_each_command_has_help_and_examples(self):
        self.assertGreater(len(self.leaves), 20)
        for command in self.commands:
            words = command["command"].split()[1:]
            with self.subTest(command["command"]):
                done = run(*words, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertTrue(command["help"])
                for option in command["options"] + command["positionals"]:
                    if option["names"] or option["help"]:
                        self.assertTrue(option["help"], option)
                if not command["commands"]:
                    self.assertIn("Examples:\n  ", done.stdout)
                for example in command["examples"]:
                    self.assertIn(example, done.stdout)

    def test_the_examples_use_what_there_is(self):
        by_name = {one["command"]: one for one in self.commands}
        for command in self.commands:
            for example in command["examples"]:
                with self.subTest(example):
                    self.check_example(example, by_name)

    def check_example(self, example, by_name):
        inside = re.search(r"\$\((inquest[^)]*)\)", example)
        words = shlex.split(inside[1] if inside else example, comments=True)
        if "inquest" not in words:
            self.fail("it does not call inquest")
        words = words[words.index("inquest"):]
        name = "inquest"
        words = words[1:]
        while words and f"{name} {words[0]}" in by_name:
            name += " " + words.pop(0)
        self.assertFalse(by_name[name]["commands"], name)
        known = {one for option in by_name[name]["options"]
                 for one in option["names"]}
        for word in words:
            if word in ("--", "&&", "|", ">", "<"):
                break
            if word.startswith("-") and word != "-":
                self.assertIn(word.split("=")[0], known)

    # Options

    def test_options_mean_the_same_everywhere(self):
        seen = {}
        for command in self.commands:
            for option in command["options"]:
                for name in option["names"]:
                    others = tuple(option["names"]), bool(option["value"])
                    before = seen.setdefault(name, (others, command["command"]))
                    if name not in DIFFERENT:
                        self.assertEqual(
                            before[0], others,
                            f"{name} of {command['command']} and of {before[1]}")

    def test_options_are_long_and_lower_case(self):
        for command in self.commands:
            for option in command["options"]:
                long = [one for one in option["names"] if one.startswith("--")]
                self.assertTrue(long, option)
                for name in long:
                    self.assertRegex(name, r"^--[a-z]+(-[a-z]+)*$")
            self.assertIn("--help", [name for option in command["options"]
                                     for name in option["names"]])

    def test_formats(self):
        for command in self.commands:
            for option in command["options"]:
                if "--format" in option["names"]:
                    self.assertTrue(option["choices"], command["command"])
                    # Without a default the help says what decides.
                    if option["default"] or "default" not in option["help"]:
                        self.assertIn(option["default"], option["choices"])

    # What is misspelt

    def fails(self, *words):
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        return done.stderr

    def test_the_nearest_command(self):
        self.assertIn("did you mean 'diagnose'", self.fails("diagnos"))
        self.assertIn("did you mean 'lint'", self.fails("rules", "lnit"))

    def test_the_nearest_option(self):
        for words, near in ((("diagnose", "--fomat", "json", "x"), "--format"),
                            (("diagnose", "--fail_on=error", "x"), "--fail-on"),
                            (("rules", "lint", "--strikt"), "--strict"),
                            (("record", "--max-consol", "1M", "--", "true"),
                             "--max-console"),
                            (("--versoin",), "--version")):
            with self.subTest(words):
                self.assertIn(f"did you mean '{near}'", self.fails(*words))
        self.assertIn("has no option '--zzzzzzzz'",
                      self.fails("diagnose", "--zzzzzzzz", "x"))
        self.assertIn("has no option '-Z'", self.fails("diagnose", "-Z", "x"))
        self.assertNotIn("\x1b", self.fails("diagnose", "--\x1b[31mx", "y"))

    # Man pages and completions

    def test_a_man_page_for_each_command(self):
        files = self.written()
        for command in self.commands:
            name = command["command"].replace(" ", "-")
            page = files[f"man/man1/{name}.1"]
            with self.subTest(name):
                for heading in ("NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS"):
                    self.assertIn(f"\n.SH {heading}\n", page)
                text = page.replace("\\-", "-")
                for option in command["options"]:
                    for one in option["names"]:
                        self.assertIn(f"\\fB{one}\\fR", text)
                for one in command["examples"]:
                    self.assertIn(one, text.replace("\\e", "\\"))
                for line in page.splitlines():
                    self.assertRegex(line, r"^(\.(TH|SH|TP|BR|B|PP|nf|fi)\b|"
                                           r"[^.']|\\&|$)")
        self.assertIn("INQUEST_MAX_DISK", files["man/man1/inquest.1"])

    @unittest.skipUnless(shutil.which("man") and shutil.which("groff"),
                         "no man and groff here")
    def test_man_formats_them(self):
        self.written()
        for page in sorted((self.share / "man" / "man1").iterdir()):
            done = subprocess.run(
                ["man", "--warnings", "-l", str(page)], capture_output=True,
                text=True, check=False,
                env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)
            self.assertIn("SYNOPSIS", done.stdout)

    def complete(self, *words):
        """What bash offers for the last word."""
        script = self.share / "bash-completion/completions/inquest"
        if not script.exists():
            self.written()
        program = (f"source {script}; compopt() {{ :; }}; "
                   f"COMP_WORDS=({' '.join(map(shlex.quote, words))}); "
                   "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _inquest; "
                   "printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "-c", program], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    @unittest.skipUnless(shutil.which("bash"), "no bash here")
    def test_bash(self):
        self.assertEqual(self.complete("inquest", "dia"), ["diagnose"])
        self.assertEqual(set(self.complete("inquest", "rules", "li")),
                         {"list", "lint"})
        self.assertEqual(self.complete("inquest", "diagnose", "--fail"),
                         ["--fail-on"])
        self.assertEqual(set(self.complete("inquest", "diagnose", "run",
                                           "--fail-on", "")),
                         {"note", "warning", "error"})
        self.assertEqual(self.complete("inquest", "record", "--", "ls", "--f"),
                         [])
        for command in self.commands:
            offered = self.complete(*command["command"].split(), "")
            for option in command["options"]:
                self.assertLessEqual(set(option["names"]), set(offered))

    def test_zsh_and_fish(self):
        files = self.written()
        zsh = files["zsh/site-functions/_inquest"]
        fish = files["fish/vendor_completions.d/inquest.fish"]
        self.assertTrue(zsh.startswith("#compdef inquest\n"))
        for command in self.commands:
            self.assertIn("\n_" + command["command"].replace(" ", "_") + "() {",
                          zsh)
            for option in command["options"]:
                for name in option["names"]:
                    if name.startswith("--"):
                        self.assertIn(f" -l {name[2:]} ", fish + " ")
        for shell, name in (("zsh", "zsh/site-functions/_inquest"),
                            ("fish", "fish/vendor_completions.d/inquest.fish"),
                            ("bash", "bash-completion/completions/inquest")):
            if shutil.which(shell):
                done = subprocess.run([shell, "-n", str(self.share / name)],
                                      capture_output=True, text=True,
                                      check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def check_offers(self, offers):
        """Of a real shell, by what it offers for the last word of a line."""
        def same(line, expected):
            self.assertEqual(sorted(offers(line)), sorted(expected), line)
        same("inquest dia", ["diagnose"])
        same("inquest rules li", ["lint", "list"])
        same("inquest diagnose --fail", ["--fail-on"])
        same("inquest diagnose run --fail-on ", ["note", "warning", "error"])
        same("inquest fleet report --format j", ["json"])
        same("inquest record -- ls --f", [])
        (self.share / "a file's name.log").touch()
        self.assertEqual(len(offers(f"inquest diagnose --log {self.share}/a")), 1)
        for command in self.commands:
            words = command["command"]
            offered = set(offers(words + " --"))
            for option in command["options"]:
                long = {one for one in option["names"] if one.startswith("--")}
                self.assertLessEqual(long, offered, words)
            if command["commands"]:
                below = {one["command"].split()[-1]
                         for one in command["commands"]}
                self.assertLessEqual(below, set(offers(words + " ")), words)

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish_itself(self):
        self.written()
        script = self.share / "fish/vendor_completions.d/inquest.fish"
        self.check_offers(lambda line: shells.fish_offers(script, line))

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_zsh_itself(self):
        self.written()
        zsh = shells.Zsh(self.share / "zsh/site-functions/_inquest")
        self.addCleanup(zsh.close)
        self.check_offers(zsh.offers)
        self.assertEqual(zsh.offers("inquest diagnose --format=js"), ["json"])

    def test_where_nothing_can_be_written(self):
        self.assertIn("cannot make the folder",
                      self.fails("manual", "-o", "/proc/x"))
        self.assertIn("nothing to do", self.fails("manual"))

    # Environment variables

    def test_every_variable_is_documented(self):
        documented = set(re.findall(
            r"`([A-Z_]+)`", run("manual", "--print", "environment").stdout))
        read = set()
        for folder in ("base", "host", "trace", "collector", "analyzer",
                       "authoring", "cli"):
            for path in (SOURCE / folder).rglob("*.[hc]*"):
                if path.stem.endswith("_test") or path.suffix == ".pyc":
                    continue
                read |= set(re.findall(r'"(INQUEST(?:_[A-Z]+)*)=?"',
                                       path.read_text(errors="replace")))
                read |= set(re.findall(r"\b(INQUEST_[A-Z_]+)\b",
                                       path.read_text(errors="replace")))
        read = {one for one in read
                if not NOT_FOR_USERS.match(one) and not one.endswith("_")}
        self.assertIn("INQUEST_MAX_DISK", read)
        self.assertLessEqual(read, documented)
        self.assertLessEqual(
            {one for one in documented if one.startswith("INQUEST")}, read)

    def test_the_page_of_variables_is_up_to_date(self):
        self.assertEqual(
            (SOURCE / "docs/environment.md").read_text(encoding="utf-8"),
            run("manual", "--print", "environment").stdout)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""The file that `inquest report` writes, and what it says where it cannot."""
import os
import pathlib
import stat
import unittest

from pages import HERE, PageTest

LOG = HERE.parent / "cli/logs/xid79.log"


class FileTest(PageTest):
    def refused(self, *arguments, says, code=2):
        before = sorted(self.folder.iterdir())
        result = self.inquest("report", *arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        said = result.stderr.decode()
        for words in says:
            self.assertIn(words, said)
        self.assertEqual(result.stdout, b"")
        self.assertEqual(sorted(self.folder.iterdir()), before)

    def test_it_is_for_its_owner_alone(self):
        out = self.write("page.html", "before")
        out.chmod(0o644)
        self.inquest("report", LOG, "-o", out, umask=0)
        self.assertEqual(stat.S_IMODE(out.stat().st_mode), 0o600)
        self.assertTrue(out.read_text().startswith("<!doctype html>"))
        self.assertEqual([out], list(self.folder.iterdir()))

    def test_standard_output(self):
        result = self.inquest("report", LOG, "-o", "-")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stdout.decode(), self.page(LOG))
        again = self.inquest("diagnose", LOG, "--format", "html")
        self.assertEqual(again.stdout, result.stdout)

    def test_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            import subprocess
            result = subprocess.run(
                [os.environ["INQUEST"], "report", LOG, "-o", "-"],
                stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"No space left", result.stderr)

    def test_only_ordinary_files_are_replaced(self):
        (self.folder / "folder").mkdir()
        os.mkfifo(self.folder / "pipe")
        (self.folder / "link").symlink_to("elsewhere")
        for name, what in (("folder", "is a directory"),
                           ("link", "is a symbolic link"),
                           ("pipe", "is not an ordinary file")):
            with self.subTest(name):
                self.refused(LOG, "-o", self.folder / name,
                             says=[what, "- for standard output"])
        self.refused(LOG, "-o", "/dev/null", says=["is not an ordinary file"])
        self.assertFalse((self.folder / "elsewhere").exists())

    def test_a_folder_that_is_missing(self):
        self.refused(LOG, "-o", self.folder / "no" / "page.html",
                     says=["cannot write", "No such file"])

    def test_diagnose_is_as_careful(self):
        (self.folder / "link").symlink_to("elsewhere")
        result = self.inquest("diagnose", LOG, "--format", "html", "-o",
                              self.folder / "link")
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"symbolic link", result.stderr)

    def test_usage(self):
        self.refused(LOG, says=["--output", "required"])
        self.refused("-o", self.folder / "page.html",
                     says=["there is nothing to examine"])
        self.refused(pathlib.Path("/no/such/run"), "-o",
                     self.folder / "page.html", says=["/no/such/run"])

    def test_an_unreadable_input_beside_a_good_one(self):
        text = self.page(LOG, self.folder / "missing.log", code=2)
        self.assertIn("hardware/off-bus", text)


if __name__ == "__main__":
    unittest.main()

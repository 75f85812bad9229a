# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install --strip` puts on a disk: small, and movable as a whole."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = os.environ["INQUEST_BUILD_DIR"]
MAX_BYTES = 12_000_000  # as README.md and RELEASING.md say


def run(*command, **options):
    return subprocess.run(command, text=True, capture_output=True, timeout=120,
                          check=True, **options).stdout


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="inquest-")
        cls.addClassCleanup(cls.folder.cleanup)
        first = pathlib.Path(cls.folder.name, "first")
        run("cmake", "--install", BUILD, "--strip", "--prefix", first)
        cls.prefix = first.rename(first.with_name("moved"))
        cls.inquest = cls.prefix / "bin/inquest"

    def test_it_is_small(self):
        sizes = {path.relative_to(self.prefix): path.stat().st_size
                 for path in self.prefix.rglob("*") if path.is_file()}
        largest = sorted(sizes.items(), key=lambda one: -one[1])[:8]
        self.assertLess(sum(sizes.values()), MAX_BYTES, largest)

    def test_pages_of_commands_and_rules_are_there(self):
        share = self.prefix / "share"
        self.assertTrue((share / "man/man1/inquest-diagnose.1").is_file())
        self.assertGreater(len(list((share / "doc").rglob("rules/*.md"))), 300)

    def test_a_moved_installation_works(self):
        self.assertIn("inquest", run(self.inquest, "--version"))
        # It names the build's own collector, which would be preloaded instead.
        if not os.environ.pop("INQUEST_COLLECTOR"):
            self.skipTest("built without the collector")
        preload = run(self.inquest, "record", "--print-preload").strip()
        self.assertTrue(pathlib.Path(preload).is_relative_to(self.prefix),
                        preload)
        said = subprocess.run(["true"], env={"LD_PRELOAD": preload}, text=True,
                              capture_output=True, timeout=60)
        self.assertEqual((said.returncode, said.stdout, said.stderr),
                         (0, "", ""))


if __name__ == "__main__":
    collector = os.environ["INQUEST_COLLECTOR"]
    if os.environ["INQUEST_SANITIZE"]:
        print("a build with sanitizers is not installed")
        sys.exit(77)
    if collector and not os.path.exists(collector):
        print("the collector has not been built")
        sys.exit(77)
    unittest.main()

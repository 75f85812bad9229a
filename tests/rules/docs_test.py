# SPDX-License-Identifier: Apache-2.0
"""`rules docs` makes a page of every rule, and the page about the format names
every key."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

INQUEST = os.environ["INQUEST"]
SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])


def rules(*arguments):
    return subprocess.run([INQUEST, "rules", *map(str, arguments)], text=True,
                          capture_output=True, timeout=120)


class DocsTest(unittest.TestCase):
    def test_a_page_a_rule_and_links_that_lead_somewhere(self):
        with tempfile.TemporaryDirectory(prefix="inquest-") as folder:
            folder = pathlib.Path(folder)
            (folder / "own.md").write_text("mine\n")
            (folder / "gone.md").write_text(
                "<!-- Made by `inquest rules docs`. -->\nold\n")
            self.assertEqual(rules("docs", "--check", "-o",
                                   folder).returncode, 1)
            self.assertEqual(rules("docs", "-o", folder).returncode, 0)
            self.assertEqual(rules("docs", "--check", "-o",
                                   folder).returncode, 0)
            names = {path.name for path in folder.iterdir()}
            self.assertIn("own.md", names)
            self.assertNotIn("gone.md", names)
            index = (folder / "README.md").read_text()
            shown = json.loads(rules("show", "*", "--format", "json").stdout)
            self.assertGreater(len(shown), 500)
            for entry in shown:
                if entry["kind"] == "rule":
                    self.assertIn(f"{entry['id']}.md", names)
                if entry.get("cause"):
                    self.assertIn(f"`{entry['id']}`", index)
            for name in index.split("](")[1:]:
                name = name.split(")")[0]
                self.assertTrue(name in names or name.startswith("../"), name)

    def test_the_format_page_names_every_key(self):
        page = (SOURCE / "docs/rule-format.md").read_text()
        schema = json.loads(rules("schema").stdout)
        for name, mapping in {"file": schema, **schema["$defs"]}.items():
            for key, value in mapping["properties"].items():
                with self.subTest(f"{name}.{key}"):
                    self.assertIn(f"`{key}", page)
                for word in value.get("enum", []):
                    with self.subTest(f"{name}.{key}: {word}"):
                        self.assertIn(f"`{word}`", page)


if __name__ == "__main__":
    unittest.main()

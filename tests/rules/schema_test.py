# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of rule files accepts every shipped rule file, and refuses
what the loader refuses. Needs the Python packages jsonschema and yaml."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
    import yaml
except ImportError as error:
    jsonschema = None
    print(f"skipped in part: {error}; apt install python3-jsonschema "
          "python3-yaml to try rule files against the schema", file=sys.stderr)

INQUEST = os.environ["INQUEST"]
SOURCE = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])

SIGNATURE = """
facts: 1
signatures:
  - id: a.b
    pattern: 'lost card (?P<device>[0-9]+)'
    types: {device: integer}
    role: cause
    cause: hardware/off-bus
    title: A card was lost
    fix: [{action: inspect, text: Look}]
    samples: {match: [{line: 'lost card 3', device: 3}], no_match: ['card 3']}
"""
RULE = """
facts: 1
pack: {name: a, version: 1.0.0}
rules:
  - id: a.c
    title: Many
    cause: hardware/other
    needs: [log_event, [xid, oom]]
    sql: SELECT 1 AS cards
    message: '{cards} cards'
    exceptions:
      - {name: one, where: {cards: [1, 2]}}
      - {name: two, fields: [cards], values: [[3], [4]]}
    limits: {rows: 3}
relations:
  - {from: 'id:a.c', to: ['hardware/*'], kind: explains, within: 60s, why: so}
"""
OVERLAY = """
facts: 1
overrides:
  - {id: trace.leak, severity: note}
"""
# what is changed in which of them, and is then wrong
WRONG = [
    (SIGNATURE, "facts: 1", "facts: one"),
    (SIGNATURE, "pattern:", "patern:"),
    (SIGNATURE, "role: cause", "role: culprit"),
    (SIGNATURE, "    title: A card was lost\n", ""),
    (SIGNATURE, "device: integer", "device: int"),
    (SIGNATURE, "id: a.b", "id: A.B"),
    (SIGNATURE, "action: inspect", "action: pray"),
    (SIGNATURE, "match: [{line: 'lost card 3', device: 3}]", "match: []"),
    (RULE, "version: 1.0.0", "vers: 1.0.0"),
    (RULE, "message:", "mesage:"),
    (RULE, "[xid, oom]", "[]"),
    (RULE, "where: {cards: [1, 2]}", "where: {}"),
    (RULE, "fields: [cards], ", ""),
    (RULE, "rows: 3", "rows: 0"),
    (RULE, "kind: explains", "kind: explain"),
    (RULE, ", why: so", ""),
    (OVERLAY, ", severity: note", ""),
    (OVERLAY, "severity: note", "sql: SELECT 1"),
]


def printed():
    return subprocess.run([INQUEST, "rules", "schema"], text=True, check=True,
                          capture_output=True).stdout


def lints(text):
    with tempfile.TemporaryDirectory(prefix="inquest-") as folder:
        path = pathlib.Path(folder, "a.yaml")
        path.write_text(text)
        return subprocess.run([INQUEST, "rules", "lint", path], check=False,
                              capture_output=True).returncode == 0


class SchemaTest(unittest.TestCase):
    def validator(self):
        if jsonschema is None:
            self.skipTest("the package jsonschema or yaml is not installed")
        schema = json.loads(printed())
        jsonschema.Draft202012Validator.check_schema(schema)
        return jsonschema.Draft202012Validator(schema)

    def test_shipped_files_are_valid(self):
        validator = self.validator()
        files = [path for path in SOURCE.glob("rules/**/*.yaml")
                 if not path.name.endswith(".test.yaml")
                 and path.name not in ("taxonomy.yaml", "world.yaml")]
        self.assertGreater(len(files), 50)
        for path in files:
            errors = validator.iter_errors(yaml.safe_load(path.read_text()))
            self.assertEqual([f"{path}: {e.json_path} {e.message}"
                              for e in errors], [])

    def test_right_files_are_valid(self):
        for text in SIGNATURE, RULE, OVERLAY:
            self.validator().validate(yaml.safe_load(text))
            self.assertTrue(lints(text), text)

    def test_wrong_files_are_refused_by_both(self):
        validator = self.validator()
        for text, right, wrong in WRONG:
            with self.subTest(wrong):
                self.assertIn(right, text)
                changed = text.replace(right, wrong)
                self.assertFalse(lints(changed), "the loader takes it")
                self.assertFalse(validator.is_valid(yaml.safe_load(changed)),
                                 "the schema takes it")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Validates JSON by a schema: with python3-jsonschema where it is installed, and
always by the few keywords that docs/schemas use."""
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool,
         "null": type(None)}


def _is(kind, value):
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "number":
        return number
    if kind == "integer":
        return number and int(value) == value
    return isinstance(value, TYPES[kind])


def _check(schema, value, root, where, found):
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        _check(root["$defs"][name], value, root, where, found)
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is(kind, value) for kind in kinds):
        found.append(f"{where}: not {kinds}")
        return
    if "const" in schema and value != schema["const"]:
        found.append(f"{where}: not {schema['const']}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where}: {value!r} is none of {schema['enum']}")
    if "minimum" in schema and value < schema["minimum"]:
        found.append(f"{where}: {value} is too small")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{where}: {value!r} does not match")
    if "anyOf" in schema:
        if all(_found(one, value, root) for one in schema["anyOf"]):
            found.append(f"{where}: none of the forms")
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                found.append(f"{where}: no {name}")
        known = schema.get("properties", {})
        for name, inner in value.items():
            one = known.get(name, schema.get("additionalProperties", {}))
            _check(one, inner, root, f"{where}/{name}", found)
    if isinstance(value, list) and "items" in schema:
        for i, inner in enumerate(value):
            _check(schema["items"], inner, root, f"{where}/{i}", found)


def _found(schema, value, root):
    found = []
    _check(schema, value, root, "", found)
    return found


def problems(schema, value):
    found = _found(schema, value, schema)
    try:
        import jsonschema
    except ImportError:
        return found
    validator = jsonschema.Draft202012Validator(schema)
    return found + [str(one.message) for one in validator.iter_errors(value)]

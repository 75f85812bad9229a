# SPDX-License-Identifier: Apache-2.0
"""Every row of every vocabulary of error codes, in sentences that no signature
was written for: the line has the row's cause, or that of a signature that knows
it in words; a row whose cause is none says nothing. All lines are read in one
run; for some rows the verdict of a log of its own is asked for as well."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import zlib

INQUEST = os.environ["INQUEST"]
FOLDER = pathlib.Path(
    os.environ["INQUEST_SOURCE_DIR"]) / "rules/signatures/codes"
CARRIERS = (
    "RuntimeError: shard copy gave {}",
    "[rank3]: E0101 12:00:00.000 7 engine.cc:88] step aborted with status {}",
    '{{"level":"error","message":"prefetch failed: {}"}}',
    "worker 5 | fatal: stage_in() returned {}",
    "2031-02-03T04:05:06Z ERROR loader: flush of queue 2 failed, result {}",
    "Exception in pipeline stage 4, code {}",
)
# What stands beside a name or text that is no symbol of its own.
BESIDE = {
    "exit-code": {"name": "exit code {}"},
    "grpc": {"name": "StatusCode.{}"},
    "kubernetes": {"name": "pod train-7: {}"},
    "signal": {"name": "process died: {}", "text": "process died: {}"},
    "slurm": {"name": "slurm job state {}"},
    "ascend": {"text": "NPU call: {}"},
    "cuda-plain": {"text": "CUDA call: {}"},
    "cublas": {"text": "cuBLAS: {}"},
    "hccl": {"text": "HCCL: {}"},
    "hip": {"text": "HIP call: {}"},
    "mpi": {"text": "MPI call: {}"},
    "nccl": {"text": "NCCL call: {}"},
    "nv-status": {"name": "NVRM: GPU0 call: {}",
                  "text": "NVRM: GPU0 call failed: {}"},
    "nvml": {"text": "NVML: {}"},
    "verbs": {"text": "RDMA write: {}"},
}
SAYS_LITTLE = ("none", "unknown", "process/exception", "process/killed")
SINGLE = 50  # rows whose verdict is asked for, in all carriers


def words(value):
    """The values of a flow mapping's key: one text, or a list."""
    one = r"'(?:[^']|'')*'|[^\[\],}]+?"
    return [text[1:-1].replace("''", "'") if text.startswith("'") else text
            for text in re.findall(rf" *({one}) *(?:,|$)", value.strip("[]"))]


def rows_of(text):
    """Rows of a file: number, names, texts, cause. Each stands on a line."""
    for line in re.findall(r"^  - \{((?:number|name|text): .*)\}$", text, re.M):
        keys = dict(re.findall(
            r"\b(number|name|text|cause): "
            r"(\[.*?\](?=, \w+: )|'(?:[^']|'')*'|[^\[\]']+?)(?=, \w+: |$)",
            line))
        yield {"number": keys.get("number"), "cause": keys["cause"],
               "name": words(keys.get("name", "")),
               "text": words(keys.get("text", ""))}


def samples_with_numbers(text):
    """Of each pattern that captures a number, its sample with a place for it."""
    for pattern, sample in re.findall(
            r"^      - \{re: '((?:[^']|'')*)', sample: (.*)\}$", text, re.M):
        line = re.match(r"\{line: '((?:[^']|'')*)'", sample)
        sample = line[1] if line else sample.strip("'")
        if "{error_number:hex" in pattern:
            number = re.findall(r"0x[0-9a-fA-F]+", sample)[-1]
            yield sample.replace(number, "0x{:x}")
            continue
        digits = re.findall(r"-?\d+", sample)
        if "{error_number" in pattern or "(?P<error_number>" in pattern:
            number = max(digits, key=lambda one: (len(one.strip("-")),
                                                  sample.rindex(one)))
            yield sample.replace(number, "{}")


def phrases(vocabulary, text):
    """Each row with what a line may say of it."""
    beside = BESIDE.get(vocabulary, {})
    by_text = "{error_text:" in text
    numbers = list(samples_with_numbers(text))
    bare = re.search(r"\{error_name:|\(\?P<error_name>", text)
    for row in rows_of(text):
        said = []
        if bare and row["cause"] != "none":
            said += [beside.get("name", "{}").format(name)
                     for name in row["name"][:1]]
        if by_text:
            said += [beside.get("text", "{}").format(one)
                     for one in row["text"][:1]]
        for form in numbers[:1] if row["number"] else ():
            said.append(form.format(int(row["number"], 0)))
        for phrase in said:
            yield row, phrase


def run(*arguments):
    return subprocess.run([INQUEST, *arguments], capture_output=True,
                          text=True, timeout=120, check=False)


def verdicts_of(lines):
    """Each line's verdict in a log of its own; the rules are loaded once."""
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        labels = []
        for number, line in enumerate(lines):
            (folder / f"{number}.log").write_text(line + "\n")
            # No verdict is this one, so that each is printed as a miss.
            labels.append({"id": str(number), "cause": "nothing/right",
                           "also": [], "facts": {}})
        (folder / "labels.jsonl").write_text(
            "".join(json.dumps(label) + "\n" for label in labels))
        misses = json.loads(run("rules", "score", "--format", "json",
                                folder).stdout)["misses"]
    return {int(miss["id"]): miss["got"] for miss in misses}


def events_of(lines, count=12):
    """What is read in the lines, counted from 1. In several logs, the
    vocabularies mixed as in one: nearly every line is a failure, and the time
    for one log is bounded. Between them a blank line, so that none is taken for
    the rest of the one above, which a terminal folded."""
    with tempfile.TemporaryDirectory() as folder:
        logs = [pathlib.Path(folder) / f"{at:02}.log" for at in range(count)]
        for at, log in enumerate(logs):
            log.write_text("\n\n".join(lines[at::count]) + "\n")
        told = run("query", *logs, "--format", "ndjson", "--sql",
                   "SELECT source, line, signature, cause FROM log_event "
                   "WHERE role IN ('cause', 'symptom')").stdout
    for event in map(json.loads, told.splitlines()):
        event["line"] = event["line"] // 2 * count + event["source"]
        yield event


class CodesTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.said = []
        for path in sorted(FOLDER.glob("*.yaml")):
            if path.name.endswith(".test.yaml"):
                continue
            found = list(phrases(path.stem, path.read_text()))
            self.assertTrue(found, path)
            self.said += [(path.stem, row, phrase) for row, phrase in found]

    def test_every_row_in_a_sentence_of_its_own(self):
        lines = [CARRIERS[zlib.crc32(phrase.encode()) % len(CARRIERS)].format(
            phrase) for _, _, phrase in self.said]
        known = {}
        for event in events_of(lines):
            known.setdefault(event["line"], []).append(event)
        wrong = []
        for number, (vocabulary, row, _) in enumerate(self.said, 1):
            causes = {event["cause"] for event in known.get(number, ())
                      if event["signature"] == "codes." + vocabulary
                      or event["cause"] not in SAYS_LITTLE}
            if row["cause"] == "none":
                if any(event["signature"] == "codes." + vocabulary
                       for event in known.get(number, ())):
                    wrong.append(f"{vocabulary}, none: {lines[number - 1]}")
            elif not causes:
                wrong.append(f"{vocabulary}: {lines[number - 1]}")
        self.assertEqual(wrong, [])

    def test_verdict_of_some_rows_in_all_sentences(self):
        fatal = [one for one in self.said
                 if one[1]["cause"] not in ("none", "unknown")]
        some = sorted(fatal, key=lambda one: zlib.crc32(
            repr((one[0], one[2])).encode()))[:SINGLE]
        lines = [(row, carrier.format(phrase))
                 for _, row, phrase in some for carrier in CARRIERS]
        verdicts = verdicts_of([line for _, line in lines])
        self.assertEqual(len(verdicts), len(lines))
        wrong = [f"{verdicts[number]}, not {row['cause']}: {line}"
                 for number, (row, line) in enumerate(lines)
                 if verdicts[number] in ("none", "unknown")]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()

"""Made-up logs in the true formats, and the cause each must get. A case in
cases/*.txt begins with a line `@ CAUSE [OTHER ACCEPTED CAUSE…]`; what follows is
the log; a line `--- NAME` begins another log of the same case."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
INQUEST = os.environ["INQUEST"]


def read_cases():
    for path in sorted((HERE / "cases").glob("*.txt")):
        blocks = re.split(r"(?m)^@ ", path.read_text())[1:]
        for number, block in enumerate(blocks, 1):
            head, body = block.split("\n", 1)
            parts = re.split(r"(?m)^--- (\S+)\n", body)
            logs = {"case.log": parts[0]} if parts[0].strip() else {}
            logs.update(zip(parts[1::2], parts[2::2]))
            yield f"{path.name} #{number}", head.split(), logs


def verdict(logs):
    with tempfile.TemporaryDirectory(prefix="inquest-") as folder:
        command = [INQUEST, "diagnose", "--format", "json"]
        for name, text in logs.items():
            path = pathlib.Path(folder) / name
            path.write_text(text)
            command += ["--log", str(path)]
        result = subprocess.run(command, capture_output=True, timeout=120)
        return json.loads(result.stdout)["verdict"]


class VerdictTest(unittest.TestCase):
    def test_cases(self):
        cases = list(read_cases())
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda case: verdict(case[2]), cases))
        for (name, wanted, logs), answer in zip(cases, found):
            with self.subTest(name):
                self.assertIn(answer["cause"], wanted,
                              f"{answer['rule']}: {list(logs.values())[0][:200]}")
        print(f"{len(cases)} cases")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Forty secrets in every channel of a recorded program, and in a log: none is
in a file of the run, nor in what any command says of it. Forty texts that only
look similar stay. None of the secrets is, or was, anybody's."""

import json
import pathlib
import sys

from harness import *

INQUEST = os.environ["INQUEST"]
HOST = os.path.join(BUILD, "tests/collector/collector_nvtx_host")
SIMGPU = os.path.join(BUILD, "simgpu/lib")

# What is written -> the part of it that nobody may read.
SECRETS = {
    "ghp_" "16C7e42F292c6912E7710c838347Ae178B4a": "16C7e42F292c6912",
    "gho_" "26C7e42F292c6912E7710c838347Ae178B4b": "26C7e42F292c6912",
    "github_pat_" "11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123": "0aBcDeFgHiJkL",
    "glpat-" "xYzAbC1234567890defg": "xYzAbC1234567890",
    "hf_" "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH": "aBcDeFgHiJkLmNoPqR",
    "sk-proj-" "Ab12Cd34Ef56Gh78Ij90Kl12Mn34": "Ab12Cd34Ef56",
    "sk-ant-api03-" "Zb12Cd34Ef56Gh78Ij90-AbCdEf": "Zb12Cd34Ef56",
    "xoxb-" "123456789012-1234567890123-AbCdEfGhIjKl": "AbCdEfGhIjKl",
    "AKIA" "IOSFODNN7EXAMPLE": "IOSFODNN7EXAMPLE",
    "ASIA" "QWERTYUIOP123456": "QWERTYUIOP123456",
    "AIza" "SyA1234567890abcdefghijklmnopqrstuv": "1234567890abcdefghijk",
    "eyJ" "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3In0.dozjgNryP4J3":
        "dozjgNryP4J3",
    "npm_" "AbCdEfGhIjKlMnOpQrStUvWxYz01234567": "AbCdEfGhIjKlMnOp",
    "pypi-" "AgEIcHlwaS5vcmcCJDEyMzQ1Njc4": "AgEIcHlwaS5vcmc",
    "dckr_pat_" "AbCdEf0123456789-GhIjKm": "AbCdEf0123456789",
    "SG." "AbCdEfGhIjKlMnOpQrStUv.WxYz0123456789AbCdEf": "WxYz0123456789",
    "nvapi-" "QbCdEfGhIjKlMnOpQrStUvWxYz01": "QbCdEfGhIjKlMn",
    "gsk_" "RbCdEfGhIjKlMnOpQrStUvWxYz01": "RbCdEfGhIjKlMn",
    "PASSWORD=hunter2one": "hunter2one",
    "DB_PASSWORD='two words31'": "words31",
    "--password hunter2two": "hunter2two",
    "--api-key=SECRETthree": "SECRETthree",
    "--token abcdefour": "abcdefour",
    "\"client_secret\": \"a b five\"": "b five",
    "HF_TOKEN=abcdefsix": "abcdefsix",
    "password: hunter2seven": "hunter2seven",
    "passphrase=Eight8ght": "Eight8ght",
    "AccountKey=Zm9vYmFy/Nine+A==": "Nine+A",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG": "wJalrXUtnFEMI",
    "wandb login e123456789abcdef0123456789abcdef01234567": "e123456789ab",
    "WANDB_API_KEY=f123456789abcdef0123456789abcdef01234567": "f123456789ab",
    "Authorization: Bearer abc.eleven": "abc.eleven",
    "'Authorization': 'Basic dXNlcjpwYXNz'": "dXNlcjpwYXNz",
    "X-Api-Key: 0a1b2c3d4etwelve": "0a1b2c3d4etwelve",
    "postgres://joe:pa55thirteen@db:5432/x": "pa55thirteen",
    "https://0123456789fourteen01@sentry.io/1": "0123456789fourteen01",
    "redis://:pa55fifteen@db": "pa55fifteen",
    "https://h/b?X-Amz-Signature=0a1b2c16teen&x=1": "0a1b2c16teen",
    "_authToken=0a1b2c3d17teen": "0a1b2c3d17teen",
    "-----BEGIN RSA PRIVATE KEY-----MIIE18teen-----END RSA PRIVATE KEY-----":
        "MIIE18teen",
}
HARMLESS = [
    "NUM_TOKENS=4096", "max_tokens=512", "--max-tokens 4096",
    "TOKENIZERS_PARALLELISM=false", "--tokenizer-path /data/tokenizer.model",
    "tokenizer_name='meta-llama/Llama-3-8b12345'",
    "tokens per second: 12345.6", "pad_token='<|endoftext|>'",
    "pad_token_id=50256", "token: 1234/5000", "invalid token: expired",
    "password=None, secret=null", "api_key=api_key, token=self.token)",
    "password = os.environ[\"DB_PASSWORD\"]", "password_file=/etc/x",
    "GOOGLE_APPLICATION_CREDENTIALS=/home/x/adc.json",
    "client_secret.json: No such file", "denied (publickey,password).",
    "HF_TOKEN=$HF_TOKEN", "KEY=<your key>",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852",
    "uuid 123e4567-e89b-12d3-a456-426614174000",
    "GPU-5d1a3c7e-0f1e-2d3c-4b5a-69788796a5b4",
    "KeyError: 'layers.0.self_attn.q_proj.weight'",
    "cache_key=0a1b2c3d4e5f", "sort_key: abc12345",
    "state dict key: model.layers.31.mlp.down_proj.weight",
    "hf_" "hub_download_timeout_0123456789", "sk-learn-contrib-package-name",
    "npm_" "config_registry=https://registry.npmjs.org",
    "https://github.com/pytorch/pytorch/issues/12345",
    "tcp://10.0.0.1:29500", "http://host:8080/path@x",
    "git@github.com:a/b.git", "ssh://git@github.com/a/b",
    "PWD=/home/x OLDPWD=/", "forward_pass: 123abc45 ms",
    "ncclUniqueId 0x7f1200000000 key 0xabcdef1234",
    "from secrets import token_hex",
]


def hidden(text):
    return [secret for secret in SECRETS.values() if secret in text]


class Secrets(RecordTest):
    def setUp(self):
        super().setUp()
        if not os.path.exists(HOST):
            print("skipped: no CUDA headers, so no program for the simulated "
                  "GPU")
            sys.exit(77)
        self.text = os.path.join(self.scratch, "printed")
        with open(self.text, "w") as file:
            for line in [*SECRETS, *HARMLESS]:
                file.write(f"{line}\nRuntimeError: CUDA error: out of memory "
                           f"while it had {line}\n")

    def inquest(self, *words):
        done = subprocess.run([INQUEST, *words], capture_output=True, text=True,
                              timeout=DEADLINE, cwd=self.scratch)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.stdout + done.stderr

    def record_all(self):
        environment = {**os.environ, "LD_LIBRARY_PATH": SIMGPU,
                       "SIMGPU_MEMORY": "1GiB", "TEXT": self.text}
        for i, text in enumerate(SECRETS):
            name, _, value = text.partition("=")
            environment[f"NCCL_{i}"] = text
            environment[f"SECRET_{i}"] = text
            if value and name.replace("_", "").isalnum():
                environment["CUDA_" + name] = value
        for i, text in enumerate(HARMLESS):
            environment[f"NCCL_OK_{i}"] = text
        script = 'cat "$TEXT"; cat "$TEXT" >&2; exec "$0" texts "$@"'
        words = [word for text in SECRETS for word in
                 (text.split() if text.startswith(("--p", "--t")) else [text])]
        # Ranges are named first, one text each; then come real options.
        return subprocess.run(
            [INQUEST, "record", "-o", self.run_dir, "--", "sh", "-c", script,
             HOST, *SECRETS, *HARMLESS, "--", *words],
            env=environment, capture_output=True, text=True, timeout=DEADLINE)

    def assert_no_file_has_one(self):
        for path in pathlib.Path(self.run_dir).iterdir():
            content = path.read_bytes().decode("latin-1")
            self.assertEqual(hidden(content), [], path)

    def test_every_channel(self):
        done = self.record_all()
        self.assertEqual(done.returncode, 3, done.stderr[-500:])
        with open(self.text) as file:
            printed = file.read()
        self.assertEqual(done.stdout, printed)  # as the user wrote it
        said = done.stderr.replace(printed, "")
        self.assertIn("the run died", said)
        self.assertEqual(hidden(said), [])
        self.assert_no_file_has_one()
        self.assert_nothing_is_said(self.run_dir)
        self.assert_no_file_has_one()  # nor after the trace was finished
        self.assert_harmless_ones_stay()

    def assert_nothing_is_said(self, subject):
        for words in (["diagnose", subject],
                      ["diagnose", subject, "--format", "json"],
                      ["explain", subject, "F1"],
                      ["query", subject, "SELECT text, figures FROM log_event"],
                      ["query", subject, "SELECT * FROM process"],
                      ["query", subject, "SELECT * FROM environment"],
                      ["query", subject, "SELECT * FROM run"]):
            self.assertEqual(hidden(self.inquest(*words)), [], words)

    def assert_harmless_ones_stay(self):
        console = self.console().decode()
        command = " ".join(self.info()["command"])
        rows = self.inquest("query", self.run_dir, "--format", "ndjson",
                            "--max-rows", "10000",
                            "SELECT value FROM environment")
        values = [json.loads(row)["value"] for row in rows.splitlines()
                  if row.startswith("{")]
        for text in HARMLESS:
            self.assertIn(text + "\n", console)
            self.assertIn(text, command)
            self.assertIn(text, values)

    def test_a_log_from_elsewhere(self):
        self.assert_nothing_is_said(self.text)
        said = self.inquest("query", self.text, "--format", "ndjson",
                            "--max-rows", "10000", "SELECT text FROM log_event")
        texts = "\n".join(json.loads(row)["text"] for row in said.splitlines()
                          if row.startswith("{"))
        for text in HARMLESS:
            self.assertIn(text, texts)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""What looks like a credential reaches no file of the collector."""

import os
import stat
import unittest

from harness import CollectorTest

TOKEN = "ghp_" "16C7e42F292c6912E7710c838347Ae178B4a"
HARMLESS = ["--max-tokens", "4096", "--tokenizer-path", "/data/tokenizer.model",
            "tokens per step 12345"]


class Secrets(CollectorTest):
    def record(self, **extra):
        os.umask(0o022)
        done = self.host(
            "nvtx_host", "texts", "step of " + TOKEN, HARMLESS[-1], "--",
            "--password", "two words", "--api-key=0a1b2c3d", "https://joe:pa55word@host/x", *HARMLESS,
            CUDA_API_PASSWORD="hunter2", NCCL_NOTE="http://u:pa55word@proxy",
            XLA_FLAGS="--xla_gpu_x=1", INQUEST_NOTE=TOKEN,
            CUDA_MODULE_LOADING="LAZY", **extra)
        self.assertEqual(done.returncode, 3, done.stderr)

    def assert_no_secret(self):
        for path in self.files():
            with open(path, "rb") as file:
                content = file.read()
            for secret in (TOKEN[4:], "two words", "0a1b2c3d", "pa55word",
                           "hunter2"):
                self.assertFalse(secret.encode() in content, (secret, path))

    def test_a_finished_trace(self):
        self.record()
        self.assert_no_secret()
        command = self.value("SELECT command FROM process")
        for word in HARMLESS:
            self.assertIn(word, command)
        self.assertIn("--password [masked] --api-key=[masked] "
                      "https://joe:[masked]@host/x", command)
        names = [name for name, in self.query("SELECT name FROM step")]
        self.assertIn("step of ghp_[masked]", names)
        self.assertIn(HARMLESS[-1], names)
        environment = dict(self.query("SELECT name, value FROM environment"))
        self.assertEqual(environment["CUDA_API_PASSWORD"], "[masked]")
        self.assertEqual(environment["NCCL_NOTE"], "http://u:[masked]@proxy")
        self.assertEqual(environment["INQUEST_NOTE"], "ghp_[masked]")
        self.assertEqual(environment["XLA_FLAGS"], "--xla_gpu_x=1")
        self.assertEqual(environment["CUDA_MODULE_LOADING"], "LAZY")

    def test_nobody_else_may_read_it(self):
        self.record()
        modes = {stat.S_IMODE(os.stat(path).st_mode) for path in self.files()}
        self.assertEqual(modes, {0o600})
        self.assertEqual(stat.S_IMODE(os.stat(self.run_dir).st_mode), 0o700)


if __name__ == "__main__":
    unittest.main()

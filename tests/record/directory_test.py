# SPDX-License-Identifier: Apache-2.0
"""The run directory: what is in it, and what happens where there is none."""

import re
import stat
import time

from harness import *


class Directory(RecordTest):
    def mode(self, path):
        return stat.S_IMODE(os.stat(path).st_mode)

    def test_content_and_modes(self):
        os.umask(0o022)
        self.record("sh", "-c", "echo hello; exit 3", env={
            **os.environ, "RANK": "3", "SLURM_JOB_ID": "99", "SECRET": "x"})
        self.assertEqual(self.mode(self.run_dir), 0o700)
        self.assertEqual(self.mode(self.path("run.json")), 0o600)
        self.assertEqual(self.mode(self.path("console.log")), 0o600)
        info = self.info()
        self.assertEqual(info["schema"], "inquest.run/1")
        self.assertEqual(info["state"], "ended")
        self.assertEqual(info["command"],
                         ["sh", "-c", "echo hello; exit 3"])
        self.assertEqual(os.path.realpath(info["cwd"]),
                         os.path.realpath(self.scratch))
        self.assertEqual(info["host"], os.uname().nodename)
        self.assertEqual(info["job"]["RANK"], "3")
        self.assertEqual(info["job"]["SLURM_JOB_ID"], "99")
        self.assertNotIn("SECRET", str(info))
        self.assertLessEqual(info["start_ns"], info["end_ns"])
        self.assertLess(abs(info["end_ns"] / 1e9 - time.time()), 3600)
        self.assertEqual(info["console"],
                         {"file": "console.log", "bytes": 6, "left_out": 0,
                          "error": "", "left_open": False})
        self.assertEqual(info["collector"]["path"], COLLECTOR)
        self.assertEqual(sorted(n for n in os.listdir(self.run_dir)
                                if not n.endswith(".sqlite")),
                         ["console.log", "run.json"])

    def test_default_name(self):
        script = os.path.join(self.scratch, "my train.py")
        with open(script, "w") as file:
            file.write("print('hi')\n")
        for _ in range(3):
            done = subprocess.run([DRIVER, "--no-collector", "--report",
                                   self.report_file, "--", "python3", script],
                                  cwd=self.scratch, capture_output=True,
                                  timeout=DEADLINE)
            self.assertEqual(done.stderr, b"")
            self.assertRegex(self.report()["directory"],
                             r"^runs/my_train-\d{8}-\d{6}(-\d+)?$")
        runs = os.listdir(os.path.join(self.scratch, "runs"))
        self.assertEqual(len(runs), 3)

    def test_a_directory_with_a_run_is_left_alone(self):
        self.record("echo", "first")
        done = self.record("echo", "second")
        self.assertIn(b"already has a run", done.stderr)
        self.assertEqual(self.console(), b"first\n")
        with open(self.run_dir + "-2/console.log", "rb") as file:
            self.assertEqual(file.read(), b"second\n")

    def test_ranks_that_start_together_do_not_meet(self):
        processes = [self.start("echo", str(i), stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL) for i in range(8)]
        for process in processes:
            self.assertEqual(process.wait(DEADLINE), 0)
        words = set()
        for name in os.listdir(self.scratch):
            if re.fullmatch(r"run(-\d)?", name):
                with open(f"{self.scratch}/{name}/console.log") as file:
                    words.add(file.read().strip())
        self.assertEqual(words, {str(i) for i in range(8)})

    def test_no_directory_can_be_made(self):
        with open(os.path.join(self.scratch, "file"), "w"):
            pass
        for place in ("/proc/inquest", self.scratch + "/file/run"):
            done = self.record("sh", "-c", "echo on; exit 3",
                               options=["-o", place])
            self.assertEqual((done.returncode, done.stdout), (3, b"on\n"))
            self.assertIn(place.encode(), done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1)
            self.assertEqual(self.report()["directory"], "")

    def test_disk_full_in_the_middle(self):
        mount = os.path.join(self.scratch, "small")
        os.mkdir(mount)
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k",
                               "tmpfs", mount], capture_output=True)
        if made.returncode != 0:
            self.skipTest("no right to mount a small tmpfs to fill")
        try:
            done = self.record("seq", "100000", options=["-o", mount + "/r"])
            with open(mount + "/r/console.log", "rb") as file:
                kept = file.read()
        finally:
            subprocess.run(["umount", mount], check=True)
        wanted = b"".join(b"%d\n" % i for i in range(1, 100001))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, wanted)
        self.assertTrue(wanted.startswith(kept))
        self.assertGreater(len(kept), 100_000)
        self.assertEqual(done.stderr.count(b"No space left on device (the"), 1)

    def test_a_console_log_that_cannot_grow(self):
        def limit():
            import resource
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        done = self.record("seq", "100000", preexec_fn=limit)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(done.stdout), 588_895)
        self.assertEqual(len(self.console()), 50_000)
        self.assertIn(b"File too large", done.stderr)
        info = self.info()
        self.assertEqual(info["console"]["bytes"], 50_000)
        self.assertIn("ends after 50000 bytes", info["console"]["error"])


class Collector(RecordTest):
    def test_it_comes_first_and_is_told_where(self):
        other = os.path.join(self.scratch, "libother.so")
        with open(COLLECTOR, "rb") as source, open(other, "wb") as out:
            out.write(source.read())
        done = self.record("sh", "-c", "echo $LD_PRELOAD; echo $INQUEST_DIR",
                           env={**os.environ, "LD_PRELOAD": other,
                                "INQUEST_DIR": "/elsewhere",
                                # The driver has it in front of a runtime, too.
                                "ASAN_OPTIONS": "verify_asan_link_order=0:"
                                                "detect_leaks=0"})
        preload, directory = done.stdout.decode().split()
        self.assertTrue(preload.endswith(f"{COLLECTOR}:{other}"), preload)
        self.assertEqual(directory, self.run_dir)
        self.assertEqual(self.report()["touched_gpu"], "true")

    def test_relative_directory_is_told_absolutely(self):
        done = self.record("sh", "-c", "cd /; echo $INQUEST_DIR",
                           options=["-o", "here/run"])
        self.assertEqual(done.stdout.decode().strip(),
                         os.path.join(os.path.realpath(self.scratch),
                                      "here/run"))
        self.assertEqual(self.report()["directory"], "here/run")

    def test_a_program_that_never_touches_the_gpu(self):
        self.record("true", env={**os.environ, "FAKE_NO_TRACE": "1"})
        self.assertEqual(self.report()["touched_gpu"], "false")
        self.assertEqual(self.report()["collector_used"], "true")

    def test_missing_collector_is_said_once(self):
        missing = os.path.join(self.scratch, "none.so")
        done = self.record("sh", "-c", "echo on$LD_PRELOAD; exit 3",
                           options=["--collector", missing])
        self.assertEqual((done.returncode, done.stdout), (3, b"on\n"))
        self.assertEqual(done.stderr.count(b"\n"), 1)
        self.assertIn(missing.encode(), done.stderr)
        self.assertEqual(self.info()["collector"]["path"], "")
        self.assertIn("No such file", self.info()["collector"]["missing"])

    def test_a_path_that_the_loader_cannot_take(self):
        spaced = os.path.join(self.scratch, "a b.so")
        os.symlink(COLLECTOR, spaced)
        done = self.record("true", options=["--collector", spaced])
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"space or a colon", done.stderr)

    def test_what_to_preload_is_printed(self):
        done = self.print_preload(COLLECTOR)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(done.stdout.split(b":")[-1],
                         COLLECTOR.encode() + b"\n")
        done = self.print_preload(os.path.join(self.scratch, "none.so"))
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"none.so: No such file", done.stderr)

    def print_preload(self, collector):
        return subprocess.run(
            [os.environ["INQUEST"], "record", "--print-preload",
             "--collector", collector],
            capture_output=True, timeout=DEADLINE, check=False)


if __name__ == "__main__":
    unittest.main()

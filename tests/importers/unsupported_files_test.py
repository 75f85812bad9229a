# SPDX-License-Identifier: Apache-2.0
"""Files that are neither logs nor anything that can be imported, but are handed
over all the same: each is refused with what it is and what to do."""
import io
import json
import random
import struct
import unittest
import zipfile

import harness

RANDOM = random.Random(7).randbytes(5000)
LOG = ("step 7 loss 0.5\n" * 50 +
       "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate "
       "2.00 GiB. GPU 0 has a total capacity of 39.39 GiB of which 1.06 GiB is "
       "free.\n")


def elf(kind, machine, order="<"):
    identity = b"\x7fELF" + bytes([2, 1 if order == "<" else 2, 1]) + bytes(9)
    return identity + struct.pack(order + "HHI", kind, machine, 1) + RANDOM


def archive(*names):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as files:
        for name in names:
            files.writestr(name, RANDOM)
    return made.getvalue()


def safetensors():
    head = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets":
                             [0, 8]}}, separators=(",", ":")).encode()
    return struct.pack("<Q", len(head)) + head + bytes(8)


# Name, content, what must be said.
UNSUPPORTED = [
    ("report 1.nsys-rep", RANDOM,
     ["Nsight Systems", "nsys export --type sqlite", "report 1.sqlite'"]),
    ("old.qdrep", RANDOM, ["Nsight Systems", "nsys export", "old.sqlite"]),
    ("raw.qdstrm", RANDOM, ["QdstrmImporter", "nsys export"]),
    ("kernels.ncu-rep", RANDOM, ["Nsight Compute", "inquest record"]),
    ("renamed", b"NVR\0" + RANDOM, ["Nsight Compute"]),
    ("core.4711", elf(4, 62), ["a core dump", "gdb -batch", "PROGRAM"]),
    ("core-ppc", elf(4, 21, ">"), ["a core dump"]),
    ("core_gpu", elf(4, 190), ["core dump of a GPU", "target cudacore"]),
    ("libx.so", elf(3, 62), ["a program or library"]),
    ("model.bin", archive("archive/data.pkl", "archive/version"),
     ["checkpoint of PyTorch", "memory snapshot"]),
    ("old.pth", bytes.fromhex("80028a0a6cfc9c46f9206aa85019") + RANDOM,
     ["checkpoint of PyTorch"]),
    ("shard.pt", RANDOM, ["checkpoint, judging by its name"]),
    ("model-00001.safetensors", safetensors(), ["safetensors"]),
    ("renamed.weights", safetensors(), ["safetensors"]),
    ("weights.h5", b"\x89HDF\r\n\x1a\n" + RANDOM, ["HDF5"]),
    ("llama.gguf", b"GGUF\3\0\0\0" + RANDOM, ["GGUF"]),
    ("x.npy", b"\x93NUMPY\1\0" + RANDOM, ["NumPy"]),
]


class UnsupportedFilesTest(unittest.TestCase):
    def setUp(self):
        self.folder = harness.scratch(self)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def test_each_is_refused_for_what_it_is_and_the_log_looked_at(self):
        log = self.file("train.log", LOG.encode())
        paths = [self.file(name, content) for name, content, _ in UNSUPPORTED]
        done = harness.run("diagnose", "--format", "json", log, *paths)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(json.loads(done.stdout)["verdict"]["cause"],
                         "memory/capacity")
        said = done.stderr.decode().split("error: ")[1:]
        self.assertEqual(len(said), len(UNSUPPORTED))
        for path, (name, _, words), error in zip(paths, UNSUPPORTED, said):
            for word in [str(path), *words]:
                self.assertIn(word, error)

    def test_one_alone(self):
        path = self.file("a.nsys-rep", RANDOM)
        for command in (("diagnose", path),
                        ("import", path, "-o", self.folder / "run")):
            done = harness.run(*command)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn("nsys export", done.stderr.decode())

    def test_a_folder_of_nothing_else(self):
        self.file("a.py", b"nothing")
        self.file("b.nsys-rep", RANDOM)
        done = harness.run("diagnose", self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("nsys export", done.stderr.decode())

    def test_a_folder_with_a_log_beside_it(self):
        self.file("a.txt", b"nothing")
        self.file("b.nsys-rep", RANDOM)
        done = harness.run("diagnose", self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertIn("nsys export", done.stderr.decode())

    def test_texts_are_logs_whatever_they_are_called(self):
        for name in ("core.12", "train.pt", "run.ckpt", "PK.zip", "GGUF"):
            path = self.file(name, (name + "\n" + LOG).encode())
            self.assertEqual(harness.diagnose(path)["verdict"]["cause"],
                             "memory/capacity", name)

    def test_beginnings_of_any_length(self):
        paths = [self.file(f"{size} {name}", content[:size])
                 for name, content, _ in UNSUPPORTED
                 for size in (0, 1, 4, 9, 17, 19, 20)]
        self.assertIn(harness.run("diagnose", *paths).returncode, (0, 2))


if __name__ == "__main__":
    unittest.main()

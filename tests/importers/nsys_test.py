# SPDX-License-Identifier: Apache-2.0
"""Exports of Nsight Systems: old and new schemas, several processes, tables that
are not there, failed calls, and databases that are damaged or mean harm."""
import collections
import gzip
import random
import sqlite3
import unittest

import harness
from exports import UTC, Export

GIB = 1 << 30
KINDS = {1: "host", 2: "device", 3: "array", 4: "managed", 5: "device",
         6: "managed"}


class Account:
    """What the random rows below add up to, by process and device."""

    def __init__(self):
        self.live = collections.defaultdict(dict)
        self.total = collections.Counter()
        self.peak = collections.Counter()
        self.allocs = collections.Counter()
        self.frees = collections.Counter()

    def alloc(self, key, address, size):
        self.live[key][address] = size
        self.total[key] += size
        self.peak[key] = max(self.peak[key], self.total[key])
        self.allocs[key] += 1

    def free(self, key, address):
        self.total[key] -= self.live[key].pop(address)
        self.frees[key] += 1


def churn(export, dice, steps=500):
    account, rows, where = Account(), [], {}
    for i in range(steps):
        if where and dice.random() < 0.45:
            address = dice.choice(sorted(where))
            pid, device, kind, size = where.pop(address)
            rows.append((i, address, size, True, pid, device, kind))
            account.free((pid, -1 if kind == 1 else device), address)
            continue
        pid, device = dice.choice((100, 200)), dice.choice((0, 1))
        kind = dice.choice((1, 2, 2, 2, 4, 5))
        address, size = 0x7f0000000000 + i * (1 << 24), dice.randrange(1, 9999)
        rows.append((i, address, size, False, pid, device, kind))
        where[address] = (pid, device, kind, size)
        account.alloc((pid, -1 if kind == 1 else device), address, size)
    dice.shuffle(rows)
    for i, address, size, free, pid, device, kind in rows:
        export.memory(1000 + i, address, size, free, pid, device, kind)
    return account


class Nsys(unittest.TestCase):
    def setUp(self):
        self.folder = harness.scratch(self)

    def export(self, name="report.sqlite", old=False):
        path = self.folder / name
        path.unlink(missing_ok=True)
        return Export(path, old)

    def test_memory(self):
        for old in (True, False):
            with self.subTest(old=old):
                export = self.export(old=old)
                account = churn(export, random.Random(21))
                path = export.save()
                got = harness.rows(path, """
                    SELECT pid, device, allocations, frees, peak_bytes,
                           live_bytes, unknown_frees, overlaps
                      FROM device_usage JOIN process USING (process)""")
                self.assertEqual(
                    sorted(tuple(one.values()) for one in got),
                    sorted((*key, account.allocs[key], account.frees[key],
                            account.peak[key], live, 0, 0)
                           for key, live in account.total.items()))

    def test_kinds_and_pools(self):
        export = self.export()
        for kind in KINDS:
            export.memory(kind, kind << 24, 64, kind=kind)
        export.memory(20, 20 << 24, 64, pool=0xabc, streamId=13)
        path = export.save()
        rows = harness.rows(path, "SELECT kind, device, pool, stream, time "
                                  "FROM memory_event ORDER BY id")
        self.assertEqual([one["kind"] for one in rows],
                         [*KINDS.values(), "async"])
        self.assertEqual(rows[0]["device"], -1)
        self.assertEqual((rows[-1]["pool"], rows[-1]["stream"],
                          rows[-1]["time"]), (0xabc, 13, UTC + 20))

    def test_run(self):
        for old, driver in ((True, "525.105.17"), (False, "591.86")):
            export = self.export(old=old)
            export.add("PROCESSES", globalPid=export.process(100), pid=100,
                       name="/usr/bin/python3")
            export.add("PROCESSES", globalPid=export.process(7), pid=7,
                       name="bash")
            if not old:
                for name, value in (("COMMAND", "/usr/bin/python3"),
                                    ("ARGUMENT_0", "train.py"),
                                    ("ENVIRONMENT_VARIABLE", 'RANK="5"'),
                                    ("ENVIRONMENT_VARIABLE",
                                     'SECRET_TOKEN="x"')):
                    export.add("META_DATA_CAPTURE",
                               name=f"PROCESS_0:{name}", value=value)
            export.call(10, "cudaMalloc_v3020")
            path = export.save()
            process = harness.rows(path, "SELECT * FROM process")
            self.assertEqual([one["pid"] for one in process], [100])
            self.assertEqual(process[0]["host"], "node7")
            self.assertEqual(process[0]["start_time"], UTC)
            self.assertEqual(process[0]["end_time"], UTC + 60_000_000_000)
            if not old:
                self.assertEqual(
                    (process[0]["command"], process[0]["rank"]),
                    ("/usr/bin/python3 train.py", 5))
                self.assertEqual(
                    harness.rows(path, "SELECT name FROM environment"),
                    [{"name": "RANK"}])
            device = harness.rows(path, "SELECT * FROM device")
            self.assertEqual(len(device), 2)
            self.assertEqual(
                (device[1]["gpu"], device[1]["pci"], device[1]["total_bytes"],
                 device[1]["driver"], device[1]["cuda_driver"],
                 device[1]["compute_capability"], device[1]["uuid"]),
                ("NVIDIA A100", "0000:02:00.0", 40 * GIB, driver, 12000,
                 "8.0", "GPU-74e128b2-01"))

    def test_gpus_of_early_2021(self):
        export = self.export(old=True)
        export.db.execute("DROP TABLE TARGET_INFO_GPU")
        export.tables["TARGET_INFO_CUDA_GPU"] = (
            "deviceId INTEGER, name TEXT, globalMemorySize INTEGER, "
            "computeCapabilityMajor INTEGER, computeCapabilityMinor INTEGER")
        export.add("TARGET_INFO_CUDA_GPU", deviceId=0, name="Tesla V100",
                   globalMemorySize=16 * GIB, computeCapabilityMajor=7,
                   computeCapabilityMinor=0)
        export.call(10, "cudaMalloc_v3020")
        self.assertEqual(
            harness.row(export.save(), "SELECT gpu, total_bytes, "
                                       "compute_capability FROM device"),
            {"gpu": "Tesla V100", "total_bytes": 16 * GIB,
             "compute_capability": "7.0"})

    def test_gpus_that_are_not_described(self):
        """What ran tells of them, and the machine of the driver."""
        export = self.export()
        export.db.execute("DROP TABLE TARGET_INFO_GPU")
        export.memory(10, 1 << 24, 64, device=1)
        path = export.save()
        self.assertEqual(
            harness.row(path, "SELECT device, gpu, driver FROM device"),
            {"device": 1, "gpu": "", "driver": "591.86"})
        self.assertIsNone(
            harness.diagnose(path)["summary"]["devices"][0]["capacity_bytes"])

    def coverage(self, path, source):
        rows = harness.rows(path, f"SELECT state, note FROM coverage "
                                  f"WHERE source = '{source}'")
        self.assertEqual(len(rows), 1, rows)
        return rows[0]["state"]

    def test_absent_is_not_none(self):
        """Neither a table that is not there nor, in old exports, an empty one
        means that nothing happened; being asked for does."""
        for old in (True, False):
            export = self.export(old=old)
            export.call(10, "cudaMalloc_v3020")
            path = export.save()
            self.assertEqual(self.coverage(path, "nsys-memory"), "off")
            self.assertEqual(self.coverage(path, "nsys-cuda"), "on")
            self.assertEqual(self.coverage(path, "nsys-nvtx"), "off")
            found = harness.diagnose(path)
            self.assertEqual(found["verdict"]["cause"], "unknown")
            self.assertEqual(found["summary"]["devices"], [])
            skipped = {one["rule"] for one in found["skipped"]}
            self.assertIn("trace.oom.capacity", skipped)
        export = self.export()
        export.add("META_DATA_CAPTURE", name="COLLECT_GPU_MEMORY_USAGE",
                   value="true")
        export.call(10, "cudaFree_v3020")
        self.assertEqual(self.coverage(export.save(), "nsys-memory"), "on")

    def test_failed_calls(self):
        for contexts in (True, False):
            with self.subTest(contexts=contexts):
                self.failed_calls(contexts)

    def failed_calls(self, contexts):
        """On which device tell the contexts or what ran."""
        export = self.export()
        if contexts:
            export.add("TARGET_INFO_CUDA_CONTEXT_INFO", processId=100,
                       deviceId=1, contextId=1)
        export.memory(5, 1 << 24, 30 * GIB, device=1)
        export.call(10, "cudaMalloc_v3020", 2, end=90)
        export.call(20, "cuMemAlloc_v2", 2, end=80)
        export.call(100, "cudaEventQuery_v3020", 600)
        export.call(200, "cudaMalloc_v3020", 2)
        export.call(300, "cudaHostAlloc_v3020", 2)
        path = export.save()
        errors = harness.rows(path, "SELECT api, function, result, name, "
                                    "device FROM api_error ORDER BY id")
        self.assertEqual([tuple(one.values()) for one in errors], [
            ("runtime", "cudaMalloc", 2, "cudaErrorMemoryAllocation", 1),
            ("driver", "cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY", 1),
            ("runtime", "cudaMalloc", 2, "cudaErrorMemoryAllocation", 1),
            ("runtime", "cudaHostAlloc", 2, "cudaErrorMemoryAllocation", 1)])
        found = harness.diagnose(path)
        device = found["summary"]["devices"][0]
        self.assertEqual(
            (device["device"], device["failed"], device["allocations"],
             device["live_bytes_at_end"], device["capacity_bytes"]),
            (1, 2, 1, 30 * GIB, 40 * GIB))
        # How much was asked for nobody knows.
        self.assertEqual(harness.rows(path, "SELECT * FROM oom"), [])

    def test_sticky_error(self):
        export = self.export()
        export.call(10, "cudaLaunchKernel_v7000", 0)
        export.call(20, "cudaStreamSynchronize_v3020", 700)
        export.call(30, "cudaMalloc_v3020", 700)
        found = harness.diagnose(export.save())
        self.assertEqual(found["verdict"]["cause"], "kernel/illegal-access")
        self.assertEqual(found["verdict"]["facts"]["first_call"],
                         "cudaStreamSynchronize")

    def test_stacks(self):
        export = self.export()
        frames = (("cuMemAlloc_v2", "/usr/lib/libcuda.so.1"),
                  ("0x7f00", "/usr/lib/libcudart.so.12"),
                  ("Tensor::grow", "/home/me/train"), ("0x12", "/lib/libc.so"),
                  ("main", "/home/me/train"))
        for depth, (symbol, module) in enumerate(frames):
            export.add("CUDA_CALLCHAINS", id=9, symbol=export.string(symbol),
                       module=export.string(module), stackDepth=depth)
        export.memory(10, 1 << 24, 64, correlationId=export.call(
            9, "cudaMalloc_v3020", chain=9, tid=105))
        export.memory(20, 2 << 24, 64, correlationId=export.call(
            19, "cudaMalloc_v3020"))
        path = export.save()
        sites = harness.rows(path, "SELECT function, chain "
                                   "FROM allocation_site ORDER BY site")
        self.assertEqual(sites[0]["chain"], "Tensor::grow < libc.so < main")
        self.assertEqual(sites[1]["chain"], "(no stack recorded)")
        self.assertEqual(harness.row(
            path, "SELECT thread FROM memory_event WHERE id = 1"),
            {"thread": 105})

    def test_steps(self):
        """Outermost ranges of a thread, and ranges that are called so; of a
        library's own only these."""
        export = self.export()

        def mark(start, end, text, kind=59, tid=None, domain=0, by_id=False):
            name = {"textId": export.string(text)} if by_id else {"text": text}
            export.add("NVTX_EVENTS", start=start, end=end, eventType=kind,
                       globalTid=export.thread(100, tid), domainId=domain,
                       **name)
        mark(10, 50, "forward")
        mark(20, 30, "layer 3")
        mark(31, 32, "train_step", by_id=True)
        mark(60, None, "backward")
        mark(70, 80, "inner")
        mark(5, 99, "worker", tid=7)
        mark(15, 16, "ncclAllReduce", domain=4, tid=8)
        mark(15, 16, "aten::where, op_id = 7", tid=9)
        mark(90, None, "epoch 2", kind=34)
        mark(91, 95, "range", kind=60)
        mark(0, None, "MPI Rank 6", kind=39)
        path = export.save()
        harness.run("import", path, "-o", self.folder / "imported")
        trace, = (self.folder / "imported").iterdir()
        with sqlite3.connect(trace) as database:
            rows = database.execute("SELECT name, begin_ns, end_ns FROM step "
                                    "ORDER BY begin_ns").fetchall()
        database.close()
        self.assertEqual(
            [(name, begin - UTC, end and end - UTC)
             for name, begin, end in rows],
            [("worker", 5, 99), ("forward", 10, 50), ("train_step", 31, 32),
             ("backward", 60, None), ("epoch 2", 90, 90)])
        self.assertEqual(harness.rows(path, "SELECT name FROM step"),
                         [{"name": "train_step"}])
        self.assertEqual(harness.row(path, "SELECT rank FROM process"),
                         {"rank": 6})

    def test_libraries(self):
        export = self.export()
        for start in (10, 20):
            export.add("CUDNN_EVENTS", start=start, end=start + 7,
                       eventClass=1, globalTid=export.thread(100),
                       nameId=export.string("cudnnConvolutionForward"))
        path = export.save()
        self.assertEqual(
            harness.row(path, "SELECT function, calls, total_ns "
                              "FROM cudnn_stat"),
            {"function": "cudnnConvolutionForward", "calls": 2,
             "total_ns": 14})
        self.assertEqual(self.coverage(path, "nsys-cudnn"), "on")

    def test_what_nsys_says(self):
        export = self.export()
        export.call(10, "cudaMalloc_v3020")
        for severity, text in (
                (1, "Profiling has started."),
                (2, "Not all CUDA events might have been collected."),
                (3, "The target application terminated with signal 9 "
                    "(SIGKILL)")):
            export.add("DIAGNOSTIC_EVENT", timestamp=30, severity=severity,
                       text=text, globalPid=export.process(100))
        export.add("DIAGNOSTIC_EVENT", timestamp=30, severity=2,
                   text="Not all NVTX events might have been collected.",
                   globalPid=export.process(999))
        path = export.save()
        self.assertEqual(
            [tuple(one.values()) for one in harness.rows(
                path, "SELECT source, severity FROM message")],
            [("nsys", "warning"), ("nsys", "error")])
        self.assertEqual(self.coverage(path, "nsys"), "failed")
        self.assertEqual(
            harness.row(path, "SELECT source, signal, pid FROM process_exit"),
            {"source": "trace", "signal": 9, "pid": 100})

    def test_what_the_program_printed(self):
        """Nsys keeps it, and it tells more than its tables."""
        export = self.export()
        export.tables["ProcessStreams"] = ("globalPid INTEGER, filenameId "
                                           "INTEGER, contentId INTEGER")
        export.call(10, "cudaMalloc_v3020", 2)
        text = ("Traceback (most recent call last):\n"
                '  File "train.py", line 5, in <module>\n'
                "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
                "20.00 GiB. GPU 0 has a total capacity of 39.39 GiB of which "
                "9.00 GiB is free.\n")
        for name, content in (("/tmp/pid_100_stdout.log", ""),
                              ("/tmp/pid_100_stderr.log", text)):
            export.add("ProcessStreams", globalPid=export.process(100),
                       filenameId=export.string(name),
                       contentId=export.string(content))
        path = export.save()
        found = harness.diagnose(path)
        self.assertEqual(found["verdict"]["cause"], "memory/capacity")
        self.assertEqual(found["verdict"]["facts"]["requested_bytes"],
                         20 * GIB)
        self.assertEqual([one["path"] for one in found["logs"]],
                         [f"{path}:pid_100_stderr.log"])
        run = self.folder / "run"
        self.assertEqual(harness.run("import", path, "-o", run).returncode, 0)
        self.assertEqual((run / "console.log").read_text(), text)
        self.assertEqual(harness.diagnose(run)["verdict"]["cause"],
                         "memory/capacity")

    def test_packed_and_imported(self):
        export = self.export()
        account = churn(export, random.Random(22), 50)
        path = export.save()
        packed = self.folder / "report.sqlite.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        run = self.folder / "run"
        self.assertEqual(
            harness.run("import", packed, "-o", run).returncode, 0)
        self.assertEqual(sorted(one.name for one in run.iterdir()),
                         ["report-2.trace.sqlite", "report.trace.sqlite"])
        for one in (packed, run):
            self.assertEqual(
                harness.row(one, "SELECT sum(allocations) AS n "
                                 "FROM device_usage")["n"],
                sum(account.allocs.values()))

    def test_wrong_types(self):
        export = self.export()
        export.memory(10, 1 << 24, 64)
        for change in ({"address": "here"}, {"size": "many"}, {"size": -5},
                       {"size": None}, {"size": 1 << 62}, {"device": "x"},
                       {"device": 1 << 40}, {"device": -7}):
            values = {"address": 2 << 24, "size": 64, **change}
            export.memory(20, values.pop("address"), values.pop("size"),
                          **values)
        export.memory("soon", 3 << 24, 64)
        export.memory(30, 3 << 24, 64, kind="device")
        export.call(40, "cudaMalloc_v3020", "bad")
        export.add("StringIds", id=999, value=b"\xff\x00\xfe")
        export.add("NVTX_EVENTS", start=1.5, end="x", eventType=59,
                   globalTid="me", text=b"\xff")
        path = export.save()
        self.assertEqual(
            harness.row(path, "SELECT allocations FROM device_usage"),
            {"allocations": 2})
        notes = " ".join(one["note"] for one in harness.rows(
            path, "SELECT note FROM coverage WHERE state = 'failed'"))
        self.assertIn("9 invalid rows of CUDA_GPU_MEMORY_USAGE_EVENTS", notes)
        self.assertEqual(harness.run("diagnose", path).returncode, 0)

    def test_hostile(self):
        """Views, triggers and virtual tables are not looked at."""
        endless = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
                   "SELECT i + 1 FROM n) SELECT i AS start, i AS end, "
                   "i AS globalPid, i AS globalTid FROM n")
        export = self.export()
        export.call(10, "cudaMalloc_v3020")
        export.db.execute("CREATE VIEW CUDA_GPU_MEMORY_USAGE_EVENTS AS "
                          + endless)
        export.db.execute("CREATE VIEW NVTX_EVENTS AS " + endless)
        export.db.execute("CREATE VIRTUAL TABLE CUDNN_EVENTS USING "
                          "fts5(start, end, globalTid, nameId)")
        export.db.execute("CREATE TRIGGER t INSERT ON StringIds BEGIN "
                          "DELETE FROM StringIds; END")
        export.make("CUDA_CALLCHAINS")
        path = export.save()
        before = path.read_bytes()
        self.assertEqual(self.coverage(path, "nsys-memory"), "off")
        self.assertEqual(harness.run("diagnose", path).returncode, 0)
        self.assertEqual(path.read_bytes(), before)
        self.assertEqual([one.name for one in self.folder.iterdir()],
                         ["report.sqlite"])

    def test_damaged(self):
        """What can be read is; the rest is said."""
        export = self.export()
        churn(export, random.Random(23), 2000)
        good = export.save().read_bytes()
        dice = random.Random(24)
        codes = collections.Counter()
        for _ in range(8):
            bad = bytearray(good)
            if dice.random() < 0.4:
                bad = bad[:dice.randrange(len(bad))]
            for _ in range(dice.randrange(1, 60)):
                if bad:
                    bad[dice.randrange(len(bad))] = dice.randrange(256)
            path = self.folder / "bad.sqlite"
            path.write_bytes(bad)
            result = harness.run("diagnose", path)
            self.assertIn(result.returncode, (0, 2, 4), result.stderr)
            codes[result.returncode] += 1
        page = len(good) // 2 // 4096 * 4096
        path.write_bytes(good[:page] + b"\xff" * 4096 + good[page + 4096:])
        result = harness.run("diagnose", path)
        self.assertEqual(result.returncode, 4, result.stderr)
        packed = gzip.compress(good)
        cut = self.folder / "cut.sqlite.gz"
        cut.write_bytes(packed[:len(packed) * 3 // 4])
        self.assertIn(harness.run("diagnose", cut).returncode, (2, 4))

    def test_refused_host_memory(self):
        export = self.export()
        for i in range(3):
            export.memory(1000 + i, 0x10000000 + (i << 32), 4 << 30, kind=1)
        export.call(5000, "cudaHostAlloc_v3020", 2)
        path = export.save()
        verdict = harness.diagnose(path)["verdict"]
        self.assertEqual((verdict["cause"], verdict["rule"]),
                         ("memory/host", "trace.pinned.unmeasured"))
        self.assertEqual(verdict["facts"]["pinned_bytes"], 12 << 30)

    def test_the_card_is_named(self):
        export = self.export()
        export.memory(1000, 0x10000000, 4 << 30)
        export.call(5000, "cudaMalloc_v3020", 2)
        facts = harness.diagnose(export.save())["verdict"]["facts"]
        self.assertEqual((facts["gpu"], facts["total_bytes"]),
                         ("NVIDIA A100", 40 << 30))

    def test_cut_off(self):
        """The schema lies at the beginning: what precedes the cut is read."""
        export = self.export()
        churn(export, random.Random(25), 4000)
        good = export.save().read_bytes()
        path = self.folder / "cut.sqlite"
        path.write_bytes(good[:len(good) * 3 // 4])
        result = harness.run("diagnose", path)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn(b"cut off", result.stderr)
        rows = harness.rows(path, "SELECT count(*) AS n FROM memory_event")
        self.assertGreater(rows[0]["n"], 0)
        self.assertLess(rows[0]["n"], 4000)

    def test_other_databases(self):
        path = self.folder / "other.sqlite"
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE StringIds (id, value)")
        db.commit()
        db.close()
        result = harness.run("diagnose", path)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"not a trace of inquest", result.stderr)
        result = harness.run("diagnose", "--source", f"nsys={path}")
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"nsys export", result.stderr)
        empty = self.export("empty.sqlite").save()
        self.assertEqual(harness.run("diagnose", empty).returncode, 0)


if __name__ == "__main__":
    unittest.main()

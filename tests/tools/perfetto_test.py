# SPDX-License-Identifier: Apache-2.0
"""`inquest export`: the file is read by a reader of the wire format of our own
and compared with the trace, event by event; and by Perfetto's own trace
processor, where that is installed."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import perfetto_ui
import trace_processor
import wire

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "memory"))
from made_trace import DEVICE, MAP, MIB, PHYSICAL, START, UNMAP, MadeTrace  # noqa: E402

INQUEST = os.environ["INQUEST"]
EPOCH = 1_700_000_000 * 10**9 - START  # what the clock anchor adds
MANAGED, HOST, FRAMEWORK = 2, 4, 9
FREE_FAILED = 3
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


class PerfettoFile:
    """What a Perfetto file says, by the field numbers of its .proto files."""

    def __init__(self, data):
        self.tracks, self.processes = {}, {}
        self.names, self.argument_names = {}, {}
        self.events = []  # (time, type, track, name, arguments, counts)
        self.clocks = None
        for number, packet in wire.fields(data):
            assert number == 1, "a trace consists of packets"
            self._packet(wire.message(packet))

    def _packet(self, packet):
        assert packet[10] == [1], "one sequence"
        for interned in packet.get(12, []):
            interned = wire.message(interned)
            for field, names in ((2, self.names), (3, self.argument_names)):
                for entry in interned.get(field, []):
                    entry = wire.message(entry)
                    assert entry[1][0] not in names, "named twice"
                    names[entry[1][0]] = entry[2][0].decode("utf-8", "replace")
        for snapshot in packet.get(6, []):
            self.clocks = {one[1][0]: one[2][0] for one in map(
                wire.message, wire.message(snapshot)[1])}
        for descriptor in packet.get(60, []):
            self._track(wire.message(descriptor))
        for event in packet.get(11, []):
            self._event(packet[8][0], wire.message(event))

    def _track(self, descriptor):
        uuid = descriptor[1][0]
        assert uuid not in self.tracks
        name = descriptor.get(2, [b""])[0].decode()
        parent = descriptor.get(5, [0])[0]
        self.tracks[uuid] = (name, parent, descriptor.get(12, [None])[0])
        if 3 in descriptor:
            process = wire.message(descriptor[3][0])
            self.processes[uuid] = (process[1][0], process[6][0].decode())
        else:
            assert parent in self.tracks

    def _event(self, time, event):
        assert event[11][0] in self.tracks
        arguments = {}
        for argument in map(wire.message, event.get(4, [])):
            value = next(argument[n][0] for n in (4, 6, 7) if n in argument)
            arguments[self.argument_names[argument[1][0]]] = value
        counts = list(zip(event.get(31, []),
                          map(wire.signed, event.get(12, []))))
        if 30 in event:
            counts.append((event[11][0], wire.signed(event[30][0])))
        name = self.names[event[10][0]] if 10 in event else None
        self.events.append((time, event[9][0], event[11][0], name, arguments,
                            counts))

    def of(self, name, process=None):
        """Tracks of that name."""
        return {uuid for uuid, (one, parent, _) in self.tracks.items()
                if one == name and process in (None, parent)}

    def counter(self, name, process=None):
        tracks = self.of(name, process)
        return [(time, value) for time, _, _, _, _, counts in self.events
                for track, value in counts if track in tracks]

    def slices(self, name, process=None):
        """(begin, end or None, name, arguments); none may overlap on a track."""
        tracks, open_, found = self.of(name, process), {}, []
        for time, kind, track, called, arguments, _ in self.events:
            if track not in tracks or kind not in (BEGIN, END):
                continue
            if kind == BEGIN:
                assert track not in open_, "slices overlap"
                open_[track] = len(found)
                found.append([time, None, called, arguments])
            else:
                found[open_.pop(track)][1] = time
        return found

    def instants(self, name):
        tracks = self.of(name)
        return [(time, called, arguments) for time, kind, track, called,
                arguments, _ in self.events
                if track in tracks and kind == INSTANT]


class PerfettoTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="inquest-perfetto-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def made(self, name="one", **options):
        return MadeTrace(self.scratch / f"{name}.trace.sqlite", **options)

    def export(self, *arguments, code=0):
        self.out = self.scratch / "out.pftrace"
        inputs = sorted(self.scratch.glob("*.trace.sqlite"))
        done = subprocess.run(
            [INQUEST, "export", *inputs, "-o", self.out, *arguments],
            capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        self.said = done.stderr
        return PerfettoFile(self.out.read_bytes())

    @staticmethod
    def fill(trace, random_):
        """Allocations and frees of two kinds; what is expected of them."""
        live, held = {}, {DEVICE: 0, MANAGED: 0}
        blocks, totals, by_kind = {}, [], {DEVICE: [], MANAGED: []}
        for number in range(3000):
            if live and random_.random() < 0.49:
                address = random_.choice(sorted(live))
                kind, size, block = live.pop(address)
                trace.free(address, kind=kind)
                held[kind] -= size
                blocks[block][1] = trace.time + EPOCH
            else:
                kind = random_.choice((DEVICE, DEVICE, MANAGED))
                size = random_.randrange(1, 4 * MIB)
                address = (1 << 40) + number * 4 * MIB
                block = trace.alloc(address, size, kind=kind,
                                    stack=1 + number % 2)
                live[address] = (kind, size, block)
                held[kind] += size
                blocks[block] = [trace.time + EPOCH, None, size, address]
            totals.append((trace.time + EPOCH, sum(held.values())))
            by_kind[kind].append((trace.time + EPOCH, held[kind]))
        return blocks, totals, by_kind

    def test_every_event_is_there(self):
        trace = self.made()
        trace.stack(1, ("/src/train.py", 3, "forward"))
        trace.stack(2, ("/src/train.py", 9, "backward"))
        blocks, totals, by_kind = self.fill(trace, random.Random(5))
        trace.close()
        found = self.export()
        self.assertEqual(found.counter("GPU 0 held by this process"), totals)
        self.assertEqual(found.counter("GPU 0 held: device"), by_kind[DEVICE])
        self.assertEqual(found.counter("GPU 0 held: managed"), by_kind[MANAGED])
        slices = found.slices("GPU 0 allocations")
        self.assertEqual(
            {one[3]["memory_event"]: [one[0], one[1], one[3]["bytes"],
                                      one[3]["address"]] for one in slices},
            blocks)
        names = {one[2] for one in slices}
        self.assertEqual(names, {"train.py:3 in forward",
                                 "train.py:9 in backward"})
        # As few tracks as blocks were ever live at once.
        most = live = 0
        for time in sorted([(b[0], 1) for b in blocks.values()] +
                           [(b[1], -1) for b in blocks.values() if b[1]]):
            live += time[1]
            most = max(most, live)
        self.assertEqual(len(found.of("GPU 0 allocations")), most)
        self.assertIn("3,000 memory events", self.said)
        self.assertEqual(self.out.stat().st_mode & 0o777, 0o600)

    def test_ranks_are_processes(self):
        expected = {}
        for rank in (1, 0):
            trace = self.made(f"rank{rank}", rank=rank, pid=4242)
            expected[rank] = self.fill(trace, random.Random(rank))[1]
            trace.close()
        found = self.export()
        named = {name: (uuid, pid)
                 for uuid, (pid, name) in found.processes.items()}
        self.assertEqual(list(named), ["rank 0 (train) on host",
                                       "rank 1 (train) on host"])
        # The same pid on two nodes must not make them one process.
        self.assertEqual(len({pid for _, pid in named.values()}), 2)
        self.assertIn(4242, [pid for _, pid in named.values()])
        for rank in (0, 1):
            process = named[f"rank {rank} (train) on host"][0]
            self.assertEqual(
                found.counter("GPU 0 held by this process", process),
                expected[rank])

    def test_without_slices(self):
        trace = self.made()
        _, totals, _ = self.fill(trace, random.Random(7))
        trace.close()
        found = self.export("--no-slices")
        self.assertEqual(found.counter("GPU 0 held by this process"), totals)
        self.assertEqual(found.of("GPU 0 allocations"), set())

    def test_more_live_blocks_than_lanes(self):
        trace = self.made()
        for number in range(2100):
            trace.alloc((1 << 40) + number * MIB, 512)
        trace.close()
        found = self.export()
        self.assertEqual(len(found.slices("GPU 0 allocations")), 2000)
        self.assertEqual(len(found.counter("GPU 0 held: device")), 2100)
        self.assertIn("100 allocations have no slice", self.said)

    def test_other_memory_than_the_drivers_blocks(self):
        trace = self.made()
        place = 1 << 40
        trace.alloc(place, 64 * MIB)
        trace.alloc(place + 4096, MIB, kind=FRAMEWORK)   # inside of it
        trace.alloc(77, 32 * MIB, kind=PHYSICAL)
        trace.event(MAP, 2 * place, 32 * MIB, kind=PHYSICAL, pool=77)
        trace.event(2, 77, kind=PHYSICAL)                # still mapped
        held = found_at = trace.time
        trace.event(UNMAP, 2 * place, 32 * MIB, kind=PHYSICAL)
        trace.free(place)
        trace.event(FREE_FAILED, place)                  # it was not freed
        trace.close()
        found = self.export()
        values = [value // MIB for _, value in
                  found.counter("GPU 0 held by this process")]
        self.assertEqual(values, [64, 96, 64, 0, 64])
        self.assertEqual(len(found.slices(
            "GPU 0 blocks of the framework's pool")), 1)
        physical = [one for one in found.slices("GPU 0 allocations")
                    if one[3]["bytes"] == 32 * MIB]
        self.assertGreater(physical[0][1], held + EPOCH)
        self.assertEqual(found_at, held)
        again = [one for one in found.slices("GPU 0 allocations")
                 if one[3]["bytes"] == 64 * MIB]
        self.assertEqual([one[1] is None for one in again], [False, True])

    def facts(self):
        """A trace with one of everything that is not an allocation."""
        trace = self.made()
        trace.alloc(1 << 40, 100 * MIB)
        trace.step(0)
        trace.step(1)
        trace.alloc(0, 5000 * MIB, result=2)
        refused = trace.time + EPOCH
        trace.memory(trace.total - 580 * MIB, "failure", [(7, 10 * MIB)])
        at = trace.time
        trace.row("cudnn_call", 900, at + 5000, "cudnnConvolutionForward", 0,
                  4000, 1, 7, None)
        trace.row("cudnn_call", 901, at + 6000, "cudnnConvolutionForward", 8,
                  3000, 1, 8, None)
        trace.row("api_error", 902, at + 7000, "driver", "cuMemAlloc_v2", 2,
                  "CUDA_ERROR_OUT_OF_MEMORY", "out of memory", 0, 7, 0, 0, 0)
        trace.row("device_event", 903, at + 8000, 0, "xid", 79, "fell off")
        trace.close()
        return at + EPOCH, refused

    def test_what_facts_say(self):
        at, refused = self.facts()
        found = self.export()
        self.assertEqual([one[2] for one in found.slices("steps")],
                         ["step", "step"])
        (time, name, arguments), = found.instants("GPU 0 refusals")
        self.assertEqual((time, name, arguments["requested_bytes"]),
                         (refused, "refused", 5000 * MIB))
        self.assertEqual(
            [one[:3] for one in found.slices("cuDNN calls")],
            [[at + 1000, at + 5000, "cudnnConvolutionForward"],
             [at + 3000, at + 6000, "cudnnConvolutionForward"]])
        self.assertEqual(
            found.slices("cuDNN calls")[1][3]["result"], 8)
        self.assertEqual(
            [one[:2] for one in found.instants("failed calls")],
            [(at + 7000, "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY")])
        self.assertEqual([one[1] for one in found.instants("events")],
                         ["xid 79"])
        self.assertEqual(
            [value for _, value in
             found.counter("GPU 0 held by other processes")], [10 * MIB])
        # The many rows of allocations come below all others.
        ranks = {name: rank for name, _, rank in found.tracks.values()}
        self.assertEqual(max(ranks.values(), key=lambda one: one or 0),
                         ranks["blocks of memory"])
        above = {parent for name, parent, _ in found.tracks.values()
                 if name == "GPU 0 allocations"}
        self.assertEqual(above, found.of("blocks of memory"))
        self.assertLess(ranks["GPU 0 held: device"], ranks["steps"])
        self.assertEqual(set(found.clocks), {1, 6})
        self.assertEqual(len(set(found.clocks.values())), 1)

    def test_names_that_are_no_text(self):
        trace = self.made()
        trace.stack(1, ("/src/t.py", 3, "a\x1b[31m<b>\u202e"))
        trace.row("stack", 2, b"")
        trace.db.execute("INSERT INTO python_frame VALUES(200, 'x.py', 1, "
                         "CAST(x'ff80' AS TEXT))")
        trace.row("python_stack", 2, 0, 200)
        trace.alloc(1 << 40, 1, stack=1)
        trace.alloc(1 << 41, 1, stack=2)
        trace.close()
        names = [one[2] for one in self.export().slices("GPU 0 allocations")]
        self.assertIn("a\x1b[31m<b>\u202e", names[0])
        self.assertIn("x.py:1", names[1])

    def test_what_cannot_be_exported(self):
        log = self.scratch / "train.log"
        log.write_text("step 1 loss 2.5\n" * 10, encoding="utf-8")

        def fails(*arguments):
            done = subprocess.run([INQUEST, "export", *map(str, arguments)],
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            return done.stderr

        out = self.scratch / "out"
        self.assertIn("no trace among the inputs", fails(log, "-o", out))
        self.assertFalse(out.exists())
        self.assertIn("is a directory", fails(log, "-o", self.scratch))
        self.assertIn("--output is required", fails(log))
        self.assertEqual(sorted(os.listdir(self.scratch)), ["train.log"])

    def test_standard_output(self):
        self.facts()
        written = self.export()
        done = subprocess.run(
            [INQUEST, "export", self.scratch / "one.trace.sqlite", "-o", "-"],
            capture_output=True, check=True)
        self.assertEqual(len(PerfettoFile(done.stdout).events),
                         len(written.events))

    @unittest.skipIf(trace_processor.why_not(), trace_processor.why_not())
    def test_the_complete_ui_opens_it(self):
        trace = self.made(rank=3)
        self.fill(trace, random.Random(1))
        trace.event(1, 0, 4 * MIB, result=2)
        trace.close()
        self.export()
        ui = perfetto_ui.PerfettoUi(self.out)
        self.addCleanup(ui.close)
        ui.wait_for("rank 3 (train) on host")
        ui.unfold("rank 3 (train)")
        for track in ("GPU 0 held by this process", "GPU 0 held: device",
                      "GPU 0 refusals", "blocks of memory"):
            ui.wait_for(track)

    @unittest.skipIf(trace_processor.why_not(), trace_processor.why_not())
    def test_the_trace_processor_reads_the_same(self):
        for rank in (0, 1):
            trace = self.made(f"rank{rank}", rank=rank, pid=100 + rank)
            trace.stack(1, ("/src/train.py", 3, "forward"))
            trace.stack(2, ("/src/train.py", 9, "backward"))
            blocks, totals, _ = self.fill(trace, random.Random(rank))
            trace.close()
        self.facts()
        self.export()
        processor = trace_processor.TraceProcessor(self.out)
        self.addCleanup(processor.close)
        self.assertEqual(processor.query(
            "SELECT name, value FROM stats WHERE value > 0 AND severity IN "
            "('error', 'data_loss')"), [])
        self.assertEqual(processor.query(
            "SELECT name FROM process WHERE name LIKE 'rank%' ORDER BY 1"),
            [("rank 0 (train) on host",), ("rank 1 (train) on host",)])
        held = ("SELECT ts, CAST(value AS INT) FROM counter JOIN "
                "process_counter_track AS t ON t.id = track_id JOIN process "
                "USING (upid) WHERE t.name = 'GPU 0 held by this process' AND "
                "process.name LIKE 'rank 1%' ORDER BY ts")
        self.assertEqual(processor.query(held), totals)
        slices = processor.query(
            "SELECT s.ts, s.dur, extract_arg(s.arg_set_id, 'debug.bytes') FROM "
            "slice AS s JOIN process_track AS t ON t.id = track_id JOIN process "
            "USING (upid) WHERE t.name = 'GPU 0 allocations' AND process.name "
            "LIKE 'rank 1%'")
        self.assertEqual(
            sorted(slices),
            sorted((begin, -1 if end is None else end - begin, size)
                   for begin, end, size, _ in blocks.values()))
        self.assertEqual(processor.query(
            "SELECT s.name, dur FROM slice AS s JOIN process_track AS t ON "
            "t.id = track_id WHERE t.name IN ('GPU 0 refusals', 'events', "
            "'cuDNN calls') ORDER BY ts"),
            [("refused", 0), ("cudnnConvolutionForward", 4000),
             ("cudnnConvolutionForward", 3000), ("xid 79", 0)])
        # Where counters are not told beside slices.
        self.export("--no-slices")
        bare = trace_processor.TraceProcessor(self.out)
        self.addCleanup(bare.close)
        self.assertEqual(bare.query(held), totals)


if __name__ == "__main__":
    unittest.main()

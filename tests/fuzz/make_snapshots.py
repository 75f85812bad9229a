# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of fuzz_snapshots: FOLDER."""
import pathlib
import pickle
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "importers"))
import snapshots  # noqa: E402


def pool(expandable):
    made = snapshots.Pool()
    made.segment(32 * snapshots.MIB, expandable=expandable)
    blocks = [made.alloc(100_000 * i) for i in range(1, 12)]
    for address in blocks[::3]:
        made.free(address)
    made.refuse(64 * snapshots.MIB, 512)
    return made


def main(folder):
    notes = [{"stage": "START", "name": "step", "device": 0, "time_us": 1},
             {"stage": "END", "name": "step", "device": 0, "time_us": 9}]
    forms = {"new": snapshots.snapshot(pool(False), external_annotations=notes,
                                       allocator_settings={"a": {"1": 0.5}}),
             "growing": snapshots.snapshot(pool(True), ring=9),
             "old": snapshots.of_2022(pool(False))}
    folder.mkdir(parents=True, exist_ok=True)
    for name, form in forms.items():
        for protocol in range(5):
            (folder / f"{name}.{protocol}").write_bytes(
                pickle.dumps(form, protocol))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))

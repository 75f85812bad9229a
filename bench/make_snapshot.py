# SPDX-License-Identifier: Apache-2.0
"""Makes a memory snapshot like those of PyTorch, of about MEBIBYTES: a
repeating training loop, with stacks of 40 frames shared as the real writer
shares them. For bench/run: FILE MEBIBYTES."""
import pathlib
import pickle
import sys

sys.path.insert(0,
                str(pathlib.Path(__file__).parent.parent / "tests/importers"))
import snapshots  # noqa: E402

DEPTH = 40
SITES = 300


def stacks():
    """One list per call, of shared dicts, as torch makes them."""
    places = [(f"/home/me/project/module{i % 29}.py", i, f"forward_{i % 61}")
              for i in range(2000)]
    shared = [snapshots.frames(place)[0] for place in places]
    return [[shared[(site * 7 + depth * 13) % len(shared)]
             for depth in range(DEPTH)] for site in range(SITES)]


def main(path, mebibytes):
    pool = snapshots.Pool()
    for _ in range(64):
        pool.segment(64 * snapshots.MIB, quiet=True)
    sites = stacks()
    made, at = [], 0
    size = len(pickle.dumps(snapshots.snapshot(pool)))
    entry = 150  # approximate bytes of an entry with its own list
    while len(pool.history) * entry + size < mebibytes << 20:
        for i in range(100):
            made.append(pool.alloc(1000 * (i + 1), list(sites[(at + i) % SITES])))
        at += 100
        while len(made) > 50:
            pool.free(made.pop())
        for event in pool.history[-200:]:
            event["frames"] = list(event["frames"])
            event.update(compile_context="N/A", user_metadata="")
    with open(path, "wb") as out:
        pickle.dump(snapshots.snapshot(pool), out)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

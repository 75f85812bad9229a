# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of fuzz_dumps: FOLDER."""
import pathlib
import pickle
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "importers"))
from bfc_dump_test import usual as usual_bfc  # noqa: E402
from flights import Job, as_json, as_of_2023  # noqa: E402
from pprof_test import usual as usual_pprof  # noqa: E402


def job():
    made = Job(3, {"0": ("default_pg", [0, 1, 2]), "1": ("tp", [1, 2])})
    made.all("0", "all_reduce")
    made.all("1", "all_to_all", size=6, out=6, state="started")
    made.enter(1, "1", "send 0->1", state="scheduled", point=True)
    made.enter(0, "0", "broadcast", size=(2, 3), state="scheduled")
    made.enter(2, "0", "all_gather", size=(9,), state="scheduled")
    return made


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for packed in True, False:
        (folder / f"pprof.{packed:d}").write_bytes(
            usual_pprof().bytes(packed, texts_first=packed))
    for debug in True, False:
        (folder / f"bfc.{debug:d}").write_bytes(usual_bfc(debug=debug).bytes())
    for rank in range(3):
        dump = job().dump(rank)
        for protocol in range(5):
            (folder / f"flight.{rank}.{protocol}").write_bytes(
                pickle.dumps(dump, protocol))
        (folder / f"json.{rank}").write_bytes(as_json(dump))
        (folder / f"old.{rank}").write_bytes(as_of_2023(dump))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))

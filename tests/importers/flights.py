# SPDX-License-Identifier: Apache-2.0
"""Makes dumps of flight recorders as PyTorch writes them, of a simulated job:
each rank issues collectives of its groups; which complete follows from who
came. What the job knows of itself is what the tests compare with."""
import json
import pickle

T0 = 1_800_000_000_000_000_000
PLACE = [{"name": "step", "filename": "/home/me/train.py", "line": 57},
         {"name": "<module>", "filename": "/home/me/train.py", "line": 90}]


class Job:
    """`groups`: {name: (description, ranks)}."""

    def __init__(self, ranks, groups=None, version="2.10", timeout_ms=600000):
        self.ranks, self.version, self.timeout_ms = ranks, version, timeout_ms
        self.groups = groups or {"0": ("default_pg", list(range(ranks)))}
        self.pg = {name: i for i, name in enumerate(self.groups)}
        self.entries = [[] for _ in range(ranks)]
        self.seq = [dict.fromkeys(self.groups, 0) for _ in range(ranks)]
        self.p2p = [dict.fromkeys(self.groups, 0) for _ in range(ranks)]

    def enter(self, rank, group, name, size=16, out=None, dtype="Float",
              state="completed", point=False, retired=None):
        seqs = self.p2p if point else self.seq
        seqs[rank][group] += 1
        created = T0 + 1_000_000 * len(self.entries[rank]) + rank
        shape = lambda n: [[n] if isinstance(n, int) else list(n)]
        self.entries[rank].append({
            "frames": PLACE, "record_id": len(self.entries[rank]),
            "pg_id": self.pg[group],
            "process_group": (group, self.groups[group][0]),
            "thread_name": "python3", "thread_id": "140",
            "collective_seq_id": self.seq[rank][group],
            "p2p_seq_id": self.p2p[rank][group],
            "op_id": self.seq[rank][group] + self.p2p[rank][group],
            "profiling_name": f"nccl:{name}", "time_created_ns": created,
            "duration_ms": 0.5, "input_sizes": shape(size),
            "input_dtypes": [dtype],
            "output_sizes": shape(size if out is None else out),
            "output_dtypes": [dtype], "state": state,
            "time_discovered_started_ns":
                None if state == "scheduled" else created + 10,
            "time_discovered_completed_ns":
                created + 20 if state == "completed" else None,
            "retired": state == "completed" if retired is None else retired,
            "timeout_ms": self.timeout_ms, "is_p2p": point})
        if state != "completed":
            del self.entries[rank][-1]["duration_ms"]

    def batch(self, rank, group, names, state="completed", cut=False):
        """Point-to-point operations that are coalesced: only the last entry,
        which stands for all, has a state that changes."""
        for name in (*names, "coalesced"):
            seq = self.p2p[rank][group]
            last = name == "coalesced"
            if last and cut:
                break
            self.enter(rank, group, name, point=True,
                       state=state if last else "scheduled",
                       retired=last and state == "completed")
            if name != names[0]:
                self.p2p[rank][group] = seq
                self.entries[rank][-1]["p2p_seq_id"] = seq
            if last:
                for side in "input", "output":
                    self.entries[rank][-1][f"{side}_sizes"] = []
                    self.entries[rank][-1][f"{side}_dtypes"] = []

    def all(self, group, name, **more):
        for rank in self.groups[group][1]:
            self.enter(rank, group, name, **more)

    def dump(self, rank, ring=None, only_active=False):
        entries = self.entries[rank][-ring:] if ring else self.entries[rank]
        if only_active:
            entries = [e for e in entries if e["state"] != "completed"]
        mine = {name: g for name, g in self.groups.items() if rank in g[1]}
        return {
            "version": self.version, "comm_lib_version": "2.27.3",
            "pg_config": {name: {"name": name, "desc": desc,
                                 "ranks": str(ranks)}
                          for name, (desc, ranks) in mine.items()},
            "pg_status": {str(self.pg[name]): self.status(rank, name)
                          for name in mine},
            "entries": entries}

    def status(self, rank, group):
        of = [e for e in self.entries[rank] if e["process_group"][0] == group]
        done = [e for e in of if e["state"] == "completed"]
        last = lambda some: max(
            [e["p2p_seq_id" if e["is_p2p"] else "collective_seq_id"]
             for e in some], default=-1)
        return {"last_enqueued_collective": last(of),
                "last_started_collective": -1,
                "last_completed_collective": last(done)}

    def write(self, folder, prefix="nccl_trace_rank_", form=pickle.dumps,
              ranks=None, **more):
        for rank in range(self.ranks) if ranks is None else ranks:
            data = form(self.dump(rank, **more))
            (folder / f"{prefix}{rank}").write_bytes(data)
        return folder


def as_json(dump):
    """As the recorder's JSON form has it: no stacks, numbers of the status as
    texts, 0 for a time that is not there."""
    times = "time_discovered_started_ns", "time_discovered_completed_ns"
    entries = [{key: 0 if key in times and value is None else value
                for key, value in entry.items() if key != "frames"}
               for entry in dump["entries"]]
    status = {pg: {key: str(value) for key, value in one.items()}
              for pg, one in dump["pg_status"].items()}
    return json.dumps({**dump, "entries": entries,
                       "pg_status": status}).encode()


def as_of_2023(dump):
    """The first form: the list of entries alone, `seq_id`, microseconds, no
    names of groups."""
    return pickle.dumps([
        {"pg_id": e["pg_id"], "seq_id": e["collective_seq_id"],
         "profiling_name": e["profiling_name"],
         "time_created_us": e["time_created_ns"] // 1000,
         "input_sizes": e["input_sizes"], "output_sizes": e["output_sizes"],
         "state": e["state"], "frames": e["frames"]}
        for e in dump["entries"]])


def hung(ranks=4, missing=(2,), **more):
    """Ranks that never came to the third collective."""
    job = Job(ranks, **more)
    job.all("0", "broadcast")
    job.all("0", "all_reduce")
    for rank in set(range(ranks)) - set(missing):
        job.enter(rank, "0", "all_gather", size=8, out=8 * ranks,
                  state="scheduled")
    return job

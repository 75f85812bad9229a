# SPDX-License-Identifier: Apache-2.0
"""The fleet: 10,000 results with 100,000 findings loaded and asked about, in
SQLite and, where it is installed, in PostgreSQL. The floor is the same SQL
through sqlite3 and psql."""
import random
import statistics
import subprocess
import sys
import tempfile
import time

from groups.common import INQUEST, ROOT, group, row

sys.path.insert(0, str(ROOT / "tests/fleet"))
import postgres  # noqa: E402
from made import DAY, T0, ndjson, result, unit  # noqa: E402

RUNS = 10_000
CAUSES = ["memory/capacity", "memory/leak", "hardware/ecc", "hardware/nvlink",
          "distributed/collective-timeout", "process/exception", "unknown",
          "none"]


def results():
    """A month on 250 nodes of 8 GPUs; jobs of 1 to 8 nodes."""
    chance = random.Random(18)
    for n in range(RUNS):
        nodes = chance.sample(range(250), chance.choice([1, 1, 2, 4, 8]))
        gpus = [(f"GPU-{node:04}-{card}", f"node{node:04}")
                for node in nodes for card in range(8)]
        uuid, host = chance.choice(gpus)
        cause = chance.choice(CAUSES)
        yield result(
            f"run{n}", cause, rule=f"rule.{chance.randrange(600)}",
            where=unit(host, 0, 0, uuid), hours=chance.uniform(0.1, 70),
            gpus=gpus, start=T0 + int(n / RUNS * 30 * DAY), job=str(n),
            versions={"driver": f"5{n // 2500}", "torch": f"2.{n % 5}",
                      "image": f"train:{n // 100}"},
            findings=[f"rule.{chance.randrange(600)}"
                      for _ in range(9 if cause not in ("none", "unknown")
                                     else 12)],
            suspects=[f"worker {n}: {chance.choice('abcdefgh')} failed {n}"])


def load(database, file):
    start = time.perf_counter()
    subprocess.run([INQUEST, "fleet", "load", "--database", database, file],
                   check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def slowest(database):
    """The question that takes longest, from start to end of the program."""
    taken = {}
    for one in ("overview", "causes", "nodes", "gpus", "rules", "changes",
                "unknown"):
        times = []
        for _ in range(5):
            start = time.perf_counter()
            subprocess.run([INQUEST, "fleet", "report", "--database", database,
                            "--only", one], check=True,
                           stdout=subprocess.DEVNULL)
            times.append(time.perf_counter() - start)
        taken[one] = statistics.median(times)
    name = max(taken, key=taken.get)
    return name, taken[name], sum(taken.values())


def floor(words, name):
    """The same question through the database's own program."""
    text = (ROOT / f"analyzer/fleet/sql/queries/{name}.sql").read_text()
    text = text.replace("$1", "0").replace("$2", "10")
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(words, input=text, text=True, check=True,
                       stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def rows_of(kind, database, file, words):
    first = load(database, file)
    again = load(database, file)
    count = sum(1 for _ in open(file))
    yield row(f"fleet: {count:,} results with 100,000 findings loaded into "
              f"{kind}", f"{first:.1f} s",
              f"{again:.1f} s, loaded again", f"{first / again:.1f}×", "")
    name, taken, total = slowest(database)
    bare = floor(words, name)
    yield row(f"fleet: the slowest question to {kind}, {name}",
              f"{taken * 1000:.0f} ms; all seven {total * 1000:.0f} ms",
              f"{bare * 1000:.0f} ms, the same SQL by {words[0].split('/')[-1]}",
              f"{taken / bare:.1f}×", "< 1 s")


@group
def bench_fleet(options):
    with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
        file = f"{folder}/results.ndjson"
        with open(file, "w") as out:
            for one in results():
                out.write(ndjson([one]))
        database = f"{folder}/fleet.sqlite"
        yield from rows_of("SQLite", database, file, ["sqlite3", database])
        if postgres.missing():
            return
        with postgres.Postgres() as url:
            psql = [str(postgres.programs() / "psql"), "-q", url]
            yield from rows_of("PostgreSQL", url, file, psql)

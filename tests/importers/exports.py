# SPDX-License-Identifier: Apache-2.0
"""Makes SQLite exports as Nsight Systems writes them, in the forms that its
versions have had: old ones (schema 2) with every table and fewer columns, new
ones (schema 3) with only the tables that have rows."""
import sqlite3

UTC = 1_776_781_226_000_000_000
HOST = 1 << 56 | 1 << 48

COLUMNS = {
    "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL",
    "TARGET_INFO_SYSTEM_ENV": "globalVid INTEGER, devStateName TEXT, "
                              "name TEXT, nameEnum INTEGER, value TEXT",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs INTEGER, utcTime TEXT, "
                                      "localTime TEXT",
    "ANALYSIS_DETAILS": "globalVid INTEGER, duration INTEGER, "
                        "startTime INTEGER, stopTime INTEGER",
    "PROCESSES": "globalPid INTEGER, pid INTEGER, name TEXT",
    "TARGET_INFO_GPU": "vmId INTEGER, id INTEGER, name TEXT, "
                       "busLocation TEXT, totalMemory INTEGER, uuid TEXT, "
                       "cuDevice INTEGER, computeMajor INTEGER, "
                       "computeMinor INTEGER",
    "TARGET_INFO_CUDA_CONTEXT_INFO": "processId INTEGER, deviceId INTEGER, "
                                     "contextId INTEGER",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER, end INTEGER, "
                                   "eventClass INTEGER, globalTid INTEGER, "
                                   "correlationId INTEGER, nameId INTEGER, "
                                   "returnValue INTEGER, callchainId INTEGER",
    "CUDA_CALLCHAINS": "id INTEGER, symbol INTEGER, module INTEGER, "
                       "unresolved INTEGER, originalIP INTEGER, "
                       "stackDepth INTEGER, PRIMARY KEY (id, stackDepth)",
    "NVTX_EVENTS": "start INTEGER, end INTEGER, eventType INTEGER, "
                   "text TEXT, globalTid INTEGER, textId INTEGER, "
                   "domainId INTEGER",
    "CUDNN_EVENTS": "start INTEGER, end INTEGER, eventClass INTEGER, "
                    "globalTid INTEGER, nameId INTEGER",
    "CUBLAS_EVENTS": "start INTEGER, end INTEGER, eventClass INTEGER, "
                     "globalTid INTEGER, nameId INTEGER",
}
MEMORY = ("start INTEGER, globalPid INTEGER, deviceId INTEGER, "
          "contextId INTEGER, address INTEGER, pc INTEGER, bytes INTEGER, "
          "memKind INTEGER, memoryOperationType INTEGER, name TEXT, "
          "correlationId INTEGER")
POOLS = (", streamId INTEGER, localMemoryPoolAddress INTEGER, "
         "localMemoryPoolSize INTEGER, importedMemoryPoolAddress INTEGER")
DIAGNOSTICS = ("timestamp INTEGER, timestampType INTEGER, source INTEGER, "
               "severity INTEGER, text TEXT, globalPid INTEGER")


class Export:
    def __init__(self, path, old=False):
        self.path, self.old = path, old
        self.db = sqlite3.connect(path)
        self.tables = dict(COLUMNS)
        self.tables["CUDA_GPU_MEMORY_USAGE_EVENTS"] = \
            MEMORY if old else MEMORY + POOLS
        self.meta = "EXPORT_META_DATA" if old else "META_DATA_EXPORT"
        self.tables[self.meta] = "name TEXT, value TEXT"
        if not old:
            self.tables["META_DATA_CAPTURE"] = "name TEXT, value TEXT"
            self.tables["DIAGNOSTIC_EVENT"] = DIAGNOSTICS
        self.made, self.strings, self.correlation = set(), {}, 0
        for table in self.tables if old else ("StringIds", self.meta):
            self.make(table)
        version = "2.9.1" if old else "3.24.14"
        self.add(self.meta, name="EXPORT_SCHEMA_VERSION", value=version)
        self.add("TARGET_INFO_SESSION_START_TIME", utcEpochNs=UTC)
        self.add("ANALYSIS_DETAILS", duration=60_000_000_000)
        for name, value in (("Hostname", "node7"), ("NvDriverVersion",
                            "52510517" if old else "591.86"),
                            ("CudaDriverVersion", "12000")):
            self.add("TARGET_INFO_SYSTEM_ENV", name=name, value=value)
        for i in range(2):
            self.add("TARGET_INFO_GPU", id=i, name="NVIDIA A100",
                     busLocation=f"0000:0{i + 1}:00.0", cuDevice=i,
                     totalMemory=40 << 30, uuid=f"74e128b2-0{i}",
                     computeMajor=8, computeMinor=0)

    def make(self, table):
        if table not in self.made:
            self.made.add(table)
            self.db.execute(f"CREATE TABLE {table} ({self.tables[table]})")

    def add(self, table, **values):
        self.make(table)
        names = ", ".join(f'"{name}"' for name in values)
        marks = ", ".join("?" * len(values))
        self.db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})",
                        list(values.values()))

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = len(self.strings) + 1
            self.add("StringIds", id=self.strings[text], value=text)
        return self.strings[text]

    @staticmethod
    def process(pid):
        return HOST | pid << 24

    def thread(self, pid, tid=None):
        return self.process(pid) | (tid or pid)

    def call(self, start, function, result=0, pid=100, chain=None, tid=None,
             end=None):
        self.correlation += 1
        self.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=start,
                 end=end or start + 500, eventClass=0,
                 globalTid=self.thread(pid, tid),
                 correlationId=self.correlation, nameId=self.string(function),
                 returnValue=result, callchainId=chain)
        return self.correlation

    def memory(self, start, address, size, free=False, pid=100, device=0,
               kind=2, pool=None, **more):
        if pool and not self.old:
            more["localMemoryPoolAddress"] = pool
        self.add("CUDA_GPU_MEMORY_USAGE_EVENTS", start=start,
                 globalPid=self.process(pid), deviceId=device, contextId=1,
                 address=address, pc=0, bytes=size, memKind=kind,
                 memoryOperationType=int(free), **more)

    def save(self):
        self.db.commit()
        self.db.close()
        return self.path

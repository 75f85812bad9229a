# SPDX-License-Identifier: Apache-2.0
"""Which hooks were bound, and how: through the PLT by the linker's account,
through dlsym and c10 by the trace, each against the symbol tables."""
import subprocess

from symbols import C10, bindings, named, relocated, symbols

COLLECTOR = "libinquest_collector.so"


def demangled(names):
    done = subprocess.run(["c++filt"], input="\n".join(names), check=True,
                          capture_output=True, text=True)
    return [name.replace("c10::", "") for name in done.stdout.split("\n")]


def coverage(run, source):
    rows = run.rows("SELECT state, note FROM coverage WHERE source = "
                    f"'{source}' ORDER BY from_ns DESC")
    return rows[0] if rows else (None, "")


def check_cudnn_names(environment, collector, outcome):
    defined, _ = symbols(environment.library("libcudnn.so.9"))
    public = {name for name in defined if name.startswith("cudnn")}
    hooked, _ = symbols(collector)
    outcome.figure("functions that libcudnn.so.9 exports, of these hooked",
                   f"{len(public)}, {len(public & hooked)}")
    missing = sorted(public - hooked)
    if missing:
        outcome.figure("not hooked", " ".join(missing))


def is_hooked_kind(name):
    return name.startswith("cudnn") or C10 in name


def check_plt(run, environment, collector, outcome):
    """What a library finds through the linker of cuDNN and of c10's reports, by
    its relocations, is the collector's, by the linker's own account."""
    bound = bindings(run.command, {"LD_PRELOAD": str(collector)},
                     is_hooked_kind)
    ours = {(file, name) for file, goal, name in bound if goal == COLLECTOR}
    hooked, _ = symbols(collector)
    for file in sorted({file for file, _, _ in bound if ".so" in file}):
        library = environment.library(file)
        if library is None or file.startswith("libcudnn"):
            continue
        wanted = {name for name in relocated(library) if is_hooked_kind(name)}
        got = {name for name in wanted if (file, name) in ours}
        outcome.equal(sorted(wanted & hooked - got), [],
                      f"{file}: what we hook is bound to us")
        outcome.figure(f"{file}: relocations of cuDNN and c10, bound to the "
                       "collector", f"{len(wanted)}, {len(got)}")
        if wanted - hooked:
            outcome.figure(f"{file}: not hooked",
                           " ".join(sorted(wanted - hooked)))


def check_c10(run, environment, outcome):
    defined = named(symbols(environment.library("libc10.so"))[0], C10)
    wanted = named(symbols(environment.library("libc10_cuda.so"))[1], C10)
    outcome.equal(wanted, defined, "libc10_cuda.so wants what libc10.so has")
    state, note = coverage(run, "c10")
    hooked = note[len("hooked: "):note.rfind(", of ")].split("; ")
    outcome.equal((state, sorted(hooked)), ("on", sorted(demangled(defined))),
                  "the trace names c10's functions as the symbol table does")
    check_reports(run, outcome)


def check_reports(run, outcome):
    """Two blocks of which one was freed: what the program reported to c10."""
    outcome.equal(
        run.rows("SELECT address, bytes, freed_ns IS NULL, allocated_bytes, "
                 "reserved_bytes FROM framework_block ORDER BY id"),
        [(0x7f0000000000, 1 << 20, 0, 1 << 20, 20 << 20),
         (0x7f0000100000, 2 << 20, 1, 3 << 20, 20 << 20)],
        "what c10 was told of a CUDA device is recorded")
    outcome.checks[-1] = (*outcome.checks[-1][:2], "")
    outcome.check(int(run.said("profiled")) >= 512 * 512 * 4,
                  "PyTorch's profiler still hears of memory through the hooks",
                  run.said("profiled"))


def check(run, environment, build, outcome):
    collector = build / "collector" / COLLECTOR
    check_cudnn_names(environment, collector, outcome)
    check_plt(run, environment, collector, outcome)
    if environment.name == "torch":
        check_c10(run, environment, outcome)
    way = "cudnn-plt" if environment.name == "torch" else "cudnn-dlsym"
    for source in (way, "cudnn-log"):
        outcome.equal(coverage(run, source)[0], "on", f"{source} is on")
    calls = run.rows("SELECT sum(calls) FROM cudnn_stat WHERE function = "
                     "'cudnnGetVersion'")[0][0]
    outcome.check(calls, "the call of cudnnGetVersion was seen", calls)

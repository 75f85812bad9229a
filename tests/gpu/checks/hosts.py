# SPDX-License-Identifier: Apache-2.0
"""The collector's test hosts: errors, steps, endings, convolutions, and a
program with a CUPTI profiler of its own. Expected is what the simulated GPU
gives."""

from .judged import judge
from .recorded import Program

NONE = "none"
DONE = 0


def host(bundle, name, *arguments):
    return Program(bundle, " ".join([name, *arguments]),
                   [bundle.host(name), *arguments], bundle.environment())


def check(report, bundle):
    for words, cause, status, further in (
            (["errors_host", "once"], NONE, DONE, bad_argument),
            (["errors_host", "cascade", "5"], NONE, DONE, repeats),
            (["nvtx_host", "cuda"], NONE, DONE, steps),
            (["convolution_host", "switch", "20", "1", "0"], NONE, DONE,
             switch),
            (["profiler_host"], NONE, DONE, stepped_aside),
            (["profiler_host", "named"], NONE, DONE, stepped_aside),
            (["endings", "exit", "4"], "unknown", 4, None),
            (["endings", "abort"], "process/segfault", -6, None),
            (["endings", "fault"], "process/segfault", -11, None),
            (["endings", "kill9"], "process/killed", -9, None)):
        report.guarded(" ".join(words), one, report, host(bundle, *words),
                       cause, status, further, needs_s=20)


def one(report, program, cause, status, further):
    judge(report, program, cause, status)
    if further is not None:
        further(report, program)


def bad_argument(report, program):
    report.equal(f"{program.name}: the error", [("runtime", "cudaMemcpy", 21)],
                 program.rows("SELECT api, function, result FROM api_error "
                              "ORDER BY id LIMIT 1"))


def repeats(report, program):
    report.equal(f"{program.name}: equal errors in a row are counted",
                 [("cudaMemcpy", 4), ("cudaSetDevice", 0), ("cudaMemcpy", 4)],
                 program.rows("SELECT function, repeats FROM api_error "
                              "WHERE api = 'runtime' ORDER BY id"))


def steps(report, program):
    count, = program.rows("SELECT count(*) FROM step")[0]
    report.true(f"{program.name}: steps", "some", count, count > 0)


def switch(report, program):
    """The workspaces are cuDNN's own choice on a real card, and so is which
    algorithms it has: 7, which the simulated one takes, an H100 does not."""
    seen = program.rows("SELECT algorithm, calls, failed FROM cudnn_interval "
                        "ORDER BY id")
    report.equal(f"{program.name}: algorithm, calls, failed",
                 [(1, 20, 0), (0, 20, 0)], seen)
    report.seen(f"{program.name}: workspaces", program.rows(
        "SELECT workspace_bytes FROM cudnn_interval ORDER BY id"))
    layers = program.rows("SELECT text FROM cudnn_operation")
    report.equal(f"{program.name}: layer",
                 [("x f32 8x64x56x56, w 64x64x3x3, pad 1x1, stride 1x1, "
                   "y 8x64x56x56",)], layers)


def stepped_aside(report, program):
    """The profiler gets CUPTI while it wants it, and what was allocated before
    and after that is recorded."""
    sizes = [size >> 20 for size, in program.rows(
        "SELECT bytes FROM memory_event WHERE op = 1 AND result = 0")]
    report.true(f"{program.name}: MiB recorded", "1 and 3", sizes,
                {1, 3} <= set(sizes))
    states = program.rows("SELECT state, note FROM coverage WHERE "
                          "source = 'cupti' ORDER BY from_ns")
    report.seen(f"{program.name}: CUPTI was", states)

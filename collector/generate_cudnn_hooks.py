"""Writes a wrapper for every function that the cuDNN headers declare.

Usage: generate_cudnn_hooks.py INCLUDE_DIR OUT.cc

Reads the headers of one cuDNN (9 in *_v9.h, others in the plain names), finds
each `RETURN CUDNNWINAPI name(parameters);` and writes C++ with the very same
signatures. Fails, and with it the build, when it finds suspiciously few or a
parameter that it cannot name, rather than leave a function out in silence.
"""

import pathlib
import re
import sys

# Written by hand in cudnn_log.cc and cudnn_hooks.cc.
BY_HAND = {"cudnnSetCallback", "cudnnGetCallback", "cudnnGetLastErrorString"}
# Asks for a text; passing it on is enough.
NOT_RECORDED = {"cudnnGetErrorString"}
DECLARATION = re.compile(
    r"((?:const\s+)?\w+(?:\s+|\s*\*\s*))(?:CUDNN_DEPRECATED\s+)?CUDNNWINAPI\s+"
    r"(cudnn\w+)\s*\(([^;]*?)\)\s*(?:CUDNN_DEPRECATED\s*)?;", re.S)
SCALARS = re.compile(r"(?:const\s+)?(?:unsigned|int|size_t|float|double|"
                     r"u?int\d+_t|cudnn\w+_t)(?:\s+(?:int|long))*$")


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", " ", text)
    return re.sub(r"^\s*#.*(?:\\\n.*)*$", " ", text, flags=re.M)


def headers(include):
    versioned = sorted(include.glob("cudnn_*_v9.h"))
    return versioned or sorted(include.glob("cudnn*.h"))


def parameters(text):
    """[(type, name, suffix)], suffix being an array's brackets."""
    text = " ".join(text.split())
    if text in ("", "void"):
        return []
    found = []
    for part in text.split(","):
        match = re.match(r"\s*(.*?[\s*])(\w+)((?:\s*\[\w*\])*)\s*$", part)
        if match is None:
            sys.exit(f"generate_cudnn_hooks.py: cannot read parameter "
                     f"'{part.strip()}'")
        found.append((match.group(1).strip(), match.group(2),
                      match.group(3).strip()))
    return found


def declarations(include):
    found = {}
    for header in headers(include):
        text = without_comments(header.read_text(errors="replace"))
        for kind, name, arguments in DECLARATION.findall(text):
            kind = " ".join(kind.split())
            found[name] = (kind, parameters(arguments))
    return dict(sorted(found.items()))


def detail(arguments):
    return "".join(f'      detail.Add("{name}", {name});\n'
                   for kind, name, suffix in arguments
                   if suffix or SCALARS.match(kind) or kind.endswith("*"))


def handle(arguments):
    for kind, name, _ in arguments:
        if kind == "cudnnHandle_t":
            return name
    return "nullptr"


OPERANDS = {"cudnnTensorDescriptor_t": "kTensor",
            "cudnnFilterDescriptor_t": "kFilter",
            "cudnnConvolutionDescriptor_t": "kConvolution"}


def run(arguments):
    """What a function that is told how to do its work is told, or nothing.

    Others with an algorithm (normalisation, CTC) are left out: their layers are
    not told apart by what the getters know."""
    kinds = {name: kind.split()[-1] for kind, name, suffix in arguments
             if not suffix}
    if not {"algo", "workSpaceSizeInBytes"} <= kinds.keys() or \
            "cudnnConvolutionDescriptor_t" not in kinds.values():
        return []
    operands = [f'      {{CudnnOperand::Kind::{OPERANDS[kind]}, '
                f'"{name.removesuffix("Desc")}", {name}}},'
                for name, kind in kinds.items() if kind in OPERANDS]
    return ["  static CudnnGetters getters;",
            "  const CudnnOperand operands[] = {", *operands, "  };",
            "  const CudnnRun run{static_cast<int>(algo), "
            "workSpaceSizeInBytes, operands,",
            "                     std::size(operands), &getters};"]


def wrapper(index, function, kind, arguments):
    declared = ", ".join(f"{t} {n}{s}" for t, n, s in arguments) or "void"
    passed = ", ".join(n for _, n, _ in arguments)
    # An array parameter is a pointer; decltype of the function says so itself.
    lines = [f"HOOK {kind} {function}({declared}) {{",
             f"  CudnnCall call({index}, __builtin_return_address(0));"]
    real = f"call.Real<decltype(&::{function})>()({passed})"
    if kind == "void":
        lines.append(f"  if (!call.missing()) {real};")
    elif kind != "cudnnStatus_t":
        lines += ["  if (call.missing()) return {};",
                  f"  const auto result = {real};"]
        if function not in NOT_RECORDED:
            lines.append("  call.Done(0, nullptr);")
        lines.append("  return result;")
    else:
        told = run(arguments)
        also = ", &run" if told else ""
        lines += ["  const cudnnStatus_t status =",
                  "      call.missing() ? CUDNN_STATUS_NOT_SUPPORTED",
                  f"                     : {real};",
                  *told,
                  f"  if (call.Done(status, {handle(arguments)}{also})) {{",
                  "      CallDetail detail;",
                  detail(arguments) +
                  f"      call.Failed(status, {handle(arguments)}, &detail{also});",
                  "  }", "  return status;"]
    return "\n".join(lines) + "\n}\n"


def main():
    include, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = declarations(include)
    if len(found) < 150:
        sys.exit(f"generate_cudnn_hooks.py: only {len(found)} functions found "
                 f"in {include}; have the headers changed their form?")
    text = ["// Made by collector/generate_cudnn_hooks.py; do not edit.",
            "#include <cudnn.h>", "", "#include <iterator>", "", '#include "collector/cudnn_hooks.h"', "",
            "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"",
            '#define HOOK extern "C" __attribute__((visibility("default")))',
            "using inquest::collector::CallDetail;",
            "using inquest::collector::CudnnCall;",
            "using inquest::collector::CudnnGetters;",
            "using inquest::collector::CudnnOperand;",
            "using inquest::collector::CudnnRun;", ""]
    for index, (name, (kind, arguments)) in enumerate(found.items()):
        if name not in BY_HAND:
            text.append(wrapper(index, name, kind, arguments))
    text += ["namespace inquest::collector {", "",
             "CudnnSlot g_cudnn_slots[] = {"]
    text += [f'    {{"{name}", reinterpret_cast<void*>(&::{name}), {{nullptr}},'
             " {nullptr}, {nullptr}}," for name in found]
    text += ["};", f"const int g_cudnn_slot_count = {len(found)};", "",
             "}  // namespace inquest::collector", ""]
    out.write_text("\n".join(text))


main()

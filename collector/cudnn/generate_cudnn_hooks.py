# SPDX-License-Identifier: Apache-2.0
"""Writes a wrapper for every function that the cuDNN headers declare.

Usage: generate_cudnn_hooks.py INCLUDE_DIR OUT.cc

Reads the headers of one cuDNN (9 in *_v9.h, others in the plain names), finds
each `RETURN CUDNNWINAPI name(parameters);` and writes C++ with the same
signatures. If it finds suspiciously few functions or a parameter that it cannot
parse, it fails, and with it the build, rather than silently leave out a
function.
"""

import pathlib
import re
import sys

# Written by hand in cudnn_log.cc and cudnn_hooks.cc.
BY_HAND = {"cudnnSetCallback", "cudnnGetCallback", "cudnnGetLastErrorString"}
# Only returns a text; passing it on is enough.
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
    lines = []
    counts = [name for kind, name, suffix in arguments
              if not suffix and kind == "int" and name in LIST_SIZES]
    for kind, name, suffix in arguments:
        if suffix and kind == "const int" and counts and name.endswith("A"):
            call = f'AddList("{name}", {name}, {counts[0]})'
        elif kind == "cudnnDataType_t" and not suffix:
            call = f'AddType("{name}", static_cast<int>({name}))'
        elif kind in ("void *", "const void *") and not HOST_VALUE.match(name):
            call = f'AddAddress("{name}", {name})'
        elif suffix or SCALARS.match(kind) or kind.endswith("*"):
            call = f'Add("{name}", {name})'
        else:
            continue
        lines.append(f"      detail.{call};\n")
    return "".join(lines)


def handle(arguments):
    for kind, name, _ in arguments:
        if kind == "cudnnHandle_t":
            return name
    return "nullptr"


OPERANDS = {"cudnnTensorDescriptor_t": "kTensor",
            "cudnnFilterDescriptor_t": "kFilter",
            "cudnnConvolutionDescriptor_t": "kConvolution",
            "cudnnPoolingDescriptor_t": "kPooling",
            "cudnnActivationDescriptor_t": "kActivation",
            "cudnnLRNDescriptor_t": "kNormWindow",
            "cudnnRNNDescriptor_t": "kRnn",
            "cudnnRNNDataDescriptor_t": "kRnnData",
            "cudnnAttnDescriptor_t": "kAttention",
            "cudnnSeqDataDescriptor_t": "kSequence",
            "cudnnCTCLossDescriptor_t": "kLoss",
            "cudnnReduceTensorDescriptor_t": "kReduction",
            "cudnnOpTensorDescriptor_t": "kElementwise"}
NO_WORK = re.compile(r"cudnn(Get|Set|Find|Create|Destroy|Restore|Build|Reorder)")
WORKSPACE = re.compile(r"workspacesize(inbytes)?$|sizeinbytes$", re.I)
# Which function returns the workspace that a function needs; versions differ by
# _v8.
ASKING = {"cudnnRNNForward": "cudnnGetRNNTempSpaceSizes",
          "cudnnRNNBackwardData_v8": "cudnnGetRNNTempSpaceSizes",
          "cudnnRNNBackwardWeights_v8": "cudnnGetRNNTempSpaceSizes",
          "cudnnMultiHeadAttnForward": "cudnnGetMultiHeadAttnBuffers",
          "cudnnMultiHeadAttnBackwardData": "cudnnGetMultiHeadAttnBuffers",
          "cudnnMultiHeadAttnBackwardWeights": "cudnnGetMultiHeadAttnBuffers",
          "cudnnReduceTensor": "cudnnGetReductionWorkspaceSize",
          "cudnnConvolutionBiasActivationForward":
              "cudnnGetConvolutionForwardWorkspaceSize",
          "cudnnCTCLoss_v8": "cudnnGetCTCLossWorkspaceSize_v8"}
# Pointers to untyped values of the host; the others lead to the device.
HOST_VALUE = re.compile(r"(alpha|beta)\w*$|.*Host|(arrayOfElements|ptr|param|"
                        r"paddingFill|valuePtr|udata)$")
# How many elements a list has.
LIST_SIZES = ("nbDims", "arrayLength")
# The same operand under two names; a backward pass belongs to training.
RENAMED = {"gradDesc": "dwDesc"}
IMPLIED = {"fwdMode": "1"}


def enumerations(include):
    return {name for header in headers(include) for name in
            re.findall(r"typedef enum\s*\{.*?\}\s*(cudnn\w+)",
                       without_comments(header.read_text(errors="replace")),
                       re.S)}


def by_kind(arguments):
    """Types by name, without const, of parameters that are neither pointers nor
    arrays."""
    return {name: kind.split()[-1] for kind, name, suffix in arguments
            if not suffix and not kind.endswith("*")}


def operands(arguments):
    return [name for name, kind in by_kind(arguments).items()
            if kind in OPERANDS]


def asking(function, found):
    told = ASKING.get(function, function.replace("cudnn", "cudnnGet", 1) +
                      "WorkspaceSize")
    return told if told in found else None


def asked_words(told, arguments, found):
    """The hash of a workspace query without its descriptors."""
    kinds, words = by_kind(arguments), "kAsking"
    for name, kind in by_kind(found[told][1]).items():
        if name in ("algo", "fwdMode"):
            value = f"static_cast<uint64_t>({name})" if name in kinds \
                else IMPLIED[name]
            words += f" + 31 * ({value} + 1)"
    return words


def asked_operands(told, arguments, found):
    theirs = {RENAMED.get(name, name) for name in operands(found[told][1])}
    return sum(1 << at for at, name in enumerate(operands(arguments))
               if RENAMED.get(name, name) in theirs)


def descriptors(arguments):
    kinds = by_kind(arguments)
    return [f'      {{CudnnOperand::Kind::{OPERANDS[kinds[name]]}, '
            f'"{name.removesuffix("Desc").removesuffix("desc")}", {name}}},'
            for name in operands(arguments)]


def run(function, arguments, found, enums):
    """The CudnnRun of a call that works on tensors, or nothing."""
    if NO_WORK.match(function) or handle(arguments) == "nullptr" or \
            not operands(arguments):
        return []
    kinds = by_kind(arguments)
    modes = [f'      {{"{kind}", "{name}", static_cast<int>({name})}},'
             for name, kind in kinds.items()
             if kind in enums and name != "algo"]
    workspace = [name for name in kinds if WORKSPACE.match(name)]
    told = asking(function, found)
    question = asked_words(told, arguments, found) if told else "0"
    shared = asked_operands(told, arguments, found) if told else 0
    lines = ["  static CudnnGetters getters;",
             f'  constexpr uint64_t kFunction = HashOf("{function}");',
             "  const CudnnOperand operands[] = {", *descriptors(arguments),
             "  };"]
    if told:
        lines.append(f'  constexpr uint64_t kAsking = HashOf("{told}");')
    if modes:
        lines += ["  const CudnnMode modes[] = {", *modes, "  };"]
    given = "modes, std::size(modes)" if modes else "nullptr, 0"
    algorithm = "static_cast<int>(algo)" if "algo" in kinds else "kNoAlgorithm"
    return lines + [
        f"  const CudnnRun run{{kFunction, operands, std::size(operands), {given},",
        f"      {algorithm}, {workspace[0] if workspace else 0},",
        f"      {question}, {shared}, &getters}};"]


def note_workspace(function, arguments, found):
    """After a workspace query: its result."""
    if function not in {asking(other, found) for other in found}:
        return []
    answer = [name for kind, name, _ in arguments
              if kind.endswith("*") and WORKSPACE.match(name)]
    return ["  static CudnnGetters getters;",
            "  const CudnnOperand operands[] = {", *descriptors(arguments),
            "  };",
            f'  constexpr uint64_t kAsking = HashOf("{function}");',
            "  const CudnnRun run{0, operands, std::size(operands), nullptr, 0,",
            "      kNoAlgorithm, 0,",
            f"      {asked_words(function, arguments, found)}, ~0u, &getters}};",
            f"  call.NoteWorkspace(status, run, {answer[0]});"]


def changed(function, arguments):
    """Which descriptors this call may have changed."""
    if "cudnnHandle_t" in by_kind(arguments).values() and \
            not NO_WORK.match(function):
        return []
    lines = []
    for kind, name, suffix in arguments:
        bare = kind.removesuffix("*").strip()
        if suffix or bare not in OPERANDS:  # a const one is not in it
            continue
        if kind.endswith("*"):
            lines += [f"  if ({name} != nullptr) "
                      f"CudnnDescriptorChanged(*{name});",
                      f"  if (status == CUDNN_STATUS_SUCCESS) "
                      f"CudnnDescriptorMade(CudnnOperand::Kind::"
                      f"{OPERANDS[bare]}, *{name});"]
        elif not function.startswith("cudnnGet") or \
                OPERANDS[bare] in ("kTensor", "kFilter", "kConvolution"):
            lines.append(f"  CudnnDescriptorChanged({name});")
        if fills(function, kind):
            lines.append(f"  if (status == CUDNN_STATUS_SUCCESS) "
                         f"CudnnDescriptorSet(CudnnOperand::Kind::"
                         f"{OPERANDS[bare]}, {name});")
    return lines


def fills(function, kind):
    """Whether the call, if it succeeds, gives this descriptor its contents."""
    if function.startswith("cudnnGet"):
        return OPERANDS.get(kind) in ("kTensor", "kFilter")
    return kind in OPERANDS and \
        re.match(r"cudnn(Set|Derive)\w*Descriptor", function) is not None


def destroying(function, arguments):
    return [f"  CudnnDescriptorDestroying({name});"
            for kind, name, _ in arguments
            if function.startswith("cudnnDestroy") and kind in OPERANDS]


def refused(function, arguments):
    return [f'      CudnnDescriptorRefused({name}, "{function}", '
            "detail.Words());"
            for kind, name, _ in arguments
            if fills(function, kind) and not function.startswith("cudnnGet")]


def asked_about(function, arguments):
    """The CudnnRun of a failed call that only asks about tensors: how large a
    result or a workspace is, which algorithm to use."""
    if not re.match(r"cudnn(Get|Find)", function) or \
            "Descriptor" in function or not operands(arguments):
        return []
    return ["      static CudnnGetters asked_getters;",
            "      const CudnnOperand asked[] = {", *descriptors(arguments),
            "      };",
            f'      const CudnnRun about{{HashOf("{function}"), asked,',
            "          std::size(asked), nullptr, 0, kNoAlgorithm, 0, 0, 0,",
            "          &asked_getters};"]


# The notifications of the backend API's functions (cudnn_backend.h), before and
# after the call.
BACKEND_BEFORE = {
    "cudnnBackendDestroyDescriptor":
        "  if (call.recorded()) BackendDestroying(descriptor);"}
BACKEND_AFTER = {
    "cudnnBackendCreateDescriptor": "BackendCreated(descriptorType, *descriptor)",
    "cudnnBackendSetAttribute":
        "BackendSet(descriptor, attributeName, attributeType, elementCount, "
        "arrayOfElements)",
    "cudnnBackendGetAttribute":
        "BackendGot(descriptor, attributeName, requestedElementCount, "
        "elementCount, arrayOfElements)",
    "cudnnBackendFinalize":
        "BackendFinalized(descriptor, call.Real<void*>())"}


def backend(function, arguments):
    if function in BACKEND_AFTER:
        return ["  if (call.recorded() && status == CUDNN_STATUS_SUCCESS)",
                f"    {BACKEND_AFTER[function]};"]
    if "executionPlan" in by_kind(arguments):
        return ["  const CudnnRun run{.plan = executionPlan, "
                ".pack = variantPack};"]
    return []


# What a rejected call of the backend API was about.
BACKEND_ABOUT = {
    "cudnnBackendFinalize":
        ["      const CudnnRun about{.rejected = descriptor};"],
    "cudnnBackendSetAttribute":
        ["      const BackendAttribute attribute{attributeName, attributeType,",
         "          elementCount, arrayOfElements};",
         "      const CudnnRun about{.rejected = descriptor,",
         "          .attribute = &attribute};"]}


def wrapper(index, function, found, enums):
    kind, arguments = found[function]
    declared = ", ".join(f"{t} {n}{s}" for t, n, s in arguments) or "void"
    passed = ", ".join(n for _, n, _ in arguments)
    # An array parameter is a pointer; decltype of the function handles that.
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
        told = run(function, arguments, found, enums) or \
            backend(function, arguments)
        also = ", &run" if any("CudnnRun run" in line for line in told) else ""
        if function in BACKEND_BEFORE:
            lines.append(BACKEND_BEFORE[function])
        lines += destroying(function, arguments)
        about = BACKEND_ABOUT.get(function) or \
            ([] if told else asked_about(function, arguments))
        last = also or (", &about" if about else "")
        lines += ["  const cudnnStatus_t status =",
                  "      call.missing() ? CUDNN_STATUS_NOT_SUPPORTED",
                  f"                     : {real};",
                  "  call.Returned();",
                  *told, *changed(function, arguments),
                  *note_workspace(function, arguments, found),
                  f"  if (call.Done(status, {handle(arguments)}{also})) {{",
                  "      CallDetail detail;",
                  detail(arguments).rstrip("\n"),
                  *refused(function, arguments), *about,
                  f"      call.Failed(status, {handle(arguments)}, &detail{last});",
                  "  }", "  return status;"]
    return "\n".join(lines) + "\n}\n"


def keeps_books(function, found):
    """Whether it only makes, fills, reads or frees a descriptor: for each call
    that computes there are many of these."""
    return re.search("Descriptor|Attribute$|BackendFinalize$", function) \
        is not None and handle(found[function][1]) == "nullptr"


def main():
    include, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found, enums = declarations(include), enumerations(include)
    if len(found) < 150:
        sys.exit(f"generate_cudnn_hooks.py: only {len(found)} functions found "
                 f"in {include}; have the headers changed their form?")
    text = ["// Made by collector/cudnn/generate_cudnn_hooks.py; do not edit.",
            "#include <cudnn.h>", "", "#include <iterator>", "",
            '#include "collector/cudnn/cudnn_backend.h"',
            '#include "collector/cudnn/cudnn_hash.h"',
            '#include "collector/cudnn/cudnn_hooks.h"',
            '#include "collector/cudnn/cudnn_living.h"', "",
            "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"",
            '#define HOOK extern "C" __attribute__((visibility("default")))',
            "using namespace inquest::collector;", ""]
    for index, name in enumerate(found):
        if name not in BY_HAND:
            text.append(wrapper(index, name, found, enums))
    text += ["namespace inquest::collector {", "",
             "constinit CudnnSlot g_cudnn_slots[] = {"]
    text += [f'    {{"{name}", {str(keeps_books(name, found)).lower()}}},'
             for name in found]
    text += ["};", "void* const g_cudnn_hooks[] = {"]
    text += [f"    reinterpret_cast<void*>(&::{name})," for name in found]
    text += ["};", f"const int g_cudnn_slot_count = {len(found)};", "",
             "}  // namespace inquest::collector", ""]
    out.write_text("\n".join(text))


main()

# SPDX-License-Identifier: Apache-2.0
"""Writes readable names of cuDNN's enumerators, for cudnn_words.h.

Usage: generate_cudnn_names.py INCLUDE_DIR OUT.cc

CUDNN_POOLING_MAX of cudnnPoolingMode_t becomes "max": the common prefix of a
type's enumerators is left out. Attributes of the backend API lose the operation
they belong to: CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC becomes "scale".
"""

import os
import pathlib
import re
import sys

ENUM = re.compile(r"typedef enum\s*\{(.*?)\}\s*(cudnn\w+)", re.S)
MEMBER = re.compile(r"(CUDNN_\w+)\s*(?:CUDNN_DEPRECATED_ENUM)?\s*=\s*(\d+)")
# The longer ones first.
OPERATIONS = re.compile(
    r"CUDNN_ATTR_(?:OPERATION_)?(?:CONVOLUTION_(?:FORWARD|BWD_DATA|BWD_FILTER)|"
    r"BN_(?:FINALIZE|BWD_WEIGHTS)|RESAMPLE_[FB]WD|NORM_[FB]WD|SDPA_[FB]WD|"
    r"(?:EXPAND|CONTRACT)_BAND(?:_MATRIX)?|BLOCK_SCALE_(?:DE)?QUANTIZE|"
    r"PAGED_CACHE_LOAD|MOE_GROUPED_MATMUL|[A-Z]+)_")


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def words(name):
    return name.replace("_", " ").lower().strip()


def short(kind, name, prefix):
    if kind == "cudnnBackendAttributeName_t":
        return words(re.sub(r"_?DESCS?$", "", OPERATIONS.sub("", name, 1)))
    if kind == "cudnnBackendDescriptorType_t":
        name = re.sub(r"^CUDNN_BACKEND_(OPERATION_)?", "", name)
        return words(name.removesuffix("_DESCRIPTOR"))
    return words(name[len(prefix):])


def rows(include):
    found = {}
    for header in sorted(include.glob("cudnn_*.h")):
        text = without_comments(header.read_text(errors="replace"))
        for body, kind in ENUM.findall(text):
            members = MEMBER.findall(body)
            common = os.path.commonprefix([name for name, _ in members])
            prefix = common[:common.rfind("_") + 1]
            for name, value in members:
                found.setdefault((kind, int(value)), short(kind, name, prefix))
    return sorted(found.items())


def main():
    include, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = rows(include)
    if len(found) < 100:
        sys.exit(f"generate_cudnn_names.py: only {len(found)} enumerators found "
                 f"in {include}; have the headers changed their form?")
    text = ["// Made by collector/cudnn/generate_cudnn_names.py; do not edit.",
            '#include "collector/cudnn/cudnn_names.h"', "",
            "namespace inquest::collector {", "",
            "constinit const CudnnNamed g_cudnn_names[] = {"]
    text += [f'    {{"{kind}", {value}, "{name}"}},'
             for (kind, value), name in found]
    text += ["};", f"const int g_cudnn_name_count = {len(found)};", "",
             "}  // namespace inquest::collector", ""]
    out.write_text("\n".join(text))


main()

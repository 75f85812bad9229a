// SPDX-License-Identifier: Apache-2.0
// The code that made a block, whoever called it: what a later run repeats
// (earlier_run.h). Usually the function, file and line of a site.
//
// Cells of a notebook: each execution of a changed cell is a file of its own,
// and the second model is often built by a copy of the first one's code. There
// the way through the libraries and the names of the cell's functions stand for
// the place; of several places in one cell that are alike so far, their order.
// Top-level code that calls the allocator itself shows nothing of the kind.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/memory/replay/replay.h"
#include "analyzer/memory/sites/sites.h"

namespace inquest::memory {

struct Origin {
  size_t maker = 0;  // equal for equal code
  size_t way = 0;    // equal if its callers are equal, too
};

// All frames of a stack, innermost first, those of libraries included.
using AllFrames = std::function<std::vector<Frame>(int64_t stack)>;

// Of each block. Without `frames`, cells are files like others.
std::vector<Origin> OriginsOf(const std::vector<HeldBlock>& blocks,
                              const std::vector<Site>& sites,
                              const AllFrames& frames);

// "<ipython-input-3-0a1b2c>", "/tmp/ipykernel_17/31.py"
bool IsNotebookCell(std::string_view file);

}  // namespace inquest::memory

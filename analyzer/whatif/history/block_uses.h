// SPDX-License-Identifier: Apache-2.0
// What the blocks of a history are for: which of them grow with the batch
// (activations and what a step computes with) and which do not (weights,
// gradients, optimizer state and what an optimizer computes with). For
// history_finish.cc; models of other batches and precisions rest on it.
//
// How it is found out, without names:
//  - what outlives a step, or was live all the time, lasts.
//  - a step that keeps activations for a backward pass holds much of what it
//    allocates at once. In such a step, blocks of the sizes of lasting ones
//    that are made after the activations' peak are gradients or the
//    optimizer's; before it, they are activations of the same size.
//  - weights, gradients and the optimizer's moments are as many blocks of each
//    size. So if the number of lasting blocks of nearly every size can be
//    divided by 3, there are 3 for each weight.
//  - autocast copies weights into blocks of half their sizes, and one line (the
//    linear layer's) does so for weights of all sizes, and goes on to allocate.
//    Where there is such a line, it is in use already.
// Sizes are bytes. Pure computation.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/whatif/history/history.h"

namespace inquest::whatif {

// Marks more blocks as persistent and returns the rest of what is known.
// `step_of`: the step that each block was made in.
// `place_of` names the innermost line of a site; empty: it is unknown.
BlockUses FindBlockUses(
    const std::vector<uint32_t>& step_of,
    const std::function<std::string(uint32_t site)>& place_of,
    History* history);

}  // namespace inquest::whatif

// SPDX-License-Identifier: Apache-2.0
// What a function on a call stack says about the code that it runs: a module's
// forward pass, a backward pass, an optimizer, a loader of data, an autotuner.
// For rhythm_judge.h, which tells layers from training steps. From the names
// that PyTorch, JAX, Keras and their trainers give these functions, and from
// the folders that they lie in; a user's file of that name is not one. Pure.
#pragma once

#include "analyzer/memory/sites/symbolize.h"

namespace inquest::memory {

enum class FrameRole {
  kOther,
  kModule,  // the forward function of a layer or a model
  kBackward,
  kOptimizer,
  kLoader,
  kAutotuner,
};

FrameRole RoleOf(const Frame& frame);

}  // namespace inquest::memory

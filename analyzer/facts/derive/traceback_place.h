// SPDX-License-Identifier: Apache-2.0
// What the frames of one traceback tell a reader: what the program was doing,
// by rules/world.yaml, and where: the innermost frame of the user's own code
// or, without one, of any code but the framework's core, and what it called.
// Called when tracebacks are collected.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/facts/store/log_rows.h"

namespace inquest::facts {

// Outermost frame first. Nothing if no frame proves it.
std::optional<std::string> PhaseOf(const std::vector<LogFrame>& frames);
// "save_checkpoint (train.py:745), which called barrier"
std::optional<std::string> PlaceOf(const std::vector<LogFrame>& frames);
// The innermost frame of PyTorch's core, for a traceback that shows no more.
std::optional<std::string> CoreOf(const std::vector<LogFrame>& frames);

// Keras and TensorFlow take the frames of their own out of a traceback; this
// one, which does it, stands where they were.
bool HidesFrames(const LogFrame& frame);
// "load_weights" of "model.load_weights(path)": what a line of source calls;
// empty if that is not one call.
std::string OnlyCall(std::string_view source);

}  // namespace inquest::facts

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/peaks/code_places.h"

#include <array>
#include <string_view>
#include <utility>

#include "analyzer/memory/steps/frame_roles.h"

namespace inquest::memory {
namespace {

// The names of PyTorch's memory timeline, and what they are here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kNames =
    {{{"parameter", "weights"},
      {"gradient", "gradients"},
      {"optimizer state", "optimizer"},
      {"activation", "activations"},
      {"autograd detail", "activations"},
      {"temporary", "workspace"},
      {"input", "other"},
      {"unknown", "other"}}};

}  // namespace

const CodePlace& CodePlaces::Of(int64_t stack) {
  const auto [entry, is_new] = places_.try_emplace(stack);
  if (is_new && stack != 0) entry->second = Read(stack);
  return entry->second;
}

CodePlace CodePlaces::Read(int64_t stack) const {
  CodePlace place;
  const std::vector<Frame> frames = frames_(stack);
  if (!frames.empty()) place.code = Code::kOther;
  for (const auto& [name, category] : kNames) {
    if (frames.size() == 1 && frames.front().file.empty() &&
        frames.front().function == name) {
      return {Code::kNamed, std::string(category), false};
    }
  }
  for (const Frame& frame : frames) {
    if (frame.module.find("libnccl") != std::string::npos) {
      place.code = Code::kNccl;
      return place;
    }
    const FrameRole role = RoleOf(frame);
    place.of_model |= role == FrameRole::kModule ||
                      role == FrameRole::kOptimizer ||
                      role == FrameRole::kBackward;
    if (role == FrameRole::kOptimizer) place.code = Code::kOptimizer;
    if (role == FrameRole::kBackward && place.code != Code::kOptimizer) {
      place.code = Code::kBackward;
    }
  }
  return place;
}

}  // namespace inquest::memory

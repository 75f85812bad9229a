// SPDX-License-Identifier: Apache-2.0
// What the name of an NVTX range or mark says of it: whether it is a training
// step, an epoch, an operation of a library, or anything else. Used by the
// collector to tell what it must keep of a flood, by importers, and by the
// analyzer, which decides. Pure; at most the first kMaxOfAName characters are
// looked at, once each, so that it fits into the host's hot path.
//
// Steps are called so in a word of its own: "step_12", "Step::5", "train_step",
// "ProfilerStep#3", "iteration12", "Batch 7", "Optimizer.step#AdamW.step";
// "timestep", "BatchNorm" and "criterion" are none. Operations are what
// torch.autograd.profiler.emit_nvtx ("aten::add, op_id = 7", "MulBackward0")
// and libraries ("ncclAllReduce", "cub::DeviceScan") push around each of
// theirs.
#pragma once

#include <cstddef>
#include <string_view>

namespace inquest::trace {

enum class RangeKind { kStep, kEpoch, kOperation, kOther };
inline constexpr size_t kMaxOfAName = 96;

RangeKind KindOfRange(std::string_view name);
// Without what emit_nvtx adds to a name: sequence and operation numbers, sizes.
std::string_view BareRangeName(std::string_view name);

}  // namespace inquest::trace

// SPDX-License-Identifier: Apache-2.0
// What the name of an NVTX range or mark says about it: whether it is a
// training step, an epoch, an operation of a library, or anything else. Used by
// the collector to choose what it keeps of a flood, by importers, and by the
// analyzer, which decides. Pure; reads at most the first kMaxNameLength
// characters, once each, so it is fast enough for the host's hot path.
//
// The name of a step has a whole word that says so: "step_12", "Step::5",
// "train_step", "ProfilerStep#3", "iteration12", "Batch 7",
// "Optimizer.step#AdamW.step"; "timestep", "BatchNorm" and "criterion" are not
// steps. Operations are the ranges that torch.autograd.profiler.emit_nvtx
// ("aten::add, op_id = 7", "MulBackward0") and libraries ("ncclAllReduce",
// "cub::DeviceScan") push around each operation.
#pragma once

#include <cstddef>
#include <string_view>

namespace inquest::trace {

enum class RangeKind { kStep, kEpoch, kOperation, kOther };
inline constexpr size_t kMaxNameLength = 96;

RangeKind KindOfRange(std::string_view name);
// Without what emit_nvtx adds to a name: sequence and operation numbers, sizes.
std::string_view BareRangeName(std::string_view name);

}  // namespace inquest::trace

// SPDX-License-Identifier: Apache-2.0
// The files that make up cuDNN, and which cuDNN a Python package asks for.
// Reads files only; any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace inquest::host {

// The parts that belong beside libcudnn.so.9 or .8, as libcudnn_ops.so.9.
// Other releases have other parts, or none: empty.
std::vector<std::string> PartsOfCudnn(std::string_view file);

// Parts of cuDNN export their version as data under one of these names.
inline constexpr std::initializer_list<const char*> kCudnnVersionData = {
    "cudnn_ops_infer_version", "cudnn_adv_infer_version",
    "cudnn_cnn_infer_version", "cudnn_graph_version"};
// That data, one byte a part of the number, as 9.19.0; empty: not a version.
std::string CudnnVersionInData(uint64_t data);

// The release of cuDNN, as 9.1.0, that the Python package of this library pins
// (Requires-Dist: nvidia-cudnn-cu12==9.1.0.70 in its METADATA, as in PyTorch's
// wheels). Empty if there is no package or it pins none.
std::string CudnnRequiredBy(const std::string& library);

}  // namespace inquest::host

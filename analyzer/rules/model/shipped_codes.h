// SPDX-License-Identifier: Apache-2.0
// The names of CUDA's and HIP's results, cuDNN's statuses and signals, for code
// that must know them whatever rules are loaded. Generated from the
// vocabularies in rules/signatures/codes (generate_codes.py), so that each name
// stands once.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace inquest::rules {

struct ShippedCode {
  int64_t number;
  std::string_view name;   // CUDA: of the runtime; empty: it has none
  std::string_view other;  // CUDA: of the driver; else an older name, or empty
  std::string_view text;   // in words; empty: none
};

// In the order of their numbers. CUDA's are those since CUDA 10.1, where the
// enums of driver and runtime agree.
std::span<const ShippedCode> CudaCodes();
std::span<const ShippedCode> CudnnCodes();     // since cuDNN 9
std::span<const ShippedCode> OldCudnnCodes();  // of cuDNN 7 and 8
std::span<const ShippedCode> SignalCodes();
std::span<const ShippedCode> HipCodes();

}  // namespace inquest::rules

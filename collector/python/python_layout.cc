// SPDX-License-Identifier: Apache-2.0
#include "collector/python/python_layout.h"

namespace inquest::collector {
namespace {

using I = PythonLayout::Instruction;

// clang-format off
constexpr PythonLayout kLayouts[] = {
  // minor  thread   frame                        code                     str
  { 8,  24, -1,  32, 24, 104, I::kBytes,   -1,  40, 104, 112, 120,   0,  48, 72},
  { 9,  24, -1,  32, 24, 104, I::kBytes,   -1,  40, 104, 112, 120,   0,  48, 72},
  {10,  24, -1,  32, 24,  96, I::kUnits,   -1,  40, 104, 112, 120,   0,  48, 72},
  {11,  56,  8,  32, 48,  56, I::kPointer, -1,  72, 112, 128, 136, 184,  48, 72},
  {12,  56,  0,   0,  8,  56, I::kPointer, 70,  68, 112, 128, 136, 192,  40, 56},
  {13,  72, -1,   0,  8,  56, I::kPointer, 70,  68, 112, 128, 136, 200,  40, 56},
  {14,  72, -1,   0,  8,  56, I::kPointer, 74,  68, 112, 128, 136, 208,  40, 56},
};
// clang-format on

}  // namespace

const PythonLayout* PythonLayoutOf(int minor) {
  for (const PythonLayout& layout : kLayouts) {
    if (layout.minor == minor) return &layout;
  }
  return nullptr;
}

}  // namespace inquest::collector

// SPDX-License-Identifier: Apache-2.0
// Which descriptors of cuDNN's legacy API the host has made, whether a setter
// has filled them, and what the last refused setter was given. Where cuDNN has
// rejected a call, this shows which of its descriptors can be read at all
// (cudnn_operations.cc); what it has accepted is not examined.
//
// Called by the generated wrappers, before a descriptor is destroyed and after
// everything else. Lossy: two descriptors may share a place, and the one that
// was noted first is then unknown. Any thread, no locks that wait, no
// allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "collector/cudnn/cudnn_descriptors.h"

namespace inquest::collector {

struct CudnnLife {
  enum class State : uint8_t { kUnknown, kUnset, kSet, kDestroyed };
  State state = State::kUnknown;
  bool refused = false;  // a setter, after those that succeeded
  CudnnOperand::Kind kind = CudnnOperand::Kind::kCount;
};

void CudnnDescriptorMade(CudnnOperand::Kind kind, const void* descriptor);
void CudnnDescriptorDestroying(const void* descriptor);
// Also of one whose making was not seen: it exists.
void CudnnDescriptorSet(CudnnOperand::Kind kind, const void* descriptor);
// `arguments` as text: n 8, c -3, h 224, w 224.
void CudnnDescriptorRefused(const void* descriptor, const char* function,
                            std::string_view arguments);

CudnnLife LifeOfCudnnDescriptor(const void* descriptor);
// The refused setter with its arguments; empty if it is no longer known.
std::string_view CopyCudnnRefusal(const void* descriptor, char* to,
                                  size_t size);
// In a forked child: a thread of the parent may have been writing one.
void FreeCudnnRefusals();

}  // namespace inquest::collector

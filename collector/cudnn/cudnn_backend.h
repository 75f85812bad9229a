// SPDX-License-Identifier: Apache-2.0
// cuDNN's backend API, through which PyTorch and cudnn-frontend run their work:
// operations are made from tensors and modes, a graph from operations, a plan
// from a graph and an engine, and a plan is executed with a pack of addresses.
//
// The values that the host sets are noted for each descriptor while it exists,
// because the library does not return all of them (not the operations of a
// graph, nothing of a pointwise mode). A finished graph is an operation in the
// sense of cudnn_operations.h; its id is passed on with the heuristic's answers
// to engine configurations and from there to plans. Engine, knobs and requested
// workspace are read from the library when a plan is finished, or first
// executed.
//
// Called by the generated wrappers, for the host's own calls that succeed, and
// for those that are rejected to say what of. At
// most 32,768 descriptors have notes at a time; more are counted as loss and
// their plans are recorded as operation 0. Notes are allocated, a few hundred
// bytes each, and freed with their descriptors. No locks: as with cuDNN itself,
// a descriptor must not be used while another thread changes or destroys it.
#pragma once

#include <cstdint>

#include "collector/cudnn/backend_values.h"

namespace inquest::collector {

void BackendCreated(int type, void* descriptor);
void BackendDestroying(void* descriptor);
// `elements` are the host's: `count` of the attribute's type.
void BackendSet(void* descriptor, int attribute, int type, int64_t count,
                const void* elements);
// The library has filled in `*count` of `room` elements.
void BackendGot(void* descriptor, int attribute, int64_t room,
                const int64_t* count, const void* elements);
// `real` is the library's cudnnBackendFinalize.
void BackendFinalized(void* descriptor, const void* real);
// The choice (cudnn_operations.h) of an execution of this plan.
uint64_t BackendChoice(const char* function, const void* plan,
                       const void* pack);
// The choice of a rejected call: what had been set of the descriptor, and the
// attribute that was to be set now, null for other calls. 0: nothing is known.
uint64_t BackendRejection(const char* function, const void* descriptor,
                          const BackendAttribute* attribute);
void ForgetCudnnBackend();  // in a forked child

}  // namespace inquest::collector

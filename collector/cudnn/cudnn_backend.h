// SPDX-License-Identifier: Apache-2.0
// cuDNN's backend API, through which PyTorch and cudnn-frontend run their work:
// tensors and modes make operations, operations a graph, a graph and an engine
// a plan, and a plan is executed with a pack of addresses.
//
// What the host sets is noted for each descriptor while it lives, because the
// library does not give all of it back (of a graph not the operations, of a
// pointwise mode nothing). A finished graph is an operation in the sense of
// cudnn_operations.h; its id goes with the heuristic's answers into engine
// configurations and from there into plans. Engine, knobs and the workspace
// asked are asked of the library when a plan is finished, or first executed.
//
// Called by the generated wrappers, for the host's own successful calls. At
// most 32,768 descriptors are noted at a time; more are counted as loss and
// their plans run as operation 0. Notes are allocated, a few hundred bytes
// each, and freed with their descriptors. No locks: as with cuDNN itself, a
// descriptor must not be used while another thread changes or destroys it.
#pragma once

#include <cstdint>

namespace inquest::collector {

void BackendCreated(int type, void* descriptor);
void BackendDestroying(void* descriptor);
// `elements` as the host gave them: `count` of the attribute's type.
void BackendSet(void* descriptor, int attribute, int type, int64_t count,
                const void* elements);
// The library has filled in `*count` of `room` elements.
void BackendGot(void* descriptor, int attribute, int64_t room,
                const int64_t* count, const void* elements);
// `real` is the library's cudnnBackendFinalize.
void BackendFinalized(void* descriptor, const void* real);
// The choice (cudnn_operations.h) that an execution of this plan is.
uint64_t BackendChoice(const char* function, const void* plan,
                       const void* pack);
void ForgetCudnnBackend();  // in a forked child

}  // namespace inquest::collector

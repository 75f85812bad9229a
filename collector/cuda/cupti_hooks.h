// SPDX-License-Identifier: Apache-2.0
// CUPTI has one subscriber at a time. When the host's own profiler subscribes
// (torch.profiler, JAX), these hooks give up our subscription first, record the
// gap in `coverage`, and subscribe again when the host has unsubscribed.
// Otherwise the host's profiler would silently show no GPU activity.
//
// Hosts reach these hooks as they reach the cuDNN ones: through the PLT or our
// dlsym. libcupti's own calls are passed on.
#pragma once

namespace inquest::collector {

// For dlsym: the hook of this name, or null.
void* CuptiHook(const char* name);

}  // namespace inquest::collector

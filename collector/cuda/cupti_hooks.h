// SPDX-License-Identifier: Apache-2.0
// CUPTI has one subscriber at a time. When the host's own profiler wants to be
// it (torch.profiler, JAX), we notice here, give up ours first, note the gap in
// `coverage`, and subscribe again when the host has unsubscribed. Without that
// the host's profiler would quietly show no GPU activity.
//
// Hosts reach these hooks as they reach the cuDNN ones: through the PLT or our
// dlsym. What libcupti calls itself is passed on.
#pragma once

namespace inquest::collector {

// For dlsym: the hook of this name, or null.
void* CuptiHook(const char* name);

}  // namespace inquest::collector

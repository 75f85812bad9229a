// SPDX-License-Identifier: Apache-2.0
// A source: one thing that the collector watches (CUDA's callbacks, cuDNN's
// calls, NVML, …), as the session and its background thread see it. A source's
// work inside the host's calls does not pass through here: hooks and callbacks
// are compiled in, so a call costs no indirection.
//
// Each source defines its table of functions in its own folder; sources.cc
// lists them all, in the order in which they are called. Every function may be
// null. To add a source: define one, list it there.
#pragma once

#include <span>
#include <vector>

#include "collector/core/session.h"
#include "collector/process/modules.h"

namespace inquest::collector {

struct Source {
  const char* name;
  // The collector is loaded, usually before anything else of the process, and
  // its variables were not set before: CUDA may run already without it.
  void (*load)() = nullptr;
  // Recording begins. Called in the host's thread that first used CUDA or
  // cuDNN.
  void (*start)(const Config&) = nullptr;
  // Background thread, before its first batch: for slow work.
  void (*start_in_background)() = nullptr;
  // Background thread, after each batch: four times a second when idle.
  void (*housekeep)(const Config&) = nullptr;
  // Background thread, after a library was loaded. The list has the new
  // objects; it may be empty.
  void (*note_loaded)(const std::vector<Module>&) = nullptr;
  // Background thread: a call has failed ("failure") or the process exits
  // ("end"); records the state of what it watches.
  void (*sample)(const char* reason) = nullptr;
  // In a forked child, before fork returns: its trace has none of the parent's
  // records, so the source must forget what it has recorded. Other threads of
  // the parent may have held any lock: it takes no lock and frees nothing.
  void (*forget_in_child)() = nullptr;
};

extern const Source kProcessSource;    // process/environment.cc
extern const Source kStacksSource;     // stacks/stacks.cc
extern const Source kPythonSource;     // python/python_api.cc
extern const Source kPreloadSource;    // core/lifecycle.cc
extern const Source kCuptiSource;      // cuda/cupti_source.cc
extern const Source kNvtxSource;       // cuda/nvtx.cc
extern const Source kCudnnSource;      // cudnn/cudnn_source.cc
extern const Source kTorchSource;      // torch/c10_hooks.cc
extern const Source kLibrariesSource;  // process/libraries.cc
extern const Source kDriverSource;     // process/driver.cc
extern const Source kCgroupsSource;    // process/cgroups.cc
extern const Source kNvmlSource;       // nvml/nvml.cc

std::span<const Source* const> Sources();

}  // namespace inquest::collector

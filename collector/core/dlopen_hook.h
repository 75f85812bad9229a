// SPDX-License-Identifier: Apache-2.0
// The dlopen that the process sees: notes that something is about to be loaded
// and jumps to the real dlopen with an unchanged stack, so that the linker
// searches for the true caller (RPATH, RUNPATH, $ORIGIN). What was loaded is
// looked at in the next dlsym, as Python calls for each extension module and
// every program for a plugin, and at the end of the process; so a process that
// loads no library of CUDA or of a framework pays a few microseconds a load.
//
// Recording begins with the first such library, or with the attempt to load
// libcuda: the driver may not be there. It never begins for what a forked child
// has from its parent, and not while the program's first libraries are being
// initialised: they must not be called then.
#pragma once

namespace inquest::collector {

// dlopen for ourselves, as the process has it: a tool in front of us (a
// sanitizer) sees our loads, too.
void* OpenLibrary(const char* file, int mode);

// Begins recording if a library that we watch was loaded since the last look.
void LookAtLoads();
// What is loaded now is the parent's: a forked child begins with later loads.
void LeaveLoadsToParent();
// Called by our constructor: from here on recording may begin.
void AllowLooking();

}  // namespace inquest::collector

// Writes a row for every object mapped into the process when it is first seen,
// with path, place and build id, so that recorded stacks can be symbolised
// elsewhere; for the libraries that verdicts are about also with a version, and
// for frameworks what their Python packages say (packages.h).
// Drain thread only.
#pragma once

namespace inquest::collector {

enum class ScanReason { kStart, kChange };
// kChange does nothing unless something was loaded since.
void ScanLibraries(ScanReason reason);

}  // namespace inquest::collector

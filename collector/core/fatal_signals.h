// SPDX-License-Identifier: Apache-2.0
// Records a fatal signal in the journal and passes it on to the previous
// handler, so that exit status and core file stay the same. Handles SIGSEGV,
// SIGBUS, SIGFPE, SIGILL and SIGABRT; SIGTERM and the rest are left alone. A
// host that installs handlers of its own later replaces ours, which is fine. A
// SIGBUS that a page of our own journal caused is none of the host's: it goes
// on (trace/journal/page_rescue.h).
#pragma once

namespace inquest::collector {

void InstallSignalHandlers();

}  // namespace inquest::collector

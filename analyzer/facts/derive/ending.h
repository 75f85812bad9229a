// Decides which errors in the logs the run survived, and how the run ended:
// fills log_event.survived and the fact `ending`. Called once, after the logs
// were read and the run's own exit status was added, before CollectLogOoms.
//
// An error was survived when ordinary work went on after it in the same log:
// three signs of progress with no further error between them, or the run's own
// word that it finished; or when a benign signature recognised the same line.
// A library or a GPU that cannot be used before the first step is survived by
// that step: the program goes on without it.
// A sign of progress with the figure `handled` ("skipping batch") says so
// itself: then it is enough that no error comes after it. What a scheduler ends
// is not survived by the steps that still get done. A death is believed on the
// run's exit status first; without one, on an error that was not survived.
#pragma once

#include "analyzer/facts/store/store.h"

namespace inquest::facts {

Status DecideEnding(Store* store);

}  // namespace inquest::facts

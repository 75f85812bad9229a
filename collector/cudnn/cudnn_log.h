// SPDX-License-Identifier: Apache-2.0
// Records cuDNN's warnings and errors as messages, through its callback, which
// costs nothing until there are some. The host's callback has priority: the one
// that it sets is kept, called with the severities it wants, and returned when
// it asks for it. If the user has set a log level in the environment, cuDNN
// writes its own log, and no callback is set.
#pragma once

namespace inquest::collector {

// Called before and after every host call; does something once a session, when
// cuDNN is loaded: asks for the library's version and sets the callback.
void WatchCudnnLog();

}  // namespace inquest::collector

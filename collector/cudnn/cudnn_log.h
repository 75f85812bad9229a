// SPDX-License-Identifier: Apache-2.0
// cuDNN's own words. We ask it, by its callback, for warnings and errors, which
// cost nothing until there are some, and enter them as messages. The host's
// callback comes first: what it sets is kept, called with what it asked for,
// and returned when it asks. Where the user has set a log level in the
// environment, cuDNN writes to where the user wants it, and we keep out.
#pragma once

namespace inquest::collector {

// Called before and after every host call; does something once a session, when
// cuDNN is loaded: asks for the library's version and sets the callback.
void WatchCudnnLog();

}  // namespace inquest::collector

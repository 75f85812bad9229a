// SPDX-License-Identifier: Apache-2.0
// A page of HTML with data in it: one file that needs nothing else. Called by
// report/page and fleet/page.
//
// Nothing of the data becomes HTML: it is JSON in an element that no browser
// runs, and web/*.js puts it in as text. A policy in the page names the hashes
// of its own script and style and forbids everything else, the network
// included.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inquest::page {

// `frame`: what join.cmake made. What would move a cursor or turn the direction
// of a text is shown as such; texts are cut at 4,000 bytes.
Expected<std::string> FillPage(std::string_view frame, nlohmann::json data);

}  // namespace inquest::page

// SPDX-License-Identifier: Apache-2.0
// A log line without what differs from run to run: numbers, addresses, ids,
// paths, times. Lines that one statement of a program printed become equal, so
// that unknown ends can be counted by their wording.
#pragma once

#include <string>
#include <string_view>

namespace inquest::fleet {

// "[rank3]: cannot open /data/x-17.bin (errno 5)" →
// "[rank<n>]: cannot open <path> (errno <n>)". At most 300 bytes.
std::string LogTemplate(std::string_view line);

}  // namespace inquest::fleet

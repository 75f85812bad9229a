// SPDX-License-Identifier: Apache-2.0
// Finds the header that loggers, services and terminals put before a program's
// own words: time, level, source, host and tag, a quotation mark. Rank and
// container prefixes are stripped earlier by the reader. `^` in a signature
// matches the start of the words. Internal to the log reader.
#pragma once

#include <cstddef>
#include <string_view>

namespace inquest::ingest {

// Bytes before the words; 0 if there is no header, or nothing else.
size_t HeaderLength(std::string_view line);

}  // namespace inquest::ingest

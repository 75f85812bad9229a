// SPDX-License-Identifier: Apache-2.0
// Finds what loggers, services and terminals put before a program's own words,
// except the rank and container prefixes, which the reader strips: time, level,
// source, host and tag, a quotation mark. Signatures anchored at the start of a
// line mean the start of the words. Internal to the log reader.
#pragma once

#include <cstddef>
#include <string_view>

namespace inquest::ingest {

// Bytes before the words; 0 if there is no header, or nothing else.
size_t HeaderLength(std::string_view line);

}  // namespace inquest::ingest

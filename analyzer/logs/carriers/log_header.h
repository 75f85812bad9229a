// What loggers, services and terminals put before a program's own words, other
// than the ranks and containers that the reader takes off for good: time,
// level, source, host and tag, a quotation mark. Many signatures ask for the
// beginning of a line; they mean that of the words. Internal to the log reader.
#pragma once

#include <cstddef>
#include <string_view>

namespace inquest::ingest {

// Bytes before the words; 0 where there is no such thing, or nothing but it.
size_t HeaderLength(std::string_view line);

}  // namespace inquest::ingest

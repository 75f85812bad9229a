// SPDX-License-Identifier: Apache-2.0
// Sizes, durations and times as logs write them and as people read them. Sizes
// count in 1024s whatever the suffix (GiB, GB, G), as the frameworks do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace inquest {

inline constexpr int64_t kMiB = 1 << 20;

// "1.99 GiB", "585.94MiB", "16G", "614400000", "12 bytes"; empty if the text is
// not a size. Values above 2^63-1 become 2^63-1.
std::optional<int64_t> ParseBytes(std::string_view text);
// "6s", "30 min", "1800000" (milliseconds), "600000ms", "0:30:00".
std::optional<int64_t> ParseMilliseconds(std::string_view text);

// "9.10 GiB"; exact bytes below 1 KiB: "512 B".
std::string FormatBytes(int64_t bytes);
// "12,345".
std::string FormatCount(int64_t count);
// "1.5 s", "12 ms", "3 h 20 min".
std::string FormatDuration(int64_t nanoseconds);
// Wall clock, UTC: "2026-11-20 10:15:02.123".
std::string FormatTime(int64_t realtime_ns);

// Makes foreign text safe to print: control characters and invalid UTF-8 become
// \xNN, and it is cut, with a mark, after max_bytes.
std::string Printable(std::string_view text, size_t max_bytes = 2000);
// The same for a whole text, whose ends of lines stay; with `colours` the
// sequences that set one stay, too.
std::string PrintableLines(std::string_view text, bool colours = false);
// Cuts a text to max_bytes, between characters, and marks that with "…".
void Shorten(std::string* text, size_t max_bytes);

}  // namespace inquest

// SPDX-License-Identifier: Apache-2.0
// Splits lines of YAML in blocks into keys and list items, only by indentation.
// Internal to the layout, which checks afterwards that nothing was misread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace inquest::authoring {

using Lines = std::vector<std::string>;

size_t IndentOf(std::string_view line);
bool IsBlank(std::string_view line);
bool IsComment(std::string_view line);
// Blanks at the end, and a carriage return.
std::string Stripped(std::string line);
Lines SplitLines(std::string_view text);

// One `key: …` of a mapping, or one `- …` of a list.
struct Chunk {
  Lines comments;    // directly above
  bool gap = false;  // a blank line precedes it
  std::string key;   // of a mapping
  Lines lines;       // its own, the first with key or dash
};

struct Chunks {
  size_t column = 0;  // of the keys or dashes
  std::vector<Chunk> chunks;
  Lines rest;  // comments after the last
};

// The keys of a mapping, the first of which begins in `column`.
Chunks SplitMapping(const Lines& lines, size_t column);
Chunks SplitList(const Lines& lines);

// All lines moved so that the first one that is not a comment begins in
// `column`.
Lines MovedTo(const Lines& lines, size_t column);
Lines Shifted(const Lines& lines, size_t from, size_t to);

}  // namespace inquest::authoring

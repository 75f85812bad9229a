// SPDX-License-Identifier: Apache-2.0
// A line of a log cut into what stays the same from run to run and what does
// not: sizes, durations, numbers, addresses, versions, paths and quoted texts,
// each with the type and the name that a signature would give it. A guess for
// an author to correct, made by looking at the line alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/rules/model/rule_model.h"

namespace inquest::authoring {

struct LinePiece {
  std::string text;     // as it stands in the line
  std::string pattern;  // RE2 for it: escaped, or what such values look like
  std::string name;     // of the capture; empty: not captured
  rules::CaptureType type = rules::CaptureType::kString;
};

std::vector<LinePiece> CutLine(std::string_view line);

// Where the words begin, behind what a logger writes before them:
// "[E203 04:05:06 x.cpp:42] ", "E0203 04:05:06.07 12 x.cpp:42] ".
size_t LoggerHeader(std::string_view line);

// The words of a text, in small letters, three letters and more.
std::vector<std::string> WordsOf(std::string_view text);

}  // namespace inquest::authoring

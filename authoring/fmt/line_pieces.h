// SPDX-License-Identifier: Apache-2.0
// Splits a line of a log into constant text and values that vary from run to
// run: sizes, durations, numbers, addresses, versions, paths and quoted texts,
// each with a type and a name for a signature; masked secrets have no name. A
// guess for an author to correct, made only from the line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/rules/model/rule_model.h"

namespace inquest::authoring {

struct LinePiece {
  std::string text;     // as it is in the line
  std::string pattern;  // RE2 for it: escaped text, or the form of such values
  std::string name;     // of the capture; empty: not captured
  rules::CaptureType type = rules::CaptureType::kString;
};

std::vector<LinePiece> CutLine(std::string_view line);

// Where the words begin, after a logger's header: "[E203 04:05:06 x.cpp:42] ",
// "E0203 04:05:06.07 12 x.cpp:42] ".
size_t LoggerHeader(std::string_view line);

// The words of a text, in small letters, three letters and more.
std::vector<std::string> WordsOf(std::string_view text);

}  // namespace inquest::authoring

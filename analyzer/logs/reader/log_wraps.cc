// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_wraps.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace inquest::ingest {
namespace {

constexpr std::string_view kBegin = "out of memory. Tried to allocate ";
constexpr size_t kSurest = 14;  // "out of memory."

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

bool IsNumber(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return IsDigit(c) || c == '.';
  });
}

// Of all releases' messages.
bool IsOfMessage(std::string_view word) {
  constexpr std::string_view kWords[] = {
      "Tried",    "to",      "allocate",  "GPU",    "NPU",
      "XPU",      "HPU",     "has",       "a",      "total",
      "capacity", "capacty", "of",        "which",  "is",
      "free",     "Process", "Including", "memory", "non-PyTorch",
      "this",     "process", "in",        "use",    "allowed",
      "Of",       "the",     "allocated", "by",     "PyTorch",
      "with",     "private", "pools",     "e.g",    "CUDA",
      "Graphs",   "and",     "reserved",  "but",    "unallocated",
      "already",  "cached",  "current",   "active", "GiB",
      "MiB",      "KiB",     "GB",        "MB",     "KB",
      "bytes",    "B"};
  constexpr std::string_view kMarks = "(),;.";
  const size_t begin = word.find_first_not_of(kMarks);
  if (begin == word.npos) return !word.empty();
  word = word.substr(begin, word.find_last_not_of(kMarks) - begin + 1);
  return IsNumber(word) || std::ranges::find(kWords, word) != std::end(kWords);
}

}  // namespace

bool BeginsBrokenMessage(std::string_view text) {
  if (Has(text, "Tried to allocate ")) return !EndsBrokenMessage(text);
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  for (size_t n = kSurest; n < kBegin.size(); ++n) {
    if (text.ends_with(kBegin.substr(0, n))) return !EndsBrokenMessage(text);
  }
  return false;
}

bool EndsBrokenMessage(std::string_view text) {
  return Has(text, "unallocated") || Has(text, "in total by PyTorch") ||
         Has(text, "iB cached");
}

std::optional<std::string> JoinBroken(std::string_view text,
                                      std::string_view below) {
  const std::string_view above = text.substr(0, text.find_last_not_of(' ') + 1);
  const std::string_view rest = Trim(below);
  const std::string_view last = above.substr(above.rfind(' ') + 1);
  const std::string_view first = rest.substr(0, rest.find(' '));
  if (first.empty()) return {};
  const bool apart = above.size() < text.size() || below.front() == ' ';
  const bool cut =
      std::string_view(",;.)").find(first.front()) != std::string_view::npos ||
      IsOfMessage(std::string(last) + std::string(first));
  if (cut && !apart) return std::string(above) + std::string(rest);
  if (!IsOfMessage(first)) return {};
  return std::string(above) + " " + std::string(rest);
}

}  // namespace inquest::ingest

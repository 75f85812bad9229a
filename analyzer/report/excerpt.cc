// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/excerpt.h"

#include <algorithm>
#include <array>

#include "base/units.h"

namespace inquest::report {
namespace {

constexpr size_t kNowhere = std::string_view::npos;
constexpr size_t kTellingLength = 4;  // shorter figures stand anywhere
// Without their first letter, which may be a capital.
constexpr std::array<std::string_view, 8> kErrorWords{
    "rror",  "RROR",          "xception", "ailed",
    "illed", "out of memory", "erminat",  "BORTED"};

size_t FirstOf(std::string_view text, const Figure& figure) {
  if (figure.IsList()) {
    size_t first = kNowhere;
    for (const Figure& one : figure.Items()) {
      first = std::min(first, FirstOf(text, one));
    }
    return first;
  }
  const bool telling =
      figure.IsText() && figure.Text().size() >= kTellingLength;
  return telling ? text.find(figure.Text()) : kNowhere;
}

size_t FirstFigure(std::string_view text, const Figures& figures) {
  size_t first = kNowhere;
  for (const auto& [name, figure] : figures) {
    first = std::min(first, FirstOf(text, figure));
  }
  return first;
}

size_t FirstErrorWord(std::string_view text) {
  size_t first = kNowhere;
  for (const std::string_view word : kErrorWords) {
    first = std::min(first, text.find(word));
  }
  return first;
}

// A place to begin: `before` bytes in front of `at`, after a blank.
size_t BeginBefore(std::string_view text, size_t at, size_t before) {
  const size_t from = at - std::min(at, before);
  const size_t blank = text.find_first_of(" \t", from);
  return blank == kNowhere || blank >= at ? at : blank + 1;
}

// Both ends: what decides often stands in the last words of a long match.
std::string WithoutMiddle(std::string_view text, size_t most) {
  const size_t tail = most / 3;
  size_t head = most - tail;
  if (const size_t blank = text.rfind(' ', head);
      blank != kNowhere && blank > head / 2) {
    head = blank;
  }
  size_t from = text.size() - tail;
  if (const size_t blank = text.find(' ', from); blank != kNowhere) {
    from = blank;
  }
  return Printable(text.substr(0, head), most) + " …" +
         Printable(text.substr(from), most);
}

}  // namespace

std::string Excerpt(std::string_view text, const Figures& figures, size_t most,
                    std::pair<size_t, size_t> matched) {
  if (text.size() <= most) return Printable(text, most);
  const auto [begin, end] = matched;
  const bool known = begin < end && end <= text.size();
  const bool fits = known && end - begin <= most;
  // A pattern that matches all of the line says nothing of where its words are.
  if (known && !fits && end - begin < text.size()) {
    const size_t from = begin <= most / 3 ? 0 : begin;
    return (from > 0 ? "…" : "") +
           WithoutMiddle(text.substr(from, end - from), most);
  }
  size_t at = fits ? begin : FirstFigure(text, figures);
  if (at == kNowhere) at = FirstErrorWord(text);
  if (at == kNowhere || at + most / 3 <= most) return Printable(text, most);
  return "…" + Printable(text.substr(BeginBefore(text, at, most / 4)), most);
}

}  // namespace inquest::report

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/quote.h"

#include "base/text.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

// Of a panel's frame and of the mark before a traceback's own line.
constexpr std::string_view kDrawn[] = {"│", "┃", "║", "❱", "╭",
                                       "╮", "╰", "╯", "─", "━"};

bool TakeDrawn(std::string_view* text, bool from_end) {
  for (const std::string_view sign : kDrawn) {
    if (from_end ? !text->ends_with(sign) : !text->starts_with(sign)) continue;
    from_end ? text->remove_suffix(sign.size())
             : text->remove_prefix(sign.size());
    return true;
  }
  return false;
}

std::string WithoutPadding(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\t') {
      out += c;
    } else if (!out.ends_with(' ')) {
      out += ' ';
    }
  }
  return out;
}

}  // namespace

std::string QuoteOf(std::string_view line, size_t max_bytes) {
  do {
    line = Trim(line);
  } while (TakeDrawn(&line, false) || TakeDrawn(&line, true));
  return Printable(WithoutPadding(line), max_bytes);
}

}  // namespace inquest::findings

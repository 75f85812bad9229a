// SPDX-License-Identifier: Apache-2.0
// A report as titles with lines below them, and how it is made short enough for
// a screen: the least telling lines are left out first, and the report says
// that they were. Used by text_report.cc; nothing here knows what a line says.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace inquest::report {

struct TextSection {
  std::string title;               // its line; may have colours
  std::vector<std::string> items;  // lines of a thing, each with its '\n'
  size_t left_out = 0;             // items that are not shown
};

// Titles are the lines that are not indented, items begin with two blanks;
// lines with more belong to the item above. "  … and 3 more" at a section's end
// counts as three that are left out.
std::vector<TextSection> SectionsOf(std::string_view text);

// Of a section whose title has `title` in it, keep at least so many items.
struct Least {
  std::string_view title;
  size_t items = 0;
};

// Takes away last items, in the order of `steps`, until the lines below `head`
// fit into `most` lines of `width` columns. A section without items goes as a
// whole. False if something was left out.
bool FitInto(size_t most, size_t width, std::string_view head,
             const std::vector<Least>& steps,
             std::vector<TextSection>* sections);

std::string TextOf(const std::vector<TextSection>& sections);

}  // namespace inquest::report

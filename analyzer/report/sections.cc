// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/sections.h"

#include <algorithm>
#include <charconv>

#include "analyzer/report/report_words.h"
#include "analyzer/report/wrap.h"

namespace inquest::report {
namespace {

constexpr std::string_view kMore = "  … and ";

// The number in a line "  … and 3 more"; 0 if it is another line.
size_t MoreIn(std::string_view line) {
  if (!line.starts_with(kMore)) return 0;
  size_t count = 0;
  line.remove_prefix(kMore.size());
  std::from_chars(line.data(), line.data() + line.size(), count);
  return count;
}

void AddLine(std::string_view line, std::vector<TextSection>* sections) {
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (indent == 0 || sections->empty()) {
    sections->push_back({std::string(line), {}, 0});
    return;
  }
  TextSection& section = sections->back();
  if (const size_t more = MoreIn(line); more > 0) {
    section.left_out += more;
  } else if (indent > 2 && !section.items.empty()) {
    section.items.back() += line;
  } else {
    section.items.emplace_back(line);
  }
}

size_t LinesIn(std::string_view text, size_t width) {
  const std::string wrapped = WrapLines(text, width);
  return static_cast<size_t>(std::ranges::count(wrapped, '\n'));
}

std::string TextOfOne(const TextSection& section) {
  std::string text = section.title;
  for (const std::string& item : section.items) text += item;
  return text + More(0, section.left_out);
}

// Takes one item away, and its lines from `lines`; whether there was one to
// take. What remains is not wrapped again: there may be items by the thousand.
bool TakeOne(const Least& least, size_t width,
             std::vector<TextSection>* sections, size_t* lines) {
  for (auto one = sections->rbegin(); one != sections->rend(); ++one) {
    if (one->title.find(least.title) == std::string::npos) continue;
    if (one->items.size() <= least.items) continue;
    *lines -= LinesIn(one->items.back(), width);
    one->items.pop_back();
    if (one->left_out++ == 0) *lines += LinesIn(More(0, 1), width);
    if (!one->items.empty()) return true;
    *lines -= LinesIn(TextOfOne(*one), width);
    sections->erase(std::next(one).base());
    return true;
  }
  return false;
}

}  // namespace

std::vector<TextSection> SectionsOf(std::string_view text) {
  std::vector<TextSection> sections;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    AddLine(text.substr(0, end), &sections);
    text.remove_prefix(end);
  }
  return sections;
}

std::string TextOf(const std::vector<TextSection>& sections) {
  std::string text;
  for (const TextSection& section : sections) text += TextOfOne(section);
  return text;
}

bool FitInto(size_t most, size_t width, std::string_view head,
             const std::vector<Least>& steps,
             std::vector<TextSection>* sections) {
  size_t lines = LinesIn(head, width) + LinesIn(TextOf(*sections), width);
  bool whole = true;
  for (const Least& step : steps) {
    while (lines > most && TakeOne(step, width, sections, &lines)) {
      whole = false;
    }
  }
  return whole;
}

}  // namespace inquest::report

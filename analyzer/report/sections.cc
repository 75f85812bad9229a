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

// Takes one item away; whether there was one to take.
bool TakeOne(const Least& least, std::vector<TextSection>* sections) {
  for (auto one = sections->rbegin(); one != sections->rend(); ++one) {
    if (one->title.find(least.title) == std::string::npos) continue;
    if (one->items.size() <= least.items) continue;
    one->items.pop_back();
    ++one->left_out;
    if (one->items.empty()) sections->erase(std::next(one).base());
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
  const size_t of_head = LinesIn(head, width);
  const auto fits = [&] {
    return of_head + LinesIn(TextOf(*sections), width) <= most;
  };
  bool whole = true;
  for (const Least& step : steps) {
    while (!fits()) {
      if (!TakeOne(step, sections)) break;
      whole = false;
    }
  }
  return whole;
}

}  // namespace inquest::report

// SPDX-License-Identifier: Apache-2.0
#include "authoring/fmt/layout_lines.h"

#include <algorithm>
#include <cctype>

namespace inquest::authoring {
namespace {

bool IsItem(std::string_view line, size_t column) {
  return line.size() > column && line[column] == '-' &&
         (line.size() == column + 1 || line[column + 1] == ' ');
}

// "key:" or "key: …" that begins at the column.
std::string KeyAt(std::string_view line, size_t column) {
  size_t end = column;
  while (end < line.size() &&
         (std::isalnum(static_cast<unsigned char>(line[end])) != 0 ||
          line[end] == '_')) {
    ++end;
  }
  const bool key = end > column && end < line.size() && line[end] == ':' &&
                   (end + 1 == line.size() || line[end + 1] == ' ');
  return key ? std::string(line.substr(column, end - column)) : std::string();
}

class Splitter {
 public:
  Splitter(size_t column, bool list) : list_(list) { result_.column = column; }

  Chunks Split(const Lines& lines) {
    for (size_t i = 0; i < lines.size(); ++i) Take(lines[i], Next(lines, i));
    result_.rest = std::move(comments_);
    for (Chunk& chunk : result_.chunks) {
      while (IsBlank(chunk.lines.back())) chunk.lines.pop_back();
    }
    return std::move(result_);
  }

 private:
  // The line below a comment at `i`; empty: none.
  static std::string Next(const Lines& lines, size_t i) {
    while (i < lines.size() && (IsBlank(lines[i]) || IsComment(lines[i]))) ++i;
    return i < lines.size() ? lines[i] : std::string();
  }

  // Whether the line continues the key or item before it.
  bool Continues(const std::string& line) const {
    const size_t indent = IndentOf(line);
    if (line.empty() || indent < result_.column) return false;
    return indent > result_.column || (!list_ && IsItem(line, indent));
  }

  void Take(const std::string& line, const std::string& next) {
    const size_t column = result_.column;
    const bool inside = !result_.chunks.empty() && comments_.empty();
    if (IsBlank(line)) {
      gap_ = true;
      if (inside) result_.chunks.back().lines.emplace_back();
      return;
    }
    const size_t indent = IndentOf(line);
    const bool ours = indent > column || Continues(next);
    if (IsComment(line) && (!inside || !ours)) {
      comments_.push_back(line.substr(indent));
      return;
    }
    const std::string key = list_ ? "" : KeyAt(line, column);
    if (indent == column && (list_ ? IsItem(line, column) : !key.empty())) {
      result_.chunks.push_back({std::move(comments_), gap_, key, {line}});
      comments_.clear();
    } else if (!result_.chunks.empty()) {
      result_.chunks.back().lines.push_back(line);
    }
    gap_ = false;
  }

  bool list_;
  bool gap_ = false;
  Lines comments_;
  Chunks result_;
};

}  // namespace

size_t IndentOf(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

bool IsComment(std::string_view line) {
  const size_t indent = IndentOf(line);
  return indent < line.size() && line[indent] == '#';
}

std::string Stripped(std::string line) {
  line.erase(line.find_last_not_of(" \t\r") + 1);
  return line;
}

Lines SplitLines(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Chunks SplitMapping(const Lines& lines, size_t column) {
  return Splitter(column, false).Split(lines);
}

Chunks SplitList(const Lines& lines) {
  size_t column = 0;
  for (const std::string& line : lines) {
    if (IsBlank(line) || IsComment(line)) continue;
    column = IndentOf(line);
    break;
  }
  return Splitter(column, true).Split(lines);
}

Lines Shifted(const Lines& lines, size_t from, size_t to) {
  Lines moved;
  for (const std::string& line : lines) {
    if (IsBlank(line)) {
      moved.emplace_back();
    } else if (to >= from) {
      moved.push_back(std::string(to - from, ' ') + line);
    } else {
      moved.push_back(line.substr(std::min(IndentOf(line), from - to)));
    }
  }
  return moved;
}

Lines MovedTo(const Lines& lines, size_t column) {
  for (const std::string& line : lines) {
    if (IsBlank(line) || IsComment(line)) continue;
    return Shifted(lines, IndentOf(line), column);
  }
  return lines;
}

}  // namespace inquest::authoring

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/command_wrap.h"

#include <vector>

#include "base/display_width.h"
#include "base/text.h"

namespace inquest::report {
namespace {

constexpr std::string_view kGoesOn = " \\";

struct Pieces {
  std::vector<std::string_view> words;
  std::string_view comment;  // begins with '#'
};

// Quotes keep blanks; so does `\`. A '#' begins a comment after a blank.
Pieces Split(std::string_view command) {
  Pieces pieces;
  size_t begin = 0;
  char quote = 0;
  const auto end_word = [&](size_t end) {
    if (end > begin) pieces.words.push_back(command.substr(begin, end - begin));
    begin = end + 1;
  };
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\\') {
      ++i;
    } else if (c == '\'' || c == '"' || c == '`') {
      quote = c;
    } else if (c == ' ') {
      end_word(i);
    } else if (c == '#' && i == begin && i > 0) {
      pieces.comment = command.substr(i);
      return pieces;
    }
  }
  end_word(command.size());
  return pieces;
}

// What stands before each further line, and behind each but the last.
struct Joint {
  std::string before;
  std::string_view behind;
};

void AddLines(const std::vector<std::string_view>& words, const Joint& joint,
              size_t indent, size_t width, std::string* out) {
  size_t used = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t length = DisplayWidth(words[i]);
    const bool last = i + 1 == words.size();
    const size_t behind = last ? 0 : joint.behind.size();
    if (i > 0 && used + 1 + length + behind > width) {
      out->append(joint.behind).append("\n").append(indent, ' ');
      out->append(joint.before);
      used = indent + joint.before.size();
    } else if (i > 0) {
      *out += ' ';
      ++used;
    } else {
      used = indent;
    }
    out->append(words[i]);
    used += length;
  }
}

}  // namespace

std::string WrapCommand(std::string_view command, size_t indent, size_t width) {
  const Pieces pieces = Split(command);
  std::string out(indent, ' ');
  AddLines(pieces.words, {"  ", kGoesOn}, indent, width, &out);
  if (pieces.comment.empty()) return out;
  out.append("\n").append(indent, ' ');
  std::vector<std::string_view> words;
  for (size_t at = 0; at < pieces.comment.size();) {
    const size_t end =
        std::min(pieces.comment.find(' ', at), pieces.comment.size());
    if (end > at) words.push_back(pieces.comment.substr(at, end - at));
    at = end + 1;
  }
  AddLines(words, {"# ", ""}, indent, width, &out);
  return out;
}

}  // namespace inquest::report

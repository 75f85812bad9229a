// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/command_wrap.h"

#include <algorithm>
#include <vector>

#include "base/display_width.h"
#include "base/text.h"

namespace inquest::report {
namespace {

constexpr std::string_view kGoesOn = " \\";

struct ShellWord {
  std::string_view text;
  bool quoted = false;  // it goes on with what the word before began to quote
};

struct Pieces {
  std::vector<ShellWord> words;
  std::string_view comment;  // begins with '#'
};

// Whether all its blanks stand between one pair of double quotes.
bool IsOneQuotation(std::string_view word) {
  const size_t close = word.find('"', 1);
  return word.starts_with('"') && close != word.npos &&
         word.find_first_of(" '\"`", close + 1) == word.npos;
}

// Between double quotes the shell takes a backslash with the line's end out, so
// a word that is too long for a line can be cut at its blanks.
void AddWord(std::string_view word, size_t most,
             std::vector<ShellWord>* words) {
  bool quoted = false;
  while ((quoted || IsOneQuotation(word)) && DisplayWidth(word) > most) {
    const size_t fits = word.rfind(' ', FittingLength(word, most));
    const size_t blank = fits == word.npos ? word.find(' ') : fits;
    if (blank == word.npos || blank == 0) break;
    words->push_back({word.substr(0, blank), quoted});
    word.remove_prefix(blank + 1);
    quoted = true;
  }
  words->push_back({word, quoted});
}

// Quotes keep blanks; so does `\`. A '#' begins a comment after a blank.
Pieces Split(std::string_view command, size_t most) {
  Pieces pieces;
  size_t begin = 0;
  char quote = 0;
  const auto end_word = [&](size_t end) {
    if (end > begin) {
      AddWord(command.substr(begin, end - begin), most, &pieces.words);
    }
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

void AddLines(const std::vector<ShellWord>& words, const Joint& joint,
              size_t indent, size_t width, std::string* out) {
  size_t used = indent;
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t length = DisplayWidth(words[i].text);
    const size_t behind = i + 1 == words.size() ? 0 : joint.behind.size();
    if (i > 0 && used + 1 + length + behind > width) {
      // Blanks before it would be quoted, too.
      const size_t blanks = words[i].quoted ? 0 : indent;
      const std::string_view before = words[i].quoted ? "" : joint.before;
      out->append(joint.behind).append("\n").append(blanks, ' ').append(before);
      used = blanks + before.size();
    } else if (i > 0) {
      *out += ' ';
      ++used;
    }
    out->append(words[i].text);
    used += length;
  }
}

// A word that fits nowhere else stands further to the left.
size_t IndentFor(const std::vector<ShellWord>& words, size_t indent,
                 size_t width) {
  size_t longest = 0;
  for (const ShellWord& one : words) {
    longest = std::max(longest, DisplayWidth(one.text));
  }
  const size_t beside = words.size() < 2 ? 0 : 2 + kGoesOn.size();
  if (indent + longest + beside <= width) return indent;
  return longest + beside < width ? width - longest - beside : 0;
}

}  // namespace

std::string WrapCommand(std::string_view command, size_t indent, size_t width) {
  const size_t around = indent + 2 + kGoesOn.size();
  const Pieces pieces = Split(command, width > around ? width - around : 1);
  std::string out;
  const size_t left = IndentFor(pieces.words, indent, width);
  out.append(left, ' ');
  AddLines(pieces.words, {"  ", kGoesOn}, left, width, &out);
  if (pieces.comment.empty()) return out;
  out.append("\n").append(indent, ' ');
  std::vector<ShellWord> words;
  for (size_t at = 0; at < pieces.comment.size();) {
    const size_t end =
        std::min(pieces.comment.find(' ', at), pieces.comment.size());
    if (end > at) words.push_back({pieces.comment.substr(at, end - at)});
    at = end + 1;
  }
  AddLines(words, {"# ", ""}, indent, width, &out);
  return out;
}

}  // namespace inquest::report

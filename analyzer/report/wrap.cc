// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/wrap.h"

#include <algorithm>

#include "analyzer/report/command_wrap.h"
#include "base/display_width.h"

namespace inquest::report {
namespace {

constexpr size_t kHanging = 4;

// Collects words into lines of a width.
class Lines {
 public:
  Lines(size_t indent, size_t width, std::string* out)
      : hanging_(std::min(indent + kHanging, width / 2)),
        width_(width),
        used_(indent),
        out_(out) {
    out_->append(indent, ' ');
  }

  void Add(std::string_view word) {
    const size_t length = DisplayWidth(word);
    if (!first_ && used_ + 1 + length > width_) {
      Break();
    } else if (!first_) {
      *out_ += ' ';
      ++used_;
    }
    first_ = false;
    if (used_ + length > width_) {
      AddPieces(word);
    } else {
      Append(word);
    }
  }

 private:
  void Break() {
    out_->append("\n").append(hanging_, ' ');
    used_ = hanging_;
  }
  void Append(std::string_view word) {
    out_->append(word);
    used_ += DisplayWidth(word);
  }
  // A word that fits into no line.
  void AddPieces(std::string_view word) {
    while (used_ + DisplayWidth(word) > width_) {
      const size_t most = FittingLength(word, width_ - used_);
      const size_t end = PieceLength(word, most);
      if (end == 0 && used_ <= hanging_) break;  // not even one character
      Append(word.substr(0, end));
      word.remove_prefix(end);
      Break();
    }
    Append(word);
  }
  // Behind a mark in the second half of what fits, else all that fits.
  static size_t PieceLength(std::string_view word, size_t most) {
    const size_t mark =
        most == 0 ? word.npos : word.find_last_of("/,:;=&?-_.", most - 1);
    return mark != word.npos && mark + 1 > most / 2 ? mark + 1 : most;
  }

  size_t hanging_;
  size_t width_;
  size_t used_;
  std::string* out_;
  bool first_ = true;
};

void WrapLine(std::string_view line, size_t width, std::string* out) {
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (DisplayWidth(line) <= width) {
    out->append(line);
    return;
  }
  if (indent == kCommandIndent) {
    out->append(WrapCommand(line.substr(indent), indent, width));
    return;
  }
  Lines lines(std::min(indent, width / 2), width, out);
  for (size_t at = indent; at < line.size();) {
    const size_t end = std::min(line.find(' ', at), line.size());
    lines.Add(line.substr(at, end - at));
    at = end + 1;
  }
}

}  // namespace

std::string WrapLines(std::string_view text, size_t width) {
  if (width == 0) return std::string(text);
  width = std::max(width, kNarrowest);
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    WrapLine(text.substr(0, end), width, &out);
    if (end == text.size()) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace inquest::report

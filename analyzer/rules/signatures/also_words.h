// SPDX-License-Identifier: Apache-2.0
// Looks for the words that a line must have besides a common literal. This is
// much cheaper than RE2 and is done for each line of a training log.
#pragma once

#include <string>
#include <string_view>

namespace inquest::rules {

// A text whose letters are folded once for several searches.
class FoldedText {
 public:
  void Set(std::string_view text);
  std::string_view text() const { return text_; }

 private:
  std::string text_;
};

// Const members may be called by many threads.
class AlsoWord {
 public:
  // As in Literals::also.
  explicit AlsoWord(std::string_view word);
  // May say so of a word that only looks alike, never the opposite.
  bool IsIn(const FoldedText& text) const;

 private:
  std::string text_;  // folded
  bool begins_;       // no letter or digit before it
  bool ends_;         // none after it
};

}  // namespace inquest::rules

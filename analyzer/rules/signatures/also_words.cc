// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/also_words.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "base/text.h"

namespace inquest::rules {
namespace {

// Folds letters and a few others, which is harmless: '_' becomes no letter, so
// a word beside it is taken for one with a boundary.
constexpr uint64_t kFold = 0x2020202020202020;

bool IsLetterOrDigit(char folded) {
  return IsAlpha(folded) || IsDigit(folded);
}

// As text.find(word, from). Words of three letters begin like many others, so
// sixteen places at a time are looked at for the first letter and the last.
size_t Find(std::string_view text, std::string_view word, size_t from) {
  using Bytes = uint8_t __attribute__((vector_size(16)));
  const size_t last = word.size() - 1;
  const Bytes begin = Bytes{} + static_cast<uint8_t>(word.front());
  const Bytes end = Bytes{} + static_cast<uint8_t>(word.back());
  for (; from + last + sizeof(Bytes) <= text.size(); from += sizeof(Bytes)) {
    Bytes first;
    Bytes other;
    std::memcpy(&first, &text[from], sizeof(first));
    std::memcpy(&other, &text[from + last], sizeof(other));
    const auto both = (first == begin) & (other == end);
    std::array<uint64_t, 2> any;
    std::memcpy(any.data(), &both, sizeof(any));
    if ((any[0] | any[1]) == 0) continue;
    const size_t at =
        text.substr(0, from + last + sizeof(Bytes)).find(word, from);
    if (at != text.npos) return at;
  }
  return text.find(word, from);
}

}  // namespace

void FoldedText::Set(std::string_view text) {
  text_ = text;
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= text_.size(); at += sizeof(uint64_t)) {
    uint64_t bytes;
    std::memcpy(&bytes, &text_[at], sizeof(bytes));
    bytes |= kFold;
    std::memcpy(&text_[at], &bytes, sizeof(bytes));
  }
  for (; at < text_.size(); ++at) text_[at] |= ' ';
}

AlsoWord::AlsoWord(std::string_view word)
    : begins_(word.starts_with('\b')), ends_(word.ends_with('\b')) {
  if (begins_) word.remove_prefix(1);
  if (ends_) word.remove_suffix(1);
  FoldedText folded;
  folded.Set(word);
  text_ = folded.text();
  // Beside '-', a boundary asks for a letter instead.
  begins_ = begins_ && IsLetterOrDigit(word.front());
  ends_ = ends_ && IsLetterOrDigit(word.back());
}

bool AlsoWord::IsIn(const FoldedText& folded) const {
  const std::string_view text = folded.text();
  for (size_t at = Find(text, text_, 0); at != text.npos;
       at = Find(text, text_, at + 1)) {
    const size_t end = at + text_.size();
    const bool begins = at == 0 || !IsLetterOrDigit(text[at - 1]);
    const bool ends = end == text.size() || !IsLetterOrDigit(text[end]);
    if ((begins || !begins_) && (ends || !ends_)) return true;
  }
  return false;
}

}  // namespace inquest::rules

// SPDX-License-Identifier: Apache-2.0
// ASCII characters and text, independent of the locale. Bytes of UTF-8 beyond
// ASCII are neither digits nor letters and stay unchanged. Used everywhere,
// also in the collector, hence header-only.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>

namespace inquest {

constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool IsAlpha(char c) {
  return IsUpper(c) || IsLower(c);
}

// Of a word or an identifier.
constexpr bool IsWordCharacter(char c) {
  return IsAlpha(c) || IsDigit(c) || c == '_';
}

constexpr char ToLower(char c) {
  return IsUpper(c) ? static_cast<char>(c | 0x20) : c;
}
inline std::string ToLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = ToLower(c);
  return lower;
}

// Ignores case; `lower` is in lower case.
constexpr bool EqualsIgnoringCase(std::string_view text,
                                  std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return ToLower(a) == b; });
}

// Without `blanks` at both ends.
constexpr std::string_view Trim(std::string_view text,
                                std::string_view blanks = " \t") {
  const size_t begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// Whether one of the parts stands in the text.
template <class Parts = std::initializer_list<std::string_view>>
constexpr bool ContainsAny(std::string_view text, const Parts& parts) {
  return std::any_of(
      std::begin(parts), std::end(parts),
      [&](std::string_view part) { return text.find(part) != text.npos; });
}

// Whether the text begins with one of them.
template <class Heads = std::initializer_list<std::string_view>>
constexpr bool StartsWithAny(std::string_view text, const Heads& heads) {
  return std::any_of(
      std::begin(heads), std::end(heads),
      [&](std::string_view head) { return text.starts_with(head); });
}

// The last part of a path; the whole, if it has no folder.
constexpr std::string_view LastPart(std::string_view path,
                                    std::string_view slashes = "/") {
  return path.substr(path.find_last_of(slashes) + 1);
}

inline void ReplaceAll(std::string* text, std::string_view from,
                       std::string_view to) {
  for (size_t at = text->find(from); at != text->npos;
       at = text->find(from, at + to.size())) {
    text->replace(at, from.size(), to);
  }
}

// As find, but in linear time, whatever a stranger's text repeats.
inline size_t FindLinear(std::string_view text, std::string_view part,
                         size_t from) {
  if (from >= text.size()) return text.npos;
  const void* at =
      memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return at == nullptr
             ? text.npos
             : static_cast<size_t>(static_cast<const char*>(at) - text.data());
}

// Whether it is a number written with letters: "0x7f2a", "0000000b".
inline bool IsHexNumber(std::string_view word) {
  constexpr size_t kFewest = 6;  // without 0x: c10d is a word
  const auto is_hex = [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  if (word.starts_with("0x"))
    return std::ranges::all_of(word.substr(2), is_hex);
  return word.size() >= kFewest && std::ranges::all_of(word, is_hex) &&
         std::ranges::any_of(word, IsDigit);
}

// Texts that differ in numbers alone become equal, also in those written in
// hexadecimal.
inline std::string WithoutNumbers(std::string_view text) {
  std::string rest;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && IsWordCharacter(text[end])) ++end;
    const std::string_view word =
        text.substr(at, std::max(end - at, size_t{1}));
    at += word.size();
    if (IsHexNumber(word)) continue;
    std::ranges::copy_if(word, std::back_inserter(rest),
                         [](char c) { return !IsDigit(c); });
  }
  return rest;
}

}  // namespace inquest

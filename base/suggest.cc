// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace inquest {
namespace {

constexpr size_t kMaxLength = 64;
constexpr size_t kMaxListed = 32;  // candidates

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

}  // namespace

// Three rows of the usual table, since a swap looks two rows back.
size_t EditDistance(std::string_view a, std::string_view b) {
  a = a.substr(0, kMaxLength);
  b = b.substr(0, kMaxLength);
  std::array<size_t, kMaxLength + 1> before{}, last{}, row{};
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = ToLower(a[i - 1]) == ToLower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + !same});
      if (i > 1 && j > 1 && ToLower(a[i - 1]) == ToLower(b[j - 2]) &&
          ToLower(a[i - 2]) == ToLower(b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

std::string Nearest(std::string_view word,
                    const std::vector<std::string>& candidates) {
  // Up to a third of the letters may differ; beyond that it is another word.
  size_t best = std::max<size_t>(1, std::min(word.size(), kMaxLength) / 3) + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(word, candidate);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string DidYouMean(std::string_view word,
                       const std::vector<std::string>& candidates) {
  const std::string nearest = Nearest(word, candidates);
  if (!nearest.empty()) return "did you mean '" + nearest + "'?";
  if (candidates.empty() || candidates.size() > kMaxListed) return "";
  return "one of: " + Join(candidates);
}

}  // namespace inquest

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/common_words.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace inquest::rules {
namespace {

constexpr std::string_view kWords[] = {
    "batch", "cache",   "cuda",   "data",   "debug",  "device", "epoch",
    "error", "false",   "file",   "from",   "gpu",    "grad",   "info",
    "iter",  "layer",   "line",   "loss",   "metric", "model",  "nccl",
    "node",  "none",    "norm",   "python", "rank",   "shard",  "step",
    "time",  "token",   "tokens", "torch",  "train",  "true",   "usage",
    "warn",  "warning", "with",   "worker"};

using Inside = bool (*)(char);

std::string_view Trimmed(std::string_view text, Inside inside) {
  while (!text.empty() && !inside(text.front())) text.remove_prefix(1);
  while (!text.empty() && !inside(text.back())) text.remove_suffix(1);
  return text;
}

bool IsOfWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool IsVisible(char c) {
  return c != ' ' && c != '\t';
}

}  // namespace

bool IsCommonWord(std::string_view literal) {
  constexpr std::string_view kPrompts = "$#>";
  if (!literal.empty() && kPrompts.find(literal[0]) != kPrompts.npos) {
    return false;
  }
  const std::string_view word = Trimmed(literal, IsOfWord);
  // A piece of such a word is not rarer: " inf" is in " info".
  const std::string_view piece = Trimmed(literal, IsVisible);
  return !piece.empty() &&
         std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view common) {
                       return common == word ||
                              common.find(piece) != common.npos;
                     });
}

bool IsOfCommonWords(std::string_view literal) {
  if (IsCommonWord(literal)) return true;
  while (!literal.empty()) {
    const auto end = std::find_if_not(literal.begin(), literal.end(), IsOfWord);
    const auto length = static_cast<size_t>(end - literal.begin());
    if (length > 0 && !IsCommonWord(literal.substr(0, length))) return false;
    literal.remove_prefix(std::min(length + 1, literal.size()));
  }
  return true;
}

}  // namespace inquest::rules

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/cudnn_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace inquest::facts {
namespace {

constexpr std::array<std::string_view, 22> kTypes = {
    "f32",    "f64",  "f16", "i8",   "i32",    "i8x4",   "u8", "u8x4",
    "i8x32",  "bf16", "i64", "bool", "f8e4m3", "f8e5m2", "f8", "f8e8m0",
    "f4e2m1", "i4",   "u4",  "u32",  "c64",    "c128"};
constexpr std::array<std::string_view, 7> kStates = {
    "null",    "unknown",         "destroyed", "not set",
    "refused", "of another kind", "unreadable"};

bool IsType(std::string_view word) {
  return word == "other" ||
         std::find(kTypes.begin(), kTypes.end(), word) != kTypes.end();
}

// Splits at a separator that is not within brackets.
std::vector<std::string_view> SplitWords(std::string_view text,
                                         std::string_view separator) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')') --depth;
    if (depth > 0 || text.substr(at, separator.size()) != separator) continue;
    parts.push_back(text.substr(begin, at - begin));
    begin = at + separator.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// "8x-3x4"; false for any other word.
bool ReadDims(std::string_view word, std::vector<int64_t>* dims) {
  dims->clear();
  const char* at = word.data();
  const char* end = at + word.size();
  while (at != end) {
    if (!dims->empty() && *at++ != 'x') return false;
    int64_t value = 0;
    const auto read = std::from_chars(at, end, value);
    if (read.ec != std::errc()) return false;
    dims->push_back(value);
    at = read.ptr;
  }
  return !dims->empty();
}

// What stands behind the dimensions: nhwc, vectors, strides 1x2x3.
void ReadLayout(const std::vector<std::string_view>& words, size_t from,
                CudnnOperand* to) {
  for (size_t i = from; i < words.size(); ++i) {
    if (words[i] == "vectors") to->vectors = true;
    if (words[i] == "strides" && i + 1 < words.size()) {
      ReadDims(words[i + 1], &to->strides);
    }
  }
}

void AppendWord(std::string_view word, std::string* to) {
  if (!to->empty()) *to += ' ';
  *to += word;
}

// "x f32 8x48x56x56 nhwc" or "mode relu fwd", without brackets.
void ReadShape(std::string_view text, CudnnOperand* to) {
  const auto words = SplitWords(text, " ");
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && ReadDims(words[i], &to->dims)) {
      return ReadLayout(words, i + 1, to);
    }
    if (i > 0 && IsType(words[i])) {
      to->type = words[i];
    } else {
      AppendWord(words[i], &to->name);
    }
  }
  to->dims.clear();
}

// "y null": the state is all that is known.
bool ReadState(std::string_view text, CudnnOperand* to) {
  for (const std::string_view state : kStates) {
    if (text.size() <= state.size() + 1 || !text.ends_with(state)) continue;
    const size_t name = text.size() - state.size() - 1;
    if (text[name] != ' ') continue;
    to->name = text.substr(0, name);
    to->state = state;
    return true;
  }
  return false;
}

CudnnOperand ReadOperand(std::string_view text) {
  CudnnOperand operand;
  const size_t bracket = text.find(" (");
  if (bracket != std::string_view::npos && text.ends_with(')')) {
    operand.remark = text.substr(bracket + 2, text.size() - bracket - 3);
    text = text.substr(0, bracket);
  }
  if (!ReadState(text, &operand)) ReadShape(text, &operand);
  return operand;
}

CudnnLayer ReadLayer(std::string_view text) {
  CudnnLayer layer;
  const size_t colon = text.find(": ");
  if (colon != std::string_view::npos && colon < text.find_first_of(",(")) {
    layer.operation = text.substr(0, colon);
    text = text.substr(colon + 2);
  }
  std::string type;
  for (const std::string_view part : SplitWords(text, ", ")) {
    CudnnOperand operand = ReadOperand(part);
    if (operand.type.empty()) {
      operand.type = type;
    } else {
      type = operand.type;
    }
    layer.operands.push_back(std::move(operand));
  }
  return layer;
}

}  // namespace

const CudnnOperand* CudnnLayer::Find(
    std::initializer_list<std::string_view> names) const {
  for (const CudnnOperand& operand : operands) {
    if (std::find(names.begin(), names.end(), operand.name) != names.end()) {
      return &operand;
    }
  }
  return nullptr;
}

std::vector<CudnnLayer> ReadCudnnWords(std::string_view text) {
  std::vector<CudnnLayer> layers;
  for (const std::string_view part : SplitWords(text, "; ")) {
    layers.push_back(ReadLayer(part));
  }
  return layers;
}

std::string CudnnShape(const std::vector<int64_t>& dims) {
  return fmt::format("{}", fmt::join(dims, "x"));
}

}  // namespace inquest::facts

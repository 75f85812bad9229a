// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace inquest {
namespace {

// The code point of a valid sequence of one to three bytes.
unsigned PointOf(std::string_view sequence) {
  const auto at = [&](size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(sequence[i]));
  };
  if (sequence.size() == 1) return at(0);
  if (sequence.size() == 2) return (at(0) & 0x1F) << 6 | (at(1) & 0x3F);
  return (at(0) & 0x0F) << 12 | (at(1) & 0x3F) << 6 | (at(2) & 0x3F);
}

// The library escapes what JSON may not contain; a terminal obeys more.
std::string WithoutControls(std::string text) {
  const auto suspect = [](char c) { return (c & 0x80) != 0 || c == 0x7F; };
  size_t at =
      static_cast<size_t>(std::ranges::find_if(text, suspect) - text.begin());
  while (at < text.size()) {
    const size_t length =
        std::max<size_t>(1, Utf8Length(std::string_view(text).substr(at)));
    const std::string_view sequence = std::string_view(text).substr(at, length);
    if (suspect(text[at]) && IsControl(sequence)) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", PointOf(sequence));
      text.replace(at, length, escape);
      at += 6;
    } else {
      at += length;
    }
  }
  return text;
}

template <typename Json>
std::string Text(const Json& value, int indent) {
  return WithoutControls(
      value.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::string JsonText(const nlohmann::json& value, int indent) {
  return Text(value, indent);
}

std::string JsonText(const nlohmann::ordered_json& value, int indent) {
  return Text(value, indent);
}

nlohmann::json ParseJson(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace inquest

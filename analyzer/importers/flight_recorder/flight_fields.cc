// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/flight_recorder/flight_fields.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"

namespace inquest::importers {
namespace {

using nlohmann::json;

constexpr size_t kMaxDigits = 9;

bool IsDigitAt(const std::string& text, size_t at) {
  return at < text.size() && IsDigit(text[at]);
}

// The start of the number that ends at `end`.
size_t NumberBefore(const std::string& text, size_t end) {
  while (end > 0 && IsDigitAt(text, end - 1)) --end;
  return end;
}

}  // namespace

const json& At(const json& dict, const char* key) {
  static const json kNone;
  const auto found = dict.is_object() ? dict.find(key) : dict.end();
  return found == dict.end() || !dict.is_object() ? kNone : *found;
}

std::optional<int64_t> IntOf(const json& value) {
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_string()) return {};
  const auto& text = value.get_ref<const std::string&>();
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

std::optional<bool> BoolOf(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  const auto number = IntOf(value);
  if (!number) return {};
  return *number != 0;
}

std::string TextOf(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return {};
  return JsonText(value);
}

std::optional<int64_t> TimeOf(const json& entry, const char* key,
                              const char* key_us) {
  auto time = IntOf(At(entry, key));
  if (!time) {
    time = IntOf(At(entry, key_us));
    if (time && *time < INT64_MAX / 1000) *time *= 1000;
  }
  if (!time || *time <= 0) return {};
  return time;
}

std::optional<int64_t> RankInName(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  size_t at = name.rfind("rank");
  if (at != name.npos) at += IsDigitAt(name, at + 4) ? 4 : 5;
  if (!IsDigitAt(name, at)) {
    at = NumberBefore(name, std::min(name.find('.', 1), name.size()));
  }
  if (!IsDigitAt(name, at)) at = NumberBefore(name, name.size());
  size_t end = at;
  while (IsDigitAt(name, end)) ++end;
  if (end == at || end - at > kMaxDigits) return {};
  return std::stoll(name.substr(at, end - at));
}

}  // namespace inquest::importers

// SPDX-License-Identifier: Apache-2.0
// Source code and sentences, where other words stand in a value's place.
#include <algorithm>

#include "base/secrets/secret_values.h"
#include "base/text.h"

namespace inquest::secrets {
namespace {

bool BelongsToName(char c) {
  return IsAlpha(c) || c == '_' || c == '.';
}

}  // namespace

bool IsCode(std::string_view value, std::string_view rest) {
  const auto end = std::find_if_not(value.begin(), value.end(), BelongsToName);
  const char behind = rest.empty() ? '\0' : rest.front();
  const char next = end < value.end() ? *end : behind;
  if (end != value.begin() && (next == '(' || next == '[')) return true;
  value = value.substr(0, value.find_first_of(",);"));
  return value.size() >= 3 && value.front() != '.' &&
         std::all_of(value.begin(), value.end(), BelongsToName) &&
         KindOfName(value) != NameKind::kNone;
}

bool IsIdentifier(std::string_view value) {
  size_t turns = 0;
  for (size_t i = 0; i < value.size(); ++i) {
    if (!IsAlpha(value[i])) return false;
    turns += i > 0 && IsUpper(value[i]) != IsUpper(value[i - 1]) ? 1 : 0;
  }
  return turns * 3 <= value.size();
}

bool IsProse(std::string_view value, std::string_view rest) {
  const size_t last = value.find_last_not_of(".,;)");
  value = value.substr(0, last == value.npos ? 0 : last + 1);
  if (!std::all_of(value.begin(), value.end(), IsAlpha)) return false;
  if (LooksRandom(value)) return false;
  for (const std::string_view state :
       {"expired", "invalid", "required", "missing", "denied", "incorrect",
        "rejected", "failed", "revoked", "unauthorized", "forbidden", "ok"}) {
    if (EqualsIgnoringCase(value, state)) return true;
  }
  return rest.size() > 1 && rest[0] == ' ' && IsAlpha(rest[1]);
}

}  // namespace inquest::secrets

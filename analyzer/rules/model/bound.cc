// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/bound.h"

#include "base/text.h"
#include "base/units.h"

namespace inquest::rules {

bool IsBound(std::string_view text) {
  return text.starts_with('<') || text.starts_with('>');
}

std::optional<Bound> ParseBound(std::string_view text) {
  if (!IsBound(text)) return {};
  Bound bound;
  bound.upper = text.front() == '<';
  text.remove_prefix(1);
  bound.included = text.starts_with('=');
  if (bound.included) text.remove_prefix(1);
  const auto value = ParseBytes(text);
  if (!value) return {};
  bound.value = static_cast<double>(*value);
  return bound;
}

}  // namespace inquest::rules

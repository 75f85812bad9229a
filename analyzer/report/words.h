// How a finding's standing, and what is not known, is written in JSON and text;
// the other words of the contract are those of the rule files. Shared by all
// report formats.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "analyzer/findings/finding.h"
#include "analyzer/rules/words.h"

namespace inquest::report {

using rules::Word;
std::string_view Word(findings::Standing standing);

// What is not known is null in JSON.
inline nlohmann::json OrNull(const std::optional<int64_t>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace inquest::report

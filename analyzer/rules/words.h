// The fixed words of the contract: how roles, severities and confidences are
// written in rule files, in facts and in JSON.
#pragma once

#include <string_view>

#include "analyzer/rules/model.h"

namespace inquest::rules {

std::string_view Word(Role role);
std::string_view Word(Severity severity);
std::string_view Word(Confidence confidence);

}  // namespace inquest::rules

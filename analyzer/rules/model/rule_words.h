// SPDX-License-Identifier: Apache-2.0
// The fixed words for roles, severities, confidences and kinds of relations in
// rule files, facts and JSON: a contract.
#pragma once

#include <string_view>

#include "analyzer/rules/model/rule_model.h"

namespace inquest::rules {

std::string_view Word(Role role);
std::string_view Word(Severity severity);
std::string_view Word(Confidence confidence);
std::string_view Word(Relation::Kind kind);

}  // namespace inquest::rules

// SPDX-License-Identifier: Apache-2.0
// A capture's text into a typed figure. Used by SignatureSet.
#pragma once

#include <optional>
#include <string_view>

#include "analyzer/rules/model/rule_model.h"

namespace inquest::rules {

// Nothing where the text does not fit the type. Texts come out as valid UTF-8
// without control characters, cut after 2000 bytes.
std::optional<Figure> FigureOf(std::string_view text, CaptureType type);

}  // namespace inquest::rules

// SPDX-License-Identifier: Apache-2.0
// Turns a capture's text into a typed figure. Used by SignatureSet.
#pragma once

#include <optional>
#include <string_view>

#include "analyzer/rules/model/rule_model.h"

namespace inquest::rules {

// Empty if the text does not fit the type. Texts become valid UTF-8 without
// control characters, cut after 2000 bytes.
std::optional<Figure> FigureOf(std::string_view text, CaptureType type);

}  // namespace inquest::rules

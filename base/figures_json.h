// SPDX-License-Identifier: Apache-2.0
// Figures into JSON values and back, at the edges: rule files and tests come
// in, reports go out. The overloads of `to_json` allow figures in a
// `nlohmann::json` initializer like any other value.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/figures.h"

namespace inquest {

void to_json(nlohmann::json& json, const Figure& figure);
void to_json(nlohmann::json& json, const Figures& figures);
void to_json(nlohmann::ordered_json& json, const Figure& figure);
void to_json(nlohmann::ordered_json& json, const Figures& figures);

// An object inside becomes its text: figures are flat.
Figure ToFigure(const nlohmann::json& json);
// Empty if the value is not an object.
Figures ToFigures(const nlohmann::json& json);

}  // namespace inquest

// SPDX-License-Identifier: Apache-2.0
// Whether a rule leaves a row out. Used by the engine; does not use SQL.
#pragma once

#include "analyzer/rules/model/rule_model.h"

namespace inquest::rules {

// `columns` is the row. A missing or NULL column matches nothing.
bool Excepts(const Exception& exception, const Figures& columns);

}  // namespace inquest::rules

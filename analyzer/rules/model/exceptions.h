// SPDX-License-Identifier: Apache-2.0
// Whether a finding's row is one of those that a rule leaves out. Used by the
// engine; knows nothing of SQL.
#pragma once

#include "analyzer/rules/model/rule_model.h"

namespace inquest::rules {

// `columns` is the row. A column that the row lacks, or that is NULL, agrees
// with nothing.
bool Excepts(const Exception& exception, const Figures& columns);

}  // namespace inquest::rules

// SPDX-License-Identifier: Apache-2.0
// A row of any SQL as figures, by the names of its columns. For SQL whose
// columns are not known here: rules, queries, whole facts.
#pragma once

#include "base/database.h"
#include "base/figures.h"

namespace inquest::findings {

Figure FigureIn(const Statement& row, int column);
Figures FiguresIn(const Statement& row);
// A truth value is bound as 1 or 0, a list as NULL.
void BindFigure(int index, const Figure& figure, Statement* statement);

}  // namespace inquest::findings

// SPDX-License-Identifier: Apache-2.0
// A row of any SQL as figures, by the names of its columns. For rows whose
// columns only the SQL knows: those of rules, of queries, of a whole fact.
#pragma once

#include "base/database.h"
#include "base/figures.h"

namespace inquest::findings {

Figure FigureIn(const Statement& row, int column);
Figures FiguresIn(const Statement& row);
// Truth is 1 or 0; a list is bound as NULL.
void BindFigure(int index, const Figure& figure, Statement* statement);

}  // namespace inquest::findings

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/row_figures.h"

namespace inquest::findings {

Figure FigureIn(const Statement& row, int column) {
  if (row.IsNull(column)) return nullptr;
  if (row.IsInteger(column)) return row.Int(column);
  if (row.IsReal(column)) return row.Real(column);
  return row.Text(column);
}

Figures FiguresIn(const Statement& row) {
  Figures figures;
  for (int i = 0; i < row.columns(); ++i) {
    figures[row.ColumnName(i)] = FigureIn(row, i);
  }
  return figures;
}

void BindFigure(int index, const Figure& figure, Statement* statement) {
  if (figure.IsBool()) {
    statement->BindColumn(index, figure.Bool());
  } else if (figure.IsInteger()) {
    statement->BindColumn(index, figure.Integer());
  } else if (figure.IsNumber()) {
    statement->BindColumn(index, figure.Real());
  } else if (figure.IsText()) {
    statement->BindColumn(index, figure.Text());
  } else {
    statement->BindNull(index);
  }
}

}  // namespace inquest::findings

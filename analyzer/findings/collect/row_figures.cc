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

}  // namespace inquest::findings

// SPDX-License-Identifier: Apache-2.0
#include "authoring/lint/sql_place.h"

#include <algorithm>

#include "analyzer/rules/load/yaml.h"

namespace inquest::authoring {

rules::Place PlaceInSql(const std::string& file_text, const rules::Place& begin,
                        std::string_view sql, size_t offset,
                        std::string_view word) {
  const std::string first = rules::LineOf(file_text, begin.line);
  const size_t column =
      begin.column > 0 ? static_cast<size_t>(begin.column) - 1 : 0;
  const bool block = column < first.size() && first[column] == '|';
  const std::string_view before = sql.substr(0, offset);
  rules::Place place = begin;
  if (block) {
    place.line +=
        1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  }
  const std::string line = block ? rules::LineOf(file_text, place.line) : first;
  // The column in its own line; the file's line is indented in addition.
  const size_t in_line =
      block ? offset - (before.rfind('\n') + 1) : column + offset;
  const size_t found = line.find(word, in_line);
  if (found == line.npos) return begin;
  place.column = static_cast<int>(found) + 1;
  return place;
}

}  // namespace inquest::authoring

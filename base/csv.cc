// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <algorithm>
#include <array>

namespace inquest {
namespace {

// The last four are the full-width forms, which some spreadsheets take, too.
constexpr std::array<std::string_view, 10> kFormulas = {
    "=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"};

}  // namespace

std::string CsvField(std::string_view value, bool number) {
  const bool formula =
      !number && std::ranges::any_of(kFormulas, [&](std::string_view mark) {
        return value.starts_with(mark);
      });
  std::string field = formula ? "'" : "";
  field += value;
  // A semicolon parts fields where the comma is for decimals.
  if (field.find_first_of(",;\"\t\r\n") == field.npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace inquest

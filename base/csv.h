// SPDX-License-Identifier: Apache-2.0
// A field of CSV (RFC 4180) that no spreadsheet takes for a formula: text that
// begins like one gets an apostrophe in front, which spreadsheets do not show.
// Numbers stay numbers. Ends of lines within a field stay, in quotes.
#pragma once

#include <string>
#include <string_view>

namespace inquest {

// `number`: the value is one, so that "-5" is not a formula.
std::string CsvField(std::string_view value, bool number);

}  // namespace inquest

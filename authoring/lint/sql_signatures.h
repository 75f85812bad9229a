// SPDX-License-Identifier: Apache-2.0
// Ids of signatures that SQL compares the column `signature` with. A misspelt
// one is no error to SQLite; the rule just never fires. Found from what is
// beside the column, not by a parser.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace inquest::authoring {

struct SignatureName {
  std::string id;
  size_t offset = 0;  // of the text, its quote included
};

// `signature = 'a'`, `e.signature IN ('a', 'b')`; what LIKE and GLOB compare
// with are patterns and left out.
std::vector<SignatureName> SignaturesIn(std::string_view sql);

}  // namespace inquest::authoring

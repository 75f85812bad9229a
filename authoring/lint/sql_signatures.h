// SPDX-License-Identifier: Apache-2.0
// Ids of signatures that SQL compares the column `signature` with. SQLite
// accepts a misspelt one; the rule just never fires. Found from the tokens
// beside the column, without a parser.
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

// `signature = 'a'`, `e.signature IN ('a', 'b')`; patterns of LIKE and GLOB are
// left out.
std::vector<SignatureName> SignaturesIn(std::string_view sql);

}  // namespace inquest::authoring

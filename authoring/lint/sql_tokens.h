// SPDX-License-Identifier: Apache-2.0
// Splits SQL of rules into tokens, to check it without running it. No grammar:
// lint only needs to know which column is beside which operator.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace inquest::authoring {

struct SqlToken {
  enum class Kind : unsigned char { kWord, kText, kNumber, kSign };
  Kind kind = Kind::kSign;
  std::string text;  // words as written; signs whole: "<>", "||"
  size_t offset = 0;
};

// Comments and blanks are left out.
std::vector<SqlToken> SqlTokens(std::string_view sql);

bool IsWord(const SqlToken& token, std::string_view lower_case);

}  // namespace inquest::authoring

// SPDX-License-Identifier: Apache-2.0
#include "authoring/lint/sql_signatures.h"

#include "authoring/lint/sql_tokens.h"

namespace inquest::authoring {
namespace {

bool IsSign(const SqlToken& token, std::string_view sign) {
  return token.kind == SqlToken::Kind::kSign && token.text == sign;
}

bool IsText(const SqlToken& token) {
  return token.kind == SqlToken::Kind::kText && token.text.size() > 2;
}

void Add(const SqlToken& token, std::vector<SignatureName>* names) {
  names->push_back({token.text.substr(1, token.text.size() - 2), token.offset});
}

}  // namespace

std::vector<SignatureName> SignaturesIn(std::string_view sql) {
  const std::vector<SqlToken> tokens = SqlTokens(sql);
  std::vector<SignatureName> names;
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!IsWord(tokens[i], "signature")) continue;
    const SqlToken& next = tokens[i + 1];
    const bool equals = IsSign(next, "=") || IsSign(next, "==") ||
                        IsSign(next, "<>") || IsSign(next, "!=");
    if (equals && IsText(tokens[i + 2])) Add(tokens[i + 2], &names);
    const size_t in = IsWord(next, "not") ? i + 2 : i + 1;
    if (!IsWord(tokens[in], "in")) continue;
    for (size_t j = in + 1; j < tokens.size(); ++j) {
      if (IsText(tokens[j])) Add(tokens[j], &names);
      if (!IsText(tokens[j]) && !IsSign(tokens[j], "(") &&
          !IsSign(tokens[j], ",")) {
        break;
      }
    }
  }
  return names;
}

}  // namespace inquest::authoring

// SPDX-License-Identifier: Apache-2.0
#include "authoring/lint/sql_tokens.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace inquest::authoring {
namespace {

using Kind = SqlToken::Kind;

bool IsWordByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || c == ':' || byte >= 0x80;
}

size_t LengthOf(std::string_view rest, Kind* kind) {
  const char first = rest.front();
  *kind = Kind::kSign;
  if (first == '\'' || first == '"') {
    *kind = first == '"' ? Kind::kWord : Kind::kText;
    const size_t end = rest.find(first, 1);
    return end == rest.npos ? rest.size() : end + 1;
  }
  if (IsWordByte(first)) {
    *kind = IsDigit(first) ? Kind::kNumber : Kind::kWord;
    const auto end = std::find_if_not(rest.begin(), rest.end(), IsWordByte);
    return static_cast<size_t>(end - rest.begin());
  }
  for (const std::string_view sign :
       {"->>", "<>", "!=", "<=", ">=", "==", "||", "->", "<<", ">>"}) {
    if (rest.starts_with(sign)) return sign.size();
  }
  return 1;
}

// Blanks and comments; 0 if there is neither.
size_t SkipLength(std::string_view rest) {
  if (std::isspace(static_cast<unsigned char>(rest.front())) != 0) return 1;
  if (rest.starts_with("--")) return std::min(rest.find('\n'), rest.size());
  if (!rest.starts_with("/*")) return 0;
  const size_t end = rest.find("*/", 2);
  return end == rest.npos ? rest.size() : end + 2;
}

}  // namespace

std::vector<SqlToken> SqlTokens(std::string_view sql) {
  std::vector<SqlToken> tokens;
  for (size_t at = 0; at < sql.size();) {
    const std::string_view rest = sql.substr(at);
    if (const size_t skip = SkipLength(rest); skip > 0) {
      at += skip;
      continue;
    }
    Kind kind{};
    const size_t length = LengthOf(rest, &kind);
    tokens.push_back({kind, std::string(rest.substr(0, length)), at});
    at += length;
  }
  return tokens;
}

bool IsWord(const SqlToken& token, std::string_view lower_case) {
  return token.kind == Kind::kWord &&
         EqualsIgnoringCase(token.text, lower_case);
}

}  // namespace inquest::authoring

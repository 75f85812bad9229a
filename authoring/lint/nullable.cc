// SPDX-License-Identifier: Apache-2.0
#include "authoring/lint/nullable.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/facts/store/catalogue.h"
#include "authoring/lint/sql_tokens.h"

namespace inquest::authoring {
namespace {

using TokenKind = SqlToken::Kind;

bool IsNullable(const facts::Fact& fact, const std::string& name, bool* known) {
  for (const facts::FactColumn& column : fact.columns) {
    if (column.name != name) continue;
    *known = true;
    return column.nullable;
  }
  return false;
}

class NullableFinder {
 public:
  explicit NullableFinder(std::string_view sql) : tokens_(SqlTokens(sql)) {
    ReadAliases();
    ReadGuards();
  }

  std::vector<NullableUse> Find() {
    for (size_t i = 1; i + 1 < tokens_.size(); ++i) {
      bool negated = false;
      const std::string sign = SignAt(i, &negated);
      if (sign.empty()) continue;
      Use(BeginOfLeft(i), sign, negated);
      if (tokens_[i].kind == TokenKind::kSign) Use(i + 1, sign, negated);
    }
    return uses_;
  }

 private:
  bool Is(size_t i, std::string_view sign) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::kSign &&
           tokens_[i].text == sign;
  }
  bool Word(size_t i, std::string_view lower_case) const {
    return i < tokens_.size() && IsWord(tokens_[i], lower_case);
  }

  // oom AS o: the fact has both names; in `FROM oom` only its own.
  void ReadAliases() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const facts::Fact* fact = facts::FindFact(tokens_[i].text);
      if (fact == nullptr || tokens_[i].kind != TokenKind::kWord) continue;
      const bool named = i > 0 && (Word(i - 1, "from") || Word(i - 1, "join") ||
                                   Is(i - 1, ","));
      if (!named) continue;
      aliases_[fact->name] = fact;
      if (Word(i + 1, "as") && i + 2 < tokens_.size()) {
        aliases_[tokens_[i + 2].text] = fact;
      }
    }
  }

  // The column at i, as "o.free_bytes" or "free_bytes"; empty: none.
  std::string ColumnAt(size_t i) const {
    if (i >= tokens_.size() || tokens_[i].kind != TokenKind::kWord) return {};
    if (Is(i + 1, ".") && i + 2 < tokens_.size()) {
      return tokens_[i].text + "." + tokens_[i + 2].text;
    }
    return Is(i + 1, "(") ? std::string() : tokens_[i].text;
  }

  void ReadGuards() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const bool wraps = Word(i, "coalesce") || Word(i, "ifnull");
      if (wraps && Is(i + 1, "(")) guarded_.insert(ColumnAt(i + 2));
      const bool tests =
          i > 0 && (Word(i, "is") || Word(i, "notnull") || Word(i, "isnull"));
      if (tests) guarded_.insert(ColumnAt(BeginOfLeft(i)));
    }
  }

  // Where the column that ends before i begins.
  size_t BeginOfLeft(size_t i) const {
    return i >= 3 && Is(i - 2, ".") ? i - 3 : i - 1;
  }

  // The operator at i; for NOT IN the place of NOT.
  std::string SignAt(size_t i, bool* negated) const {
    static const std::set<std::string> signs = {"=",  "==", "<",  ">",
                                                "<=", ">=", "<>", "!="};
    const SqlToken& token = tokens_[i];
    *negated = token.text == "<>" || token.text == "!=";
    if (token.kind == TokenKind::kSign) {
      return signs.contains(token.text) ? token.text : std::string();
    }
    if (!Word(i, "not")) return {};
    for (const char* word : {"in", "like", "glob", "between"}) {
      if (!Word(i + 1, word)) continue;
      *negated = true;
      return "NOT " + tokens_[i + 1].text;
    }
    return {};
  }

  bool IsNullableColumn(const std::string& column) const {
    const size_t dot = column.find('.');
    bool known = false;
    if (dot != column.npos) {
      const auto alias = aliases_.find(column.substr(0, dot));
      return alias != aliases_.end() &&
             IsNullable(*alias->second, column.substr(dot + 1), &known);
    }
    // Without a fact's name it must be nullable in all facts that it could come
    // from.
    bool all = true;
    for (const auto& [name, fact] : aliases_) {
      bool here = false;
      const bool nullable = IsNullable(*fact, column, &here);
      known = known || here;
      all = all && (!here || nullable);
    }
    return known && all;
  }

  void Use(size_t at, const std::string& sign, bool negated) {
    const std::string column = ColumnAt(at);
    if (column.empty() || guarded_.contains(column) ||
        !IsNullableColumn(column) || !seen_.insert({column, negated}).second) {
      return;
    }
    uses_.push_back({column, sign, negated, tokens_[at].offset});
  }

  std::vector<SqlToken> tokens_;
  std::map<std::string, const facts::Fact*> aliases_;
  std::set<std::string> guarded_;
  std::set<std::pair<std::string, bool>> seen_;
  std::vector<NullableUse> uses_;
};

}  // namespace

std::vector<NullableUse> NullableUses(std::string_view sql) {
  return NullableFinder(sql).Find();
}

}  // namespace inquest::authoring

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/store/fact_parser.h"

#include <re2/re2.h>

#include <string>

#include "trace/records/event.h"

namespace inquest::facts {
namespace {

constexpr std::string_view kComment = "-- ";
constexpr std::string_view kView = "CREATE TEMP VIEW ";
constexpr std::string_view kTable = "CREATE TABLE store_";
constexpr std::string_view kSpaces = " \t";

std::string_view TrimEnd(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kSpaces) + 1);
}

void AddWords(std::string_view words, std::string* text) {
  if (!text->empty()) *text += ' ';
  *text += words;
}

class Parser {
 public:
  explicit Parser(std::vector<Fact>* facts) : facts_(facts) {}

  void AddLine(std::string_view line) {
    if (line.empty()) {
      meaning_.clear();
    } else if (line.starts_with(kComment)) {
      AddWords(line.substr(kComment.size()), &meaning_);
    } else {
      BeginFact(line);
      const size_t comment = line.find(kComment);
      AddCode(TrimEnd(line.substr(0, comment)));
      if (comment != line.npos) {
        AddColumnComment(line.substr(comment + kComment.size()));
      }
    }
  }

 private:
  void BeginFact(std::string_view line) {
    const bool is_table = line.starts_with(kTable);
    if (!is_table && !line.starts_with(kView)) return;
    line.remove_prefix(is_table ? kTable.size() : kView.size());
    Fact& fact = facts_->emplace_back();
    fact.name = line.substr(0, line.find(' '));
    fact.meaning = std::move(meaning_);
    fact.is_table = is_table;
    meaning_.clear();
  }

  void AddCode(std::string_view code) {
    if (code.empty()) return;
    facts_->back().sql.append(code).append("\n");
    code_ = code;
  }

  // The first one after a line of code documents a column, comments on separate
  // lines continue it.
  void AddColumnComment(std::string_view text) {
    Fact& fact = facts_->back();
    if (!code_.empty()) {
      fact.columns.push_back(fact.is_table ? TableColumn() : ViewColumn(&text));
      code_.clear();
    }
    AddWords(text, &fact.columns.back().meaning);
  }

  // "  name TYPE NOT NULL,"
  FactColumn TableColumn() const {
    static const auto* name = new RE2(R"(\s*(\w+))");
    static const auto* required = new RE2("NOT NULL|PRIMARY KEY");
    FactColumn column;
    RE2::PartialMatch(code_, *name, &column.name);
    column.nullable = !RE2::PartialMatch(code_, *required);
    return column;
  }

  // "       table.name," or "       expression AS name,"
  FactColumn ViewColumn(std::string_view* comment) const {
    static const auto* name = new RE2(R"((\w+),?$)");
    FactColumn column;
    RE2::PartialMatch(code_, *name, &column.name);
    column.nullable = comment->starts_with("? ");
    if (column.nullable) comment->remove_prefix(2);
    return column;
  }

  std::vector<Fact>* facts_;
  std::string meaning_;
  std::string code_;  // its last line, until the comment is read
};

// "CASE m.op WHEN 1 THEN 'alloc' … END"; the numbers have no gaps.
template <class Enum>
std::string CaseOf(std::string_view (*name_of)(Enum)) {
  std::string sql = "CASE \\1";
  for (int number = 1;; ++number) {
    const std::string name(name_of(static_cast<Enum>(number)));
    if (name == "unknown") return sql + " ELSE 'unknown' END";
    sql += " WHEN " + std::to_string(number) + " THEN '" + name + "'";
  }
}

void FillInWords(std::string* sql) {
  static const auto* op = new RE2(R"(\{memory_op ([\w.]+)\})");
  static const auto* kind = new RE2(R"(\{memory_kind ([\w.]+)\})");
  static const auto* ops = new std::string(CaseOf(trace::MemoryOpName));
  static const auto* kinds = new std::string(CaseOf(trace::MemoryKindName));
  RE2::GlobalReplace(sql, *op, *ops);
  RE2::GlobalReplace(sql, *kind, *kinds);
}

}  // namespace

void ParseFacts(std::string_view sql, std::vector<Fact>* facts) {
  const size_t known = facts->size();
  Parser parser(facts);
  while (!sql.empty()) {
    const size_t end = sql.find('\n');
    parser.AddLine(sql.substr(0, end));
    sql.remove_prefix(end == sql.npos ? sql.size() : end + 1);
  }
  for (size_t i = known; i < facts->size(); ++i) {
    Fact& fact = (*facts)[i];
    FillInWords(&fact.sql);
    fact.per_trace = fact.sql.find("{trace}") != std::string::npos;
  }
}

}  // namespace inquest::facts

// SPDX-License-Identifier: Apache-2.0
// `inquest query`: read-only SQL over the facts of a run.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "analyzer/findings/collect/row_figures.h"
#include "analyzer/findings/rank/losses.h"
#include "analyzer/findings/sandbox/sandbox.h"
#include "analyzer/report/redact/redact_report.h"
#include "base/csv.h"
#include "base/figures_json.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/diagnosis_session.h"
#include "cli/redact_option.h"

namespace inquest::cli {
namespace {

struct QueryOptions {
  SessionOptions session;
  std::string sql;
  std::string format = "table";
  std::string fact;
  bool redact = false;
  int64_t max_rows = 100000;
};

// Of the statement alone, without --timeout-ms.
constexpr int64_t kUsualMilliseconds = 60'000;
constexpr int64_t kMaxRows = 1'000'000'000'000;

using Row = std::vector<std::string>;

// `text` of a column, if it is text: without what --redact replaces.
std::string Told(const Statement& row, int column, report::Redactor* redactor) {
  std::string text(row.Text(column));
  const bool number = row.IsInteger(column) || row.IsReal(column);
  return redactor == nullptr || number ? text : redactor->Redacted(text);
}

void PrintJsonRow(const Statement& row, report::Redactor* redactor) {
  nlohmann::ordered_json object;
  for (int i = 0; i < row.columns(); ++i) {
    const Figure value = findings::FigureIn(row, i);
    const std::string name(row.ColumnName(i));
    if (redactor != nullptr && value.IsText()) {
      object[name] = redactor->Redacted(value.Text());
    } else {
      object[name] = value;
    }
  }
  Print(JsonText(object) + "\n");
}

void PrintCsvHeader(const Row& header) {
  std::string line;
  for (const std::string& name : header) {
    line += (&name == &header.front() ? "" : ",") + CsvField(name, false);
  }
  Print(line + "\n");
}

void PrintCsvRow(const Statement& row, report::Redactor* redactor) {
  std::string line;
  for (int i = 0; i < row.columns(); ++i) {
    const bool number = row.IsInteger(i) || row.IsReal(i);
    line += (i == 0 ? "" : ",") + CsvField(Told(row, i, redactor), number);
  }
  Print(line + "\n");
}

void PrintTable(const std::vector<Row>& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], std::min<size_t>(row[i].size(), 60));
    }
  }
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      const bool last = i + 1 == row.size();
      if (!last && row[i].size() < widths[i]) {
        line.append(widths[i] - row[i].size(), ' ');
      }
      if (!last) line += "  ";
    }
    Print(line + "\n");
  }
}

Row Header(const Statement& statement) {
  Row header;
  for (int i = 0; i < statement.columns(); ++i) {
    header.emplace_back(statement.ColumnName(i));
  }
  return header;
}

Row Fields(const Statement& statement, report::Redactor* redactor) {
  Row row;
  for (int i = 0; i < statement.columns(); ++i) {
    row.push_back(Printable(Told(statement, i, redactor)));
  }
  return row;
}

int RunSql(const QueryOptions& options, Session* session,
           report::Redactor* redactor) {
  findings::SqlLimits limits;  // the user's own SQL on the user's own machine
  limits.rows = options.max_rows;
  limits.milliseconds = options.session.timeout_ms > 0
                            ? options.session.timeout_ms
                            : kUsualMilliseconds;
  limits.bytes = std::numeric_limits<int64_t>::max();
  limits.memory = 0;
  limits.text = 16 << 20;
  findings::Sandbox sandbox(&session->store().db(), limits);
  auto statement = sandbox.Prepare(options.sql);
  if (!statement.ok()) {
    return Fail(Usage("this SQL cannot be run: " + statement.status().message())
                    .WithHint("`inquest facts list` shows the facts"));
  }
  std::vector<Row> table{Header(*statement)};
  if (options.format == "csv") PrintCsvHeader(table.front());
  while (sandbox.Step(&*statement)) {
    if (options.format == "ndjson") {
      PrintJsonRow(*statement, redactor);
    } else if (options.format == "csv") {
      PrintCsvRow(*statement, redactor);
    } else {
      table.push_back(Fields(*statement, redactor));
    }
  }
  if (options.format == "table") PrintTable(table);
  if (!sandbox.limit().empty()) {
    return Fail({StatusCode::kIncomplete, "the query was " + sandbox.limit()});
  }
  if (!statement->status().ok()) return Fail(statement->status());
  return kDone;
}

void SayWhatIsMissing(facts::Store* store) {
  findings::Diagnosis missing;
  if (!findings::FindMissing(store, &missing).ok()) return;
  for (const std::string& said : findings::WhatIsMissing(missing)) {
    std::cerr << "inquest: " << PrintableLines(said) << "\n";
  }
}

// --fact NAME is short for all of its rows.
Status TakeFact(QueryOptions* options) {
  if (options->fact.empty()) return Status::Ok();
  if (!options->sql.empty()) {
    return Usage("--fact and SQL are two queries")
        .WithHint("leave out one of them");
  }
  if (facts::FindFact(options->fact) == nullptr) {
    return Usage("there is no fact '" + options->fact + "'")
        .WithHint("`inquest facts list` shows them");
  }
  options->sql = "SELECT * FROM " + options->fact;
  return Status::Ok();
}

int Run(QueryOptions* options) {
  if (Status status = TakeFact(options); !status.ok()) return Fail(status);
  // The last word is the SQL if it looks like SQL; without one it is read from
  // standard input.
  if (options->sql.empty()) {
    options->sql.assign(std::istreambuf_iterator<char>(std::cin), {});
  }
  auto session = Session::Open(options->session);
  if (!session.ok()) return Fail(session.status());
  Say(session->diagnostics());
  SayWhatIsMissing(&session->store());
  report::Redactor redactor;
  if (options->redact) report::LearnFacts(&session->store(), &redactor);
  const int result =
      RunSql(*options, &*session, options->redact ? &redactor : nullptr);
  return result != kDone ? result : session->exit_code();
}

// Those that change something are recognised, too: SQLite then says that the
// facts are read-only.
bool BeginsStatement(const std::string& text) {
  constexpr std::string_view kWords[] = {
      "select", "with",   "values", "explain", "pragma", "insert",
      "update", "delete", "drop",   "create",  "alter",  "attach"};
  const auto end = std::ranges::find_if_not(text, IsAlpha);
  const std::string word = ToLower(std::string(text.begin(), end));
  return std::ranges::find(kWords, word) != std::end(kWords);
}

// Positionals are paths; one that is not an existing path and begins a
// statement is the SQL.
void TakeSql(QueryOptions* options) {
  auto& paths = options->session.paths;
  if (paths.empty()) return;
  if (!BeginsStatement(paths.back())) return;
  if (access(paths.back().c_str(), F_OK) == 0) return;
  options->sql = paths.back();
  paths.pop_back();
}

}  // namespace

void AddQuery(Command program) {
  auto options = std::make_shared<QueryOptions>();
  const Command command = program.Add(
      "query", "Read-only SQL over the facts of a run: query RUN… [SQL]");
  AddSessionOptions(command, &options->session);
  command.Takes("--sql", &options->sql,
                "The statement; otherwise the last word, or standard "
                "input");
  command.Takes("--fact", &options->fact, "All rows of a fact, instead of SQL")
      .Called("NAME");
  AddRedactOption(command, &options->redact);
  command.Takes("--format", &options->format, "How to print the rows")
      .OneOf({"table", "csv", "ndjson"})
      .ShowDefault();
  command.Takes("--max-rows", &options->max_rows, "Stop after this many rows")
      .Between(0, kMaxRows)
      .ShowDefault();
  command.Run([options] {
    TakeSql(options.get());
    return Run(options.get());
  });
}

}  // namespace inquest::cli

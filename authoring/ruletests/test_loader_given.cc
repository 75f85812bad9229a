// SPDX-License-Identifier: Apache-2.0
// Reads `given:` of a test.
#include <algorithm>
#include <map>

#include "analyzer/facts/store/catalogue.h"
#include "analyzer/rules/load/format_words.h"
#include "authoring/ruletests/test_loader_parts.h"
#include "base/figures_json.h"
#include "base/suggest.h"
#include "base/text.h"

namespace inquest::ruletests {
namespace {

using nlohmann::json;
using rules::Fields;
using rules::KeySpec;
using rules::Shape;

constexpr KeySpec kGivenKeys[] = {
    {"log", Shape::kText},        {"logs", Shape::kMapping},
    {"ranks", Shape::kMapping},   {"files", Shape::kTextOrTexts},
    {"facts", Shape::kMapping},   {"sql", Shape::kText},
    {"allocations", Shape::kAny}, {"ending", Shape::kMapping}};
constexpr rules::WordFor<int> kStates[] = {{"alive", 0}, {"vanished", 0}};
constexpr KeySpec kEndingKeys[] = {{"exit_code", Shape::kAny},
                                   {"signal", Shape::kAny},
                                   {"state", Shape::kText},
                                   {"command", Shape::kText},
                                   {"slurm_job", Shape::kText}};

// Of one test: each log is read by itself, and each row takes a statement.
constexpr size_t kMaxLogs = 1000;
constexpr size_t kMaxRows = 5000;

void TooMany(Fields* fields, const char* key, size_t most, const char* what) {
  fields->Error(fields->Where(key), {"T022",
                                     "more than " + std::to_string(most) + " " +
                                         what + " in one test",
                                     "", "a few show the same"});
}

// Escapes a key for a JSON pointer.
std::string Escaped(std::string key) {
  for (size_t at = 0; at < key.size(); ++at) {
    if (key[at] == '~') key.replace(at++, 1, "~0");
    if (key[at] == '/') key.replace(at++, 1, "~1");
  }
  return key;
}

void ReadLogs(Fields* fields, Given* given) {
  const Fields logs = fields->Child("logs");
  if (logs.value().size() > kMaxLogs) {
    return TooMany(fields, "logs", kMaxLogs, "logs");
  }
  for (const auto& [name, text] : logs.value().items()) {
    if (text.is_string()) {
      given->logs.push_back({name, text.get<std::string>()});
      continue;
    }
    fields->Error(fields->Where("logs/" + Escaped(name)),
                  {"T012", "the log '" + name + "' must be a text", "",
                   "write it indented below '" + name + ": |'"});
  }
}

// Prefixes each line with its rank, as torchrun does.
std::string WithRank(const std::string& rank, const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out += "[rank" + rank + "]: " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

bool IsRank(const std::string& text) {
  return !text.empty() && text.size() <= 6 &&
         std::all_of(text.begin(), text.end(), IsDigit);
}

void ReadRanks(Fields* fields, Given* given) {
  std::map<int, ingest::LogText> logs;  // in the order of the ranks
  const Fields ranks = fields->Child("ranks");
  if (ranks.value().size() > kMaxLogs) {
    return TooMany(fields, "ranks", kMaxLogs, "ranks");
  }
  for (const auto& [rank, text] : ranks.value().items()) {
    if (IsRank(rank) && text.is_string()) {
      logs[std::stoi(rank)] = {"rank" + rank + ".log",
                               WithRank(rank, text.get<std::string>())};
      continue;
    }
    fields->Error(fields->Where("ranks/" + Escaped(rank)),
                  {"T012", "'ranks' must map numbers of ranks to texts", "",
                   "write it indented below '0: |'"});
  }
  for (auto& [unused, log] : logs) given->logs.push_back(std::move(log));
}

// Facts that the analysis derives, and what to give instead.
const std::map<std::string, std::string>& MadeFacts() {
  static const auto* facts = new std::map<std::string, std::string>{
      {"run", "say how the run ended with ending: {exit_code: 1}"},
      {"ending", "say how the run ended with ending: {exit_code: 1}"},
      {"log_event", "give the line itself with log:"},
      {"log_line", "give the line itself with log:"},
      {"log_source", "give the log itself with log:"},
      {"figure", "give the line itself with log:"}};
  return *facts;
}

bool CheckFact(Fields* fields, const std::string& name) {
  const std::string where = "facts/" + Escaped(name);
  if (const auto made = MadeFacts().find(name); made != MadeFacts().end()) {
    fields->Error(fields->WhereKey(where),
                  {"T021", "rows of '" + name + "' cannot be given",
                   "the analysis makes them", made->second});
    return false;
  }
  if (facts::FindFact(name) != nullptr) return true;
  std::vector<std::string> known;
  for (const facts::Fact& fact : facts::Catalogue()) known.push_back(fact.name);
  fields->Error(
      fields->WhereKey(where),
      {"T020", "there is no fact '" + name + "'", "", DidYouMean(name, known)});
  return false;
}

void CheckRow(Fields* fields, const facts::Fact& fact, const json& row,
              const std::string& where) {
  if (!row.is_object()) {
    return fields->Error(
        fields->Where(where),
        {"T012", "a row must be a mapping of columns", "", ""});
  }
  std::vector<std::string> known;
  for (const auto& column : fact.columns) known.push_back(column.name);
  for (const auto& [name, value] : row.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      fields->Error(fields->WhereKey(where + "/" + Escaped(name)),
                    {"T020", "'" + fact.name + "' has no column '" + name + "'",
                     "", DidYouMean(name, known)});
    } else if (value.is_structured()) {
      fields->Error(
          fields->Where(where + "/" + Escaped(name)),
          {"T012", "'" + name + "' must be one value", "", "quote JSON text"});
    }
  }
}

void ReadFacts(Fields* fields, Given* given) {
  const Fields facts = fields->Child("facts");
  size_t all_rows = 0;
  for (const auto& [name, rows] : facts.value().items()) {
    all_rows += rows.size();
    if (all_rows > kMaxRows) return TooMany(fields, "facts", kMaxRows, "rows");
    if (!CheckFact(fields, name)) continue;
    const std::string where = "facts/" + Escaped(name);
    if (!rows.is_array()) {
      fields->Error(fields->Where(where),
                    {"T012", "'" + name + "' must be a list of rows", "", ""});
      continue;
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      CheckRow(fields, *facts::FindFact(name), rows[i],
               where + "/" + std::to_string(i));
    }
    GivenRows given_rows{name, {}, fields->Where(where)};
    for (const json& row : rows) given_rows.rows.push_back(ToFigures(row));
    given->facts.push_back(std::move(given_rows));
  }
}

void ReadEnding(Fields* fields, Given* given) {
  Fields ending = fields->Child("ending");
  ending.Check(kEndingKeys, "'ending'");
  given->exit_code = ReadInteger(&ending, "exit_code");
  given->signal = ReadInteger(&ending, "signal");
  ending.Choice("state", kStates, 0);
  given->state = ending.Text("state");
  given->command = ending.Text("command");
  given->slurm_job = ending.Text("slurm_job");
  if (!ending.failed() && !given->has_run()) {
    ending.Error(fields->Where("ending"),
                 {"T012", "'ending' is empty", "", "ending: {exit_code: 0}"});
  }
  if (ending.failed()) fields->Fail();
}

}  // namespace

Given ReadGiven(Fields* fields) {
  fields->Check(kGivenKeys, "'given'");
  if (fields->value().empty()) {
    fields->Error(fields->place(), {"T012", "'given' is empty", "",
                                    "give a log: or allocations:"});
  }
  Given given;
  if (fields->Has("log")) {
    given.logs.push_back({"case.log", fields->Text("log")});
  }
  if (fields->Value("logs").is_object()) ReadLogs(fields, &given);
  if (fields->Value("ranks").is_object()) ReadRanks(fields, &given);
  for (const std::string& glob : fields->Texts("files")) {
    given.files.push_back({glob, fields->Where("files")});
  }
  if (fields->Value("facts").is_object()) ReadFacts(fields, &given);
  given.sql = fields->Text("sql");
  given.sql_place = fields->Where("sql");
  given.processes = ReadAllocations(fields);
  if (fields->Value("ending").is_object()) ReadEnding(fields, &given);
  return given;
}

}  // namespace inquest::ruletests

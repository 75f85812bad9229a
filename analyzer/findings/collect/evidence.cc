// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/evidence.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "analyzer/facts/derive/own_code.h"
#include "analyzer/facts/derive/recorded_frames.h"
#include "analyzer/facts/store/catalogue.h"
#include "analyzer/findings/collect/row_sentence.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

constexpr size_t kMaxOfALine = 4096;  // bytes kept of a line or row
constexpr size_t kMaxNameLength = 64;

void FillLine(facts::Store* store, Evidence* evidence) {
  auto row = store->db().Prepare(
      "SELECT path, source, line, offset, rank, pid, text, time, time_error, "
      "clock_offset, clock_error, survived, signature FROM store_log_event "
      "WHERE id = ?");
  if (!row.ok()) return;
  row->BindAll(evidence->row);
  row->Next(&evidence->path, &evidence->source, &evidence->line,
            &evidence->offset, &evidence->rank, &evidence->pid, &evidence->text,
            &evidence->time, &evidence->time_error, &evidence->clock_offset,
            &evidence->clock_error, &evidence->survived, &evidence->signature);
}

// Sets which line of Python made the call, if known.
void NamePython(facts::Store* store, int64_t process, int64_t stack,
                Evidence* evidence) {
  if (stack == 0 || process < 1 || process > store->traces()) return;
  const auto frames =
      facts::PythonFrames(store, static_cast<int>(process)).Telling(stack);
  if (frames.empty()) return;
  const std::string place = facts::PlaceOf(frames.front());
  evidence->text += ", at " + place;
  if (facts::IsOwnCode(frames.front().file)) evidence->user_frame = place;
}

// The column that numbers a fact's rows: the second, but for two.
std::string KeyOf(const facts::Fact& fact) {
  if (fact.name == "run") return "1";  // there is one
  if (fact.name == "process") return "process";
  return fact.columns[1].name;
}

// Describes the row of a trace fact, from its most important columns.
void FillRow(facts::Store* store, std::optional<int64_t> process,
             Evidence* evidence) {
  const facts::Fact* fact = facts::FindFact(evidence->table);
  if (fact == nullptr) return;
  const bool of_one = process && fact->columns[0].name == "process";
  auto row = store->db().Prepare(
      "SELECT * FROM " + fact->name + " WHERE " + KeyOf(*fact) + " = ?" +
      (of_one ? " AND process = ?" : "") + " LIMIT 1");
  if (!row.ok()) return;
  row->BindAll(evidence->row);
  if (of_one) row->BindAll(evidence->row, *process);
  if (!row->Step()) return;
  int64_t owner = 0;
  int64_t stack = 0;
  RowText columns;
  for (int i = 0; i < row->columns(); ++i) {
    const std::string_view name = row->ColumnName(i);
    if (name == "process") owner = row->Int(i);
    if (name == "stack") stack = row->Int(i);
    if (!row->IsNull(i)) columns.emplace(name, row->Text(i));
    if (row->IsNull(i) || name == "thread" || name == "stack") continue;
    if (name == "time") {
      evidence->time = row->Int(i);
      continue;
    }
    if (!evidence->text.empty()) evidence->text += "  ";
    evidence->text.append(name).append("=").append(row->Text(i));
  }
  std::string sentence = RowSentence(fact->name, columns);
  if (!sentence.empty()) evidence->text = std::move(sentence);
  NamePython(store, owner, stack, evidence);
}

Evidence Resolve(facts::Store* store, std::string_view reference,
                 std::optional<int64_t> process) {
  Evidence evidence;
  const size_t colon = reference.find(':');
  evidence.table = reference.substr(0, std::min(colon, kMaxNameLength));
  if (colon != reference.npos) {
    evidence.row =
        strtoll(std::string(reference.substr(colon + 1)).c_str(), nullptr, 10);
  }
  if (evidence.table == "log_event") {
    FillLine(store, &evidence);
  } else {
    evidence.process = process;
    FillRow(store, process, &evidence);
  }
  Shorten(&evidence.text, kMaxOfALine);
  return evidence;
}

}  // namespace

std::vector<Evidence> ResolveEvidence(facts::Store* store,
                                      std::string_view references,
                                      std::optional<int64_t> process,
                                      size_t most) {
  std::vector<Evidence> all;
  while (!references.empty() && all.size() < most) {
    const size_t space = references.find(' ');
    const std::string_view one = references.substr(0, space);
    if (one.find(':') != one.npos) all.push_back(Resolve(store, one, process));
    if (space == references.npos) break;
    references.remove_prefix(space + 1);
  }
  return all;
}

}  // namespace inquest::findings

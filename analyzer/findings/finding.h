// SPDX-License-Identifier: Apache-2.0
// A finding: something that a rule or signature recognised in a run, for one
// unit (rank, device, process), with its figures and its evidence; and the
// verdict that remains after the relations are applied. Plain data, made by
// collect.h, ranked by relations.h, read by the reports. Times are nanoseconds
// since 1970.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/findings/job/actions.h"
#include "analyzer/findings/job/job.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::findings {

struct Unit {
  std::optional<int64_t> process;  // process.process, if it was recorded
  std::optional<int64_t> rank;
  std::optional<int64_t> device;
  std::optional<int64_t> pid;
  std::string host;
};

// A line of a log (path, line, offset, text) or a row of a fact (table, row).
struct Evidence {
  std::string table;
  int64_t row = 0;
  std::optional<int64_t> process;  // whose trace; each numbers its own rows
  std::string path;
  int64_t source = 0;  // log_source.source
  int64_t line = 0;
  int64_t offset = 0;
  // Of a line, as its prefix says; the text is without it.
  std::optional<int64_t> rank;
  std::optional<int64_t> pid;
  std::string text;
  std::string signature;  // that recognised the line
  // What it matched, if the line is long; empty: not known.
  std::pair<size_t, size_t> matched{};
  std::string
      user_frame;  // "train.py:57 in forward", if the row's stack has it
  std::optional<int64_t> time;  // by its own clock
  int64_t time_error = 0;
  int64_t clock_offset = 0;  // how far that clock is ahead of the job's
  int64_t clock_error = 0;   // uncertainty of that
  bool survived = false;
};

enum class Standing : uint8_t {
  kRoot,          // nothing explains it
  kContributing,  // a root besides the verdict's own
  kSymptom,       // explained, refined or excluded by another
  kUnexplained,   // an ending without a cause
  kNote,          // not severe enough to matter, or survived
};

// Why another finding ranks above this one.
struct Link {
  size_t by = 0;          // index of the finding that ranks above
  std::string_view kind;  // explains, refines, excludes, same cause
  std::string why;        // in the rule author's words
  bool order_known = true;
  rules::Place place{};  // of the relation; empty without one
};

struct Finding {
  std::string id;    // F1, F2, … in the order of the report
  std::string rule;  // id of the rule or signature
  std::string cause;
  std::string title;
  std::string message;
  rules::Role role = rules::Role::kCause;  // as declared
  rules::Severity severity = rules::Severity::kError;
  rules::Confidence confidence = rules::Confidence::kProbable;
  Standing standing = Standing::kNote;
  Unit unit;
  std::string device_word = "GPU";  // what the run calls the unit's device
  std::vector<Unit> others;  // that share this finding (signature_findings.h)
  int64_t count = 1;
  bool survived = false;
  bool by_code = false;  // only an error code's general meaning says so
  Figures figures;
  std::vector<Evidence> evidence;
  std::vector<rules::Fix> fixes;
  std::vector<std::string> references;
  std::vector<Link> links;

  // Its place: first and last line in each log, and the span of time, by the
  // job's clock, if times are known.
  std::map<int64_t, std::pair<int64_t, int64_t>> lines;
  std::optional<int64_t> first_time;
  std::optional<int64_t> last_time;
  int64_t time_error = 0;
};

struct Skipped {
  std::string rule;
  std::string missing;
  std::string cause;  // that the rule could have found
};

// What was not asked to its end. `rule` is its id, a part of the diagnosis
// ("memory", "relations", "stacks"), or "*" where `what` stands by itself.
struct LimitHit {
  std::string rule;
  std::string what;
  bool is_wanted = false;  // the rule itself asks for no more: nothing is amiss
};
std::string LimitWords(const LimitHit& limit);

// Records that a trace lacks.
struct Loss {
  int64_t process = 0;  // process.process
  std::string kind;     // of record
  int64_t count = 0;
  std::string note;  // why
};

// Device memory of a process that was not recorded for a time.
struct Gap {
  int64_t process = 0;    // process.process
  int64_t missed_ns = 0;  // in all; unknown at the beginning
  int64_t lived_ns = 0;
  bool at_beginning = false;  // before the collector was ready
  std::string note;           // why
};

// A root that is as likely as the verdict's own.
struct Tie {
  size_t finding = 0;   // index
  std::string decider;  // the fact that would decide, and how to get it
};

// One of the inputs, as a report shows it if no cause is known.
struct Input {
  int64_t source = 0;  // log_source.source; 0: a trace
  std::string path;
  std::string read_as;  // in words
  std::vector<Evidence> last_lines;
};

struct OpenQuestion {
  std::vector<Input> inputs;
  std::vector<Evidence> suspects;  // lines that look like errors
  size_t loudest = 0;              // of them, an index
};

struct Verdict {
  std::string cause = "unknown";
  std::optional<size_t> finding;  // index, if there is one
  rules::Confidence confidence = rules::Confidence::kPossible;
  std::string title;
  std::string summary;
  Figures figures;
  std::vector<Tie> ties;
  std::optional<Unit> where;         // it began, if not at the root's unit
  std::vector<size_t> alike;         // the same cause in other units (alike.h)
  std::vector<std::string> missing;  // evidence that would settle doubts
  OpenQuestion open;                 // empty if a cause is named
};

struct Diagnosis {
  std::vector<Finding> findings;
  std::vector<Skipped> skipped;
  std::vector<LimitHit> limits;
  std::vector<Loss> losses;  // the largest first
  std::vector<Gap> gaps;     // the longest first
  Verdict verdict;
  std::optional<Job> job;           // of several ranks
  std::vector<UnitAction> actions;  // the most severe first
  // What other settings would have done was asked for the advice, and no model
  // of the allocator agrees with the record.
  bool replay_withheld = false;
};
// Where it began, as far as it is known.
Unit WhereItBegan(const Diagnosis& diagnosis);
// Whether something was not asked to its end that should have been.
bool HitsALimit(const Diagnosis& diagnosis);

// Whether it did not kill this run but may kill the next.
bool IsRisk(const Finding& finding);
// Whether it says something of a recording that is neither wrong nor a risk.
bool IsRemark(const Finding& finding);
// Whether the two numbers, or names of hosts, can be of one rank, process or
// host: what is not known can be any. An empty name is not known.
template <typename T>
bool MayBeOne(const std::optional<T>& a, const std::optional<T>& b) {
  return !a || !b || *a == *b;
}
bool MayBeOneHost(const std::string& a, const std::string& b);
// Whether both are the same line of a log, or the same row of a fact.
bool IsSame(const Evidence& a, const Evidence& b);
bool IsAmong(const Evidence& one, const std::vector<Evidence>& all);
bool AreAmong(const std::vector<Evidence>& some,
              const std::vector<Evidence>& all);
// Whether one of the lines says the same, perhaps with other numbers: the name
// that an exception has before its words does not count.
bool IsSaidAmong(const Evidence& line, const std::vector<Evidence>& all);
// Adds a piece of evidence and widens the finding's span by it.
void AddEvidence(Finding* finding, Evidence evidence);
// Adds figures: new names are added, different values become a list.
void MergeFigures(Figures* into, const Figures& from);

}  // namespace inquest::findings

// One look at a run, from inputs to a verdict: finishes journals, attaches
// traces, reads logs, works out the facts, applies the rules. Shared by
// diagnose, query and the closing line of record. A part of the input that
// cannot be read is said and counted, and the rest is looked at.
#pragma once

#include <string>
#include <vector>

#include "analyzer/diagnosis/profile.h"
#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"
#include "analyzer/logs/reader/log_event.h"
#include "analyzer/report/report.h"
#include "cli/inputs.h"
#include "cli/progress.h"
#include "cli/rule_options.h"

namespace inquest::cli {

struct SessionOptions {
  std::vector<std::string> paths;
  std::vector<std::string> logs;     // --log
  std::vector<std::string> sources;  // --source KIND=FILE
  RuleOptions rules;
  diagnosis::Profile* profile = nullptr;  // of `rules profile`
};

void AddSessionOptions(Command command, SessionOptions* options);

class Session {
 public:
  // Reads everything and works out the facts. Diagnostics about inputs and
  // rules are collected; an error is returned only where nothing is left to
  // look at or the store failed.
  static Expected<Session> Open(const SessionOptions& options);

  // Applies the rules and decides; call once.
  Status Diagnose();
  report::ReportInput Report();

  facts::Store& store() { return store_; }
  const rules::RuleSet& rules() const { return rules_.set; }
  const findings::Diagnosis& diagnosis() const { return diagnosis_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  // Done, or the most serious thing that happened on the way.
  int exit_code() const { return exit_code_; }

 private:
  Status ReadInputs(const SessionOptions& options, Inputs* inputs);
  Status LoadRules(const RuleOptions& options);
  Status Attach(const Inputs& inputs);
  Status AddRun(const std::string& directory);
  Status AddTrace(const std::string& path);
  Status AddForeign(const ForeignInput& file);
  Status ReadAllLogs(const std::vector<std::string>& logs, Progress* progress);
  void Note(const Status& status);

  facts::Store store_;
  LoadedRules rules_;
  findings::Diagnosis diagnosis_;
  Diagnostics diagnostics_;
  std::vector<ingest::LogSource> logs_;
  std::vector<importers::ImportedLog> printed_;  // of imported files
  std::string subject_;
  int64_t events_ = 0;
  int inputs_read_ = 0;
  Status first_problem_;
  int exit_code_ = 0;
  diagnosis::Profile* profile_ = nullptr;
};

}  // namespace inquest::cli

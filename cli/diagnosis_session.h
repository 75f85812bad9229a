// SPDX-License-Identifier: Apache-2.0
// Takes a run from its paths to a verdict: finds out what the paths are, loads
// the rules and runs diagnosis/pipeline.h. Used by each command that examines a
// run. Unreadable input is reported and decides the exit code; the rest is
// still examined.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/diagnosis/pipeline.h"
#include "analyzer/report/report.h"
#include "cli/fleet/shard.h"
#include "cli/inputs.h"
#include "cli/progress.h"
#include "cli/rule_options.h"
#include "cli/session_options.h"
#include "trace/store/temporary_folder.h"

namespace inquest::cli {

class Session {
 public:
  // Reads everything and derives the facts. Diagnostics about inputs and rules
  // are collected; an error is returned only if nothing is left to examine or
  // the store failed.
  static Expected<Session> Open(const SessionOptions& options);

  // Reads a share of the inputs and writes a file of facts, for a session that
  // is given the files of all shares. False: it is there already, made of the
  // same.
  static Expected<bool> Ingest(const SessionOptions& options,
                               const Shard& shard, const std::string& file,
                               Diagnostics* diagnostics, int* exit_code);

  // Applies the rules and decides; call once.
  Status Diagnose();
  report::ReportInput Report();

  facts::Store& store() { return run_.store(); }
  const rules::RuleSet& rules() const { return rules_->set; }
  const findings::Diagnosis& diagnosis() const { return run_.diagnosis(); }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  // kDone, or the code of the most serious problem.
  int exit_code() const { return exit_code_; }

 private:
  explicit Session(diagnosis::Profile* profile)
      : profile_(profile), run_(&rules_->set, profile) {}
  // `thoroughly`: looks for damage in each row of the traces. `damaged`: that
  // is why it failed.
  static Expected<Session> OpenOnce(const SessionOptions& options,
                                    bool thoroughly, bool* damaged);
  Status ReadInputs(const SessionOptions& options, Inputs* inputs);
  Status LoadRules(const RuleOptions& options);
  Status Attach(const Inputs& inputs, facts::Store* store);
  Status AddRun(const std::string& directory, facts::Store* store);
  Status AddTrace(const std::string& path, facts::Store* store);
  Status AddForeign(const ForeignInput& file, facts::Store* store);
  // `inputs` are those of the shard alone.
  Expected<bool> MakePart(const Inputs& inputs, const Shard& shard,
                          const std::string& file);
  Status FillPart(const Inputs& inputs, diagnosis::PartInfo info);
  Status ReadByWorkers(int64_t workers, Inputs* inputs,
                       trace::TemporaryFolder* folder);
  Status TakeParts(const Inputs& inputs);
  Status ReadAll(Inputs* inputs, const SessionOptions& options,
                 bool thoroughly);
  Status ReadAllLogs(const Inputs& inputs, Progress* progress);
  void ReportLeftOut(const Inputs& inputs);
  void NoteInput(const std::string& line);
  void Note(const Status& status);

  // By pointer, because the run points into them and the session may move.
  std::unique_ptr<LoadedRules> rules_ = std::make_unique<LoadedRules>();
  diagnosis::Profile* profile_;
  diagnosis::Pipeline run_;
  Diagnostics diagnostics_;
  std::vector<ingest::LogText> printed_;  // of imported files
  std::string subject_;
  std::string arguments_;
  int inputs_read_ = 0;
  Status first_problem_;
  std::vector<Status> problems_;
  bool makes_part_ = false;
  int exit_code_ = 0;
};

}  // namespace inquest::cli

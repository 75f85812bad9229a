// SPDX-License-Identifier: Apache-2.0
// Takes a run from traces and logs to its diagnosis, in the only correct order:
//
//   Pipeline run(&rules);
//   run.Attach([](facts::Store* store) { … });  // traces, how the run ended
//   run.ReadLogs(signatures, logs);
//   run.DeriveFacts();
//   run.Diagnose();
//
// A job's logs and traces may be read in several places, each by
//
//   part.MakePart(file);  part.Attach(…);  part.ReadLogs(…);  part.EndPart(…);
//
// and judged in one: run.Attach with AddPart for each file, EndParts in the
// place of ReadLogs, then as above.
//
// Each is called once: by the command line for a user's run; by rule tests, the
// score and the fuzzers for synthetic ones. Between two stages the caller may
// change the store. An error means that the store failed and the run cannot
// continue. For one thread; `Diagnose` can be left out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/diagnosis/part_file.h"
#include "analyzer/diagnosis/profile.h"
#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"
#include "analyzer/logs/reader/log_reader.h"
#include "analyzer/memory/analyze.h"
#include "analyzer/rules/model/rule_model.h"
#include "base/diagnostic.h"

namespace inquest::diagnosis {

struct Logs {
  std::vector<ingest::LogFile> files;
  std::vector<ingest::LogText> texts;  // in memory, read after the files
  ingest::LogLimits limits;
  // Called with the progress: unpacked bytes of the log at `path`.
  std::function<void(const std::string& path, int64_t bytes)> on_progress;
};

class Pipeline {
 public:
  // The rules, and the profile if one is given, must outlive the pipeline.
  explicit Pipeline(const rules::RuleSet* rules, Profile* profile = nullptr)
      : rules_(rules), profile_(profile) {}

  // Makes the store, lets `add` fill it and defines the facts over its
  // contents.
  Status Attach(const std::function<Status(facts::Store*)>& add);
  // Makes a file of facts at the path, which must not exist.
  void MakePart(std::string path) { part_path_ = std::move(path); }
  // Within Attach, after one or more traces: analyzes them and lets go of them.
  Status CondenseTraces();
  // `info` without what the pipeline knows itself.
  Status EndPart(PartInfo info);
  // Within Attach.
  Expected<PartInfo> AddPart(const std::string& path);
  Status EndParts();

  // Unreadable logs are not an error; the first is in unread_log().
  Status ReadLogs(const rules::SignatureSet& signatures, const Logs& logs);
  // Replays the memory events, decides how the run ended and completes the
  // refused requests that logs mention.
  Status DeriveFacts(const memory::AnalyzeOptions& options = {});
  // Applies the rules and ranks what they find. Mistakes of rules become
  // diagnostics, exceeded limits are listed in the diagnosis.
  Status Diagnose();

  facts::Store& store() { return store_; }
  const std::vector<ingest::LogSource>& logs() const { return logs_; }
  const Status& unread_log() const { return unread_log_; }
  int64_t memory_events() const { return memory_.events; }
  // If DeriveFacts was asked for them.
  const memory::Timelines& timelines() const { return memory_.timelines; }
  const findings::Diagnosis& diagnosis() const { return diagnosis_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  void ReportSwitchedOff(const std::vector<size_t>& signatures);
  void ReportArtefactLimits(const hangs::Artefacts& artefacts);
  void ReportContradictions();

  const rules::RuleSet* rules_;
  Profile* profile_;
  facts::Store store_;
  std::vector<ingest::LogSource> logs_;
  Status unread_log_;
  std::string part_path_;  // of the file of facts that is made
  memory::AnalyzeState analyzed_;
  memory::MemorySummary memory_;
  std::optional<hangs::Artefacts> artefacts_;  // of the parts
  findings::Diagnosis diagnosis_;
  Diagnostics diagnostics_;
};

}  // namespace inquest::diagnosis

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analyzer/diagnosis/check_advice.h"
#include "analyzer/facts/derive/clocks.h"
#include "analyzer/facts/derive/comparable_versions.h"
#include "analyzer/facts/derive/cudnn_rejections.h"
#include "analyzer/facts/derive/dumped_heap.h"
#include "analyzer/facts/derive/ending.h"
#include "analyzer/facts/derive/native_stacks.h"
#include "analyzer/facts/derive/oom.h"
#include "analyzer/facts/derive/rank_places.h"
#include "analyzer/facts/derive/stalls.h"
#include "analyzer/facts/derive/tracebacks.h"
#include "analyzer/facts/store/log_store.h"
#include "analyzer/findings/collect/collect.h"
#include "analyzer/findings/rank/verdict.h"
#include "analyzer/hangs/artefacts.h"
#include "analyzer/logs/reader/log_parallel.h"

namespace inquest::diagnosis {
namespace {

class WatchedLogStore : public facts::LogStore {
 public:
  WatchedLogStore(facts::Store* store, const rules::RuleSet* rules,
                  const Logs& logs, BlockKeeper* keeper)
      : LogStore(store, rules),
        logs_(logs),
        artefacts_(*rules),
        keeper_(keeper) {}

  void OnEvent(const ingest::LogEvent& event) override {
    artefacts_.OnEvent(event);
    LogStore::OnEvent(event);
  }
  void OnBlock(size_t source, const ingest::LogBlock& block,
               const ingest::PrefixProfile& profile) override {
    const uint8_t wanted = artefacts_.wanted();
    if (keeper_ == nullptr) {
      artefacts_.OnBlock(source, block, profile);
    } else if (wanted != 0) {
      keeper_->Keep(source, wanted, block, profile);
    }
  }
  bool WantsBlocksAfter(size_t signature) const override {
    return artefacts_.Wants(signature);
  }
  void OnSource(size_t source, const ingest::LogSource& facts) override {
    artefacts_.End();
    LogStore::OnSource(source, facts);
  }

  void OnProgress(const std::string& path, int64_t bytes) override {
    if (bytes == 0) artefacts_.Begin(path);
    if (logs_.on_progress) logs_.on_progress(path, bytes);
  }

  hangs::Artefacts& artefacts() { return artefacts_; }

 private:
  const Logs& logs_;
  hangs::Artefacts artefacts_;
  BlockKeeper* keeper_;  // null: the blocks are read at once
};

}  // namespace

Status Pipeline::Attach(const std::function<Status(facts::Store*)>& add) {
  const Timed timed(Stage(profile_, &Profile::attach));
  ASSIGN_OR_RETURN(store_, facts::Store::Create());
  if (!part_path_.empty()) RETURN_IF_ERROR(store_.BeginPart(part_path_));
  RETURN_IF_ERROR(add(&store_));
  return store_.DefineFacts();
}

// One limit for all of them, with the first names: a log in which every line is
// a match switches off signatures by the hundred.
void Pipeline::ReportSwitchedOff(const std::vector<size_t>& signatures) {
  constexpr size_t kNamed = 4;
  if (signatures.empty()) return;
  std::string names;
  for (size_t i = 0; i < std::min(signatures.size(), kNamed); ++i) {
    names += (i == 0 ? "" : ", ") + rules_->signatures[signatures[i]].id;
  }
  if (signatures.size() > kNamed) names += ", …";
  diagnosis_.limits.push_back(
      {"*",
       fmt::format("{} switched off in parts of the logs, since matching "
                   "took too long: {}",
                   signatures.size() == 1
                       ? "1 signature was"
                       : fmt::format("{} signatures were", signatures.size()),
                   names)});
}

Status Pipeline::ReadLogs(const rules::SignatureSet& signatures,
                          const Logs& logs) {
  const Timed timed(Stage(profile_, &Profile::scan));
  std::optional<BlockKeeper> keeper;
  if (!part_path_.empty()) {
    ASSIGN_OR_RETURN(keeper, BlockKeeper::Make(&store_.db()));
  }
  WatchedLogStore sink(&store_, rules_, logs, keeper ? &*keeper : nullptr);
  const auto keep = [this](const Status& read) {
    if (unread_log_.ok()) unread_log_ = read;
  };
  rules::MatchBudget budget(signatures.size());
  std::vector<size_t> switched_off;
  keep(ingest::ReadLogs(logs.files, signatures, logs.limits, &sink,
                        &switched_off));
  size_t source = logs.files.size();
  for (const ingest::LogText& log : logs.texts) {
    keep(ingest::ReadLogText(log.name, log.text, signatures, logs.limits, &sink,
                             source++, 0, &budget, log.unit));
  }
  const std::vector<size_t> also = budget.SwitchedOff();
  switched_off.insert(switched_off.end(), also.begin(), also.end());
  std::ranges::sort(switched_off);
  const auto rest = std::ranges::unique(switched_off);
  switched_off.erase(rest.begin(), rest.end());
  ReportSwitchedOff(switched_off);
  if (!keeper) RETURN_IF_ERROR(sink.artefacts().Write(&store_));
  RETURN_IF_ERROR(sink.Finish());
  ReportArtefactLimits(sink.artefacts());
  logs_ = sink.sources();
  return keeper ? keeper->status() : Status::Ok();
}

void Pipeline::ReportArtefactLimits(const hangs::Artefacts& artefacts) {
  for (std::string& limit : artefacts.Limits()) {
    diagnosis_.limits.push_back({"stacks", std::move(limit)});
  }
}

void Pipeline::ReportContradictions() {
  for (const std::string& one : memory_.contradictions) {
    diagnosis_.limits.push_back({"memory", one});
  }
}

Status Pipeline::CondenseTraces() {
  const int first = analyzed_.process;
  if (first > store_.traces()) return Status::Ok();
  RETURN_IF_ERROR(store_.WithFact("framework_oom", [this] {
    return memory::AnalyzeMore(&store_, {}, &analyzed_, &memory_);
  }));
  return store_.Condense(first);
}

Status Pipeline::EndPart(PartInfo info) {
  info.memory_events = memory_.events;
  info.contradictions = memory_.contradictions;
  info.limits = diagnosis_.limits;
  RETURN_IF_ERROR(WritePart(&store_.db(), info, logs_));
  return store_.EndPart();
}

Expected<PartInfo> Pipeline::AddPart(const std::string& path) {
  if (!artefacts_) artefacts_.emplace(*rules_);
  PartInfo info;
  const size_t first = logs_.size();
  RETURN_IF_ERROR(store_.AddPart(path, [&]() -> Status {
    ASSIGN_OR_RETURN(info, ReadPart(&store_.db()));
    RETURN_IF_ERROR(ReadPartLogs(&store_.db(), &logs_));
    return ReadBlocks(&store_.db(), first, logs_, &*artefacts_);
  }));
  memory_.events += info.memory_events;
  for (const std::string& one : info.contradictions) {
    memory_.contradictions.push_back(one);
  }
  for (const findings::LimitHit& one : info.limits) {
    const auto same = [&](const findings::LimitHit& other) {
      return other.rule == one.rule && other.what == one.what;
    };
    if (std::ranges::none_of(diagnosis_.limits, same)) {
      diagnosis_.limits.push_back(one);
    }
  }
  return info;
}

Status Pipeline::EndParts() {
  RETURN_IF_ERROR(artefacts_->Write(&store_));
  ReportArtefactLimits(*artefacts_);
  return Status::Ok();
}

Status Pipeline::DeriveFacts(const memory::AnalyzeOptions& options) {
  const Timed timed(Stage(profile_, &Profile::facts));
  // Of parts it was analyzed where they were made.
  if (!artefacts_) {
    RETURN_IF_ERROR(
        memory::AnalyzeMore(&store_, options, &analyzed_, &memory_));
  }
  ReportContradictions();
  // Together: SQLite goes through all changed pages at the end of each.
  RETURN_IF_ERROR(store_.db().Execute("BEGIN"));
  RETURN_IF_ERROR(facts::RelateClocks(&store_));
  RETURN_IF_ERROR(facts::FindRankPlaces(&store_));
  RETURN_IF_ERROR(facts::DecideEnding(&store_));
  RETURN_IF_ERROR(facts::CollectLogOoms(&store_));
  RETURN_IF_ERROR(facts::CollectDumpedHeaps(&store_));
  RETURN_IF_ERROR(facts::CollectStalls(&store_));
  RETURN_IF_ERROR(facts::CollectCudnnRejections(&store_));
  RETURN_IF_ERROR(facts::CollectTracebacks(&store_));
  RETURN_IF_ERROR(facts::CollectNativeStacks(&store_));
  RETURN_IF_ERROR(facts::CollectVersions(&store_.db()));
  return store_.db().Execute("COMMIT");
}

Status Pipeline::Diagnose() {
  {
    const Timed timed(Stage(profile_, &Profile::rules));
    RETURN_IF_ERROR(findings::CollectFindings(
        &store_, *rules_, &diagnosis_, &diagnostics_,
        profile_ == nullptr ? nullptr : &profile_->by_rule));
  }
  const Timed timed(Stage(profile_, &Profile::ranking));
  RETURN_IF_ERROR(findings::Decide(&store_, rules_->relations, &diagnosis_));
  CheckAdvice(&store_, &diagnosis_);
  return Status::Ok();
}

}  // namespace inquest::diagnosis

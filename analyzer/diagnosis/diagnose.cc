#include "analyzer/diagnosis/diagnose.h"

#include "analyzer/facts/derive/comparable_versions.h"
#include "analyzer/facts/derive/dumped_heap.h"
#include "analyzer/facts/derive/ending.h"
#include "analyzer/facts/derive/oom.h"
#include "analyzer/facts/derive/stalls.h"
#include "analyzer/facts/derive/tracebacks.h"
#include "analyzer/findings/collect/collect.h"
#include "analyzer/findings/rank/verdict.h"

namespace inquest::diagnosis {

Expected<memory::MemorySummary> DeriveFacts(
    facts::Store* store, const memory::AnalyzeOptions& options) {
  ASSIGN_OR_RETURN(const memory::MemorySummary summary,
                   memory::Analyze(store, options));
  RETURN_IF_ERROR(facts::DecideEnding(store));
  RETURN_IF_ERROR(facts::CollectLogOoms(store));
  RETURN_IF_ERROR(facts::CollectDumpedHeaps(store));
  RETURN_IF_ERROR(facts::CollectStalls(store));
  RETURN_IF_ERROR(facts::CollectTracebacks(store));
  RETURN_IF_ERROR(facts::CollectVersions(&store->db()));
  return summary;
}

Status Diagnose(facts::Store* store, const rules::RuleSet& rules,
                findings::Diagnosis* diagnosis, Diagnostics* diagnostics,
                Profile* profile) {
  {
    const Timed timed(Stage(profile, &Profile::rules));
    RETURN_IF_ERROR(findings::CollectFindings(
        store, rules, diagnosis, diagnostics,
        profile == nullptr ? nullptr : &profile->by_rule));
  }
  const Timed timed(Stage(profile, &Profile::ranking));
  return findings::Decide(store, rules.relations, diagnosis);
}

}  // namespace inquest::diagnosis

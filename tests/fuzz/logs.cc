// A log from its bytes to its facts: unpacking, lines, prefixes, JSON, all
// shipped signatures, then what reads many events together (refused requests,
// dumped heaps, the run's ending) and all shipped rules.
#include <cstdio>
#include <cstdlib>

#include "analyzer/diagnosis/diagnose.h"
#include "analyzer/facts/store/log_store.h"
#include "analyzer/logs/reader/log_reader.h"
#include "analyzer/rules/load/loader.h"
#include "analyzer/rules/signatures/signature_set.h"
#include "tests/fuzz/target.h"

namespace {

using namespace inquest;

void Check(const Status& status, const char* what) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", what, status.message().c_str());
  std::abort();
}

rules::RuleSet ShippedRules() {
  auto sources = rules::ReadRuleDirectory(INQUEST_SOURCE_DIR "/rules");
  Check(sources.status(), "the rules");
  for (auto& source : *sources) source.check_samples = false;
  Diagnostics diagnostics;
  return rules::LoadRules(*sources, &diagnostics);
}

}  // namespace

void FuzzOne(const std::string& bytes) {
  static const rules::RuleSet rules = ShippedRules();
  static const auto signatures = rules::SignatureSet::Compile(rules.signatures);
  auto store = facts::Store::Create();
  Check(store.status(), "the store");
  Check(store->DefineFacts(), "the facts");
  facts::LogStore sink(&*store, &rules);
  ingest::LogLimits limits;
  limits.max_unpacked_bytes = 16 << 20;
  // That bytes cannot be read is no fault of the program.
  (void)ingest::ReadLogText("fuzzed", bytes, *signatures, limits, &sink);
  Check(sink.Finish(), "what the log says");
  Check(diagnosis::DeriveFacts(&*store).status(), "what follows from it");
  findings::Diagnosis diagnosis;
  Diagnostics diagnostics;
  Check(diagnosis::Diagnose(&*store, rules, &diagnosis, &diagnostics),
        "the diagnosis");
}

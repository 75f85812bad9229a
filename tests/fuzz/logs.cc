// SPDX-License-Identifier: Apache-2.0
// A log from its bytes to its facts: decompression, lines, prefixes, JSON, all
// shipped signatures, then the facts derived from many events (refused
// requests, dumped heaps, the run's end) and all shipped rules.
#include <cstdio>
#include <cstdlib>

#include "analyzer/diagnosis/pipeline.h"
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
  diagnosis::Pipeline run(&rules);
  Check(run.Attach([](facts::Store*) { return Status::Ok(); }), "the facts");
  diagnosis::Logs logs;
  logs.texts = {{"fuzzed", bytes}};
  logs.limits.max_unpacked_bytes = 16 << 20;
  // It is not a failure if the bytes cannot be read.
  Check(run.ReadLogs(*signatures, logs), "what the log says");
  Check(run.DeriveFacts(), "what follows from it");
  Check(run.Diagnose(), "the diagnosis");
}

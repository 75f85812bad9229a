// The last two stages of an analysis, in the one order that is right: what
// follows from the inputs, then what the rules say of it. Called by the command
// line for a run of the user's and by rule tests for made-up ones, once each,
// after traces were attached, the facts defined and the logs read. Reads no
// files and keeps nothing.
#pragma once

#include "analyzer/diagnosis/profile.h"
#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"
#include "analyzer/memory/analyze.h"
#include "analyzer/rules/model/rule_model.h"
#include "base/diagnostic.h"

namespace inquest::diagnosis {

// Replays the memory events, decides how the run ended and completes the
// refused requests that logs speak of.
Expected<memory::MemorySummary> DeriveFacts(
    facts::Store* store, const memory::AnalyzeOptions& options = {});

// Applies the rules and fills `diagnosis`. Mistakes of rules are added to
// `diagnostics`, exceeded limits stand in the diagnosis; an error is returned
// only where the store failed.
Status Diagnose(facts::Store* store, const rules::RuleSet& rules,
                findings::Diagnosis* diagnosis, Diagnostics* diagnostics,
                Profile* profile = nullptr);

}  // namespace inquest::diagnosis

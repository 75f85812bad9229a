// SPDX-License-Identifier: Apache-2.0
// From facts to findings: signatures that name a cause become findings
// directly, rules run as SQL in the sandbox, confirming lines raise the
// confidence. A rule that fails or exceeds its budget is reported; the others
// still run. Called once by diagnosis/pipeline.h, after all facts are derived.
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/collect/rule_profile.h"
#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_model.h"
#include "base/diagnostic.h"

namespace inquest::findings {

// Fills diagnosis->findings, skipped and limits. Problems of rules (SQL that
// does not compile, columns that a message lacks) are added to diagnostics. The
// costs of each rule are added to the profile, if given.
Status CollectFindings(facts::Store* store, const rules::RuleSet& rules,
                       Diagnosis* diagnosis, Diagnostics* diagnostics,
                       RuleProfile* profile = nullptr);

// Figures of the whole run, from lines of role context: versions, GPU models.
Expected<Figures> RunFigures(facts::Store* store);

// Compiles every rule against the facts without running it.
void CheckRules(facts::Store* store, const rules::RuleSet& rules,
                Diagnostics* diagnostics);

}  // namespace inquest::findings

// SPDX-License-Identifier: Apache-2.0
// Warns about valid rule files: patterns that cost time on every line,
// relations that never hold or form a ring, SQL that compares values that may
// be NULL, rules without a test. Only warnings and notes; the loader reports
// errors. Called only by `inquest rules lint`, never when examining a run.
//
// A comment `# inquest: allow R077 why` silences a code: for the entry that it
// is in or directly above, or for the whole file if it is above the first list.
#pragma once

#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/rules/load/loader.h"
#include "base/diagnostic.h"

namespace inquest::authoring {

struct LintSubject {
  const std::vector<rules::RuleSource>& sources;
  const rules::RuleSet&
      set;              // all that is loaded: relations refer to all of it
  facts::Store* store;  // with the facts defined, for SQL
};

// Appends to the loader's diagnostics, removes allowed ones, and sorts by file
// and line. Checks everything loaded.
void LintRules(const LintSubject& subject, Diagnostics* diagnostics);

// For commands that use rules: only removes allowed diagnostics. Does not use
// the store.
void DropAllowed(const LintSubject& subject, Diagnostics* diagnostics);

// The parts, each in a separate file; they run in parallel, and only LintSql
// uses the store.
void LintPatterns(const LintSubject& subject, Diagnostics* diagnostics);
void LintRelations(const LintSubject& subject, Diagnostics* diagnostics);
void LintRings(const LintSubject& subject, Diagnostics* diagnostics);
void LintSql(const LintSubject& subject, Diagnostics* diagnostics);
void LintTests(const LintSubject& subject, Diagnostics* diagnostics);
void LintFigures(const LintSubject& subject, Diagnostics* diagnostics);
void LintWords(const LintSubject& subject, Diagnostics* diagnostics);
void ApplyAllows(const LintSubject& subject, Diagnostics* diagnostics);

// One diagnostic about a place in a rule file, with its line.
Diagnostic Remark(const LintSubject& subject, Diagnostic::Level level,
                  const rules::Place& place, const char* code,
                  std::string message, std::string reason, std::string help);

}  // namespace inquest::authoring

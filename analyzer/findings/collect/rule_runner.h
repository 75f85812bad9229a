// SPDX-License-Identifier: Apache-2.0
// Runs a rule's SQL in the sandbox and turns its rows into findings. Used by
// CollectFindings and by the checks of `rules lint`. One sandbox serves all
// rules. All statements of a rule share its time limit, including `confirm` for
// each row.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/collect/rule_budget.h"
#include "analyzer/findings/collect/rule_profile.h"
#include "analyzer/findings/finding.h"
#include "analyzer/findings/sandbox/sandbox.h"
#include "analyzer/rules/model/rule_model.h"
#include "base/diagnostic.h"

namespace inquest::findings {

class RuleRunner {
 public:
  // All must outlive the runner; while it lives, the store can only be read.
  RuleRunner(facts::Store* store, Diagnosis* diagnosis,
             Diagnostics* diagnostics, RuleProfile* profile = nullptr,
             const EngineLimits& limits = {})
      : store_(store),
        diagnosis_(diagnosis),
        diagnostics_(diagnostics),
        profile_(profile),
        budget_(limits),
        sandbox_(&store->db(), limits.rule) {}

  void Run(const rules::Rule& rule);
  // Only compiles the rule's statements.
  void Check(const rules::Rule& rule);

 private:
  // The `confirm` or `refute` of the current rule, compiled at its first row.
  struct Question {
    const std::string* sql;
    Statement statement;
    bool broken = false;
  };

  void RunWithin(const rules::Rule& rule);
  // As many rows as the rule asks for; says how many there are.
  void KeepWanted(const rules::Rule& rule, std::vector<Figures>* rows);
  // Whether a limit stopped the sandbox; if so, lists it in the diagnosis.
  bool HitLimit(const rules::Rule& rule);
  bool NeedsAreMet(const rules::Rule& rule);
  bool HasRows(const std::string& fact);
  bool IsThere(const std::string& need);  // a fact, or "id:GLOB"
  std::vector<Figures> Rows(const rules::Rule& rule);
  // False once a budget is used up.
  bool AddRow(const rules::Rule& rule, const Figures& columns,
              Question* confirm, Question* refute);
  bool IsException(const rules::Rule& rule, const Figures& columns);
  // Whether the statement yields a row with its :names bound to columns.
  bool HasRow(const rules::Rule& rule, Question* question,
              const Figures& columns);
  bool Compile(const rules::Rule& rule, Question* question);
  // The counter for this part of the current rule's time; null without a
  // profile.
  int64_t* Cost(int64_t RuleCost::*part);
  void Report(const rules::Rule& rule, const std::string& message);

  facts::Store* store_;
  Diagnosis* diagnosis_;
  Diagnostics* diagnostics_;
  RuleProfile* profile_;
  RuleBudget budget_;
  Sandbox sandbox_;
  std::map<std::string, bool> has_rows_;
  std::optional<std::set<std::string>> signatures_;  // that matched a line
};

}  // namespace inquest::findings

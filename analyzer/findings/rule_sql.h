// Runs one rule's SQL in the sandbox and turns its rows into findings. Used by
// CollectFindings and by the checks of `rules lint`.
#pragma once

#include "analyzer/base/diagnostic.h"
#include "analyzer/facts/store.h"
#include "analyzer/findings/finding.h"
#include "analyzer/findings/sandbox.h"
#include "analyzer/rules/model.h"

namespace inquest::findings {

class RuleRunner {
 public:
  // All must outlive the runner.
  RuleRunner(facts::Store* store, Diagnosis* diagnosis,
             Diagnostics* diagnostics)
      : store_(store), diagnosis_(diagnosis), diagnostics_(diagnostics) {}

  void Run(const rules::Rule& rule);
  // Compiles the rule's statements only.
  void Check(const rules::Rule& rule);

 private:
  bool NeedsAreMet(const rules::Rule& rule);
  void AddRow(const rules::Rule& rule, const nlohmann::json& columns);
  bool IsException(const rules::Rule& rule, const nlohmann::json& columns);
  // Whether the statement yields a row when its :names are bound to columns.
  bool HasRow(const rules::Rule& rule, const std::string& sql,
              const nlohmann::json& columns, std::string* first);
  void Report(const rules::Rule& rule, const std::string& message);

  facts::Store* store_;
  Diagnosis* diagnosis_;
  Diagnostics* diagnostics_;
};

}  // namespace inquest::findings

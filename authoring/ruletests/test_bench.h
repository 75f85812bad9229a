// Where made-up and labelled runs are diagnosed, one after the other, in this
// process: the signatures are compiled once and each run has a store of its
// own. Used by rule tests and by the score; not thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_model.h"
#include "analyzer/rules/signatures/signature_set.h"
#include "authoring/ruletests/fixtures.h"
#include "authoring/ruletests/test_model.h"
#include "base/diagnostic.h"

namespace inquest::ruletests {

class Bench {
 public:
  static Expected<Bench> Make(rules::RuleSet rules);

  // An error says what is wrong with the test, not with the verdict.
  Expected<findings::Diagnosis> Run(const Given& given, Fixtures* fixtures);
  Expected<findings::Diagnosis> RunLogs(const std::vector<std::string>& paths);

  const rules::RuleSet& rules() const { return rules_; }
  // Of rules that failed, each said once.
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Bench(rules::RuleSet rules, rules::SignatureSet signatures)
      : rules_(std::move(rules)), signatures_(std::move(signatures)) {}
  Expected<findings::Diagnosis> Decide(class Subject* subject);

  rules::RuleSet rules_;
  rules::SignatureSet signatures_;
  Diagnostics diagnostics_;
};

}  // namespace inquest::ruletests

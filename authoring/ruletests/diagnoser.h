// SPDX-License-Identifier: Apache-2.0
// Diagnoses synthetic and labelled runs, one after the other, in this process:
// the signatures are compiled once and each run has its own store. Used by rule
// tests and by the score; one thread.
#pragma once

#include <string>
#include <vector>

#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_model.h"
#include "analyzer/rules/signatures/signature_set.h"
#include "authoring/ruletests/fixtures.h"
#include "authoring/ruletests/test_model.h"
#include "base/diagnostic.h"

namespace inquest::ruletests {

class Diagnoser {
 public:
  static Expected<Diagnoser> Make(rules::RuleSet rules);

  // An error says what is wrong with the test, not with the verdict.
  Expected<findings::Diagnosis> Diagnose(const Given& given,
                                         Fixtures* fixtures);
  Expected<findings::Diagnosis> DiagnoseLog(const std::string& path);

  const rules::RuleSet& rules() const { return rules_; }
  // About rules that failed, each reported once.
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  // The files of a test, by their readers.
  struct Files {
    std::vector<std::string> traces;
    std::vector<std::string> logs;
    std::string sql;
  };

  Diagnoser(rules::RuleSet rules, rules::SignatureSet signatures)
      : rules_(std::move(rules)), signatures_(std::move(signatures)) {}
  static Expected<Files> FindFiles(const Given& given, Fixtures* fixtures);
  Expected<findings::Diagnosis> Run(const Given& given, const Files& files);
  void KeepNew(const Diagnostics& found);

  rules::RuleSet rules_;
  rules::SignatureSet signatures_;
  Diagnostics diagnostics_;
};

}  // namespace inquest::ruletests

// SPDX-License-Identifier: Apache-2.0
// A diagnosis without what tells who, where and on what: for reports that are
// passed on. Every form of a report is made from what is returned here, so none
// can forget a string.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analyzer/facts/store/store.h"
#include "analyzer/report/redact/redactor.h"
#include "analyzer/report/report.h"

namespace inquest::report {

// Owns the diagnosis that `input` points to.
struct RedactedReport {
  std::unique_ptr<findings::Diagnosis> diagnosis;
  ReportInput input;
};

// Learns the names that the facts have.
void LearnFacts(facts::Store* store, Redactor* redactor);
// The same, and those of the report.
void LearnNames(facts::Store* store, const ReportInput& input,
                Redactor* redactor);

RedactedReport Redact(const ReportInput& input, Redactor* redactor);

// Every text in it, except the names of keys.
void LearnJson(const nlohmann::json& value, Redactor* redactor);
void RedactJson(nlohmann::json* value, Redactor* redactor);

}  // namespace inquest::report

// A diagnosis as a person or a program reads it. Input is what the analysis
// left; nothing is computed here but words. Foreign text is made printable.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/findings/finding.h"
#include "analyzer/logs/reader/log_event.h"
#include "analyzer/report/summary.h"

namespace inquest::report {

struct ReportInput {
  const findings::Diagnosis* diagnosis = nullptr;
  Summary summary;
  std::vector<ingest::LogSource> logs;
  nlohmann::json coverage = nlohmann::json::array();  // rows of the fact
  std::string tool_version;
  size_t rules = 0;
  std::string subject;  // what was diagnosed, for "next" commands
};

// One finding of it.
nlohmann::json FindingJson(const findings::Finding& finding,
                           const findings::Diagnosis& diagnosis);

// The contract "inquest.diagnosis/1".
nlohmann::json JsonReport(const ReportInput& input);

// At most about forty lines: verdict, why, what to do, what it explains, what
// was not looked at. `colour` for terminals.
std::string TextReport(const ReportInput& input, bool colour);

// One line for the end of `inquest record`.
std::string OneLine(const findings::Diagnosis& diagnosis);

}  // namespace inquest::report

// SPDX-License-Identifier: Apache-2.0
// SARIF 2.1.0, the format of code scanners: findings of a run, and messages
// about rule files. One run of one tool; rules are listed once.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report/report.h"

namespace inquest::report {

class SarifLog {
 public:
  explicit SarifLog(const std::string& tool_version);

  // The number of the rule, which is added if it is new.
  size_t Rule(const std::string& id, const std::string& title,
              const std::string& explanation);
  // The caller may add to what is returned until the next call.
  nlohmann::json& AddResult(const std::string& rule, size_t number,
                            std::string_view level, const std::string& message);
  void SetProperties(nlohmann::json properties);
  std::string Text() const;

 private:
  nlohmann::json rules_ = nlohmann::json::array();
  nlohmann::json results_ = nlohmann::json::array();
  nlohmann::json properties_;
  std::string version_;
};

// A place in a file; `line` and `column` from 1, 0: unknown. `text` of the line
// may be empty.
nlohmann::json SarifPlace(const std::string& path, int64_t line, int64_t column,
                          const std::string& text);

// The findings of a diagnosis. Places are lines of logs; rows of traces are
// named as logical locations.
std::string SarifReport(const ReportInput& input);

}  // namespace inquest::report

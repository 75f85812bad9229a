// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/page/page.h"

#include <nlohmann/json.hpp>

#include "analyzer/page/page_text.h"
#include "analyzer/report/page/embedded.h"
#include "analyzer/report/page/page_data.h"
#include "analyzer/report/redact/redact_report.h"

namespace inquest::report {

Expected<std::string> HtmlPage(const ReportInput& input, facts::Store* store,
                               Redactor* redactor) {
  ASSIGN_OR_RETURN(nlohmann::json data, PageData(input, store));
  if (redactor != nullptr) {
    LearnJson(data, redactor);
    RedactJson(&data, redactor);
  }
  return page::FillPage(embedded::page_html(), std::move(data));
}

}  // namespace inquest::report
